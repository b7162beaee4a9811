/* Internal declarations of the MPI run. */
#pragma once

#include "job/run-ranks.h"
#include "record/clock.h"
#include "record/event-pack.h"
#include "run/mpi/mpi-clock.h"

G_BEGIN_DECLS

/* The result of a rank; exchanged as plain memory. */
typedef struct
{
  gboolean failed, is_mine; /* this rank found the error itself */
  guint n_done, n_no_value;
  gint64 elapsed_ns, zero_ns;
  guint64 n_pieces, n_dropped;
} HirRankOutcome;

struct _HirRunRanks
{
  HirMpiModule *mpi;
  HirContainer *fusion;
  const HirRunSettings *settings;
  HirEventPack *pack;       /* NULL on rank 0 */
  HirClockFit *fits;        /* one per rank; used on rank 0 */
  HirRankOutcome *outcomes; /* one per rank */
  gint64 zero_ns;           /* zero of the event times, on the measured clock */
  GVariant *model, *report; /* nullable */
};

typedef enum
{
  HIR_RANK_PART_NAMES,
  HIR_RANK_PART_MODEL,
  HIR_RANK_PART_REPORT,
  HIR_RANK_PART_ERROR,
} HirRankPart;

/* Returns a part of the gathered data (transfer full), or NULL. */
GVariant *hir_run_ranks_get_part (GVariant *small, HirRankPart part);
/* Serializes an error. */
GVariant *hir_run_ranks_pack_error (const GError *error); /* floating */
/* Restores an error. Returns NULL if @packed is malformed. */
GError *hir_run_ranks_unpack_error (GVariant *packed);

/* run-ranks-merge.c: merges the results of all ranks on rank 0. @small has one entry per rank. */
gboolean hir_run_ranks_merge (HirRunRanks *ranks,
                              GPtrArray *small,
                              HirRecorder *recorder,
                              HirEventMerge *const *merges,
                              HirRecordingWriter *writer,
                              HirRunResult *result,
                              GError **error);
/* Notes in the account of @writer (nullable) that the events of the other ranks are missing. */
void hir_run_ranks_note_lost (HirRunRanks *ranks, HirRecordingWriter *writer);

G_END_DECLS
