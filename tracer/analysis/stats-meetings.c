/* Collects the communications that several ranks recorded: who started and ended when. */
#include <stdlib.h>

#include "analysis/stats-private.h"
#include "trace/comm-records.h"
#include "trace/track-set.h"

static int
compare_members (gconstpointer a, gconstpointer b)
{
  const HirMeetingMember *x = a, *y = b;

  if (x->start_ns != y->start_ns)
    return x->start_ns < y->start_ns ? -1 : 1;
  return (x->rank > y->rank) - (x->rank < y->rank);
}

static void
clamp (gint64 *time_ns, const HirStatsOptions *options)
{
  *time_ns = CLAMP (*time_ns, options->range_start_ns, options->range_end_ns);
}

/* Cuts the times of a communication and its members at the ends of the range. A member outside the
 * range ends or starts at its edge, so that ranks wait only within the range. Returns FALSE if the
 * whole communication is outside. */
static gboolean
cut (HirMeeting *meeting, HirMeetingMember *members, const HirStatsOptions *options)
{
  gint64 start_ns = meeting->first_start_ns, end_ns = meeting->last_end_ns;

  if (!hir_stats_clip (options, &start_ns, &end_ns))
    return FALSE;
  if (!options->has_range)
    return TRUE;
  for (guint i = 0; i < meeting->n; i++)
    {
      clamp (&members[i].start_ns, options);
      clamp (&members[i].end_ns, options);
    }
  clamp (&meeting->first_start_ns, options);
  clamp (&meeting->last_start_ns, options);
  clamp (&meeting->first_end_ns, options);
  clamp (&meeting->last_end_ns, options);
  return TRUE;
}

/* Adds the communication whose records are [@from, @to), unless it is left out. */
static void
add_meeting (HirMeetings *meetings,
             const HirTrace *trace,
             const HirStatsOptions *options,
             guint from,
             guint to)
{
  HirMeeting meeting = { .from = meetings->members->len, .last_end_ns = G_MININT64 };
  HirMeetingMember *first;
  const HirMeetingMember *last;

  for (guint i = from; i < to; i++)
    {
      HirMeetingMember member;
      HirEvent event;

      if (!hir_trace_get_comm_record_event (trace, i, &member.track, &member.index) ||
          !hir_track_set_has (options->tracks, member.track))
        continue;
      hir_trace_get_event (trace, member.track, member.index, &event);
      if (event.phase != HIR_PHASE_PROGRAM && !options->all_phases)
        {
          g_array_set_size (meetings->members, meeting.from);
          return;
        }
      member.rank = hir_trace_get_track (trace, member.track)->rank;
      member.start_ns = event.start_ns;
      member.end_ns = event.end_ns;
      g_array_append_val (meetings->members, member);
    }
  meeting.n = meetings->members->len - meeting.from;
  if (meeting.n < 2)
    {
      g_array_set_size (meetings->members, meeting.from);
      return;
    }
  first = &g_array_index (meetings->members, HirMeetingMember, meeting.from);
  meeting.track = first[meeting.n - 1].track;
  meeting.index = first[meeting.n - 1].index;
  qsort (first, meeting.n, sizeof *first, compare_members);
  last = first + meeting.n - 1;
  meeting.first_end_ns = first->end_ns;
  for (guint i = 0; i < meeting.n; i++)
    {
      meeting.first_end_ns = MIN (meeting.first_end_ns, first[i].end_ns);
      meeting.last_end_ns = MAX (meeting.last_end_ns, first[i].end_ns);
    }
  meeting.first_start_ns = first->start_ns;
  meeting.last_start_ns = last->start_ns;
  if (cut (&meeting, first, options))
    g_array_append_val (meetings->meetings, meeting);
  else
    g_array_set_size (meetings->members, meeting.from);
}

HirMeetings *
hir_meetings_new (const HirTrace *trace, const HirStatsOptions *options)
{
  HirMeetings *meetings = g_new0 (HirMeetings, 1);
  guint n = hir_trace_get_n_comm_records (trace), to;

  meetings->members = g_array_new (FALSE, FALSE, sizeof (HirMeetingMember));
  meetings->meetings = g_array_new (FALSE, FALSE, sizeof (HirMeeting));
  for (guint from = 0; from < n && !g_cancellable_is_cancelled (options->cancellable); from = to)
    {
      const HirCommRecord *first = hir_trace_get_comm_record (trace, from);

      for (to = from + 1; to < n; to++)
        if (!hir_comm_record_matches (hir_trace_get_comm_record (trace, to), first))
          break;
      add_meeting (meetings, trace, options, from, to);
    }
  return meetings;
}

void
hir_meetings_free (HirMeetings *meetings)
{
  g_array_unref (meetings->members);
  g_array_unref (meetings->meetings);
  g_free (meetings);
}
