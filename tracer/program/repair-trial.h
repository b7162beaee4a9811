/* Changes the text of a host program, and checks the changed program. */
#pragma once

#include "analysis/sync-check.h"
#include "program/repair-text.h"

G_BEGIN_DECLS

/* A text and the check of it as it is. */
typedef struct
{
  HirProgram *printed; /* read from the text */
  HirRepairText *text;
  HirSyncCheck *base;
  GArray *works; /* guint: the steps of base that changes do not move */
  GCancellable *cancellable;
  guint n_tries; /* number of checked changes */
  guint64 cost;  /* estimate of the cost of one check */
} HirRepairTrial;

/* Prints and reads @program. @check is its check. Returns FALSE and sets @error
 * (HIR_ERROR_UNSUPPORTED if the ranks run different programs). Close @trial in either case. */
gboolean hir_repair_trial_open (HirRepairTrial *trial,
                                HirProgram *program,
                                const HirSyncCheck *check,
                                GCancellable *cancellable,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_repair_trial_close (HirRepairTrial *trial);
/* Returns FALSE if the limit of tries is reached, or if cancelled. */
gboolean hir_repair_trial_has_more (const HirRepairTrial *trial);

/* Returns the program with @edits (transfer full), or NULL if the text cannot be read. */
HirProgram *
hir_repair_trial_make (const HirRepairTrial *trial, HirRepairEdit *const *edits, guint n_edits);
/* Returns the check of the program with @edits (transfer full). Returns NULL if the program is not
 * valid, or if work or memory is on another stream. */
HirSyncCheck *hir_repair_trial_check (HirRepairTrial *trial,
                                      HirRepairEdit *const *edits,
                                      guint n_edits,
                                      HirSyncParts parts);
G_END_DECLS
