/* hirscope run under a launcher (mpirun, srun): one device a rank, one report for all. */
#pragma once

#include "job/run-job.h"
#include "lowering-options.h"
#include "run-command-line.h"

G_BEGIN_DECLS

/* Options are checked. @command: for the recording. Prints what there is to say, on rank 0 but for
 * errors that can't get there; gives the exit code, the same on all ranks. May leave the process by
 * _exit(), where a rank is gone and MPI would wait for it. */
int hir_run_launched (const char *spec,
                      HirLoweringOptions *lowering,
                      const HirRunCommandLine *options,
                      const char *command);

/* Prints the outcome of a run and returns the exit code. @n_ranks is 0 without a launcher. */
int hir_run_report (const HirRunResult *result, const HirRunCommandLine *options, int n_ranks);

G_END_DECLS
