/* Aligns the clocks of several ranks by the collectives that they share. All ranks finish an
 * all-reduce within the transfer time of its last bytes, so the median difference between the ends
 * on two ranks is the offset of their clocks. Collectives are matched by team and number
 * (trace/comm-records.h); comm-matching.h may have assigned the numbers. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* With fewer collectives a clock is not shifted. Smaller offsets are within the variation of
 * collectives. */
#define HIR_ALIGN_MIN_MATCHES 3
#define HIR_ALIGN_MIN_OFFSET_NS 10000

/* The result for the clock of one rank. */
typedef struct
{
  int rank;
  int to_rank;      /* rank it was compared with; -1: none */
  guint n_matches;  /* number of collectives that both ranks have */
  gint64 offset_ns; /* median of its ends minus those of @to_rank, before shifting */
  gint64 error_ns;  /* median distance from that median, plus the error of @to_rank */
  gint64 shift_ns;  /* time added to its events; 0 if the clocks agree */
} HirRankClock;

/* Shifts the events of each rank except @first_rank so that its clock agrees with the others. The
 * account lists each shift with its error, and how many messages and collectives still end on one
 * rank before they start on another. @trace must be finished and not yet shared. Shifts nothing if
 * out of memory.
 * Returns: (transfer full): array of HirRankClock, one per rank except the first */
GArray *hir_trace_align_ranks (HirTrace *trace, int first_rank);

G_END_DECLS
