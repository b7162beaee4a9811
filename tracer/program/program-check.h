/* The check of synchronisation (analysis/sync-check.h) of a program as it was lowered or printed,
 * and what its suggestions come to: a changed text of the program that is checked again. */
#pragma once

#include "analysis/sync-check.h"
#include "program/program.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* The programs of all ranks. @trace: nullable: a run of it, for what is ordered by luck. @wants_times: also what is
 * needless costs on the modelled clock (analysis/sync-cost.h). Errors:
 * those of lowering for the other ranks and of hir_sync_check_new(). Blocks; any thread. */
HirSyncCheck *hir_program_check_sync (HirProgram *program,
                                      gint64 n_streams,
                                      HirTrace *trace,
                                      gboolean wants_times,
                                      GCancellable *cancellable,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* @program, printed, with a Synchronize or Wait more, or a Wait in another place, so that what
 * check->missing has at @index is there no more, nor anything new; as a request to be opened.
 * *@what says what was done: "Synchronize Stream 0 before line 12". NULL and HIR_ERROR_UNSUPPORTED
 * where no such line is found, or the ranks run different programs. Blocks for some checks; any
 * thread. */
HirRequest *hir_program_fix_sync (HirProgram *program,
                                  const HirSyncCheck *check,
                                  guint index,
                                  GCancellable *cancellable,
                                  char **what,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* @program, printed, without the Synchronize of check->uses at @index, which is needless; it is checked
 * that then nothing is missing that was not. Else as the above. A needless Wait stays: a run asks for
 * one for each communication. */
HirRequest *hir_program_drop_sync (HirProgram *program,
                                   const HirSyncCheck *check,
                                   guint index,
                                   GCancellable *cancellable,
                                   char **what,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The first of check->uses that hir_program_drop_sync() can take; -1: none. */
int hir_sync_check_find_droppable (const HirSyncCheck *check);

G_END_DECLS
