/* Ops that remove or add elements along axes: slice, pad, cat, select. */
#include "label.h"
#include "ops/ops-private.h"

/* Range of one axis, and whether it is the whole axis. */
typedef struct
{
  HirScalar *start, *stop;
  gboolean is_whole;
} Range;

static HirScalar *
new_index (HirContainer *fusion, gint64 value)
{
  if (value == 0)
    return hir_scalar_get_zero (fusion);
  if (value == 1)
    return hir_scalar_get_one (fusion);
  return hir_scalar_new_int (fusion, value, HIR_DTYPE_INDEX);
}

/* Python's bounds: negative ones count from the end; all are clamped to the size. */
static Range
clamp_constant (HirContainer *fusion, HirScalar *size, gint64 start, gint64 stop)
{
  gint64 n = size->i;

  start = CLAMP (start < 0 ? start + n : start, 0, n);
  stop = CLAMP (stop < 0 ? stop + n : stop, start, MAX (n, start));
  return (Range){ new_index (fusion, start), new_index (fusion, stop), start == 0 && stop == n };
}

/* Returns one bound of an axis whose size is known at run time only. */
static HirScalar *
clamp_symbolic_bound (HirContainer *fusion, HirScalar *size, gint64 bound)
{
  if (bound == 0)
    return hir_scalar_get_zero (fusion);
  if (bound > 0)
    return hir_scalar_new_op (fusion, HIR_SCALAR_OP_MIN, size, new_index (fusion, bound));
  size = hir_scalar_new_op (fusion, HIR_SCALAR_OP_ADD, size, new_index (fusion, bound));
  return hir_scalar_new_op (fusion, HIR_SCALAR_OP_MAX, size, hir_scalar_get_zero (fusion));
}

static Range
clamp_symbolic (HirContainer *fusion, HirScalar *size, gint64 start, gint64 stop)
{
  Range range;

  range.is_whole = start == 0 && stop == G_MAXINT64;
  range.start = clamp_symbolic_bound (fusion, size, start);
  range.stop = stop == G_MAXINT64 ? size : clamp_symbolic_bound (fusion, size, stop);
  if (start != 0 && !range.is_whole && stop != G_MAXINT64)
    range.stop = hir_scalar_new_op (fusion, HIR_SCALAR_OP_MAX, range.stop, range.start);
  return range;
}

/* Creates the output axis of a range of @root. An expanded axis remains expanded, with fewer
 * elements. */
static HirIterDomain *
slice_axis (HirContainer *fusion, HirIterDomain *root, const Range *range)
{
  HirScalar *left, *right, *extent;
  HirIterDomain *out;

  if (range->is_whole)
    return root;
  extent = hir_scalar_new_op (fusion, HIR_SCALAR_OP_SUB, range->stop, range->start);
  if (root->expanded_extent != NULL)
    {
      root->expanded_extent = extent;
      return root;
    }
  left = hir_scalar_new_op (fusion, HIR_SCALAR_OP_SUB, hir_scalar_get_zero (fusion), range->start);
  right = hir_scalar_new_op (fusion, HIR_SCALAR_OP_SUB, range->stop, root->extent);
  out = hir_iter_domain_resize (root, left, right);
  /* The same value as extent + left + right, in a shorter form. */
  out->extent = extent;
  if (hir_scalar_is_const_int (extent, 1))
    out->iter_type = HIR_ITER_BROADCAST;
  return out;
}

static gboolean
check_slice (HirContainer *fusion, HirTensor *in, const gint64 *strides, guint n, GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (in);
  guint rank = hir_op_get_rank (in);

  if (n != rank)
    {
      hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                     "slice: got %u bounds, but %s has %u axes; give one bound per axis", n, label,
                     rank);
      return FALSE;
    }
  for (guint i = 0; strides != NULL && i < n; i++)
    {
      if (strides[i] == 1)
        continue;
      hir_set_error (error, HIR_ERROR_REFUSED, HIR_OP_POS (fusion),
                     "slice: axis %u of %s has stride %" G_GINT64_FORMAT "; only stride 1 is "
                     "supported",
                     i, label, strides[i]);
      return FALSE;
    }
  return TRUE;
}

