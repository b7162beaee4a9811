/* Memory that nothing has written, in the report of --check. */
#pragma once

#include "job/run-job.h"

G_BEGIN_DECLS

/**
 * hir_run_add_memory:
 * @result: (inout): has the report of a check. Lines of outputs that are not written completely are
 *   replaced, and the outcome is then HIR_CHECK_WRONG
 *
 * Adds what hir_program_check_memory() finds, or a note if it fails, to the report and as the
 * memory of @result.
 */
void hir_run_add_memory (HirProgram *program,
                         gint64 n_streams,
                         GCancellable *cancellable,
                         HirRunResult *result);

G_END_DECLS
