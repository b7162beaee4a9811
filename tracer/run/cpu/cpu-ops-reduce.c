/* Reductions along rows of kept axes or along rows of reduced axes, whichever is contiguous in
 * memory. */
#include <string.h>

#include "run/cpu/cpu-lanes.h"
#include "run/cpu/cpu-ops.h"
#include "run/values/odometer.h"

typedef struct
{
  HirBinaryOp op;
  HirComputeClass klass;
  HirDType in_type, out_type;
  guint n_kept, n_reduced;
  gint64 kept_sizes[HIR_MAX_DIMS], reduced_sizes[HIR_MAX_DIMS];
  gint64 in_kept[HIR_MAX_DIMS], in_reduced[HIR_MAX_DIMS], out_kept[HIR_MAX_DIMS];
  gdouble lanes[HIR_LANE_COUNT], totals[HIR_LANE_COUNT];
} Reduction;

/* Moves the axis with the smallest stride to the end, so that rows run along it. */
static void
put_dense_axis_last (gint64 *sizes, gint64 *strides, gint64 *also, guint n)
{
  guint best = n - 1;

  for (guint i = 0; i < n; i++)
    if (sizes[i] > 1 && (sizes[best] <= 1 || strides[i] < strides[best]))
      best = i;
  for (guint i = best; i + 1 < n; i++)
    {
      gint64 size = sizes[i], stride = strides[i], other = also != NULL ? also[i] : 0;
      sizes[i] = sizes[i + 1];
      strides[i] = strides[i + 1];
      sizes[i + 1] = size;
      strides[i + 1] = stride;
      if (also != NULL)
        {
          also[i] = also[i + 1];
          also[i + 1] = other;
        }
    }
}

/* Accumulates each row of kept elements over all reduced elements. */
static gboolean
reduce_vertically (Reduction *r, const guint8 *in, guint8 *out)
{
  gsize in_size = hir_dtype_get_size_bytes (r->in_type),
        out_size = hir_dtype_get_size_bytes (r->out_type);
  guint inner = r->n_kept - 1;
  gint64 kept[HIR_MAX_DIMS] = { 0 };

  do
    {
      const guint8 *in_row = in + hir_odometer_offset (kept, r->in_kept, inner) * (gint64) in_size;
      guint8 *out_row = out + hir_odometer_offset (kept, r->out_kept, inner) * (gint64) out_size;
      for (gint64 at = 0; at < r->kept_sizes[inner]; at += HIR_LANE_COUNT)
        {
          gsize n = (gsize) MIN (r->kept_sizes[inner] - at, HIR_LANE_COUNT);
          gint64 reduced[HIR_MAX_DIMS] = { 0 };

          hir_lanes_neutral (r->klass, r->op, r->totals, n);
          do
            {
              gint64 offset = hir_odometer_offset (reduced, r->in_reduced, r->n_reduced) +
                              at * r->in_kept[inner];
              hir_lanes_load (r->klass, r->in_type, in_row + offset * (gint64) in_size,
                              r->in_kept[inner], n, r->lanes);
              if (!hir_lanes_accumulate (r->klass, r->op, r->totals, r->lanes, n))
                return FALSE;
            }
          while (hir_odometer_next (reduced, r->reduced_sizes, r->n_reduced));
          hir_lanes_store (r->klass, r->out_type,
                           out_row + at * r->out_kept[inner] * (gint64) out_size,
                           r->out_kept[inner], n, r->totals);
        }
    }
  while (hir_odometer_next (kept, r->kept_sizes, inner));
  return TRUE;
}

