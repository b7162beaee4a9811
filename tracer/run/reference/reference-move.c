/* Ops of the reference that move or create elements. */
#include <math.h>
#include <string.h>

#include "run/reference/reference-round.h"
#include "run/values/odometer.h"

void
hir_ref_walk_init (HirRefWalk *walk, guint n, const gint64 *sizes, gint64 at)
{
  memset (walk, 0, sizeof *walk);
  walk->n = n;
  walk->sizes = sizes;
  walk->at = at;
}

gboolean
hir_ref_move (const HirRefTensor *in, HirRefWalk *walk, HirRefTensor *out, GError **error)
{
  gboolean is_stretched = FALSE; /* all elements along an axis have the error of one */
  gint64 n = walk->n > 0 ? walk->sizes[walk->n - 1] : 1;
  gint64 stride = walk->n > 0 ? walk->strides[walk->n - 1] : 0;

  for (guint d = 0; d < walk->n; d++)
    is_stretched |= walk->strides[d] == 0 && walk->sizes[d] > 1;
  walk->n -= walk->n > 0; /* it visits rows */
  for (gint64 k = 0; k < out->count; k += n, hir_ref_walk_next (walk))
    {
      gint64 last = walk->at + (n - 1) * stride;

      if (MIN (walk->at, last) < 0 || MAX (walk->at, last) >= in->count)
        return FALSE;
      if (stride == 1 && !is_stretched)
        {
          if (!hir_ref_tensor_copy (out, k, in, walk->at, n, error))
            return FALSE;
          continue;
        }
      for (gint64 i = 0; i < n; i++)
        {
          HirRefCell cell;
          hir_ref_tensor_get (in, walk->at + i * stride, &cell);
          if (is_stretched)
            cell.norm = (HirRefNorm){ 0, cell.norm.own + cell.norm.shared };
          if (!hir_ref_tensor_set (out, k + i, &cell))
            return hir_ref_tensor_need_errors (out, error);
        }
    }
  out->is_copy = in->is_copy;
  return TRUE;
}

static gboolean
eval_int (HirReference *ref, const HirScalar *scalar, gint64 *value, GError **error)
{
  return hir_env_evaluate_int (ref->env, scalar, value, error);
}

gboolean
hir_ref_permute (const HirExpr *expr, const HirRefTensor *in, HirRefTensor *out, GError **error)
{
  const HirTensor *tensor = HIR_TENSOR (expr->outputs[0]);
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (tensor, &n);
  gint64 strides[HIR_MAX_DIMS];
  HirRefWalk walk;

  hir_sizes_contiguous_strides (in->sizes, in->n_dims, strides);
  hir_ref_walk_init (&walk, out->n_dims, out->sizes, 0);
  for (guint i = 0; i < n; i++)
    {
      guint from = 0;
      gboolean found = !tensor->has_root;
      for (guint r = 0; tensor->has_root && r < tensor->root.n && !found; r++)
        if (tensor->root.ids[r] == ids[i])
          found = TRUE;
        else
          from += !hir_iter_domain_is_reduction (tensor->root.ids[r]);
      if (!tensor->has_root)
        from = i;
      if (!found || from >= in->n_dims || in->sizes[from] != out->sizes[i])
        return hir_ref_misfit (expr, error);
      walk.strides[i] = strides[from];
    }
  return hir_ref_move (in, &walk, out, error);
}

gboolean
hir_ref_move_axes (HirReference *ref,
                   const HirExpr *expr,
                   const HirRefTensor *in,
                   HirRefTensor *out,
                   GError **error)
{
  gint64 strides[HIR_MAX_DIMS], index;
  guint from = 0, n, selected = G_MAXUINT;
  HirRefWalk walk;

  hir_sizes_contiguous_strides (in->sizes, in->n_dims, strides);
  hir_ref_walk_init (&walk, out->n_dims, out->sizes, 0);
  if (expr->kind == HIR_EXPR_SELECT)
    {
      g_autofree HirIterDomain **ids =
          hir_tensor_dup_no_reductions (HIR_TENSOR (expr->inputs[0]), &n);

      if (!eval_int (ref, expr->u.select.index, &index, error))
        return FALSE;
      for (guint i = 0; i < n; i++)
        if (ids[i] == expr->u.select.axis)
          selected = i;
    }
  if (selected < in->n_dims)
    walk.at = index * strides[selected];
  for (guint i = 0; i < out->n_dims; i++)
    {
      if (expr->kind == HIR_EXPR_BROADCAST && expr->u.broadcast.flags[i])
        continue;
      while (expr->kind == HIR_EXPR_SQUEEZE && from < in->n_dims && expr->u.squeeze.flags[from])
        from++;
      if (from == selected)
        from++;
      if (from >= in->n_dims)
        return hir_ref_misfit (expr, error);
      if (in->sizes[from] == out->sizes[i])
        walk.strides[i] = strides[from];
      else if (in->sizes[from] != 1)
        return hir_ref_misfit (expr, error);
      from++;
    }
  return hir_ref_move (in, &walk, out, error) || hir_ref_misfit (expr, error);
}

