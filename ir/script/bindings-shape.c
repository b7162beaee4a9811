/* Implements ops with axes or sizes as arguments, and helpers for arguments of ops. */
#include "script/bindings-private.h"

#include <math.h>
#include <string.h>

HirTensor *
hir_py_op_to_tensor (HirPyOpCall *call, HirPyValue value, const char *what)
{
  g_autofree char *where = g_strdup_printf ("fd.ops.%s: %s", call->name, what);
  HirTensor *tensor;

  if (call->py->signal != HIR_PY_GO)
    return NULL;
  tensor = hir_py_to_tensor (call->py, value, where);
  if (tensor != NULL && tensor->base.container != call->fusion)
    {
      hir_py_raise (call->py, "ValueError", "%s belongs to another FusionDefinition", where);
      return NULL;
    }
  return tensor;
}

HirVal *
hir_py_op_to_operand (HirPyOpCall *call, HirPyValue value, const char *what)
{
  g_autofree char *where = NULL;

  if (call->py->signal != HIR_PY_GO)
    return NULL;
  if (value.type == HIR_PY_TENSOR)
    return HIR_VAL (hir_py_op_to_tensor (call, value, what));
  where = g_strdup_printf ("fd.ops.%s: %s", call->name, what);
  return HIR_VAL (hir_py_to_scalar (call->py, call->fusion, value, where));
}

HirTensor *
hir_py_op_tensor (HirPyOpCall *call, guint index, const char *name)
{
  HirPyValue value;

  /* The dialects use different names for the operands. */
  if (hir_py_arg (call->py, call->args, index, name, &value) ||
      hir_py_arg (call->py, call->args, index, index == 0 ? "arg1" : "other", &value) ||
      hir_py_arg (call->py, call->args, index, index == 0 ? "input" : "weight", &value))
    return hir_py_op_to_tensor (call, value, name);
  hir_py_arg_required (call->py, call->args, index, name);
  return NULL;
}

HirVal *
hir_py_op_operand (HirPyOpCall *call, guint index, const char *name)
{
  return hir_py_op_to_operand (call, hir_py_arg_required (call->py, call->args, index, name), name);
}

gboolean
hir_py_op_begin (HirPyOpCall *call, guint max_positional)
{
  return hir_py_args_finish (call->py, call->args, max_positional);
}

HirPyValue
hir_py_op_result (HirPyOpCall *call, HirTensor *out)
{
  if (out != NULL)
    return hir_py_tensor (out);
  return hir_py_take_error (call->py, g_steal_pointer (&call->error));
}

gboolean
hir_py_op_take_axes (HirPyOpCall *call, guint index, gint64 **dims, guint *n)
{
  static const char *const names[] = { "dims", "dim", "axes", "axis" };
  HirPyValue value = hir_py_none ();

  *dims = NULL;
  *n = 0;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (hir_py_arg (call->py, call->args, index, names[i], &value))
      break;
  if (value.type == HIR_PY_NONE)
    return FALSE;
  *dims = hir_py_to_ints (call->py, value, "the axes", n);
  return *dims != NULL;
}

HirPyValue
hir_py_op_reduction (HirPyOpCall *call, HirBinaryOp op)
{
  HirTensor *in = hir_py_op_tensor (call, 0, "arg");
  g_autofree gint64 *dims = NULL;
  HirPyValue dtype = hir_py_none ();
  gboolean keepdim;
  HirDType type;
  guint n;

  /* sum (arg, dtype) reduces all axes. */
  if (call->args->n == 2 && call->args->items[1].type == HIR_PY_ENUM)
    {
      hir_py_arg (call->py, call->args, 1, "dtype", &dtype);
      type = hir_py_to_dtype (call->py, dtype, call->name);
      if (!hir_py_op_begin (call, 2))
        return hir_py_none ();
      return hir_py_op_result (call, hir_op_reduction (call->fusion, op, in, NULL, 0, FALSE, type,
                                                       &call->error));
    }
  hir_py_op_take_axes (call, 1, &dims, &n);
  keepdim = hir_py_arg_bool (call->py, call->args, 2, "keepdim", FALSE);
  hir_py_arg (call->py, call->args, 3, "dtype", &dtype);
  type = hir_py_to_dtype (call->py, dtype, call->name);
  if (!hir_py_op_begin (call, 4))
    return hir_py_none ();
  return hir_py_op_result (call, hir_op_reduction (call->fusion, op, in, dims, n, keepdim, type,
                                                   &call->error));
}

