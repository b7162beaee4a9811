/* Serialization of summaries and queries. */
#include <string.h>

#include "diagnostic.h"
#include "run/values/value-summary.h"

/* dtype, place, sizes, strides, at, rows, columns, counts, numbers, bins, map's size, map, page's
 * place and size, page */
#define SUMMARY_TYPE "(uuaxaxax(xx)(ttt)(dddd)at(uu)ad(xxuu)ass)"

static GVariant *
pack_indices (const gint64 *items, guint n)
{
  return g_variant_new_fixed_array (G_VARIANT_TYPE_INT64, items, n, sizeof *items);
}

/* Returns FALSE if there are too many. */
static gboolean
unpack_indices (GVariant *variant, gint64 *items, gsize *n)
{
  const gint64 *from = g_variant_get_fixed_array (variant, n, sizeof *items);

  if (*n > HIR_MAX_DIMS)
    return FALSE;
  if (*n > 0)
    memcpy (items, from, *n * sizeof *items);
  return TRUE;
}

GVariant *
hir_value_query_to_variant (const HirValueQuery *query)
{
  return g_variant_new ("(@axxxuuuuu)", pack_indices (query->at, HIR_MAX_DIMS), query->page_row,
                        query->page_column, query->map_rows, query->map_columns, query->page_rows,
                        query->page_columns, (guint) query->what);
}

gboolean
hir_value_query_read (HirValueQuery *query, GVariant *variant, GError **error)
{
  g_autoptr (GVariant) at = NULL;
  gsize n = 0;
  guint what = 0;

  hir_value_query_init (query);
  if (g_variant_is_of_type (variant, G_VARIANT_TYPE ("(axxxuuuuu)")))
    {
      g_variant_get (variant, "(@axxxuuuuu)", &at, &query->page_row, &query->page_column,
                     &query->map_rows, &query->map_columns, &query->page_rows, &query->page_columns,
                     &what);
      query->what = (HirValueWhat) MIN (what, HIR_VALUE_DIFFERENCE);
      if (unpack_indices (at, query->at, &n))
        return TRUE;
    }
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "invalid value query");
  return FALSE;
}

const GVariantType *
hir_value_summary_get_variant_type (void)
{
  return G_VARIANT_TYPE (SUMMARY_TYPE);
}

GVariant *
hir_value_summary_to_variant (const HirValueSummary *summary)
{
  gsize n_cells = (gsize) summary->map_rows * summary->map_columns;

  return g_variant_new ("(uu@ax@ax@ax(xx)(ttt)(dddd)@at(uu)@ad(xxuu)^ass)", (guint) summary->dtype,
                        (guint) summary->place, pack_indices (summary->sizes, summary->n_dims),
                        pack_indices (summary->strides, summary->n_dims),
                        pack_indices (summary->at, summary->n_dims), summary->n_rows,
                        summary->n_columns, summary->n_nan, summary->n_inf, summary->n_zero,
                        summary->min, summary->max, summary->mean, summary->deviation,
                        g_variant_new_fixed_array (G_VARIANT_TYPE_UINT64, summary->bins,
                                                   HIR_VALUE_N_BINS, sizeof (guint64)),
                        summary->map_rows, summary->map_columns,
                        g_variant_new_fixed_array (G_VARIANT_TYPE_DOUBLE, summary->map, n_cells,
                                                   sizeof (double)),
                        summary->page_row, summary->page_column, summary->page_rows,
                        summary->page_columns, summary->page,
                        summary->note != NULL ? summary->note : "");
}

static gboolean
read_axes (HirValueSummary *summary, GVariant *sizes, GVariant *strides, GVariant *at)
{
  gsize n_sizes, n_strides, n_at;

  if (!unpack_indices (sizes, summary->sizes, &n_sizes) ||
      !unpack_indices (strides, summary->strides, &n_strides) ||
      !unpack_indices (at, summary->at, &n_at) || n_sizes != n_strides || n_sizes != n_at)
    return FALSE;
  summary->n_dims = (guint) n_sizes;
  for (gsize i = 0; i < n_sizes; i++)
    if (summary->sizes[i] < 0 || summary->at[i] < -1 ||
        (summary->at[i] >= 0 && summary->at[i] >= summary->sizes[i]))
      return FALSE;
  return TRUE;
}

