/* The passes at the left: a row a snapshot, with what it did and how long it took. */
#pragma once

#include <gtk/gtk.h>

#include "selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_PASS_LIST (hir_pass_list_get_type ())
G_DECLARE_FINAL_TYPE (HirPassList, hir_pass_list, HIR, PASS_LIST, GtkWidget)

GtkWidget *hir_pass_list_new (HirSelection *selection);

/* Puts the keyboard on the row of the step. */
void hir_pass_list_focus (HirPassList *self);

G_END_DECLS
