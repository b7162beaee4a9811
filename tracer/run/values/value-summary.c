/* Computation of summaries. */
#include "run/values/value-summary.h"

#include <math.h>
#include <string.h>

#include "diagnostic.h"
#include "run/values/odometer.h"

/* Elements converted at once. */
#define CHUNK 1024
/* Chunks between two checks for cancellation. */
#define CHUNKS_PER_CHECK 64

/* The table spanned by the free axes. */
typedef struct
{
  const guint8 *data; /* address of its first element */
  HirDType dtype;
  gsize size_bytes; /* of an element */
  guint n_row_axes;
  gint64 sizes[HIR_MAX_DIMS], strides[HIR_MAX_DIMS]; /* of the row axes */
  gint64 column_stride;
  gint64 n_rows, n_columns;
} Table;

/* Sums of the first pass. */
typedef struct
{
  HirValueSummary *summary;
  const Table *missing; /* nullable: true for elements without a value */
  guint64 n_missing;
  guint64 n_finite;
  double sum, square_sum; /* sum of the squared distances from the mean */
  double *cells;
  guint64 *counts;
  gint64 *ends; /* first column after each cell of a row */
  gboolean *is_broken;
} Sums;

/* Processes @n elements of row @row, starting at column @column. */
typedef void (*TakeFunc) (Sums *sums, const double *values, gint64 row, gint64 column, gint64 n);

void
hir_value_query_init (HirValueQuery *query)
{
  *query = (HirValueQuery){ .map_rows = 64, .map_columns = 96, .page_rows = 16, .page_columns = 8 };
  for (guint i = 0; i < HIR_MAX_DIMS; i++)
    query->at[i] = -1;
}

static gboolean
init_table (Table *table, const HirValue *value, const HirValueQuery *query, GError **error)
{
  gint64 offset = 0;
  int last = -1;

  for (guint i = 0; i < value->n_dims; i++)
    {
      if (query->at[i] >= value->sizes[i])
        {
          hir_set_error (error, HIR_ERROR_INPUT, NULL,
                         "index %" G_GINT64_FORMAT
                         " is out of range for axis %u with %" G_GINT64_FORMAT " elements",
                         query->at[i], i, value->sizes[i]);
          return FALSE;
        }
      if (query->at[i] >= 0)
        offset += query->at[i] * value->strides[i];
      else
        last = (int) i;
    }
  *table = (Table){ .dtype = value->dtype,
                    .size_bytes = hir_dtype_get_size_bytes (value->dtype),
                    .n_rows = 1,
                    .n_columns = 1 };
  for (guint i = 0; i < value->n_dims; i++)
    {
      if (query->at[i] >= 0)
        continue;
      if ((int) i == last)
        {
          table->n_columns = value->sizes[i];
          table->column_stride = value->strides[i];
          continue;
        }
      table->sizes[table->n_row_axes] = value->sizes[i];
      table->strides[table->n_row_axes++] = value->strides[i];
      table->n_rows *= value->sizes[i];
    }
  table->data = hir_value_get_data (value);
  if (table->data != NULL)
    table->data += offset * (gint64) table->size_bytes;
  return TRUE;
}

static const guint8 *
get_row (const Table *table, gint64 row)
{
  return table->data + hir_odometer_locate (row, table->sizes, table->strides, table->n_row_axes) *
                           (gint64) table->size_bytes;
}

static void
load (const Table *table, const guint8 *row, gint64 column, gint64 n, double *values)
{
  gint64 step = table->column_stride * (gint64) table->size_bytes;
  const guint8 *element = row + column * step;

  if (table->dtype == HIR_DTYPE_FLOAT)
    for (gint64 i = 0; i < n; i++, element += step)
      {
        float v;

        memcpy (&v, element, sizeof v);
        values[i] = (double) v;
      }
  else if (table->dtype == HIR_DTYPE_DOUBLE)
    for (gint64 i = 0; i < n; i++, element += step)
      memcpy (&values[i], element, sizeof *values);
  else
    for (gint64 i = 0; i < n; i++, element += step)
      values[i] = hir_element_get_double (table->dtype, element);
}

static gboolean
is_missing (const Table *missing, gint64 row, gint64 column)
{
  return missing != NULL && get_row (missing, row)[column * missing->column_stride] != 0;
}