gboolean
hir_ref_slice (HirReference *ref,
               const HirExpr *expr,
               const HirRefTensor *in,
               HirRefTensor *out,
               GError **error)
{
  gint64 strides[HIR_MAX_DIMS], start, stop, step;
  HirRefWalk walk;

  if (expr->u.slice.n != in->n_dims || out->n_dims != in->n_dims)
    return hir_ref_misfit (expr, error);
  hir_sizes_contiguous_strides (in->sizes, in->n_dims, strides);
  hir_ref_walk_init (&walk, out->n_dims, out->sizes, 0);
  for (guint i = 0; i < in->n_dims; i++)
    {
      if (!eval_int (ref, expr->u.slice.start[i], &start, error) ||
          !eval_int (ref, expr->u.slice.stop[i], &stop, error) ||
          !eval_int (ref, expr->u.slice.step[i], &step, error))
        return FALSE;
      if (start < 0)
        start += in->sizes[i];
      if (start < 0 || step < 1 ||
          (out->sizes[i] > 0 && start + (out->sizes[i] - 1) * step >= in->sizes[i]))
        return hir_ref_misfit (expr, error);
      walk.at += start * strides[i];
      walk.strides[i] = step * strides[i];
    }
  return hir_ref_move (in, &walk, out, error) || hir_ref_misfit (expr, error);
}

static gboolean
fill_cell (HirDType dtype, const HirValue *scalar, HirRefCell *cell)
{
  guint64 element;

  if (hir_dtype_is_floating_point (scalar->dtype))
    hir_element_set_double (dtype, &element, scalar->d);
  else
    hir_element_set_int (dtype, &element, scalar->i);
  cell->i = hir_dtype_is_floating_point (dtype) ? 0 : hir_element_get_int (dtype, &element);
  cell->v = hir_element_get_double (dtype, &element);
  cell->e = 0;
  cell->norm = (HirRefNorm){ 0, 0 };
  return TRUE;
}

gboolean
hir_ref_pad (HirReference *ref,
             const HirExpr *expr,
             const HirRefTensor *in,
             HirRefTensor *out,
             GError **error)
{
  gint64 left[HIR_MAX_DIMS] = { 0 }, strides[HIR_MAX_DIMS], index[HIR_MAX_DIMS] = { 0 };
  g_autoptr (HirValue) value = expr->u.pad.value != NULL
                                   ? hir_env_evaluate (ref->env, expr->u.pad.value, error)
                                   : hir_value_new_int (0, HIR_DTYPE_INT);
  guint n_outer = in->n_dims > 0 ? in->n_dims - 1 : 0;
  gint64 n = in->n_dims > 0 ? out->sizes[n_outer] : 1, n_in;
  HirRefCell fill;

  if (value == NULL || expr->u.pad.n != 2 * in->n_dims || out->n_dims != in->n_dims)
    return value == NULL ? FALSE : hir_ref_misfit (expr, error);
  for (guint i = 0; i < in->n_dims; i++)
    if (!eval_int (ref, expr->u.pad.widths[2 * i], &left[i], error))
      return FALSE;
  fill_cell (out->dtype, value, &fill);
  n_in = in->n_dims > 0 ? in->sizes[n_outer] : 1;
  hir_sizes_contiguous_strides (in->sizes, in->n_dims, strides);
  for (gint64 k = 0; k < out->count; k += n)
    {
      gint64 at = 0, first = CLAMP (left[n_outer], 0, n);
      gint64 end = CLAMP (left[n_outer] + n_in, first, n);

      for (guint i = 0; i < n_outer; i++)
        {
          gint64 from = index[i] - left[i];

          if (from < 0 || from >= in->sizes[i])
            end = first;
          at += from * strides[i];
        }
      for (gint64 i = 0; i < n; i++)
        if ((i < first || i >= end) && !hir_ref_tensor_set (out, k + i, &fill))
          return hir_ref_tensor_need_errors (out, error);
      if (end > first &&
          !hir_ref_tensor_copy (out, k + first, in, at + first - left[n_outer], end - first, error))
        return FALSE;
      hir_odometer_next (index, out->sizes, n_outer);
    }
  out->is_copy = in->is_copy;
  return TRUE;
}