static HirTensor *
new_slice (
    HirContainer *fusion, HirTensor *in, HirIterDomain *const *axes, const Range *ranges, guint n)
{
  g_autofree HirIterDomain **root = g_new (HirIterDomain *, MAX (n, 1));
  g_autofree HirIterDomain **ids = g_new (HirIterDomain *, MAX (n, 1));
  HirVal *inputs[] = { HIR_VAL (in) };
  HirTensor *out;
  HirExpr *expr;

  for (guint i = 0; i < n; i++)
    root[i] = hir_iter_domain_dup (fusion, axes[i], TRUE);
  for (guint i = 0; i < n; i++)
    ids[i] = slice_axis (fusion, root[i], &ranges[i]);
  out = hir_tensor_new_with_root (fusion, in->base.dtype, root, n, ids, n);
  hir_op_inherit (out, inputs, 1);
  expr = hir_op_add (fusion, HIR_EXPR_SLICE, inputs, 1, out);
  expr->u.slice.n = n;
  expr->u.slice.start = hir_arena_array0 (fusion->arena, HirScalar *, n);
  expr->u.slice.stop = hir_arena_array0 (fusion->arena, HirScalar *, n);
  expr->u.slice.step = hir_arena_array0 (fusion->arena, HirScalar *, n);
  for (guint i = 0; i < n; i++)
    {
      expr->u.slice.start[i] = ranges[i].start;
      expr->u.slice.stop[i] = ranges[i].stop;
      expr->u.slice.step[i] = hir_scalar_get_one (fusion);
    }
  return out;
}

HirTensor *
hir_op_slice (HirContainer *fusion,
              HirTensor *in,
              const gint64 *start,
              const gint64 *stop,
              const gint64 *strides,
              guint n,
              GError **error)
{
  guint rank;
  g_autofree HirIterDomain **axes = hir_tensor_dup_no_reductions (in, &rank);
  g_autofree Range *ranges = g_new (Range, MAX (n, 1));
  gboolean whole = TRUE;

  if (!check_slice (fusion, in, strides, n, error))
    return NULL;
  for (guint i = 0; i < n; i++)
    {
      HirScalar *size = hir_op_get_size (axes[i]);

      ranges[i] = hir_scalar_is_const (size) ? clamp_constant (fusion, size, start[i], stop[i])
                                             : clamp_symbolic (fusion, size, start[i], stop[i]);
      whole = whole && ranges[i].is_whole;
    }
  return whole ? hir_op_set (fusion, in, error) : new_slice (fusion, in, axes, ranges, n);
}

/* Returns two widths per axis, outermost axis first, or NULL and @error if they do not match the
 * tensor. */
static gint64 *
dup_pad_widths (HirContainer *fusion,
                const HirTensor *in,
                HirIterDomain *const *axes,
                guint rank,
                const gint64 *widths,
                guint n,
                GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (in);
  g_autofree gint64 *all = g_new0 (gint64, MAX (rank * 2, 1));

  if (n % 2 != 0 || n / 2 > rank)
    {
      hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                     "pad: got %u widths, but %s has %u axes; give two widths per axis, starting "
                     "with the last axis",
                     n, label, rank);
      return NULL;
    }
  for (guint i = 0; i < n / 2; i++)
    {
      guint axis = rank - 1 - i;
      const HirScalar *size = hir_op_get_size (axes[axis]);
      gint64 sum;

      all[axis * 2] = widths[i * 2];
      all[axis * 2 + 1] = widths[i * 2 + 1];
      if (!hir_scalar_is_const (size))
        continue;
      if (__builtin_add_overflow (widths[i * 2], widths[i * 2 + 1], &sum) ||
          __builtin_add_overflow (sum, size->i, &sum) || sum < 0)
        {
          hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                         "pad: axis %u of %s has %" G_GINT64_FORMAT
                         " elements, and widths %" G_GINT64_FORMAT " and %" G_GINT64_FORMAT
                         " give an invalid size; the padded size must be 0 or more",
                         axis, label, size->i, widths[i * 2], widths[i * 2 + 1]);
          return NULL;
        }
    }
  return g_steal_pointer (&all);
}

/* Returns @in, or a copy in which axes with padding are no expanded broadcasts. */
static HirTensor *
concretize_padded (HirContainer *fusion,
                   HirTensor *in,
                   HirIterDomain *const *axes,
                   guint rank,
                   const gint64 *widths)
{
  g_autofree gboolean *flags = g_new0 (gboolean, rank + 1);
  gboolean any = FALSE;

  for (guint i = 0; i < rank; i++)
    {
      flags[i] = axes[i]->expanded_extent != NULL && (widths[i * 2] != 0 || widths[i * 2 + 1] != 0);
      any = any || flags[i];
    }
  return any ? hir_op_concretize (fusion, in, flags) : in;
}

