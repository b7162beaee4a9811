/* Finds the change at one or two places of a host program that adds missing synchronization, or
 * gives each iteration separate memory, and keeps most of its concurrency. */
#pragma once

#include "analysis/sync-check.h"
#include "program/program.h"

G_BEGIN_DECLS

typedef struct
{
  HirRequest *request; /* of the changed text */
  char *sentence; /* "insert Synchronize Stream 0 before T5 = Set(T4) in program line 13 (40.4 µs on
                     the modelled clock)" */
  char *log;      /* of the changed text: "inserted Synchronize Stream 0 in line 13" */
  gboolean is_clean; /* nothing is missing afterwards */
} HirSyncRepair;

void hir_sync_repair_free (HirSyncRepair *repair);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirSyncRepair, hir_sync_repair_free)

#define HIR_REPAIR_ANY G_MAXUINT

/**
 * hir_program_find_repair:
 * @index: index in check->missing, or HIR_REPAIR_ANY for the first that has a repair
 *
 * Tries the changes of hir_repair_text_dup_edits() and hir_repair_free_add_edits(), and checks each
 * changed program. Prefers, in
 * this order: one change after which nothing is missing; two such changes; one change, then two,
 * that remove the hazard at @index. Of several, takes the one with the shortest modelled time.
 * Every instruction remains on its stream. Blocks; any thread.
 *
 * Returns: (transfer full): the repair, or NULL with HIR_ERROR_UNSUPPORTED if there is none or the
 *   ranks run different programs, HIR_ERROR_LIMIT if too many changes are possible to try all, or
 *   G_IO_ERROR_CANCELLED
 */
HirSyncRepair *hir_program_find_repair (HirProgram *program,
                                        const HirSyncCheck *check,
                                        guint index,
                                        GCancellable *cancellable,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * hir_program_suggest_repairs:
 * @first: (out) (optional) (nullable) (transfer full): the repair of the first hazard
 *
 * Sets the suggestions of check->missing to the sentences of hir_program_find_repair(), or to the
 * reason why there is no repair. Blocks; any thread.
 *
 * Returns: FALSE with G_IO_ERROR_CANCELLED if cancelled
 */
gboolean hir_program_suggest_repairs (HirProgram *program,
                                      HirSyncCheck *check,
                                      HirSyncRepair **first,
                                      GCancellable *cancellable,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Like hir_program_find_repair(), but removes the redundant Synchronize of check->uses at @index if
 * no new hazard appears, and if the same work as before follows and precedes the accesses of each
 * hazard. A redundant Wait stays: a run requires one for each communication. */
HirSyncRepair *hir_program_find_removal (HirProgram *program,
                                         const HirSyncCheck *check,
                                         guint index,
                                         GCancellable *cancellable,
                                         GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Sets `kept` of each redundant Synchronize of check->uses to the reason why
 * hir_program_find_removal() does not remove it. Blocks; any thread. Returns FALSE with
 * G_IO_ERROR_CANCELLED if cancelled. */
gboolean hir_program_explain_kept (HirProgram *program,
                                   HirSyncCheck *check,
                                   GCancellable *cancellable,
                                   GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns the index of the first entry of check->uses, at or after @from, that
 * hir_program_find_removal() may remove, or -1. */
int hir_sync_check_find_removable (const HirSyncCheck *check, guint from);

G_END_DECLS
