/* Internal declarations of the code generator. */
#pragma once

#include "cuda/codegen/codegen.h"
#include "run/cpu/cpu-lanes.h"

G_BEGIN_DECLS

/* Index of an element: one C expression per axis, "0" for an axis of size 1. */
typedef struct
{
  guint n;
  const char *at[HIR_MAX_DIMS];
} HirGenIndex;

/* Iteration space of a kernel. Axes of size 1 are ignored. */
typedef struct
{
  guint n;
  gint64 sizes[HIR_MAX_DIMS];
  gboolean reduced[HIR_MAX_DIMS];
  guint order[HIR_MAX_DIMS]; /* axes, slowest first */
} HirGenSpace;

/* State of one instruction, shared by its kernels. */
typedef struct
{
  HirOpCall *const *calls;
  guint n;
  const HirCodegenOptions *options;
  HirUnitCode *code;
  GHashTable *scratch; /* HirBuffer* -> index + 1 */
} HirGenUnit;

/* Split of reductions into @n pieces of @length elements; the last piece may be shorter. */
typedef struct
{
  gint64 n, length;
  guint scratch; /* index of the first scratch buffer; one buffer per reduction */
} HirGenSplit;

typedef enum
{
  HIR_GEN_WHOLE,  /* not split */
  HIR_GEN_PIECES, /* first kernel: reduces each piece to one value */
  HIR_GEN_REST,   /* second kernel: reduces these values and computes the consumers */
} HirGenStage;

/* State of one kernel, for the calls [from, to). */
typedef struct
{
  HirGenUnit *unit;
  guint from, to;
  GArray *args;    /* HirKernelArg */
  GArray *written; /* gboolean: one per argument */
  GString *body;
  guint indent;
  GStringChunk *strings;
  GPtrArray *memo; /* char*: key and variable in turn; inner scopes last */
  guint n_variables;
  gboolean failed; /* the calls cannot be one kernel */
  GError *error;   /* a call is invalid in any kernel */
  HirGenSpace space;
  GArray *reductions;  /* guint: indices of calls, in order */
  guint n_reduced;     /* number of reductions whose result is available */
  HirGenIndex outer;   /* index of the kept element in the output of a reduction */
  guint vector;        /* elements per vector; 1: not vectorized */
  gboolean uses_index; /* map: the body needs the index variables, so no vectors */
  gboolean wide;       /* 64-bit indices */
  HirGenStage stage;   /* for reductions */
  HirGenSplit split;   /* unset if stage is HIR_GEN_WHOLE */
} HirGen;

/* codegen-types.c */

/* Return the C type of an element in memory ("unsigned short"), in a register ("float"), and in
 * computations of a class, and the short name of the class. */
const char *hir_gen_memory_type (HirDType dtype);
const char *hir_gen_register_type (HirDType dtype);
const char *hir_gen_class_type (HirComputeClass klass);
const char *hir_gen_class_name (HirComputeClass klass); /* "f32" */
/* Return an expression (newly allocated) that converts between memory type and register type. @expr
 * must be a primary expression. */
char *hir_gen_from_memory (HirDType dtype, const char *expr);
char *hir_gen_to_memory (HirDType dtype, const char *expr);
/* Returns an expression (newly allocated) that converts @expr, of class @klass, to the register
 * type of @dtype. The value is rounded as if it were stored in memory. */
char *hir_gen_from_class (HirComputeClass klass, HirDType dtype, const char *expr);

/* codegen-ops.c */

/* Return an expression (newly allocated) for an op, or NULL if @klass has no such op. Operands are
 * primary expressions of the type of @klass. hir_gen_combine() is for two partial results of a
 * reduction, which start with hir_gen_neutral(). */
char *hir_gen_unary (HirComputeClass klass, HirUnaryOp op, const char *x);
char *hir_gen_binary (HirComputeClass klass, HirBinaryOp op, const char *x, const char *y);
char *hir_gen_ternary (HirComputeClass klass, HirTernaryOp op, const char *const *operands);
char *hir_gen_combine (HirComputeClass klass, HirBinaryOp op, const char *x, const char *y);
const char *hir_gen_neutral (HirComputeClass klass, HirBinaryOp op);

/* codegen-emit.c */

/* Returns a formatted string, owned by @gen. */
const char *hir_gen_string (HirGen *gen, const char *format, ...) G_GNUC_PRINTF (2, 3);
/* Appends an indented line to the body. */
void hir_gen_line (HirGen *gen, const char *format, ...) G_GNUC_PRINTF (2, 3);
void hir_gen_open (HirGen *gen);  /* "{" */
void hir_gen_close (HirGen *gen); /* "}" */
/* Starts a scope of variables, which hir_gen_forget() ends. */
guint hir_gen_mark (HirGen *gen);
void hir_gen_forget (HirGen *gen, guint mark);
/* Returns the variable stored under @key in an open scope, or NULL. */
const char *hir_gen_lookup (HirGen *gen, const char *key);
void hir_gen_remember (HirGen *gen, const char *key, const char *variable);
/* Emits "const float v7 = EXPR;" and returns "v7". */
const char *hir_gen_variable (HirGen *gen, const char *type, const char *expr);
/* Returns the index of the scratch buffer for @buffer, which is internal to the unit. */
guint hir_gen_get_scratch (HirGenUnit *unit, const HirBuffer *buffer);
/* Returns the name of the parameter with the address of an operand of call @call. Adds the
 * parameter if needed. */