static gboolean
reduce_horizontally (Reduction *r, const guint8 *in, guint8 *out)
{
  gsize in_size = hir_dtype_get_size_bytes (r->in_type),
        out_size = hir_dtype_get_size_bytes (r->out_type);
  guint inner = r->n_reduced - 1;
  gint64 kept[HIR_MAX_DIMS] = { 0 };

  do
    {
      const guint8 *base =
          in + hir_odometer_offset (kept, r->in_kept, r->n_kept) * (gint64) in_size;
      gint64 reduced[HIR_MAX_DIMS] = { 0 };

      hir_lanes_neutral (r->klass, r->op, r->totals, 1);
      do
        {
          const guint8 *row =
              base + hir_odometer_offset (reduced, r->in_reduced, inner) * (gint64) in_size;
          for (gint64 at = 0; at < r->reduced_sizes[inner]; at += HIR_LANE_COUNT)
            {
              gsize n = (gsize) MIN (r->reduced_sizes[inner] - at, HIR_LANE_COUNT);
              hir_lanes_load (r->klass, r->in_type,
                              row + at * r->in_reduced[inner] * (gint64) in_size,
                              r->in_reduced[inner], n, r->lanes);
              if (!hir_lanes_fold (r->klass, r->op, r->totals, r->lanes, n))
                return FALSE;
            }
        }
      while (hir_odometer_next (reduced, r->reduced_sizes, inner));
      hir_lanes_store (r->klass, r->out_type,
                       out + hir_odometer_offset (kept, r->out_kept, r->n_kept) * (gint64) out_size,
                       1, 1, r->totals);
    }
  while (hir_odometer_next (kept, r->kept_sizes, r->n_kept));
  return TRUE;
}

/* Sorts the axes of the input into kept and reduced ones. Returns FALSE if they do not match the
 * output. */
static gboolean
sort_axes (Reduction *r, const HirOpCall *call)
{
  const HirValue *in = call->inputs[0], *out = call->output;
  guint o = 0;

  if (in->n_dims != call->n_params)
    return FALSE;
  for (guint i = 0; i < in->n_dims; i++)
    if (call->params[i])
      {
        r->reduced_sizes[r->n_reduced] = in->sizes[i];
        r->in_reduced[r->n_reduced++] = in->strides[i];
      }
    else
      {
        if (o >= out->n_dims || out->sizes[o] != in->sizes[i])
          return FALSE;
        r->kept_sizes[r->n_kept] = in->sizes[i];
        r->in_kept[r->n_kept] = in->strides[i];
        r->out_kept[r->n_kept++] = out->strides[o++];
      }
  if (r->n_kept == 0)
    {
      r->kept_sizes[0] = 1;
      r->n_kept = 1;
    }
  if (r->n_reduced == 0)
    {
      r->reduced_sizes[0] = 1;
      r->n_reduced = 1;
    }
  return o == out->n_dims;
}

gboolean
hir_cpu_reduction (const HirOpCall *call, GError **error)
{
  g_autofree Reduction *r = g_new0 (Reduction, 1);
  const HirValue *in = call->inputs[0], *out = call->output;
  gboolean ok;

  r->op = call->expr->u.reduction.op;
  r->in_type = in->dtype;
  r->out_type = out->dtype;
  r->klass = hir_compute_class_for (&in->dtype, 1, out->dtype, FALSE);
  if (!sort_axes (r, call))
    return hir_cpu_fail (call, "the shapes do not match", error);
  if (hir_value_get_n_elements (out) == 0)
    return TRUE;
  if (hir_value_get_n_elements (in) == 0)
    {
      /* With nothing to reduce, the result is the neutral element of the op. */
      hir_lanes_neutral (r->klass, r->op, r->totals, 1);
      g_autoptr (HirValue) neutral =
          r->klass == HIR_CLASS_F32   ? hir_value_new_double (*(float *) r->totals, HIR_DTYPE_FLOAT)
          : r->klass == HIR_CLASS_F64 ? hir_value_new_double (r->totals[0], HIR_DTYPE_DOUBLE)
                                      : hir_value_new_int (*(gint64 *) r->totals, HIR_DTYPE_INT);
      return hir_cpu_fill (out, neutral);
    }
  put_dense_axis_last (r->kept_sizes, r->in_kept, r->out_kept, r->n_kept);
  put_dense_axis_last (r->reduced_sizes, r->in_reduced, NULL, r->n_reduced);

  guint k = r->n_kept - 1, d = r->n_reduced - 1;
  gboolean rows_are_kept =
      r->kept_sizes[k] > 1 && (r->reduced_sizes[d] == 1 || r->in_kept[k] < r->in_reduced[d]);
  ok = rows_are_kept ? reduce_vertically (r, hir_value_get_data (in), hir_value_get_data (out))
                     : reduce_horizontally (r, hir_value_get_data (in), hir_value_get_data (out));
  return ok || hir_cpu_fail (call, "this reduction is not supported yet", error);
}