static HirIterDomain *
pad_axis (HirContainer *fusion, HirIterDomain *root, gint64 left, gint64 right)
{
  HirIterDomain *out;

  if (left == 0 && right == 0)
    return root;
  out = hir_iter_domain_resize (root, new_index (fusion, left), new_index (fusion, right));
  if (hir_scalar_is_const_int (out->extent, 1))
    out->iter_type = HIR_ITER_BROADCAST;
  return out;
}

static HirTensor *
new_pad (HirContainer *fusion,
         HirTensor *in,
         HirIterDomain *const *axes,
         guint rank,
         const gint64 *widths,
         HirScalar *value)
{
  g_autofree HirIterDomain **root = g_new (HirIterDomain *, rank);
  g_autofree HirIterDomain **ids = g_new (HirIterDomain *, rank);
  HirVal *inputs[] = { HIR_VAL (in), HIR_VAL (value) };
  HirTensor *out;
  HirExpr *expr;

  for (guint i = 0; i < rank; i++)
    root[i] = hir_iter_domain_dup (fusion, axes[i], TRUE);
  for (guint i = 0; i < rank; i++)
    ids[i] = pad_axis (fusion, root[i], widths[i * 2], widths[i * 2 + 1]);
  out = hir_tensor_new_with_root (fusion, in->base.dtype, root, rank, ids, rank);
  hir_op_inherit (out, inputs, 2);
  expr = hir_op_add (fusion, HIR_EXPR_PAD, inputs, 2, out);
  expr->u.pad.value = value;
  expr->u.pad.n = rank * 2;
  expr->u.pad.widths = hir_arena_array0 (fusion->arena, HirScalar *, rank * 2);
  for (guint i = 0; i < rank * 2; i++)
    expr->u.pad.widths[i] = new_index (fusion, widths[i]);
  return out;
}

HirTensor *
hir_op_pad (HirContainer *fusion,
            HirTensor *in,
            const gint64 *widths,
            guint n,
            HirScalar *value,
            GError **error)
{
  guint rank;
  g_autofree HirIterDomain **axes = hir_tensor_dup_no_reductions (in, &rank);
  g_autofree gint64 *all = dup_pad_widths (fusion, in, axes, rank, widths, n, error);
  gboolean any = FALSE;
  HirTensor *concrete;

  if (all == NULL)
    return NULL;
  for (guint i = 0; i < rank * 2; i++)
    any = any || all[i] != 0;
  if (!any)
    return hir_op_set (fusion, in, error);
  concrete = concretize_padded (fusion, in, axes, rank, all);
  if (concrete != in)
    return hir_op_pad (fusion, concrete, widths, n, value, error);
  value = value != NULL ? hir_op_cast_scalar (fusion, value, in->base.dtype)
                        : hir_op_cast_scalar (fusion, hir_scalar_get_zero (fusion), in->base.dtype);
  return new_pad (fusion, in, axes, rank, all, value);
}

/* Checks each other operand against the first: type, axes, and all sizes except along @dim. cat
 * does not broadcast. */
static gboolean
check_cat (HirContainer *fusion, HirTensor *const *tensors, guint n, guint dim, GError **error)
{
  guint rank;
  g_autofree HirIterDomain **first = hir_tensor_dup_no_reductions (tensors[0], &rank);
  g_autofree char *label = hir_tensor_dup_label (tensors[0]);

  for (guint i = 1; i < n; i++)
    {
      guint own_rank;
      g_autofree HirIterDomain **axes = hir_tensor_dup_no_reductions (tensors[i], &own_rank);
      g_autofree char *own_label = hir_tensor_dup_label (tensors[i]);

      if (own_rank != rank || tensors[i]->base.dtype != tensors[0]->base.dtype)
        {
          hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                         "cat: %s is %s with %u axes, but %s is %s with %u; all tensors must have "
                         "the same type and number of axes",
                         label, hir_dtype_get_script_name (tensors[0]->base.dtype), rank, own_label,
                         hir_dtype_get_script_name (tensors[i]->base.dtype), own_rank);
          return FALSE;
        }
      for (guint axis = 0; axis < rank; axis++)
        {
          HirOpAxis items[] = { { tensors[0], axis, first[axis] },
                                { tensors[i], axis, axes[axis] } };
          HirOpAxisGroup pair = { items, 2 };

          if (axis != dim && (!hir_op_check_extents (fusion, "cat", NULL, &pair, FALSE, error) ||
                              !hir_op_check_parallel (fusion, "cat", &pair, error)))
            return FALSE;
        }
    }
  return TRUE;
}