const char *hir_gen_address (HirGen *gen, guint call, int operand, gboolean is_written);
/* Like hir_gen_address(), but for the partial results of reduction @call in buffer @scratch. */
const char *hir_gen_piece_address (HirGen *gen, guint call, guint scratch, gboolean is_written);
/* Like hir_gen_address(), but for the value of a scalar operand, as double or as 64-bit integer. */
const char *hir_gen_scalar (HirGen *gen, guint call, int operand, gboolean is_float);
/* Returns the parameter list: "const float *p0, double p1" */
char *hir_gen_dup_parameters (HirGen *gen);
/* Returns an operand (borrowed) of call @call. */
const HirValue *hir_gen_get_operand (const HirGen *gen, guint call, int operand);

/* codegen-index.c */

/* Sets @mapped to the index in @whole of element @index of @view. Both have the same buffer.
 * Returns FALSE if @whole is not dense or @view starts before it. */
gboolean hir_gen_map_index (HirGen *gen,
                            const HirValue *view,
                            const HirGenIndex *index,
                            const HirValue *whole,
                            HirGenIndex *mapped);
/* Sets @mapped to the index in a tensor with @n @sizes of the element that has the same row-major
 * position as element @index of @from. */
void hir_gen_reshape_index (HirGen *gen,
                            const HirValue *from,
                            const HirGenIndex *index,
                            guint n,
                            const gint64 *sizes,
                            HirGenIndex *mapped);
/* Returns the offset of element @index from element 0 of @value: "i0 * 40 + i1", or "lin" if it
 * equals the element number in the space of a map. */
const char *hir_gen_offset (HirGen *gen, const HirValue *value, const HirGenIndex *index);
gboolean hir_gen_index_equal (const HirGenIndex *a, const HirGenIndex *b);
/* Returns the sum of @expr and @constant, simplified. */
const char *hir_gen_plus (HirGen *gen, const char *expr, gint64 constant);
/* Sets @index to the current element of the space: "i0", ... */
void hir_gen_space_index (HirGen *gen, HirGenIndex *index);
/* Emits the index variables of the axes with that @reduced flag, or of all axes, computed from the
 * variable @counter. */
void hir_gen_decode (HirGen *gen, gboolean reduced, gboolean all, const char *counter);
/* Returns the number of elements of these axes. */
gint64 hir_gen_space_count (const HirGenSpace *space, gboolean reduced, gboolean all);

/* codegen-value.c */

/* Emits element @index of the result of call @call and returns the name of its variable. */
const char *hir_gen_value (HirGen *gen, guint call, const HirGenIndex *index);
/* Returns the name of a variable with element @index of @value, a view of @operand of call @call.
 * The element is computed if this kernel produces it, otherwise loaded. */
const char *hir_gen_read (
    HirGen *gen, guint call, int operand, const HirValue *value, const HirGenIndex *index);
/* Returns element @index of @operand, broadcast if needed, as an expression (newly allocated) of
 * @klass. Also accepts a scalar operand. */
char *hir_gen_read_as (
    HirGen *gen, guint call, int operand, const HirGenIndex *index, HirComputeClass klass);
/* Returns @variable, or a new variable with the injected error if the call has one. */
const char *hir_gen_finish_value (HirGen *gen, guint call, const char *variable);

/* codegen-product.c: like hir_gen_value(), for a matmul or linear; emits a loop. */
const char *hir_gen_product (HirGen *gen, guint call, const HirGenIndex *index);

/* A result that the kernel stores in memory. */
typedef struct
{
  guint call;
  gboolean is_full; /* one element per element of the space; otherwise per kept element */
  HirGenIndex index;
} HirGenStore;

/* codegen-loops.c */

/* Returns the source of a kernel (newly allocated) that computes @stores element by element. Sets
 * grid and block of @part. Check gen->failed afterwards. */
char *hir_gen_write_map (HirGen *gen, const GArray *stores, HirUnitPart *part);
/* Emits the computation and the store of one element. */
void hir_gen_write_store (HirGen *gen, const HirGenStore *store);
/* Returns the source (newly allocated) of a kernel @name with the body of @gen. @before:
 * declarations to insert before it. */
char *hir_gen_finish (HirGen *gen, const char *name, const char *before);
/* Returns @a / @b rounded up, but at most @most. */
guint hir_gen_ceil_div (gint64 a, gint64 b, guint most);

/* codegen-reduce.c */

/* Like hir_gen_write_map(), but for a kernel with reductions, according to gen->stage. */
char *hir_gen_write_reductions (HirGen *gen, const GArray *stores, HirUnitPart *part);
/* Returns TRUE if the reductions would occupy too few blocks. Sets @split, except for its scratch
 * index. */
gboolean hir_gen_choose_split (const HirGen *gen, HirGenSplit *split);
/* Returns the size of the scratch buffer for the partial results of reduction @number. */
gsize hir_gen_get_pieces_bytes (const HirGen *gen, guint number, const HirGenSplit *split);

/* codegen-kernel.c */

/* Generates one kernel for the calls [from, to). Sets *@before to a kernel to launch before it, or
 * to NULL. Returns NULL if the calls cannot be one kernel. Sets @error only if a call is
 * invalid. */
HirUnitPart *hir_gen_kernel (
    HirGenUnit *unit, guint from, guint to, const char *name, HirUnitPart **before, GError **error);

/* Returns TRUE if a kernel that ends before call @to must store the result of @call: it has memory,
 * or a later call reads it. */
gboolean hir_gen_is_stored (const HirGenUnit *unit, guint call, guint to);

G_END_DECLS
