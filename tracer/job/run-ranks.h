/* A run whose ranks are processes: what each recorded and found, put together by rank 0. */
#pragma once

#include "job/run-job.h"
#include "run/mpi/mpi-module.h"
#include "run/session/session.h"
#include "trace/recording/recording.h"

G_BEGIN_DECLS

/* One rank's side of one run. */
typedef struct _HirRunRanks HirRunRanks;

/* Borrows @mpi; @fusion is what is checked; nullable where nothing can run. */
HirRunRanks *hir_run_ranks_new (HirMpiModule *mpi, HirContainer *fusion, const HirRunSettings *settings);
void hir_run_ranks_free (HirRunRanks *ranks); /* after the recorder */
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRunRanks, hir_run_ranks_free)

/* Before the run, on all ranks: settings that must be equal are, clocks are measured. Other ranks
 * than 0 keep what @recorder takes. */
gboolean hir_run_ranks_begin (HirRunRanks *ranks,
                              HirRecorder *recorder,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* After it: what is needed of @session, which may go then. */
void hir_run_ranks_take_session (HirRunRanks *ranks, HirSession *session);
/* On all ranks, well or not (@failure: nullable, this rank's). Rank 0 gets the others' events into
 * @recorder, clocks aligned, and into @writer (nullable) what its tables keep of them; @result
 * becomes that of all ranks, where it is about one rank it is rank 0's. FALSE and @error where a rank
 * has failed: the error of the rank that failed first, on all of them. */
gboolean hir_run_ranks_end (HirRunRanks *ranks,
                            const GError *failure,
                            HirRecorder *recorder,
                            HirRecordingWriter *writer,
                            HirRunResult *result,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
