/* The list of passes: one row per pass with its effect, duration, switch and options. Passes
 * without effect can be hidden, and names can be searched. */
#pragma once

#include <gtk/gtk.h>

#include "document/document-edit.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_PASS_LIST (hir_pass_list_get_type ())
G_DECLARE_FINAL_TYPE (HirPassList, hir_pass_list, HIR, PASS_LIST, GtkWidget)

GtkWidget *hir_pass_list_new (HirSelection *selection, HirDocument *document);

/* Moves the keyboard focus to the row of the displayed step. */
void hir_pass_list_focus (HirPassList *self);

/* Returns the step of the next visible row (@by is 1) or of the previous one (@by is -1), or -1. */
int hir_pass_list_get_next (HirPassList *self, int by);

/* Hides or shows passes without effect. */
void hir_pass_list_toggle_quiet (HirPassList *self);

/* Opens the search entry. */
void hir_pass_list_find (HirPassList *self);

/* Enables or disables the pass of the focused row, otherwise that of the displayed step. Returns
 * FALSE if this is not possible. */
gboolean hir_pass_list_toggle_pass (HirPassList *self);

/* Opens the options of the focused row, otherwise those of the displayed step. Returns FALSE if
 * there are none. */
gboolean hir_pass_list_open_options (HirPassList *self);

/* Sets the verdict of the row @title, or of all rows if @title is NULL; see
 * hir_pass_row_set_verdict(). */
void hir_pass_list_set_verdict (HirPassList *self,
                                const char *title,
                                const char *verdict,
                                const char *text);

G_END_DECLS
