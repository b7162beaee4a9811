/* Memory that nothing has written, in the report of --check. */
#pragma once

#include "program/program.h"
#include "run/reference/check.h"

G_BEGIN_DECLS

/**
 * hir_run_add_memory:
 * @check: (inout): the report; lines of outputs that are not written completely are replaced
 * @outcome: (inout): set to HIR_CHECK_WRONG if anything is found
 *
 * Adds what hir_program_check_memory() finds, or a note if it fails.
 */
void hir_run_add_memory (HirProgram *program,
                         gint64 n_streams,
                         GCancellable *cancellable,
                         char **check,
                         HirCheckOutcome *outcome);

G_END_DECLS