gboolean
hir_ref_cat (HirReference *ref, const HirExpr *expr, HirRefTensor *out, GError **error)
{
  guint axis = (guint) expr->u.cat.dim;
  gint64 inner = 1, outer = 1, done = 0;

  if (axis >= out->n_dims)
    return hir_ref_misfit (expr, error);
  for (guint i = 0; i < out->n_dims; i++)
    *(i < axis ? &outer : &inner) *= i == axis ? 1 : out->sizes[i];
  out->is_copy = TRUE;
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      const HirRefTensor *in = hir_reference_lookup (ref, expr->inputs[i]);
      gint64 rows;

      if (in == NULL || in->n_dims != out->n_dims)
        return hir_ref_misfit (expr, error);
      rows = in->sizes[axis];
      if (in->count != outer * rows * inner || done + rows > out->sizes[axis])
        return hir_ref_misfit (expr, error);
      for (gint64 block = 0; block < outer; block++)
        if (!hir_ref_tensor_copy (out, (block * out->sizes[axis] + done) * inner, in,
                                  block * rows * inner, rows * inner, error))
          return FALSE;
      done += rows;
      out->is_copy = out->is_copy && in->is_copy;
    }
  return done == out->sizes[axis] || hir_ref_misfit (expr, error);
}

gboolean
hir_ref_fill (HirReference *ref, const HirExpr *expr, HirRefTensor *out, GError **error)
{
  gboolean is_iota = expr->kind == HIR_EXPR_IOTA;
  g_autoptr (HirValue) start =
      hir_env_evaluate (ref->env, is_iota ? expr->u.iota.start : expr->u.full.value, error);
  g_autoptr (HirValue) step =
      is_iota ? hir_env_evaluate (ref->env, expr->u.iota.step, error) : NULL;
  HirRefRounding rounding;
  HirRefCell cell;

  if (start == NULL || (is_iota && step == NULL))
    return FALSE;
  hir_ref_rounding_init (&rounding, HIR_CLASS_F32, out->dtype);
  for (gint64 k = 0; k < out->count; k++)
    {
      if (!is_iota)
        fill_cell (out->dtype, start, &cell);
      else if (out->values == NULL)
        cell = (HirRefCell){ .i = hir_dtype_wrap (out->dtype,
                                                  (gint64) ((guint64) start->i +
                                                            (guint64) k * (guint64) step->i)) };
      else
        {
          cell = (HirRefCell){ .v = start->d + (double) k * step->d };
          hir_ref_round (&rounding, &cell, 2, fabs (start->d) + fabs ((double) k * step->d));
          cell.norm.own = cell.e;
        }
      if (!hir_ref_tensor_set (out, k, &cell))
        return hir_ref_tensor_need_errors (out, error);
    }
  return TRUE;
}

void
hir_ref_tensor_load (HirRefTensor *tensor, const HirValue *value)
{
  gint64 size = (gint64) hir_dtype_get_size_bytes (value->dtype), row = tensor->count, stride = 1;
  const guint8 *data = hir_value_get_data (value);

  if (!hir_value_is_contiguous (value))
    {
      row = value->sizes[value->n_dims - 1];
      stride = value->strides[value->n_dims - 1];
    }
  for (gint64 k = 0; k < tensor->count; k += row)
    {
      gint64 at = hir_odometer_locate (k, value->sizes, value->strides, value->n_dims);

      if (tensor->values != NULL)
        hir_lanes_load (HIR_CLASS_F64, value->dtype, data + at * size, stride, (gsize) row,
                        tensor->values + k);
      else
        hir_lanes_load (HIR_CLASS_I64, value->dtype, data + at * size, stride, (gsize) row,
                        tensor->ints + k);
    }
}
