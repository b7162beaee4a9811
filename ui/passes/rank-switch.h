/* A row above the passes that switches between the programs of the ranks. Hidden if all ranks run
 * the same program. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_RANK_SWITCH (hir_rank_switch_get_type ())
G_DECLARE_FINAL_TYPE (HirRankSwitch, hir_rank_switch, HIR, RANK_SWITCH, GtkWidget)

GtkWidget *hir_rank_switch_new (HirSelection *selection);

G_END_DECLS