/* Returns TRUE if the counts add up to at most the number of elements and all parts are within the
 * table. */
static gboolean
is_sound (const HirValueSummary *summary)
{
  gint64 n, n_free = 1;

  for (guint i = 0; i < summary->n_dims; i++)
    if (summary->at[i] < 0 && __builtin_mul_overflow (n_free, summary->sizes[i], &n_free))
      return FALSE;
  return summary->n_rows >= 0 && summary->n_columns >= 0 &&
         !__builtin_mul_overflow (summary->n_rows, summary->n_columns, &n) && n == n_free &&
         summary->n_nan <= (guint64) n && summary->n_inf <= (guint64) n - summary->n_nan &&
         summary->n_zero <= (guint64) n - summary->n_nan - summary->n_inf &&
         summary->map_rows <= MIN (HIR_VALUE_MAX_MAP, summary->n_rows) &&
         summary->map_columns <= MIN (HIR_VALUE_MAX_MAP, summary->n_columns) &&
         summary->page_rows <= HIR_VALUE_MAX_PAGE && summary->page_columns <= HIR_VALUE_MAX_PAGE &&
         summary->page_row >= 0 && summary->page_row <= summary->n_rows - summary->page_rows &&
         summary->page_column >= 0 &&
         summary->page_column <= summary->n_columns - summary->page_columns;
}

static gboolean
read_arrays (HirValueSummary *summary, GVariant *bins, GVariant *map)
{
  gsize n_bins, n_cells;
  const guint64 *counts = g_variant_get_fixed_array (bins, &n_bins, sizeof *counts);
  const double *cells = g_variant_get_fixed_array (map, &n_cells, sizeof *cells);

  if (n_bins != HIR_VALUE_N_BINS || n_cells != (gsize) summary->map_rows * summary->map_columns)
    return FALSE;
  memcpy (summary->bins, counts, sizeof summary->bins);
  summary->map = g_new (double, n_cells + 1);
  if (n_cells > 0)
    memcpy (summary->map, cells, n_cells * sizeof *cells);
  return TRUE;
}

HirValueSummary *
hir_value_summary_new_from_variant (GVariant *variant, GError **error)
{
  g_autoptr (HirValueSummary) summary = g_new0 (HirValueSummary, 1);
  g_autoptr (GVariant) sizes = NULL;
  g_autoptr (GVariant) strides = NULL;
  g_autoptr (GVariant) at = NULL;
  g_autoptr (GVariant) bins = NULL;
  g_autoptr (GVariant) map = NULL;
  guint dtype, place;

  if (g_variant_is_of_type (variant, G_VARIANT_TYPE (SUMMARY_TYPE)))
    {
      g_variant_get (variant, "(uu@ax@ax@ax(xx)(ttt)(dddd)@at(uu)@ad(xxuu)^ass)", &dtype, &place,
                     &sizes, &strides, &at, &summary->n_rows, &summary->n_columns, &summary->n_nan,
                     &summary->n_inf, &summary->n_zero, &summary->min, &summary->max,
                     &summary->mean, &summary->deviation, &bins, &summary->map_rows,
                     &summary->map_columns, &map, &summary->page_row, &summary->page_column,
                     &summary->page_rows, &summary->page_columns, &summary->page, &summary->note);
      if (*summary->note == '\0')
        g_clear_pointer (&summary->note, g_free);
      summary->dtype = (HirDType) dtype;
      summary->place = (HirPlaceKind) place;
      if (dtype < HIR_N_DTYPES && place <= HIR_PLACE_CUDA &&
          read_axes (summary, sizes, strides, at) && is_sound (summary) &&
          read_arrays (summary, bins, map) &&
          g_strv_length (summary->page) == summary->page_rows * summary->page_columns)
        return g_steal_pointer (&summary);
    }
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "invalid value summary");
  return NULL;
}