HirPyValue
hir_py_op_broadcast (HirPyOpCall *call)
{
  HirTensor *in = hir_py_op_tensor (call, 0, "arg");
  HirPyList *list =
      hir_py_to_list (call->py, hir_py_arg_required (call->py, call->args, 1, "is_broadcast_dim"),
                      "is_broadcast_dim");
  gboolean flags[HIR_PY_MAX_AXES];

  if (list->n > HIR_PY_MAX_AXES)
    return hir_py_raise (call->py, "ValueError", "broadcast: at most %d axes", HIR_PY_MAX_AXES);
  for (guint i = 0; i < list->n && call->py->signal == HIR_PY_GO; i++)
    {
      if (list->items[i].type != HIR_PY_BOOL && list->items[i].type != HIR_PY_INT)
        return hir_py_raise (call->py, "TypeError", "broadcast: the flags must be True or False");
      flags[i] = list->items[i].i != 0;
    }
  if (!hir_py_op_begin (call, 2))
    return hir_py_none ();
  return hir_py_op_result (call, hir_op_broadcast (call->fusion, in, flags, list->n, &call->error));
}

/* Returns NULL for -1, and after a signal. True means 1, as in Python. */
static HirScalar *
take_size (HirPyOpCall *call, HirPyValue item, const char *name)
{
  HirPy *py = call->py;
  gint64 size;

  if (item.type == HIR_PY_SCALAR && hir_scalar_is_const (item.scalar) &&
      hir_dtype_is_floating_point (item.scalar->base.dtype) &&
      item.scalar->d == rint (item.scalar->d) && fabs (item.scalar->d) < 9e15)
    item = hir_py_int ((gint64) item.scalar->d);
  if (item.type == HIR_PY_SCALAR)
    return hir_py_to_scalar (py, call->fusion, item, name);
  py->needs_sizes = py->needs_sizes || item.type == HIR_PY_TENSOR;
  size = hir_py_to_int (py, item, "a size");
  if (py->signal != HIR_PY_GO || size == -1)
    return NULL;
  if (size >= 0)
    return hir_scalar_new_int (call->fusion, size, HIR_DTYPE_INDEX);
  hir_py_raise (py, "ValueError", "%s: the size %" G_GINT64_FORMAT " is negative", call->name,
                size);
  return NULL;
}

/* Reads sizes as scalars; NULL for -1. Returns FALSE after a signal. */
static gboolean
take_sizes (HirPyOpCall *call, guint index, const char *name, HirScalar **sizes, guint *n)
{
  HirPy *py = call->py;
  HirPyList *list;
  HirPyValue value = hir_py_none ();

  if (!hir_py_arg (py, call->args, index, name, &value))
    value = hir_py_arg_required (py, call->args, index, "shape");
  if (py->signal != HIR_PY_GO)
    return FALSE;
  list = hir_py_to_list (py, value, name);
  *n = list->n;
  if (list->n > HIR_PY_MAX_AXES)
    {
      hir_py_raise (py, "ValueError", "%s: at most %d axes", call->name, HIR_PY_MAX_AXES);
      return FALSE;
    }
  for (guint i = 0; i < list->n && py->signal == HIR_PY_GO; i++)
    sizes[i] = take_size (call, list->items[i], name);
  return py->signal == HIR_PY_GO;
}

HirPyValue
hir_py_op_broadcast_in_dim (HirPyOpCall *call)
{
  HirTensor *in = hir_py_op_tensor (call, 0, "arg");
  HirScalar *sizes[HIR_PY_MAX_AXES];
  g_autofree gint64 *dims = NULL;
  guint n = 0, n_dims = 0;

  if (!take_sizes (call, 1, "shape", sizes, &n))
    return hir_py_none ();
  dims = hir_py_to_ints (call->py, hir_py_arg_required (call->py, call->args, 2, "broadcast_dims"),
                         "broadcast_dims", &n_dims);
  if (!hir_py_op_begin (call, 3))
    return hir_py_none ();
  for (guint i = 0; i < n_dims; i++)
    if (dims[i] < 0)
      dims[i] += n;
  return hir_py_op_result (call, hir_op_broadcast_in_dim (call->fusion, in, sizes, n, dims, n_dims,
                                                          &call->error));
}

