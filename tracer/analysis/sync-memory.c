/* Memory that nothing has written, followed in host order. */
#include "analysis/sync-check.h"
#include "analysis/sync-trace-private.h"
#include "run/values/odometer.h"

/* Descriptions of slices per instruction and tensor, and the elements of a described slice. */
#define MAX_SLICES 64
#define MAX_ELEMENTS (1 << 22)

/* Appends a range; @ranges stay sorted and disjoint if @range starts after the others. */
static void
append (GArray *ranges, HirByteRange range)
{
  HirByteRange *last =
      ranges->len > 0 ? &g_array_index (ranges, HirByteRange, ranges->len - 1) : NULL;

  if (last != NULL && range.from <= last->to)
    last->to = MAX (last->to, range.to);
  else
    g_array_append_val (ranges, range);
}

void
hir_sync_memory_write (HirSyncLog *log, guint buffer, guint first, guint n)
{
  GArray *old = g_ptr_array_index (log->written, buffer);
  const HirByteRange *x = (const HirByteRange *) (gconstpointer) old->data, *x_end = x + old->len;
  const HirByteRange *y = &g_array_index (log->ranges, HirByteRange, first), *y_end = y + n;
  GArray *all;

  if (old->len == 1 && n > 0 && x->from <= y->from && x->to >= y_end[-1].to)
    return;
  all = g_array_new (FALSE, FALSE, sizeof (HirByteRange));
  while (x < x_end || y < y_end)
    append (all, y == y_end || (x < x_end && x->from <= y->from) ? *x++ : *y++);
  g_array_unref (old);
  log->written->pdata[buffer] = all;
}

/* Returns the parts of the @n ranges from @first that are not written. */
static GArray *
dup_unwritten (const HirSyncLog *log, guint buffer, guint first, guint n)
{
  const GArray *written = g_ptr_array_index (log->written, buffer);
  const HirByteRange *at = (const HirByteRange *) (gconstpointer) written->data;
  const HirByteRange *end = at + written->len;
  GArray *missing = g_array_new (FALSE, FALSE, sizeof (HirByteRange));

  for (guint i = first; i < first + n; i++)
    {
      HirByteRange rest = g_array_index (log->ranges, HirByteRange, i);

      while (at < end && at->to <= rest.from)
        at++;
      for (const HirByteRange *w = at; rest.from < rest.to; w++)
        {
          gint64 to = w < end ? MIN (w->from, rest.to) : rest.to;

          if (rest.from < to)
            append (missing, (HirByteRange){ rest.from, to });
          if (w == end)
            break;
          rest.from = MAX (rest.from, w->to);
        }
    }
  return missing;
}

static gboolean
contains (const GArray *ranges, gint64 offset)
{
  guint from = 0, to = ranges->len;

  while (from < to)
    {
      guint middle = from + (to - from) / 2;
      const HirByteRange *range = &g_array_index (ranges, HirByteRange, middle);

      if (offset >= range->from && offset < range->to)
        return TRUE;
      if (offset < range->from)
        to = middle;
      else
        from = middle + 1;
    }
  return FALSE;
}

/* Returns the smallest slice of @value that contains all elements in @missing ("[0:4, 2:3]"), and
 * their number; NULL for a scalar or a very large value. */
static char *
dup_slice (const HirValue *value, const GArray *missing, gint64 *n)
{
  gint64 low[HIR_MAX_DIMS], high[HIR_MAX_DIMS], at[HIR_MAX_DIMS] = { 0 }, box = 1;
  gint64 count = hir_value_get_n_elements (value);
  gint64 width = (gint64) hir_dtype_get_size_bytes (value->dtype);
  GString *text;

  *n = 0;
  for (guint d = 0; d < value->n_dims; d++)
    {
      low[d] = G_MAXINT64;
      high[d] = -1;
    }
  for (gint64 k = 0; k < count; k++)
    {
      gint64 offset = value->offset + hir_odometer_offset (at, value->strides, value->n_dims);

      if (contains (missing, offset * width))
        {
          ++*n;
          for (guint d = 0; d < value->n_dims; d++)
            {
              low[d] = MIN (low[d], at[d]);
              high[d] = MAX (high[d], at[d]);
            }
        }
      hir_odometer_next (at, value->sizes, value->n_dims);
    }
  if (value->n_dims == 0 || *n == 0)
    return NULL;
  text = g_string_new ("[");
  for (guint d = 0; d < value->n_dims; d++)
    {
      box *= high[d] + 1 - low[d];
      g_string_append_printf (text, "%s%" G_GINT64_FORMAT ":%" G_GINT64_FORMAT, d > 0 ? ", " : "",
                              low[d], high[d] + 1);
    }
  g_string_append_c (text, ']');
  if (box != *n)
    g_string_prepend (text, "within ");
  return g_string_free (text, FALSE);
}

