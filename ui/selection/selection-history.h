/* The events, nodes and lines of the script that were selected, to go back to them. Main thread. */
#pragma once

#include "selection/selection.h"

G_BEGIN_DECLS

typedef struct _HirSelectionHistory HirSelectionHistory;

/* Follows @selection, of which it takes a reference. Keeps the last 100 selections. */
HirSelectionHistory *hir_selection_history_new (HirSelection *selection);
void hir_selection_history_free (HirSelectionHistory *self);
/* Selects what was selected before, or after it if @forward. Skips what no longer exists. Returns
 * FALSE if there is none. */
gboolean hir_selection_history_go (HirSelectionHistory *self, gboolean forward);

/* Returns FALSE if hir_selection_history_go() has no selection to go to. */
gboolean hir_selection_history_can_go (HirSelectionHistory *self, gboolean forward);

G_END_DECLS
