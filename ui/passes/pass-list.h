/* The passes at the left: a row a pass, with what it did, how long it took, a switch and its options. What did
 * nothing can be hidden, names can be searched. */
#pragma once

#include <gtk/gtk.h>

#include "document/document-edit.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_PASS_LIST (hir_pass_list_get_type ())
G_DECLARE_FINAL_TYPE (HirPassList, hir_pass_list, HIR, PASS_LIST, GtkWidget)

GtkWidget *hir_pass_list_new (HirSelection *selection, HirDocument *document);

/* Puts the keyboard on the row of the step. */
void hir_pass_list_focus (HirPassList *self);
/* The step of the next row that is shown, @by 1 or -1; -1: there is none. */
int hir_pass_list_get_next (HirPassList *self, int by);
/* Hides what did nothing, or shows it. */
void hir_pass_list_toggle_quiet (HirPassList *self);
/* Opens the search among the names. */
void hir_pass_list_find (HirPassList *self);
/* Of the row that has the keyboard, else that of the step: switches the pass, opens its options. FALSE where
 * there is nothing to switch or open. */
gboolean hir_pass_list_toggle_pass (HirPassList *self);
gboolean hir_pass_list_open_options (HirPassList *self);

/* For a strip above the rows. */
GtkBox *hir_pass_list_get_strip (HirPassList *self);
/* See pass-row.h; @verdict NULL for all rows: @title NULL. */
void hir_pass_list_set_verdict (HirPassList *self,
                                const char *title,
                                const char *verdict,
                                const char *text);

G_END_DECLS
