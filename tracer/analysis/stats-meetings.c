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

/* Sets the delays of the members, which are in the order of their starts. */
static void
set_delays (const HirMeeting *meeting, HirMeetingMember *members)
{
  for (guint i = 0; i < meeting->n; i++)
    {
      members[i].wait_ns = meeting->last_start_ns - members[i].start_ns;
      members[i].late_start_ns = members[i].start_ns - meeting->first_start_ns;
      members[i].late_end_ns = members[i].end_ns - meeting->first_end_ns;
      members[i].is_counted = TRUE;
    }
  /* Members that start together are all first, and none is last. */
  members[meeting->n - 1].is_last = meeting->last_start_ns > meeting->first_start_ns;
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
      HirMeetingMember member = { 0 };
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
  if (!cut (&meeting, first, options))
    {
      g_array_set_size (meetings->members, meeting.from);
      return;
    }
  set_delays (&meeting, first);
  g_array_append_val (meetings->meetings, meeting);
}

/* Compares pointers to members: by event, then in the order of the communications. */
static int
compare_events (gconstpointer a, gconstpointer b)
{
  const HirMeetingMember *x = *(HirMeetingMember *const *) a, *y = *(HirMeetingMember *const *) b;

  if (x->track != y->track)
    return x->track < y->track ? -1 : 1;
  if (x->index != y->index)
    return x->index < y->index ? -1 : 1;
  return (x > y) - (x < y);
}

/* Sets the smaller one to 0, @b if they are equal. Returns the other one. */
static gint64 *
keep_larger (gint64 *a, gint64 *b)
{
  gint64 *smaller = *b > *a ? a : b;

  *smaller = 0;
  return smaller == a ? b : a;
}

/* Counts the event of @parts (HirMeetingMember*) once. */
static void
count_once (HirMeetingMember **parts, guint n)
{
  gint64 *wait_ns = &parts[0]->wait_ns;
  gint64 *late_start_ns = &parts[0]->late_start_ns, *late_end_ns = &parts[0]->late_end_ns;
  gboolean is_last = parts[0]->is_last;

  for (guint i = 1; i < n; i++)
    {
      wait_ns = keep_larger (wait_ns, &parts[i]->wait_ns);
      late_start_ns = keep_larger (late_start_ns, &parts[i]->late_start_ns);
      late_end_ns = keep_larger (late_end_ns, &parts[i]->late_end_ns);
      parts[i]->is_counted = FALSE;
      parts[i]->is_last &= !is_last;
      is_last |= parts[i]->is_last;
    }
}

/* Compares communications by their first two events, then in the order of the records. */
static int
compare_pairs (gconstpointer a, gconstpointer b, gpointer members)
{
  const HirMeeting *x = a, *y = b;

  for (guint i = 0; i < 2; i++)
    {
      const HirMeetingMember *p =
          &g_array_index ((GArray *) members, HirMeetingMember, x->from + i);
      const HirMeetingMember *q =
          &g_array_index ((GArray *) members, HirMeetingMember, y->from + i);

      if (p->track != q->track)
        return p->track < q->track ? -1 : 1;
      if (p->index != q->index)
        return p->index < q->index ? -1 : 1;
    }
  return (x->from > y->from) - (x->from < y->from);
}

static gboolean
has_same_events (const HirMeetings *meetings, const HirMeeting *a, const HirMeeting *b)
{
  const HirMeetingMember *x = &g_array_index (meetings->members, HirMeetingMember, a->from);
  const HirMeetingMember *y = &g_array_index (meetings->members, HirMeetingMember, b->from);

  return a->n == 2 && b->n == 2 && x[0].track == y[0].track && x[0].index == y[0].index &&
         x[1].track == y[1].track && x[1].index == y[1].index;
}

/* Drops all but the first message between the same two events. All that the others would add to the
 * sums is counted in the first. */
static void
join_exchanges (HirMeetings *meetings)
{
  HirMeeting *all = (HirMeeting *) (void *) meetings->meetings->data;
  guint n = 0;

  g_array_sort_with_data (meetings->meetings, compare_pairs, meetings->members);
  for (guint i = 0; i < meetings->meetings->len; i++)
    if (n == 0 || !has_same_events (meetings, &all[i], &all[n - 1]))
      all[n++] = all[i];
  g_array_set_size (meetings->meetings, n);
}

/* Counts events of several messages once. */
static void
join_messages (HirMeetings *meetings)
{
  guint n = meetings->members->len;
  g_autofree HirMeetingMember **parts = g_new (HirMeetingMember *, n);

  for (guint i = 0; i < n; i++)
    parts[i] = &g_array_index (meetings->members, HirMeetingMember, i);
  qsort (parts, n, sizeof *parts, compare_events);
  for (guint from = 0, to; from < n; from = to)
    {
      for (to = from + 1; to < n; to++)
        if (parts[to]->track != parts[from]->track || parts[to]->index != parts[from]->index)
          break;
      count_once (parts + from, to - from);
    }
  join_exchanges (meetings);
}

HirMeetings *
hir_meetings_new (const HirTrace *trace, const HirStatsOptions *options)
{
  HirMeetings *meetings = g_new0 (HirMeetings, 1);
  guint n = hir_trace_get_n_comm_records (trace), to;
  gboolean has_messages = FALSE;

  meetings->members = g_array_new (FALSE, FALSE, sizeof (HirMeetingMember));
  meetings->meetings = g_array_new (FALSE, FALSE, sizeof (HirMeeting));
  for (guint from = 0; from < n && !g_cancellable_is_cancelled (options->cancellable); from = to)
    {
      const HirCommRecord *first = hir_trace_get_comm_record (trace, from);

      for (to = from + 1; to < n; to++)
        if (!hir_comm_record_matches (hir_trace_get_comm_record (trace, to), first))
          break;
      add_meeting (meetings, trace, options, from, to);
      has_messages |= first->side != HIR_COMM_SIDE_TEAM;
    }
  if (has_messages && meetings->meetings->len > 0)
    join_messages (meetings);
  return meetings;
}

void
hir_meetings_free (HirMeetings *meetings)
{
  g_array_unref (meetings->members);
  g_array_unref (meetings->meetings);
  g_free (meetings);
}
