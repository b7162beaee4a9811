/* Finds the ranks that others wait for: by rank, by collective and by iteration. A rank is late by
 * the time from the first start of a communication to its own. */
#include <stdio.h>
#include <string.h>

#include "analysis/stats-private.h"
#include "identity.h"
#include "trace/collective.h"

#define MAX_MEETINGS 1000 /* of the list of collectives */

static int
compare_ranks (gconstpointer a, gconstpointer b)
{
  const HirRankStats *x = a, *y = b;

  return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Returns the error of the clock of @rank against those of the other ranks; -1: unknown. */
static gint64
read_clock_error (const HirTrace *trace, int rank)
{
  g_autofree char *key = g_strdup_printf ("clock.rank.%d", rank);
  const char *text = hir_trace_get_meta (trace, key);
  const char *error = text != NULL ? strstr (text, "error_ns=") : NULL;
  gint64 error_ns;

  if (error != NULL && sscanf (error, "error_ns=%" G_GINT64_FORMAT, &error_ns) == 1)
    return error_ns;
  /* A recording without these is of one process. */
  return hir_trace_get_meta (trace, "clock") != NULL ? 0 : -1;
}

static void
add_ranks (HirStats *stats, const HirTrace *trace, const HirMeetings *meetings)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < meetings->members->len; i++)
    {
      int rank = g_array_index (meetings->members, HirMeetingMember, i).rank;
      HirRankStats row = { .rank = rank };

      if (!g_hash_table_add (seen, GINT_TO_POINTER (rank)))
        continue;
      row.clock_error_ns = read_clock_error (trace, rank);
      g_array_append_val (stats->ranks, row);
    }
  g_array_sort (stats->ranks, compare_ranks);
}

static guint
find_rank (const HirStats *stats, int rank)
{
  guint low = 0, high = stats->ranks->len;

  while (high - low > 1)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (stats->ranks, HirRankStats, middle).rank <= rank)
        low = middle;
      else
        high = middle;
    }
  return low;
}

/* Adds a communication to the rows of its ranks. */
static void
add_members (HirStats *stats, const HirMeetings *meetings, const HirMeeting *meeting)
{
  const HirMeetingMember *members =
      &g_array_index (meetings->members, HirMeetingMember, meeting->from);
  HirRankStats *last =
      &g_array_index (stats->ranks, HirRankStats, find_rank (stats, members[meeting->n - 1].rank));

  for (guint i = 0; i < meeting->n; i++)
    {
      HirRankStats *row =
          &g_array_index (stats->ranks, HirRankStats, find_rank (stats, members[i].rank));

      row->count += members[i].is_counted ? 1 : 0;
      row->n_last += members[i].is_last ? 1 : 0;
      row->waiting_ns += members[i].wait_ns;
      last->waited_ns += members[i].wait_ns;
      row->mean_start_ns += (double) members[i].late_start_ns;
      row->mean_end_ns += (double) members[i].late_end_ns;
    }
}

/* Describes a communication in @row. */
static void
describe (const HirTrace *trace,
          const HirMeetings *meetings,
          const HirMeeting *meeting,
          HirMeetingStats *row)
{
  const HirMeetingMember *members =
      &g_array_index (meetings->members, HirMeetingMember, meeting->from);
  const HirMeetingMember *last = &members[meeting->n - 1];
  HirCollective collective;
  HirEvent event;

  hir_trace_get_event (trace, last->track, last->index, &event);
  *row = (HirMeetingStats){ .op = hir_trace_get_string (trace, event.name),
                            .team = "",
                            .instruction = event.instruction,
                            .iteration = event.iteration,
                            .start_ns = meeting->first_start_ns,
                            .end_ns = meeting->last_end_ns,
                            .start_skew_ns = meeting->last_start_ns - meeting->first_start_ns,
                            .end_skew_ns = meeting->last_end_ns - meeting->first_end_ns,
                            .last_rank = last->rank,
                            .track = last->track,
                            .index = last->index };
  if (hir_trace_lookup_collective (trace, last->track, last->index, &collective))
    {
      row->op = collective.op;
      row->team = collective.team;
    }
  for (guint i = 0; i < meeting->n; i++)
    row->waited_ns += members[i].wait_ns;
}