HirPyValue
hir_py_op_reshape (HirPyOpCall *call)
{
  HirTensor *in = hir_py_op_tensor (call, 0, "arg"), *out;
  HirScalar *sizes[HIR_PY_MAX_AXES];
  guint n = 0;

  if (!take_sizes (call, 1, "new_shape", sizes, &n) || !hir_py_op_begin (call, 2))
    return hir_py_none ();
  out = hir_op_reshape (call->fusion, in, sizes, n, &call->error);
  call->py->needs_sizes =
      out == NULL && g_error_matches (call->error, HIR_ERROR, HIR_ERROR_UNSUPPORTED);
  return hir_py_op_result (call, out);
}

HirPyValue
hir_py_op_expand (HirPyOpCall *call)
{
  HirTensor *in = hir_py_op_tensor (call, 0, "arg");
  HirScalar *sizes[HIR_PY_MAX_AXES];
  guint n = 0;

  if (!take_sizes (call, 1, "shape", sizes, &n) || !hir_py_op_begin (call, 2))
    return hir_py_none ();
  return hir_py_op_result (call, hir_op_expand (call->fusion, in, sizes, n, &call->error));
}

HirPyValue
hir_py_op_permute (HirPyOpCall *call)
{
  HirTensor *in = hir_py_op_tensor (call, 0, "arg");
  g_autofree gint64 *dims = NULL;
  guint n;

  if (!hir_py_op_take_axes (call, 1, &dims, &n) && call->py->signal == HIR_PY_GO)
    hir_py_arg_required (call->py, call->args, 1, "dims");
  if (!hir_py_op_begin (call, 2))
    return hir_py_none ();
  return hir_py_op_result (call, hir_op_permute (call->fusion, in, dims, n, &call->error));
}

HirPyValue
hir_py_op_squeeze (HirPyOpCall *call)
{
  HirTensor *in = hir_py_op_tensor (call, 0, "arg");
  g_autofree gint64 *dims = NULL;
  gboolean expanded;
  guint n;

  if (!hir_py_op_take_axes (call, 1, &dims, &n) && call->py->signal == HIR_PY_GO)
    hir_py_arg_required (call->py, call->args, 1, "dims");
  expanded = hir_py_arg_bool (call->py, call->args, 2, "squeeze_expanded", FALSE);
  if (!hir_py_op_begin (call, 3))
    return hir_py_none ();
  return hir_py_op_result (call,
                           hir_op_squeeze (call->fusion, in, dims, n, expanded, &call->error));
}

HirPyValue
hir_py_op_slice (HirPyOpCall *call)
{
  HirPy *py = call->py;
  HirTensor *in = hir_py_op_tensor (call, 0, "arg");
  HirPyValue strides = hir_py_none ();
  g_autofree gint64 *start = NULL, *stop = NULL, *step = NULL;
  guint n = 0, n_stop = 0, n_step = 0;

  start = hir_py_to_ints (py, hir_py_arg_required (py, call->args, 1, "start_indices"),
                          "start_indices", &n);
  stop = hir_py_to_ints (py, hir_py_arg_required (py, call->args, 2, "end_indices"), "end_indices",
                         &n_stop);
  if (hir_py_arg (py, call->args, 3, "strides", &strides) && strides.type != HIR_PY_NONE)
    step = hir_py_to_ints (py, strides, "strides", &n_step);
  hir_py_arg_bool (py, call->args, 4, "manual_normalization", FALSE);
  if (!hir_py_op_begin (call, 5))
    return hir_py_none ();
  if (n != n_stop || (step != NULL && n_step > 0 && n_step != n))
    return hir_py_raise (py, "ValueError", "slice: start, end and strides must be of one length");
  return hir_py_op_result (call, hir_op_slice (call->fusion, in, start, stop,
                                               n_step > 0 ? step : NULL, n, &call->error));
}