static gboolean
walk (const Table *table, Sums *sums, TakeFunc take, GCancellable *cancellable, GError **error)
{
  double values[CHUNK];
  guint n_chunks = 0;

  for (gint64 row = 0; row < table->n_rows; row++)
    {
      const guint8 *data = get_row (table, row);

      for (gint64 column = 0; column < table->n_columns; column += CHUNK)
        {
          gint64 n = MIN (CHUNK, table->n_columns - column);

          if (n_chunks++ % CHUNKS_PER_CHECK == 0 &&
              g_cancellable_set_error_if_cancelled (cancellable, error))
            return FALSE;
          load (table, data, column, n, values);
          take (sums, values, row, column, n);
        }
    }
  return TRUE;
}

/* Returns the cell of element @i of @n, without overflow. */
static gsize
get_cell (gint64 i, gint64 n, guint n_cells)
{
  if (n <= G_MAXINT64 / HIR_VALUE_MAX_MAP)
    return (gsize) (i * (gint64) n_cells / n);
  return MIN ((gsize) ((double) i * n_cells / (double) n), (gsize) n_cells - 1);
}

/* Returns the first of @n elements after the cell @cell. */
static gint64
get_cell_end (gsize cell, gint64 n, guint n_cells)
{
  gint64 low = 0, high = n;

  while (low < high)
    {
      gint64 middle = low + (high - low) / 2;

      if (get_cell (middle, n, n_cells) > cell)
        high = middle;
      else
        low = middle + 1;
    }
  return low;
}

static void
take_sums (Sums *sums, const double *values, gint64 row, gint64 column, gint64 n)
{
  HirValueSummary *summary = sums->summary;
  gsize first = 0;

  if (summary->map_rows > 0)
    first = get_cell (row, summary->n_rows, summary->map_rows) * summary->map_columns;
  for (gint64 i = 0; i < n; i++)
    {
      double v = values[i];
      gsize cell = 0;

      if (summary->map_rows > 0)
        cell = first + get_cell (column + i, summary->n_columns, summary->map_columns);
      if (is_missing (sums->missing, row, column + i))
        {
          sums->n_missing++;
          if (summary->map_rows > 0)
            sums->is_broken[cell] = TRUE;
          continue;
        }
      if (!isfinite (v))
        {
          summary->n_nan += isnan (v) != 0;
          summary->n_inf += isnan (v) == 0;
          if (summary->map_rows > 0)
            sums->is_broken[cell] = TRUE;
          continue;
        }
      summary->n_zero += v == 0;
      summary->min = sums->n_finite == 0 ? v : MIN (summary->min, v);
      summary->max = sums->n_finite == 0 ? v : MAX (summary->max, v);
      sums->n_finite++;
      /* Running means, because sums of large doubles overflow. */
      summary->mean += (v - summary->mean) / (double) sums->n_finite;
      if (summary->map_rows > 0)
        sums->cells[cell] += (v - sums->cells[cell]) / (double) ++sums->counts[cell];
    }
}

/* Like take_sums(), for values whose sums do not overflow: about ten times as fast, because it
 * divides only at the end. */
static void
take_plain_sums (Sums *sums, const double *values, gint64 row, gint64 column, gint64 n)
{
  HirValueSummary *summary = sums->summary;
  gsize first = get_cell (row, summary->n_rows, MAX (summary->map_rows, 1)) * summary->map_columns;
  gsize cell = get_cell (column, summary->n_columns, MAX (summary->map_columns, 1));
  gint64 end = column + n;

  for (; column < end; cell++)
    {
      gint64 cell_end = MIN (end, sums->ends[cell]);
      double sum = 0, min = summary->min, max = summary->max;
      guint64 n_finite = 0, n_zero = 0;

      for (; column < cell_end; column++)
        {
          double v = *values++;

          if (!isfinite (v))
            {
              summary->n_nan += isnan (v) != 0;
              summary->n_inf += isnan (v) == 0;
              sums->is_broken[first + cell] = TRUE;
              continue;
            }
          n_finite++;
          n_zero += v == 0;
          sum += v;
          min = v < min ? v : min;
          max = v > max ? v : max;
        }
      summary->min = min;
      summary->max = max;
      summary->mean += sum;
      summary->n_zero += n_zero;
      sums->n_finite += n_finite;
      sums->cells[first + cell] += sum;
      sums->counts[first + cell] += n_finite;
    }
}

