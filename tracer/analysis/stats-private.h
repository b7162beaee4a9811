/* Internal declarations of the statistics. */
#pragma once

#include "analysis/intervals.h"
#include "analysis/launches.h"

G_BEGIN_DECLS

/* Clips an interval to the range. Returns FALSE if it is outside; an instant may be inside. */
gboolean hir_stats_clip (const HirStatsOptions *options, gint64 *start_ns, gint64 *end_ns);

/* Sums by name and kind. */
typedef struct _HirKernelTable HirKernelTable;

HirKernelTable *hir_kernel_table_new (void);
void hir_kernel_table_free (HirKernelTable *table);
/* Adds an event, of which @duration_ns are in the range. */
void hir_kernel_table_add (HirKernelTable *table,
                           const HirEvent *event,
                           gint64 duration_ns,
                           gboolean by_instruction);
/* Frees the table and returns its rows: GArray of HirKernelStats. */
GArray *hir_kernel_table_finish (HirKernelTable *table, const HirTrace *trace);

/* One rank's part of a communication. An event of several messages is a member of each of them, and
 * each of its delays is that of the message in which it is longest; it is 0 in the others. */
typedef struct
{
  int rank;
  guint track, index;
  gint64 start_ns, end_ns;
  gint64 wait_ns;                    /* for the last start */
  gint64 late_start_ns, late_end_ns; /* after the first start and end */
  gboolean is_counted;               /* FALSE if the event is counted in another message */
  gboolean is_last; /* started last, after another member, and is not so counted elsewhere */
} HirMeetingMember;

/* A communication that at least two ranks recorded. Messages between the same two events, as of a
 * coalesced exchange, are one. */
typedef struct
{
  guint from, n;      /* in the members, by start */
  guint track, index; /* the last recorded event, which names it */
  gint64 first_start_ns, last_start_ns, first_end_ns, last_end_ns;
} HirMeeting;

typedef struct
{
  GArray *members;  /* HirMeetingMember */
  GArray *meetings; /* HirMeeting */
} HirMeetings;

/* Returns the communications that overlap the range, with times cut at its ends; incomplete if
 * cancelled. */
HirMeetings *hir_meetings_new (const HirTrace *trace, const HirStatsOptions *options);
void hir_meetings_free (HirMeetings *meetings);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirMeetings, hir_meetings_free)

/* Fills ranks, meetings and iterations of @stats; incomplete if cancelled. Sorts @meetings. */
void hir_stats_find_stragglers (HirStats *stats,
                                const HirTrace *trace,
                                HirMeetings *meetings,
                                const HirStatsOptions *options);

/* Returns a GArray of HirCollectiveStats, incomplete if cancelled. */
GArray *hir_stats_dup_collectives (const HirTrace *trace,
                                   const HirMeetings *meetings,
                                   const HirStatsOptions *options);

/* Sorts @values (gint64). */
void hir_stats_sort_ns (GArray *values);
/* Returns the nearest-rank percentile of sorted, non-empty @values; @percent is in (0, 100]. */
gint64 hir_stats_get_percentile (const GArray *values, double percent);

G_END_DECLS
