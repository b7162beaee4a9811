/* Report of `hirscope run`, as text or JSON. */
#pragma once

#include "job/run-job.h"
#include "run-command-line.h"

G_BEGIN_DECLS

/* Prints the outcome of a run on standard output and returns the exit code. @n_ranks is 0 without a
 * launcher. */
int hir_run_report (const HirRunResult *result, const HirRunCommandLine *options, int n_ranks);

G_END_DECLS