/* Computes the sums of all values, and the mean values of the cells of the map. */
static gboolean
sum_up (const Table *table, Sums *sums, GCancellable *cancellable, GError **error)
{
  HirValueSummary *summary = sums->summary;
  gsize n_cells = (gsize) summary->map_rows * summary->map_columns;

  if (table->dtype == HIR_DTYPE_DOUBLE || sums->missing != NULL)
    return walk (table, sums, take_sums, cancellable, error);
  summary->min = INFINITY;
  summary->max = -INFINITY;
  if (!walk (table, sums, take_plain_sums, cancellable, error))
    return FALSE;
  summary->mean /= (double) sums->n_finite;
  for (gsize i = 0; i < n_cells; i++)
    sums->cells[i] /= (double) MAX (sums->counts[i], 1);
  return TRUE;
}

static void
take_bins (Sums *sums, const double *values, gint64 row, gint64 column, gint64 n)
{
  HirValueSummary *summary = sums->summary;
  /* Half values, because the width of the largest range overflows. */
  double width = summary->max / 2 - summary->min / 2;

  for (gint64 i = 0; i < n; i++)
    {
      double part, distance = values[i] - summary->mean;

      if (!isfinite (values[i]) || is_missing (sums->missing, row, column + i))
        continue;
      part = width > 0 ? (values[i] / 2 - summary->min / 2) / width : 0;
      summary->bins[CLAMP ((int) (part * HIR_VALUE_N_BINS), 0, HIR_VALUE_N_BINS - 1)]++;
      sums->square_sum += distance * distance;
    }
}

static char *
dup_element (HirDType dtype, gconstpointer element)
{
  if (hir_dtype_is_floating_point (dtype))
    return g_strdup_printf (dtype == HIR_DTYPE_DOUBLE ? "%.10g" : "%.6g",
                            hir_element_get_double (dtype, element));
  if (dtype == HIR_DTYPE_BOOL)
    return g_strdup (hir_element_get_int (dtype, element) != 0 ? "true" : "false");
  if (dtype == HIR_DTYPE_UINT64)
    return g_strdup_printf ("%" G_GUINT64_FORMAT, (guint64) hir_element_get_int (dtype, element));
  return g_strdup_printf ("%" G_GINT64_FORMAT, hir_element_get_int (dtype, element));
}

static void
fill_page (HirValueSummary *summary,
           const Table *table,
           const Table *missing,
           const HirValueQuery *query)
{
  guint k = 0;

  summary->page_rows = (guint) MIN (MIN (query->page_rows, HIR_VALUE_MAX_PAGE), table->n_rows);
  summary->page_columns =
      (guint) MIN (MIN (query->page_columns, HIR_VALUE_MAX_PAGE), table->n_columns);
  if (summary->page_rows == 0 || summary->page_columns == 0)
    summary->page_rows = summary->page_columns = 0;
  /* Clamp so that the last page is complete. */
  summary->page_row = CLAMP (query->page_row, 0, table->n_rows - summary->page_rows);
  summary->page_column = CLAMP (query->page_column, 0, table->n_columns - summary->page_columns);
  summary->page = g_new0 (char *, (gsize) summary->page_rows * summary->page_columns + 1);
  for (guint r = 0; r < summary->page_rows; r++)
    {
      const guint8 *row = get_row (table, summary->page_row + r);

      for (guint c = 0; c < summary->page_columns; c++)
        summary->page[k++] = is_missing (missing, summary->page_row + r, summary->page_column + c)
                                 ? g_strdup ("unwritten")
                                 : dup_element (table->dtype, row + (summary->page_column + c) *
                                                                        table->column_stride *
                                                                        (gint64) table->size_bytes);
    }
}

static gboolean
check_value (const HirValue *value, GError **error)
{
  if (!hir_dtype_is_executable (value->dtype))
    hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL, "elements of type %s cannot be displayed",
                   hir_dtype_get_short_name (value->dtype));
  else if (!value->is_scalar && hir_value_get_n_elements (value) > 0 &&
           hir_value_get_data (value) == NULL)
    hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                   "the tensor has no memory: it exists only within a kernel");
  else
    return TRUE;
  return FALSE;
}

/* Converts a scalar to a tensor without axes. */
static HirValue *
tensor_of_scalar (const HirValue *scalar, GError **error)
{
  g_autoptr (HirBuffer) buffer = hir_buffer_new (16, error);

  if (buffer == NULL)
    return NULL;
  if (hir_dtype_is_floating_point (scalar->dtype))
    hir_element_set_double (scalar->dtype, buffer->data, scalar->d);
  else
    hir_element_set_int (scalar->dtype, buffer->data, scalar->i);
  return hir_value_new_tensor (scalar->dtype, 0, NULL, NULL, buffer);
}

