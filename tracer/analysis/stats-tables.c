/* Launch index, kernel table and percentiles. */
#include <math.h>

#include "analysis/stats-private.h"

struct _HirLaunches
{
  GArray *items; /* HirLaunch, by key, then start */
};

static guint64
make_key (int rank, guint32 correlation)
{
  return (guint64) (guint32) rank << 32 | correlation;
}

static int
compare_launches (gconstpointer a, gconstpointer b)
{
  const HirLaunch *x = a, *y = b;

  if (x->key != y->key)
    return x->key < y->key ? -1 : 1;
  return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

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

HirLaunches *
hir_launches_new (const HirTrace *trace, HirStatsProgress *progress)
{
  HirLaunches *launches = g_new (HirLaunches, 1);

  launches->items = g_array_new (FALSE, FALSE, sizeof (HirLaunch));
  for (guint track = 0; track < hir_trace_get_n_tracks (trace); track++)
    {
      const HirTrack *info = hir_trace_get_track (trace, track);

      for (guint i = 0;
           info->kind == HIR_TRACK_HOST && i < hir_trace_get_track_n_events (trace, track); i++)
        {
          HirEvent event;
          HirLaunch launch;

          if (!hir_stats_progress_step (progress))
            return launches;
          hir_trace_get_event (trace, track, i, &event);
          launch =
              (HirLaunch){ make_key (info->rank, event.correlation), event.start_ns, event.end_ns };
          if (event.kind == HIR_EVENT_ISSUE && event.correlation != 0)
            g_array_append_val (launches->items, launch);
        }
    }
  g_array_sort (launches->items, compare_launches);
  return launches;
}

void
hir_launches_free (HirLaunches *launches)
{
  g_array_unref (launches->items);
  g_free (launches);
}

const HirLaunch *
hir_launches_lookup (const HirLaunches *launches, int rank, guint32 correlation, gint64 start_ns)
{
  HirLaunch wanted = { make_key (rank, correlation), start_ns, 0 };
  guint low = 0, high = launches->items->len;
  const HirLaunch *launch = NULL;

  if (correlation == 0)
    return NULL;
  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (compare_launches (&g_array_index (launches->items, HirLaunch, middle), &wanted) <= 0)
        low = middle + 1;
      else
        high = middle;
    }
  if (low > 0)
    launch = &g_array_index (launches->items, HirLaunch, low - 1);
  if (launch != NULL && launch->key == wanted.key)
    return launch;
  /* If no launch started before, the next one belongs to the work, and the clocks disagree. */
  launch = low < launches->items->len ? &g_array_index (launches->items, HirLaunch, low) : NULL;
  return launch != NULL && launch->key == wanted.key ? launch : NULL;
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
  GArray *durations;
} Row;

struct _HirKernelTable
{
  GHashTable *rows; /* name and kind -> Row */
};

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

  table->rows = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free, row_free);
  return table;
}

void
hir_kernel_table_add (HirKernelTable *table, const HirEvent *event)
{
  gint64 key = (gint64) event->name << 8 | event->kind;
  gint64 duration_ns = event->end_ns - event->start_ns;
  Row *row = g_hash_table_lookup (table->rows, &key);

  if (row == NULL)
    {
      row = g_new0 (Row, 1);
      row->stats.kind = event->kind;
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
  return by_name != 0 ? by_name : (int) x->kind - (int) y->kind;
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
  gpointer key, value;

  g_hash_table_iter_init (&iter, table->rows);
  while (g_hash_table_iter_next (&iter, &key, &value))
    {
      Row *row = value;

      hir_stats_sort_ns (row->durations);
      row->stats.name = hir_trace_get_string (trace, (guint32) (*(gint64 *) key >> 8));
      row->stats.mean_ns = (double) row->stats.sum_ns / (double) row->stats.count;
      row->stats.p50_ns = hir_stats_get_percentile (row->durations, 50);
      row->stats.p99_ns = hir_stats_get_percentile (row->durations, 99);
      g_array_append_val (all, row->stats);
    }
  g_array_sort (all, compare_rows);
  hir_kernel_table_free (table);
  return all;
}