/* Returns TRUE if the same step has read the same elements, as an operand that occurs twice. */
static gboolean
is_known (const HirSyncLog *log, const HirSyncUnwritten *read)
{
  for (guint i = log->unwritten->len; i-- > 0;)
    {
      const HirSyncUnwritten *other = &g_array_index (log->unwritten, HirSyncUnwritten, i);

      if (other->step != read->step)
        return FALSE;
      if (other->expr == read->expr && other->tensor == read->tensor &&
          other->buffer == read->buffer && other->n == read->n &&
          g_strcmp0 (other->slice, read->slice) == 0)
        return TRUE;
    }
  return FALSE;
}

static guint
count_slices (const HirSyncLog *log, int tensor)
{
  guint n = 0;

  for (guint i = log->unwritten->len; i-- > 0 && n < MAX_SLICES;)
    {
      const HirSyncUnwritten *other = &g_array_index (log->unwritten, HirSyncUnwritten, i);

      n += other->expr == log->expr && other->tensor == tensor;
    }
  return n;
}

void
hir_sync_memory_read (
    HirSyncLog *log, guint buffer, const HirValue *value, int tensor, guint first, guint n)
{
  /* One range may stand for several and what is between them. */
  gboolean is_exact = hir_sync_get_n_ranges (value) <= HIR_SYNC_MAX_RANGES;
  const GArray *written = g_ptr_array_index (log->written, buffer);
  const HirByteRange *all = (const HirByteRange *) (gconstpointer) written->data;
  const HirByteRange *ranges = &g_array_index (log->ranges, HirByteRange, first);
  g_autoptr (GArray) missing = NULL;
  HirSyncUnwritten read = {
    log->expr, tensor, buffer, log->iteration, log->steps->len, 0, hir_value_get_n_elements (value),
    NULL
  };

  if (n == 0 || !is_exact ||
      (written->len == 1 && all->from <= ranges->from && all->to >= ranges[n - 1].to))
    return;
  missing = dup_unwritten (log, buffer, first, n);
  if (missing->len == 0)
    return;
  if (read.n_all <= MAX_ELEMENTS && count_slices (log, tensor) < MAX_SLICES)
    read.slice = dup_slice (value, missing, &read.n);
  for (guint i = 0; read.n == 0 && i < missing->len; i++)
    read.n += (g_array_index (missing, HirByteRange, i).to -
               g_array_index (missing, HirByteRange, i).from) /
              (gint64) hir_dtype_get_size_bytes (value->dtype);
  if (is_known (log, &read))
    g_free (read.slice);
  else
    g_array_append_val (log->unwritten, read);
}

static void
add_read (GPtrArray *faults, const HirSyncLog *log, const HirSyncUnwritten *read)
{
  const HirExpr *by = g_array_index (log->buffers, HirSyncBuffer, read->buffer).expr;
  gboolean is_output = read->expr == NULL;
  HirPos pos = !is_output ? read->expr->node.pos : by != NULL ? by->node.pos : (HirPos){ 0 };
  g_autofree char *label = is_output ? NULL : hir_sync_dup_label (read->expr);
  g_autofree char *message =
      is_output ? g_strdup_printf ("output T%d", read->tensor)
                : g_strdup_printf ("%s reads elements of T%d that nothing has written", label,
                                   read->tensor);
  HirSyncFault *fault =
      hir_sync_faults_add (faults, HIR_SYNC_FAULT_UNWRITTEN, pos, read->tensor, message);
  g_autofree char *text =
      g_strdup_printf ("%" G_GINT64_FORMAT " of %" G_GINT64_FORMAT " elements of T%d%s%s", read->n,
                       read->n_all, read->tensor, read->slice != NULL ? ", " : "",
                       read->slice != NULL ? read->slice : "");

  if (fault->places->len < MAX_SLICES)
    hir_sync_fault_add_place (fault, log->rank, read->expr, read->iteration, text);
  if (!is_output)
    return;
  fault->n_elements += read->n;
  g_free (fault->message);
  fault->message =
      g_strdup_printf ("output T%d has %" G_GINT64_FORMAT " element%s that nothing writes",
                       read->tensor, fault->n_elements, fault->n_elements == 1 ? "" : "s");
}

void
hir_sync_memory_report (const HirSyncLog *log, GPtrArray *faults)
{
  for (guint i = 0; i < log->unwritten->len; i++)
    add_read (faults, log, &g_array_index (log->unwritten, HirSyncUnwritten, i));
}