HirTensor *
hir_op_cat (HirContainer *fusion, HirTensor *const *tensors, guint n, gint64 dim, GError **error)
{
  g_autofree HirIterDomain **ids = NULL;
  g_autofree HirOpAxis *items = g_new (HirOpAxis, MAX (n, 1));
  g_autofree HirVal **inputs = g_new (HirVal *, MAX (n, 1));
  guint axis, rank;
  HirTensor *out;

  g_return_val_if_fail (n > 0, NULL);

  if (!hir_op_normalize_axis (fusion, "cat", tensors[0], dim, &axis, error))
    return NULL;
  if (n == 1)
    return hir_op_set (fusion, tensors[0], error);
  if (!check_cat (fusion, tensors, n, axis, error))
    return NULL;

  rank = hir_op_get_rank (tensors[0]);
  ids = g_new (HirIterDomain *, rank);
  for (guint i = 0; i < rank; i++)
    {
      HirOpAxisGroup group = { items, n };
      HirScalar *sum = NULL;

      for (guint j = 0; j < n; j++)
        {
          guint own_rank;
          g_autofree HirIterDomain **axes = hir_tensor_dup_no_reductions (tensors[j], &own_rank);
          HirScalar *size = hir_op_get_size (axes[i]);

          items[j] = (HirOpAxis){ tensors[j], i, axes[i] };
          if (i == axis)
            sum = sum == NULL ? size : hir_scalar_new_op (fusion, HIR_SCALAR_OP_ADD, sum, size);
          inputs[j] = HIR_VAL (tensors[j]);
        }
      ids[i] = i == axis ? hir_iter_domain_new (fusion, sum, HIR_ITER_ITERATION)
                         : hir_op_join_axes (fusion, &group);
    }
  out = hir_tensor_new (fusion, tensors[0]->base.dtype, ids, rank);
  hir_op_inherit (out, inputs, n);
  hir_op_add (fusion, HIR_EXPR_CAT, inputs, n, out)->u.cat.dim = (int) axis;
  return out;
}

/* Counts a negative constant from the end. Returns NULL and @error if it is out of range. */
static HirScalar *
normalize_index (HirContainer *fusion,
                 const HirTensor *in,
                 guint axis,
                 HirScalar *size,
                 HirScalar *index,
                 GError **error)
{
  gint64 value;

  if (!hir_scalar_is_const (index))
    return index;
  value = index->i;
  if (hir_scalar_is_const (size) && (value < -size->i || value >= size->i))
    {
      g_autofree char *label = hir_tensor_dup_label (in);

      hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                     "select: axis %u of %s has %" G_GINT64_FORMAT
                     " elements, so there is no index %" G_GINT64_FORMAT,
                     axis, label, size->i, value);
      return NULL;
    }
  return value < 0 ? hir_scalar_new_op (fusion, HIR_SCALAR_OP_ADD, size, index) : index;
}

HirTensor *
hir_op_select (HirContainer *fusion, HirTensor *in, HirScalar *index, gint64 dim, GError **error)
{
  guint rank, axis, n = 0;
  g_autofree HirIterDomain **axes = hir_tensor_dup_no_reductions (in, &rank);
  g_autofree HirIterDomain **ids = g_new (HirIterDomain *, MAX (rank, 1));
  HirTensor *out;
  HirExpr *expr;

  if (!hir_op_normalize_axis (fusion, "select", in, dim, &axis, error))
    return NULL;
  index = normalize_index (fusion, in, axis, hir_op_get_size (axes[axis]), index, error);
  if (index == NULL)
    return NULL;

  for (guint i = 0; i < rank; i++)
    {
      if (i != axis)
        ids[n++] = hir_iter_domain_dup (fusion, axes[i], TRUE);
    }
  out = hir_tensor_new (fusion, in->base.dtype, ids, n);
  hir_op_inherit (out, (HirVal *[]){ HIR_VAL (in) }, 1);
  expr =
      hir_op_add (fusion, HIR_EXPR_SELECT, (HirVal *[]){ HIR_VAL (in), HIR_VAL (index) }, 2, out);
  expr->u.select.axis = axes[axis];
  expr->u.select.index = index;
  return out;
}
