/* The complete explanation of a run: where its time went, and what would help. */
#pragma once

#include "explain/explain.h"
#include "program/program.h"

G_BEGIN_DECLS

#define HIR_EXPLAIN_MAX_ROWS 20 /* of each table that is written to be read */

/**
 * hir_explain_run:
 * @trace: a trace
 * @program: (nullable): the program that it is a run of
 * @percent: (nullable): set atomically; see hir_explain_new_with_progress()
 *
 * Like hir_explain_new_with_progress(), with the gains of hir_gains_add(). Any thread.
 *
 * Returns: (transfer full): NULL and sets HIR_ERROR_INPUT if the trace has no device work, or
 *   HIR_ERROR_CANCELLED
 */
HirExplain *hir_explain_run (HirTrace *trace,
                             HirProgram *program,
                             GCancellable *cancellable,
                             int *percent,
                             GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
