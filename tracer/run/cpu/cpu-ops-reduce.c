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
  guint n_bounds; /* bounds of HirSplitView, with the coefficients of these axes */
  gint64 limits[HIR_MAX_UNEVEN_SPLITS];
  gint64 of_kept[HIR_MAX_UNEVEN_SPLITS][HIR_MAX_DIMS];
  gint64 of_reduced[HIR_MAX_UNEVEN_SPLITS][HIR_MAX_DIMS];
  gdouble lanes[HIR_LANE_COUNT], totals[HIR_LANE_COUNT];
} Reduction;

/* Moves entry @from of @n to the end. */
static void
rotate (gint64 *entries, guint from, guint n)
{
  gint64 entry = entries[from];

  memmove (entries + from, entries + from + 1, (n - from - 1) * sizeof *entries);
  entries[n - 1] = entry;
}

/* Moves the axis with the smallest stride to the end, so that rows run along it. */
static void
put_dense_axis_last (Reduction *r,
                     gint64 *sizes,
                     gint64 *strides,
                     gint64 *also,
                     gint64 (*coefficients)[HIR_MAX_DIMS],
                     guint n)
{
  guint best = n - 1;

  for (guint i = 0; i < n; i++)
    if (sizes[i] > 1 && (sizes[best] <= 1 || strides[i] < strides[best]))
      best = i;
  rotate (sizes, best, n);
  rotate (strides, best, n);
  if (also != NULL)
    rotate (also, best, n);
  for (guint i = 0; i < r->n_bounds; i++)
    rotate (coefficients[i], best, n);
}

/* Returns how many of the @n elements of a row from @at on exist. @of: coefficients of the axis of
 * the row. */
static gsize
count_existing (const Reduction *r,
                const gint64 *kept,
                guint n_kept,
                const gint64 *reduced,
                guint n_reduced,
                const gint64 *of,
                gint64 at,
                gsize n)
{
  for (guint i = 0; i < r->n_bounds; i++)
    {
      gint64 left = r->limits[i] - hir_odometer_offset (kept, r->of_kept[i], n_kept) -
                    hir_odometer_offset (reduced, r->of_reduced[i], n_reduced) - at * of[i];

      if (left <= 0)
        return 0;
      if (of[i] > 0)
        n = MIN (n, (gsize) ((left + of[i] - 1) / of[i]));
    }
  return n;
}

/* Accumulates each row of kept elements over all reduced elements. */
static gboolean
reduce_vertically (Reduction *r, const guint8 *in, guint8 *out)
{
  gsize in_size = hir_dtype_get_size_bytes (r->in_type),
        out_size = hir_dtype_get_size_bytes (r->out_type);
  guint inner = r->n_kept - 1;
  gint64 kept[HIR_MAX_DIMS] = { 0 }, of[HIR_MAX_UNEVEN_SPLITS];

  for (guint i = 0; i < r->n_bounds; i++)
    of[i] = r->of_kept[i][inner];
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
              gsize m = count_existing (r, kept, inner, reduced, r->n_reduced, of, at, n);
              hir_lanes_load (r->klass, r->in_type, in_row + offset * (gint64) in_size,
                              r->in_kept[inner], m, r->lanes);
              if (!hir_lanes_accumulate (r->klass, r->op, r->totals, r->lanes, m))
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
  gint64 kept[HIR_MAX_DIMS] = { 0 }, of[HIR_MAX_UNEVEN_SPLITS];

  for (guint i = 0; i < r->n_bounds; i++)
    of[i] = r->of_reduced[i][inner];
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
              n = count_existing (r, kept, r->n_kept, reduced, inner, of, at, n);
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
  const HirSplitView *split = call->split;
  const gint64 *sizes = split != NULL ? split->sizes : in->sizes;
  const gint64 *strides = split != NULL ? split->strides : in->strides;
  guint o = 0;

  if ((split != NULL ? split->n_dims : in->n_dims) != call->n_params)
    return FALSE;
  r->n_bounds = split != NULL ? split->n_bounds : 0;
  for (guint b = 0; b < r->n_bounds; b++)
    r->limits[b] = split->bounds[b].limit;
  for (guint i = 0; i < call->n_params; i++)
    if (call->params[i])
      {
        for (guint b = 0; b < r->n_bounds; b++)
          r->of_reduced[b][r->n_reduced] = split->bounds[b].coefficients[i];
        r->reduced_sizes[r->n_reduced] = sizes[i];
        r->in_reduced[r->n_reduced++] = strides[i];
      }
    else
      {
        if (o >= out->n_dims || out->sizes[o] != sizes[i])
          return FALSE;
        for (guint b = 0; b < r->n_bounds; b++)
          r->of_kept[b][r->n_kept] = split->bounds[b].coefficients[i];
        r->kept_sizes[r->n_kept] = sizes[i];
        r->in_kept[r->n_kept] = strides[i];
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
  put_dense_axis_last (r, r->kept_sizes, r->in_kept, r->out_kept, r->of_kept, r->n_kept);
  put_dense_axis_last (r, r->reduced_sizes, r->in_reduced, NULL, r->of_reduced, r->n_reduced);

  guint k = r->n_kept - 1, d = r->n_reduced - 1;
  gboolean rows_are_kept =
      r->kept_sizes[k] > 1 && (r->reduced_sizes[d] == 1 || r->in_kept[k] < r->in_reduced[d]);
  ok = rows_are_kept ? reduce_vertically (r, hir_value_get_data (in), hir_value_get_data (out))
                     : reduce_horizontally (r, hir_value_get_data (in), hir_value_get_data (out));
  return ok || hir_cpu_fail (call, "this reduction is not supported yet", error);
}
