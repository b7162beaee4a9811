/* Shared by the files that put a run of several processes together. */
#pragma once

#include "record/clock.h"
#include "record/event-pack.h"
#include "job/run-ranks.h"
#include "run/mpi/mpi-clock.h"

G_BEGIN_DECLS

/* Sent as it is. */
typedef struct
{
  gboolean failed, is_mine; /* it was this rank that found the error */
  guint n_done;
  gint64 elapsed_ns, zero_ns;
  guint64 n_pieces, n_dropped;
} HirRankOutcome;

struct _HirRunRanks
{
  HirMpiModule *mpi;
  HirContainer *fusion;
  const HirRunSettings *settings;
  HirEventPack *pack;       /* not on rank 0 */
  HirClockFit *fits;        /* one a rank; on rank 0 */
  HirRankOutcome *outcomes; /* one a rank */
  gint64 zero_ns;           /* of the measured clock, what events count from */
  GVariant *model, *report; /* nullable */
};

typedef enum
{
  HIR_RANK_PART_NAMES,
  HIR_RANK_PART_MODEL,
  HIR_RANK_PART_REPORT,
  HIR_RANK_PART_ERROR,
} HirRankPart;

/* Nullable; a new reference. */
GVariant *hir_run_ranks_get_part (GVariant *small, HirRankPart part);
GVariant *hir_run_ranks_pack_error (const GError *error); /* floating */
GError *hir_run_ranks_unpack_error (GVariant *packed);

/* run-ranks-merge.c; on rank 0. @small: one a rank, as gathered. */
gboolean hir_run_ranks_merge (HirRunRanks *ranks,
                              GPtrArray *small,
                              HirRecorder *recorder,
                              HirEventMerge *const *merges,
                              HirRecordingWriter *writer,
                              HirRunResult *result,
                              GError **error);
/* In the account of @writer, which may be NULL: the other ranks' events are not there. */
void hir_run_ranks_note_lost (HirRunRanks *ranks, HirRecordingWriter *writer);

G_END_DECLS
