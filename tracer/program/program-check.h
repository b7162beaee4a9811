/* Dry runs of a lowered or printed program, and checks of its synchronization and memory
 * (analysis/sync-trace.h, analysis/sync-check.h). */
#pragma once

#include "analysis/sync-check.h"
#include "program/program.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/**
 * hir_program_dry_run:
 * @options: inputs and rank are replaced by those of @program
 *
 * Executes the programs of all ranks without computing. Blocks; any thread.
 *
 * Returns: (transfer full): NULL and sets @error if lowering fails for another rank, if the script
 *   is not known, or if hir_sync_trace_new() fails
 */
HirSyncTrace *hir_program_dry_run (HirProgram *program,
                                   HirSyncOptions options,
                                   GCancellable *cancellable,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * hir_program_check_sync:
 * @trace: (nullable): a run of @program, to find hazards that are in order only in this recording
 *
 * Checks the programs of all ranks. Blocks; any thread.
 *
 * Returns: (transfer full): NULL and sets @error if lowering fails for another rank or
 *   hir_sync_check_new() fails
 */
HirSyncCheck *hir_program_check_sync (HirProgram *program,
                                      gint64 n_streams,
                                      HirTrace *trace,
                                      HirSyncParts parts,
                                      GCancellable *cancellable,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * hir_program_check_memory:
 *
 * Finds outputs that are not written completely or that are freed, and reads of memory that nothing
 * has written, on all ranks (analysis/sync-fault.h). Blocks; any thread.
 *
 * Returns: (transfer full): one line per finding, "T1: WRONG, output T1 has ..." for an output; an
 *   empty string if there are none; NULL and sets @error like hir_program_check_sync()
 */
char *hir_program_check_memory (HirProgram *program,
                                gint64 n_streams,
                                GCancellable *cancellable,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
