/* Implements `hirscope run` under a launcher (mpirun, srun): each process is one device, and rank 0
 * reports for all. */
#pragma once

#include "lowering-options.h"
#include "run-command-line.h"

G_BEGIN_DECLS

/* Lowers and runs @spec as one rank. The options are already checked. @command is the command line
 * to store in the recording. Rank 0 prints the report and the errors of all ranks; another rank
 * prints only errors that cannot reach rank 0. Returns the exit code, which is the same on all
 * ranks. May end the process with _exit() if a rank is gone, because MPI would wait for it. */
int hir_run_launched (const char *spec,
                      HirLoweringOptions *lowering,
                      HirRunCommandLine *options,
                      const char *command);

G_END_DECLS
