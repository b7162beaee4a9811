/* The script, or the printed program that was opened: text with the selected line lit up and errors at their places,
 * to be read or to be changed. */
#pragma once

#include <gtk/gtk.h>

#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_SCRIPT_TEXT (hir_script_text_get_type ())
G_DECLARE_FINAL_TYPE (HirScriptText, hir_script_text, HIR, SCRIPT_TEXT, GtkWidget)

/* Signals:
 *   changed (const char *text)   a while after the last key that changed it, or at hir_script_text_flush()
 *   leave                        Escape while it is being changed
 */
GtkWidget *hir_script_text_new (HirSelection *selection);
/* Shows @source (nullable), going to @function (nullable) where it is another script or function than before, and
 * @diagnostics (HirDiagnostic*, nullable) at their lines and above the text. What is being typed stays. */
void hir_script_text_set_source (HirScriptText *self,
                                 HirSource *source,
                                 const char *function,
                                 GPtrArray *diagnostics);
GtkTextView *hir_script_text_get_text_view (HirScriptText *self);

/* Whether keys change the text; off at first. */
void hir_script_text_set_editable (HirScriptText *self, gboolean editable);
gboolean hir_script_text_get_editable (HirScriptText *self);
/* Brings the line, counted from 1, into sight. */
void hir_script_text_go_to (HirScriptText *self, guint line);
/* What was typed is told now. */
void hir_script_text_flush (HirScriptText *self);

G_END_DECLS
