/* Checks the synchronization of a lowered or printed program (analysis/sync-check.h), and applies
 * suggestions to the text of the program. */
#pragma once

#include "analysis/sync-check.h"
#include "program/program.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/**
 * hir_program_check_sync:
 * @trace: (nullable): a run of @program, to find hazards that are in order only in this recording
 * @wants_times: whether to compute the cost of redundant synchronization (analysis/sync-cost.h)
 *
 * Checks the programs of all ranks. Blocks; any thread.
 *
 * Returns: (transfer full): NULL and sets @error if lowering fails for another rank or
 *   hir_sync_check_new() fails
 */
HirSyncCheck *hir_program_check_sync (HirProgram *program,
                                      gint64 n_streams,
                                      HirTrace *trace,
                                      gboolean wants_times,
                                      GCancellable *cancellable,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * hir_program_suggest_fixes:
 *
 * Sets the suggestions of check->missing to the repairs of hir_program_find_repair(), which
 * hir_program_fix_sync() applies. If there is no repair, the suggestion says why. Blocks; any
 * thread.
 *
 * Returns: FALSE and sets @error if cancelled
 */
gboolean hir_program_suggest_fixes (HirProgram *program,
                                    HirSyncCheck *check,
                                    GCancellable *cancellable,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * hir_program_fix_sync:
 * @index: index in check->missing
 * @what: (out) (transfer full): the change, "Synchronize Stream 0 in line 12", one line per change
 *
 * Prints @program with the repair of hir_program_find_repair(). Blocks, because many changes are
 * checked; any thread.
 *
 * Returns: (transfer full): a request for the changed text, or NULL and the error of
 *   hir_program_find_repair()
 */
HirRequest *hir_program_fix_sync (HirProgram *program,
                                  const HirSyncCheck *check,
                                  guint index,
                                  GCancellable *cancellable,
                                  char **what,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Like hir_program_fix_sync(), but removes the redundant Synchronize of check->uses at @index if no
 * new hazard appears. A redundant Wait stays: a run requires one for each communication. */
HirRequest *hir_program_drop_sync (HirProgram *program,
                                   const HirSyncCheck *check,
                                   guint index,
                                   GCancellable *cancellable,
                                   char **what,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns the index of the first entry of check->uses that hir_program_drop_sync() accepts, or
 * -1. */
int hir_sync_check_find_droppable (const HirSyncCheck *check);

G_END_DECLS