static void
init_map (HirValueSummary *summary, Sums *sums, const HirValueQuery *query)
{
  gsize n;

  summary->map_rows = (guint) MIN (MIN (query->map_rows, HIR_VALUE_MAX_MAP), summary->n_rows);
  summary->map_columns =
      (guint) MIN (MIN (query->map_columns, HIR_VALUE_MAX_MAP), summary->n_columns);
  if (summary->map_rows == 0 || summary->map_columns == 0)
    summary->map_rows = summary->map_columns = 0;
  n = (gsize) summary->map_rows * summary->map_columns;
  summary->map = sums->cells = g_new0 (double, n + 1);
  sums->counts = g_new0 (guint64, n + 1);
  sums->is_broken = g_new0 (gboolean, n + 1);
  sums->ends = g_new0 (gint64, summary->map_columns + 1);
  sums->ends[0] = summary->n_columns; /* without a map */
  for (guint i = 0; i < summary->map_columns; i++)
    sums->ends[i] = get_cell_end (i, summary->n_columns, summary->map_columns);
}

static gboolean
fill (HirValueSummary *summary,
      const Table *table,
      const Table *missing,
      const HirValueQuery *query,
      GCancellable *cancellable,
      GError **error)
{
  Sums sums = { .summary = summary, .missing = missing };
  gboolean done;

  init_map (summary, &sums, query);
  done = sum_up (table, &sums, cancellable, error) &&
         walk (table, &sums, take_bins, cancellable, error);
  for (gsize i = 0; i < (gsize) summary->map_rows * summary->map_columns; i++)
    if (sums.is_broken[i])
      summary->map[i] = NAN;
  summary->deviation = sqrt (sums.square_sum / (double) sums.n_finite);
  if (sums.n_finite == 0)
    summary->min = summary->max = summary->mean = summary->deviation = NAN;
  if (sums.n_missing > 0)
    summary->note = g_strdup_printf ("%" G_GUINT64_FORMAT " of %" G_GUINT64_FORMAT
                                     " elements were never written",
                                     sums.n_missing, hir_value_summary_get_n_elements (summary));
  g_free (sums.counts);
  g_free (sums.is_broken);
  g_free (sums.ends);
  return done;
}

HirValueSummary *
hir_value_summary_new (const HirValue *value,
                       const HirValueQuery *query,
                       GCancellable *cancellable,
                       GError **error)
{
  return hir_value_summary_new_without (value, NULL, query, cancellable, error);
}

HirValueSummary *
hir_value_summary_new_without (const HirValue *value,
                               const HirValue *missing,
                               const HirValueQuery *query,
                               GCancellable *cancellable,
                               GError **error)
{
  g_autoptr (HirValueSummary) summary = NULL;
  g_autoptr (HirValue) tensor = NULL;
  Table table, missing_table;

  if (!check_value (value, error))
    return NULL;
  if (value->is_scalar)
    {
      tensor = tensor_of_scalar (value, error);
      if (tensor == NULL)
        return NULL;
      value = tensor;
    }
  if (!init_table (&table, value, query, error) ||
      (missing != NULL && !init_table (&missing_table, missing, query, error)))
    return NULL;
  summary = g_new0 (HirValueSummary, 1);
  summary->dtype = value->dtype;
  summary->n_dims = value->n_dims;
  for (guint i = 0; i < value->n_dims; i++)
    {
      summary->sizes[i] = value->sizes[i];
      summary->strides[i] = value->strides[i];
      summary->at[i] = MAX (query->at[i], -1);
    }
  summary->place = value->buffer->place;
  summary->n_rows = table.n_rows;
  summary->n_columns = table.n_columns;
  if (!fill (summary, &table, missing != NULL ? &missing_table : NULL, query, cancellable, error))
    return NULL;
  fill_page (summary, &table, missing != NULL ? &missing_table : NULL, query);
  return g_steal_pointer (&summary);
}

HirValueSummary *
hir_value_summary_copy (const HirValueSummary *summary)
{
  HirValueSummary *copy = g_memdup2 (summary, sizeof *summary);
  gsize n = (gsize) summary->map_rows * summary->map_columns;

  copy->map = g_memdup2 (summary->map, (n + 1) * sizeof *copy->map);
  copy->page = g_strdupv (summary->page);
  copy->note = g_strdup (summary->note);
  return copy;
}

void
hir_value_summary_free (HirValueSummary *summary)
{
  if (summary == NULL)
    return;
  g_free (summary->map);
  g_strfreev (summary->page);
  g_free (summary->note);
  g_free (summary);
}

guint64
hir_value_summary_get_n_elements (const HirValueSummary *summary)
{
  return (guint64) summary->n_rows * (guint64) summary->n_columns;
}
