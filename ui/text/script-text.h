/* The script or the printed program that was opened: text that can be made editable, with the
 * selected line and errors highlighted. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_SCRIPT_TEXT (hir_script_text_get_type ())
G_DECLARE_FINAL_TYPE (HirScriptText, hir_script_text, HIR, SCRIPT_TEXT, GtkWidget)

/**
 * hir_script_text_new:
 *
 * Creates the view. Signals:
 * - "changed" (const char *text): emitted shortly after the last change, or by
 *   hir_script_text_flush()
 * - "leave": Escape was pressed while the text is editable
 */
GtkWidget *hir_script_text_new (HirSelection *selection);

/**
 * hir_script_text_set_source:
 * @source: (nullable): the text
 * @function: (nullable): scroll to this function if the script or the function is a new one
 * @diagnostics: (nullable): HirDiagnostic*, shown above the text and at their lines
 *
 * Sets the contents. Keeps changes that were not emitted yet.
 */
void hir_script_text_set_source (HirScriptText *self,
                                 HirSource *source,
                                 const char *function,
                                 GPtrArray *diagnostics);

/* Returns the text view (borrowed). */
GtkTextView *hir_script_text_get_text_view (HirScriptText *self);

/* Makes the text editable or read-only, which is the default. */
void hir_script_text_set_editable (HirScriptText *self, gboolean editable);

/* Returns whether the text is editable. */
gboolean hir_script_text_get_editable (HirScriptText *self);

/* Puts the cursor on @line, counted from 1, and scrolls to it. */
void hir_script_text_go_to (HirScriptText *self, guint line);

/* Emits "changed" now if there is a pending change. */
void hir_script_text_flush (HirScriptText *self);

G_END_DECLS
