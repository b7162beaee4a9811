/* Bandwidth and skew of communications. */
#include <string.h>

#include "analysis/stats-private.h"
#include "trace/collective.h"
#include "trace/track-set.h"

typedef struct
{
  HirCollectiveStats stats;
  gint64 transfer_ns; /* of events with known size */
} Row;

typedef struct
{
  const HirTrace *trace;
  const HirStatsOptions *options;
  GHashTable *rows; /* "op team" -> Row */
} Table;

static Row *
ensure_row (Table *table, const HirCollective *collective)
{
  g_autofree char *key = g_strdup_printf ("%s %s", collective->op, collective->team);
  Row *row = g_hash_table_lookup (table->rows, key);

  if (row != NULL)
    return row;
  row = g_new0 (Row, 1);
  row->stats.op = collective->op;
  row->stats.team = collective->team;
  row->stats.n_members = collective->n_members;
  g_hash_table_insert (table->rows, g_steal_pointer (&key), row);
  return row;
}

static void
add_event (Table *table, guint track, guint index)
{
  HirCollective collective;
  gint64 start_ns, end_ns;
  Row *row;

  hir_trace_get_interval (table->trace, track, index, &start_ns, &end_ns);
  if (!hir_stats_clip (table->options, &start_ns, &end_ns) ||
      !hir_trace_lookup_collective (table->trace, track, index, &collective))
    return;
  row = ensure_row (table, &collective);
  row->stats.count++;
  row->stats.sum_ns += end_ns - start_ns;
  row->stats.max_ns = MAX (row->stats.max_ns, end_ns - start_ns);
  if (collective.message_bytes <= 0 || collective.transfer_ns <= 0)
    return;
  if (row->stats.bytes == 0)
    {
      row->stats.min_bytes = collective.message_bytes;
      row->stats.min_busbw = collective.busbw;
    }
  row->stats.min_bytes = MIN (row->stats.min_bytes, collective.message_bytes);
  row->stats.max_bytes = MAX (row->stats.max_bytes, collective.message_bytes);
  row->stats.min_busbw = MIN (row->stats.min_busbw, collective.busbw);
  row->stats.max_busbw = MAX (row->stats.max_busbw, collective.busbw);
  row->stats.bytes += collective.message_bytes;
  row->transfer_ns += collective.transfer_ns;
}

static void
add_skews (Table *table, const HirMeetings *meetings)
{
  for (guint i = 0; i < meetings->meetings->len; i++)
    {
      const HirMeeting *meeting = &g_array_index (meetings->meetings, HirMeeting, i);
      gint64 start_skew_ns = meeting->last_start_ns - meeting->first_start_ns;
      gint64 end_skew_ns = meeting->last_end_ns - meeting->first_end_ns;
      HirCollective collective;
      Row *row;

      if (!hir_trace_lookup_collective (table->trace, meeting->track, meeting->index, &collective))
        continue;
      row = ensure_row (table, &collective);
      row->stats.n_matched++;
      row->stats.mean_start_skew_ns += (double) start_skew_ns;
      row->stats.mean_end_skew_ns += (double) end_skew_ns;
      row->stats.max_start_skew_ns = MAX (row->stats.max_start_skew_ns, start_skew_ns);
      row->stats.max_end_skew_ns = MAX (row->stats.max_end_skew_ns, end_skew_ns);
    }
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const HirCollectiveStats *x = a, *y = b;
  int by_op;

  if (x->sum_ns != y->sum_ns)
    return x->sum_ns > y->sum_ns ? -1 : 1;
  by_op = strcmp (x->op, y->op);
  return by_op != 0 ? by_op : strcmp (x->team, y->team);
}

static GArray *
finish (Table *table)
{
  GArray *all = g_array_new (FALSE, FALSE, sizeof (HirCollectiveStats));
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, table->rows);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      Row *row = value;
      HirCollectiveStats *stats = &row->stats;

      stats->mean_ns = stats->count > 0 ? (double) stats->sum_ns / (double) stats->count : 0;
      hir_collective_get_bandwidth (stats->op, stats->n_members, stats->bytes, row->transfer_ns,
                                    &stats->algbw, &stats->busbw);
      if (stats->n_matched > 0)
        {
          stats->mean_start_skew_ns /= (double) stats->n_matched;
          stats->mean_end_skew_ns /= (double) stats->n_matched;
        }
      g_array_append_val (all, *stats);
    }
  g_array_sort (all, compare_rows);
  g_hash_table_unref (table->rows);
  return all;
}

GArray *
hir_stats_dup_collectives (const HirTrace *trace,
                           const HirMeetings *meetings,
                           const HirStatsOptions *options)
{
  /* No progress: these events have been counted before. */
  HirStatsOptions silent = { .cancellable = options->cancellable };
  HirStatsProgress progress = { .options = &silent };
  Table table = { trace, options, g_hash_table_new_full (g_str_hash, g_str_equal, g_free, g_free) };

  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    {
      if (!hir_track_is_of_device (hir_trace_get_track (trace, t)) ||
          !hir_track_set_has (options->tracks, t))
        continue;
      for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
        {
          HirEvent event;

          if (!hir_stats_progress_step (&progress))
            return finish (&table);

          hir_trace_get_event (trace, t, i, &event);
          if (event.kind == HIR_EVENT_COMMUNICATION &&
              (event.phase == HIR_PHASE_PROGRAM || options->all_phases))
            add_event (&table, t, i);
        }
    }
  add_skews (&table, meetings);
  return finish (&table);
}

/* Returns "least-most", or one of them if they are equal. */
static char *
dup_range (const char *least, const char *most)
{
  return g_str_equal (least, most) ? g_strdup (least) : g_strdup_printf ("%s-%s", least, most);
}

/* Returns "32 MiB", or "48.5 KiB". */
static char *
dup_size (gint64 bytes)
{
  g_autofree char *text = g_format_size_full ((guint64) bytes, G_FORMAT_SIZE_IEC_UNITS);
  char *zero = strstr (text, ".0");

  return zero != NULL ? g_strdup_printf ("%.*s%s", (int) (zero - text), text, zero + 2)
                      : g_steal_pointer (&text);
}

/* Returns a rate with about three digits. */
static char *
dup_rate (double gb_per_s)
{
  return g_strdup_printf ("%.*f", gb_per_s >= 100 ? 0 : gb_per_s >= 10 ? 1 : 2, gb_per_s);
}

/* Cuts the unit from @least, "32 MiB", if @most has it, too. */
static void
cut_unit (char *least, const char *most)
{
  char *unit = least + strspn (least, "0123456789.,");

  if (g_str_has_suffix (most, unit) && strcmp (least, most) != 0)
    *unit = '\0';
}

char *
hir_collective_stats_dup_sizes (const HirCollectiveStats *row)
{
  g_autofree char *least = dup_size (row->min_bytes), *most = dup_size (row->max_bytes);

  cut_unit (least, most);
  return row->bytes > 0 ? dup_range (least, most) : NULL;
}

char *
hir_collective_stats_dup_busbw_range (const HirCollectiveStats *row)
{
  g_autofree char *least = dup_rate (row->min_busbw), *most = dup_rate (row->max_busbw);

  return row->algbw > 0 ? dup_range (least, most) : NULL;
}