HirPyValue
hir_py_tensor_size (HirPy *py, HirTensor *tensor, gint64 dim)
{
  guint n;
  g_autofree HirIterDomain **axes = hir_tensor_dup_no_reductions (tensor, &n);
  HirIterDomain *axis;

  if (dim < -(gint64) n || dim >= (gint64) n)
    return hir_py_raise (py, "IndexError",
                         "size: axis %" G_GINT64_FORMAT " is out of range: the tensor has %u axes",
                         dim, n);
  axis = axes[dim < 0 ? dim + n : dim];
  return hir_py_scalar (axis->expanded_extent != NULL ? axis->expanded_extent : axis->extent);
}

HirPyValue
hir_py_tensor_shape (HirPy *py, HirTensor *tensor)
{
  guint n;
  g_autofree HirIterDomain **axes = hir_tensor_dup_no_reductions (tensor, &n);
  HirPyValue list = hir_py_list (py, HIR_PY_LIST, n);

  for (guint i = 0; i < list.list->n; i++)
    list.list->items[i] = hir_py_tensor_size (py, tensor, i);
  return list;
}

HirPyValue
hir_py_op_size (HirPyOpCall *call)
{
  HirTensor *in = hir_py_op_tensor (call, 0, "arg");
  gint64 dim = hir_py_arg_int (call->py, call->args, 1, "dim", NULL);

  return hir_py_op_begin (call, 2) ? hir_py_tensor_size (call->py, in, dim) : hir_py_none ();
}

HirPyValue
hir_py_op_shape (HirPyOpCall *call)
{
  HirTensor *in = hir_py_op_tensor (call, 0, "arg");

  return hir_py_op_begin (call, 1) ? hir_py_tensor_shape (call->py, in) : hir_py_none ();
}

HirPyValue
hir_py_op_select (HirPyOpCall *call)
{
  HirTensor *in = hir_py_op_tensor (call, 0, "arg");
  HirPyValue value = hir_py_arg_required (call->py, call->args, 1, "index");
  gint64 dim = hir_py_arg_int (call->py, call->args, 2, "dim", NULL);
  HirScalar *index = NULL;

  if (call->py->signal == HIR_PY_GO)
    index = hir_py_to_scalar (call->py, call->fusion, value, "the index of select");
  if (!hir_py_op_begin (call, 3))
    return hir_py_none ();
  return hir_py_op_result (call, hir_op_select (call->fusion, in, index, dim, &call->error));
}

HirPyValue
hir_py_op_pad (HirPyOpCall *call)
{
  HirTensor *in = hir_py_op_tensor (call, 0, "arg");
  HirPyValue value = hir_py_none ();
  HirScalar *scalar = NULL;
  guint n = 0;
  g_autofree gint64 *widths =
      hir_py_to_ints (call->py, hir_py_arg_required (call->py, call->args, 1, "pad_widths"),
                      "pad_widths", &n);

  if (hir_py_arg (call->py, call->args, 2, "value", &value) && value.type != HIR_PY_NONE)
    scalar = hir_py_to_scalar (call->py, call->fusion, value, "the value of pad");
  if (!hir_py_op_begin (call, 3))
    return hir_py_none ();
  return hir_py_op_result (call, hir_op_pad (call->fusion, in, widths, n, scalar, &call->error));
}

HirPyValue
hir_py_op_cat (HirPyOpCall *call)
{
  HirPyList *list =
      hir_py_to_list (call->py, hir_py_arg_required (call->py, call->args, 0, "tensors"), "cat");
  const gint64 zero = 0;
  gint64 dim = hir_py_arg_int (call->py, call->args, 1, "dim", &zero);
  g_autofree HirTensor **tensors = g_new0 (HirTensor *, MAX (list->n, 1));

  hir_py_arg_bool (call->py, call->args, 2, "manual_padding", FALSE);
  for (guint i = 0; i < list->n && call->py->signal == HIR_PY_GO; i++)
    tensors[i] = hir_py_op_to_tensor (call, list->items[i], "a tensor");
  if (!hir_py_op_begin (call, 3))
    return hir_py_none ();
  if (list->n == 0)
    return hir_py_raise (call->py, "ValueError", "cat needs tensors");
  return hir_py_op_result (call, hir_op_cat (call->fusion, tensors, list->n, dim, &call->error));
}

