/* Clocks of several ranks, set by what they did together: all ranks of an all-reduce end it within the time
 * that its last bytes travel, so the median of how much later one ends than another is by how much its
 * clock is ahead. Collectives are matched by team and number (trace/comm-records.h), which order may have given them
 * (trace/comm-matching.h). */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* Fewer collectives say nothing; a smaller difference is that of the collectives, not of the clocks. */
#define HIR_ALIGN_MIN_MATCHES 3
#define HIR_ALIGN_MIN_OFFSET_NS 10000

/* What became of a rank's clock. */
typedef struct
{
  int rank;
  int to_rank;      /* whose collectives it was compared by; -1: none */
  guint n_matches;  /* collectives that both have */
  gint64 offset_ns; /* median of its ends less those of @to_rank, before */
  gint64 error_ns;  /* median distance from that median, and the error of @to_rank */
  gint64 shift_ns;  /* by how much its events were moved: 0 where the clocks agree */
} HirRankClock;

/* Moves the events of each rank, other than @first_rank, by what the collectives tell, and notes in the
 * account what was done, with the error, and how many messages and collectives still end somewhere before
 * they begin elsewhere. @trace is finished and nobody else has it yet. Array of HirRankClock, one a rank
 * but the first. Where memory can't be had nothing is moved. */
GArray *hir_trace_align_ranks (HirTrace *trace, int first_rank);

G_END_DECLS
