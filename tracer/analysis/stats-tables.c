/* Kernel table, percentiles and ranges. */
#include <math.h>

#include "analysis/stats-private.h"
#include "identity.h"
#include "trace/short-names.h"

/* Cancellation is checked once per this many events, because each check takes a lock. */
#define LOOK_EVERY 0x8000

gboolean
hir_stats_progress_step (HirStatsProgress *progress)
{
  if (progress->n_done++ % LOOK_EVERY != 0)
    return TRUE;
  if (progress->options->percent != NULL && progress->n_all > 0)
    g_atomic_int_set (progress->options->percent,
                      (int) (100.0 * (double) progress->n_done / (double) progress->n_all));
  return !g_cancellable_is_cancelled (progress->options->cancellable);
}

gboolean
hir_stats_clip (const HirStatsOptions *options, gint64 *start_ns, gint64 *end_ns)
{
  if (!options->has_range)
    return TRUE;
  if (*start_ns >= options->range_end_ns ||
      (*end_ns <= options->range_start_ns && *start_ns < options->range_start_ns))
    return FALSE;
  *start_ns = MAX (*start_ns, options->range_start_ns);
  *end_ns = MIN (*end_ns, options->range_end_ns);
  return TRUE;
}

static int
compare_ns (gconstpointer a, gconstpointer b)
{
  gint64 x = *(const gint64 *) a, y = *(const gint64 *) b;

  return (x > y) - (x < y);
}

void
hir_stats_sort_ns (GArray *values)
{
  g_array_sort (values, compare_ns);
}

gint64
hir_stats_get_percentile (const GArray *values, double percent)
{
  double rank = ceil (percent / 100 * values->len);
  guint index = rank < 1 ? 0 : (guint) MIN (rank, values->len) - 1;

  return g_array_index (values, gint64, index);
}

typedef struct
{
  HirKernelStats stats;
  guint32 name;
  GArray *durations;
} Row;

/* The instruction is 0 if rows are by name only. */
typedef struct
{
  guint64 instruction, name_and_kind;
} Key;

struct _HirKernelTable
{
  GHashTable *rows; /* Key -> Row */
};

static guint
key_hash (gconstpointer data)
{
  const Key *key = data;
  guint64 word = key->instruction ^ key->name_and_kind;

  return hir_word_hash (&word);
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const Key *x = a, *y = b;

  return x->instruction == y->instruction && x->name_and_kind == y->name_and_kind;
}

static void
row_free (gpointer data)
{
  Row *row = data;

  g_array_unref (row->durations);
  g_free (row);
}

HirKernelTable *
hir_kernel_table_new (void)
{
  HirKernelTable *table = g_new (HirKernelTable, 1);

  table->rows = g_hash_table_new_full (key_hash, key_equal, g_free, row_free);
  return table;
}

void
hir_kernel_table_add (HirKernelTable *table,
                      const HirEvent *event,
                      gint64 duration_ns,
                      gboolean by_instruction)
{
  const Key key = { by_instruction ? event->instruction : 0,
                    (guint64) event->name << 8 | event->kind };
  Row *row = g_hash_table_lookup (table->rows, &key);

  if (row == NULL)
    {
      row = g_new0 (Row, 1);
      row->stats.kind = event->kind;
      row->stats.instruction = key.instruction;
      row->name = event->name;
      row->stats.min_ns = G_MAXINT64;
      row->durations = g_array_new (FALSE, FALSE, sizeof (gint64));
      g_hash_table_insert (table->rows, g_memdup2 (&key, sizeof key), row);
    }
  row->stats.count++;
  row->stats.sum_ns += duration_ns;
  row->stats.min_ns = MIN (row->stats.min_ns, duration_ns);
  row->stats.max_ns = MAX (row->stats.max_ns, duration_ns);
  row->stats.bytes += event->bytes;
  row->stats.flops += event->flops;
  g_array_append_val (row->durations, duration_ns);
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const HirKernelStats *x = a, *y = b;
  int by_name;

  if (x->sum_ns != y->sum_ns)
    return x->sum_ns > y->sum_ns ? -1 : 1;
  by_name = g_strcmp0 (x->name, y->name);
  if (by_name != 0 || x->kind != y->kind)
    return by_name != 0 ? by_name : (int) x->kind - (int) y->kind;
  return (x->instruction > y->instruction) - (x->instruction < y->instruction);
}

void
hir_kernel_table_free (HirKernelTable *table)
{
  g_hash_table_unref (table->rows);
  g_free (table);
}

GArray *
hir_kernel_table_finish (HirKernelTable *table, const HirTrace *trace)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (HirKernelStats));
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, table->rows);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      Row *row = value;

      hir_stats_sort_ns (row->durations);
      row->stats.name = hir_trace_get_string (trace, row->name);
      row->stats.mean_ns = (double) row->stats.sum_ns / (double) row->stats.count;
      row->stats.p50_ns = hir_stats_get_percentile (row->durations, 50);
      row->stats.p99_ns = hir_stats_get_percentile (row->durations, 99);
      g_array_append_val (all, row->stats);
    }
  g_array_sort (all, compare_rows);
  hir_kernel_table_free (table);
  return all;
}

GHashTable *
hir_stats_dup_kernel_names (const HirStats *stats, guint max_chars)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new ();

  for (guint i = 0; i < stats->kernels->len; i++)
    g_ptr_array_add (names, (gpointer) g_array_index (stats->kernels, HirKernelStats, i).name);
  return hir_dup_short_names (names, max_chars);
}