static HirDType
take_dtype (HirPyOpCall *call, guint index, HirDType fallback)
{
  HirPyValue value = hir_py_none ();
  HirDType dtype;

  hir_py_arg (call->py, call->args, index, "dtype", &value);
  dtype = hir_py_to_dtype (call->py, value, call->name);
  return dtype != HIR_DTYPE_NULL ? dtype : fallback;
}

static HirScalar *
take_scalar (HirPyOpCall *call, guint index, const char *name, gint64 fallback)
{
  HirPyValue value = hir_py_int (fallback);

  hir_py_arg (call->py, call->args, index, name, &value);
  if (value.type == HIR_PY_NONE)
    value = hir_py_int (fallback);
  return call->py->signal == HIR_PY_GO ? hir_py_to_scalar (call->py, call->fusion, value, name)
                                       : NULL;
}

HirPyValue
hir_py_op_iota (HirPyOpCall *call)
{
  HirScalar *length = take_scalar (call, 0, "length", 0),
            *start = take_scalar (call, 1, "start", 0);
  HirScalar *step = take_scalar (call, 2, "step", 1);
  HirDType dtype = take_dtype (call, 3, HIR_DTYPE_INT);

  if (!hir_py_op_begin (call, 4))
    return hir_py_none ();
  return hir_py_op_result (call,
                           hir_op_iota (call->fusion, length, start, step, dtype, &call->error));
}

HirPyValue
hir_py_op_full (HirPyOpCall *call)
{
  HirScalar *sizes[HIR_PY_MAX_AXES], *value;
  HirDType dtype;
  guint n = 0;

  if (!take_sizes (call, 0, "shape", sizes, &n))
    return hir_py_none ();
  for (guint i = 0; i < n; i++)
    if (sizes[i] == NULL)
      return hir_py_raise (call->py, "ValueError", "full: -1 is not a valid size of a new tensor");
  value = take_scalar (call, 1, "fill_value", 0);
  dtype = take_dtype (call, 2, HIR_DTYPE_FLOAT);
  if (!hir_py_op_begin (call, 3))
    return hir_py_none ();
  return hir_py_op_result (call, hir_op_full (call->fusion, sizes, n, value, dtype, &call->error));
}

gboolean
hir_py_set_stride_order (HirPy *py, HirTensor *tensor, HirPyValue order)
{
  guint n, n_order, seen = 0;
  g_autofree HirIterDomain **axes = hir_tensor_dup_no_reductions (tensor, &n);
  g_autofree HirIterDomain **ids = g_new0 (HirIterDomain *, MAX (n, 1));
  g_autofree gint64 *strides = hir_py_to_ints (py, order, "stride_order", &n_order);

  if (strides == NULL)
    return FALSE;
  for (guint i = 0; i < n_order && n_order == n; i++)
    if (strides[i] >= 0 && strides[i] < (gint64) n && ids[n - 1 - strides[i]] == NULL)
      {
        ids[n - 1 - strides[i]] = axes[i];
        seen++;
      }
  if (n_order != n || seen != n)
    {
      hir_py_raise (py, "ValueError",
                    "stride_order must name each of 0 to %d once, 0 the fastest axis", (int) n - 1);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    if (ids[i] != axes[i])
      {
        hir_tensor_set_allocation (tensor, ids, n);
        break;
      }
  return TRUE;
}

HirPyValue
hir_py_op_stride_order (HirPyOpCall *call)
{
  HirTensor *in = hir_py_op_tensor (call, 0, "arg"), *out;
  HirPyValue order = hir_py_arg_required (call->py, call->args, 1, "stride_order");

  if (!hir_py_op_begin (call, 2))
    return hir_py_none ();
  out = hir_op_set (call->fusion, in, &call->error);
  if (out != NULL && !hir_py_set_stride_order (call->py, out, order))
    return hir_py_none ();
  return hir_py_op_result (call, out);
}
