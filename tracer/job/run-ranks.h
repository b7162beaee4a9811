/* An MPI run, whose ranks are processes: rank 0 collects the events and results of all ranks. */
#pragma once

#include "job/run-job.h"
#include "run/mpi/mpi-module.h"
#include "run/session/session.h"
#include "trace/recording/recording.h"

G_BEGIN_DECLS

/* One rank of one run. */
typedef struct _HirRunRanks HirRunRanks;

/* Creates the state of this rank. Borrows @mpi and @settings. @fusion (nullable) is the fusion to
 * check against; NULL if the program cannot run. */
HirRunRanks *
hir_run_ranks_new (HirMpiModule *mpi, HirContainer *fusion, const HirRunSettings *settings);
void hir_run_ranks_free (HirRunRanks *ranks); /* free after the recorder */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRunRanks, hir_run_ranks_free)

/* Checks that the settings of all ranks are compatible, measures clock offsets, and on ranks other
 * than 0 stores the events of @recorder in memory. Call on all ranks before the run. */
gboolean hir_run_ranks_begin (HirRunRanks *ranks,
                              HirRecorder *recorder,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Takes the results of @session, which may be freed afterwards. Call after the run. */
void hir_run_ranks_take_session (HirRunRanks *ranks, HirSession *session);
/**
 * hir_run_ranks_end:
 * @failure: (nullable): error of this rank
 * @recorder: on rank 0, receives the events of all ranks with aligned clocks
 * @writer: (nullable): on rank 0, receives the meta values of all ranks
 * @result: (inout): becomes the result of all ranks; values that exist per rank are those of rank 0
 *
 * Exchanges the results. Call on all ranks, even after a failure.
 *
 * Returns: FALSE on all ranks if one has failed, with the error of the first rank that failed
 */
gboolean hir_run_ranks_end (HirRunRanks *ranks,
                            const GError *failure,
                            HirRecorder *recorder,
                            HirRecordingWriter *writer,
                            HirRunResult *result,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
