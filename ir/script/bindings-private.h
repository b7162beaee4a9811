/* Internal declarations of the op and schedule bindings. */
#pragma once

#include "script/interp.h"
#include "script/parse/lex.h"

G_BEGIN_DECLS

/* A call of fd.ops.NAME. An op reads its arguments first; hir_py_op_begin() then rejects unused
 * ones. */
typedef struct
{
  HirPy *py;
  HirContainer *fusion;
  const char *name;
  HirPyArgs *args; /* NULL for an operator */
  GError *error;   /* set by the IR; hir_py_op_result() takes ownership */
} HirPyOpCall;

typedef HirPyValue (*HirPyOp) (HirPyOpCall *call);

/* These four return NULL after a signal if the value is not a tensor (operand: or number) of this
 * fusion. */
HirTensor *hir_py_op_to_tensor (HirPyOpCall *call, HirPyValue value, const char *what);
HirVal *hir_py_op_to_operand (HirPyOpCall *call, HirPyValue value, const char *what);
HirTensor *hir_py_op_tensor (HirPyOpCall *call, guint index, const char *name);
HirVal *hir_py_op_operand (HirPyOpCall *call, guint index, const char *name);
/* Returns TRUE if all arguments were valid and none is left over. */
gboolean hir_py_op_begin (HirPyOpCall *call, guint max_positional);
/* Returns @out as a value. If @out is NULL, fails with call->error. */
HirPyValue hir_py_op_result (HirPyOpCall *call, HirTensor *out /* nullable */);

/* bindings-moments.c */
HirPyValue hir_py_op_var (HirPyOpCall *call);
HirPyValue hir_py_op_var_mean (HirPyOpCall *call); /* returns a tuple */

/* bindings-shape.c */

/* Reads the axes under any of the argument names of the dialects. Free @dims with g_free(). Returns
 * FALSE with @dims NULL if they are not given. */
gboolean hir_py_op_take_axes (HirPyOpCall *call, guint index, gint64 **dims, guint *n);
HirPyValue hir_py_op_reduction (HirPyOpCall *call, HirBinaryOp op);
HirPyValue hir_py_op_broadcast (HirPyOpCall *call);
HirPyValue hir_py_op_broadcast_in_dim (HirPyOpCall *call);
HirPyValue hir_py_op_reshape (HirPyOpCall *call);
HirPyValue hir_py_op_permute (HirPyOpCall *call);
HirPyValue hir_py_op_expand (HirPyOpCall *call);
HirPyValue hir_py_op_squeeze (HirPyOpCall *call);
HirPyValue hir_py_op_slice (HirPyOpCall *call);
HirPyValue hir_py_op_size (HirPyOpCall *call);
HirPyValue hir_py_op_shape (HirPyOpCall *call);
HirPyValue hir_py_op_select (HirPyOpCall *call);
HirPyValue hir_py_op_pad (HirPyOpCall *call);
HirPyValue hir_py_op_cat (HirPyOpCall *call);
HirPyValue hir_py_op_iota (HirPyOpCall *call);
HirPyValue hir_py_op_full (HirPyOpCall *call);

/* bindings-schedule-copy.c: caches, rfactor, set_allocation_domain, transform_like,
 * parallelize_like. @first is the index of the first argument after the tensor; 0 for a method. */
gboolean hir_py_is_schedule_copy (const char *name);
HirPyValue
hir_py_schedule_copy (HirPy *py, HirTensor *tensor, const char *name, HirPyArgs *args, guint first);

/* Returns the extent of logical axis @dim as a scalar, without reduction axes. Raises IndexError if
 * there is no such axis. */
HirPyValue hir_py_tensor_size (HirPy *py, HirTensor *tensor, gint64 dim);
HirPyValue hir_py_tensor_shape (HirPy *py, HirTensor *tensor);

G_END_DECLS