static int
compare_meetings (gconstpointer a, gconstpointer b)
{
  const HirMeetingStats *x = a, *y = b;

  if (x->waited_ns != y->waited_ns)
    return x->waited_ns > y->waited_ns ? -1 : 1;
  return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* The same communication in the same iteration belongs to another round each time. */
typedef struct
{
  guint64 what; /* instruction, or hash of op and team */
  gint32 iteration;
} Place;

static guint
place_hash (gconstpointer data)
{
  const Place *place = data;

  return (guint) (place->what ^ place->what >> 32) * 31u + (guint) place->iteration;
}

static gboolean
place_equal (gconstpointer a, gconstpointer b)
{
  const Place *x = a, *y = b;

  return x->what == y->what && x->iteration == y->iteration;
}

/* Returns the round of the communication: how many with the same place came before. */
static guint
count_round (GHashTable *rounds, const HirMeetingStats *meeting)
{
  Place place = { meeting->instruction, meeting->iteration };
  guint round;

  if (place.what == 0)
    place.what = (guint64) g_str_hash (meeting->op) << 32 | g_str_hash (meeting->team);
  round = GPOINTER_TO_UINT (g_hash_table_lookup (rounds, &place));
  g_hash_table_replace (rounds, g_memdup2 (&place, sizeof place), GUINT_TO_POINTER (round + 1));
  return round;
}

static int
compare_starts (gconstpointer a, gconstpointer b)
{
  const HirMeeting *x = a, *y = b;

  if (x->first_start_ns != y->first_start_ns)
    return x->first_start_ns < y->first_start_ns ? -1 : 1;
  return (x->from > y->from) - (x->from < y->from);
}

static int
compare_columns (gconstpointer a, gconstpointer b)
{
  const HirIterationStats *x = a, *y = b;

  return (x->start_ns > y->start_ns) - (x->start_ns < y->start_ns);
}

/* Adds a communication to the column of its iteration. */
static void
add_to_column (HirStats *stats,
               GHashTable *numbers,
               const HirMeetings *meetings,
               const HirMeeting *meeting,
               const HirMeetingStats *row,
               guint round)
{
  const HirMeetingMember *members =
      &g_array_index (meetings->members, HirMeetingMember, meeting->from);
  guint64 key = (guint64) round << 32 | (guint32) row->iteration;
  gpointer value;
  HirIterationStats *column;

  if (!g_hash_table_lookup_extended (numbers, &key, NULL, &value))
    {
      HirIterationStats new_column = { .iteration = row->iteration,
                                       .round = round,
                                       .start_ns = row->start_ns,
                                       .late_ns = g_new0 (gint64, stats->ranks->len) };

      value = GUINT_TO_POINTER (stats->iterations->len);
      g_hash_table_insert (numbers, g_memdup2 (&key, sizeof key), value);
      g_array_append_val (stats->iterations, new_column);
    }
  column = &g_array_index (stats->iterations, HirIterationStats, GPOINTER_TO_UINT (value));
  column->end_ns = MAX (column->end_ns, row->end_ns);
  if (column->n++ == 0 || row->start_skew_ns > column->start_skew_ns)
    {
      column->track = row->track;
      column->index = row->index;
    }
  column->start_skew_ns = MAX (column->start_skew_ns, row->start_skew_ns);
  column->end_skew_ns = MAX (column->end_skew_ns, row->end_skew_ns);
  for (guint i = 0; i < meeting->n; i++)
    column->late_ns[find_rank (stats, members[i].rank)] += members[i].late_start_ns;
}

static void
finish_ranks (HirStats *stats)
{
  for (guint i = 0; i < stats->ranks->len; i++)
    {
      HirRankStats *row = &g_array_index (stats->ranks, HirRankStats, i);

      row->mean_start_ns /= (double) row->count;
      row->mean_end_ns /= (double) row->count;
    }
}

void
hir_stats_find_stragglers (HirStats *stats,
                           const HirTrace *trace,
                           HirMeetings *meetings,
                           const HirStatsOptions *options)
{
  g_autoptr (GHashTable) rounds = g_hash_table_new_full (place_hash, place_equal, g_free, NULL);
  g_autoptr (GHashTable) numbers =
      g_hash_table_new_full (hir_word_hash, g_int64_equal, g_free, NULL);

  add_ranks (stats, trace, meetings);
  g_array_sort (meetings->meetings, compare_starts);
  for (guint i = 0; i < meetings->meetings->len; i++)
    {
      const HirMeeting *meeting = &g_array_index (meetings->meetings, HirMeeting, i);
      HirMeetingStats row;

      if (g_cancellable_is_cancelled (options->cancellable))
        return;
      describe (trace, meetings, meeting, &row);
      add_members (stats, meetings, meeting);
      add_to_column (stats, numbers, meetings, meeting, &row, count_round (rounds, &row));
      g_array_append_val (stats->meetings, row);
    }
  finish_ranks (stats);
  g_array_sort (stats->meetings, compare_meetings);
  if (stats->meetings->len > MAX_MEETINGS)
    g_array_set_size (stats->meetings, MAX_MEETINGS);
  g_array_sort (stats->iterations, compare_columns);
}
