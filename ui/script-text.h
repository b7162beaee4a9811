/* The script: read-only text with the selected line lit up and errors at their places. */
#pragma once

#include <gtk/gtk.h>

#include "selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_SCRIPT_TEXT (hir_script_text_get_type ())
G_DECLARE_FINAL_TYPE (HirScriptText, hir_script_text, HIR, SCRIPT_TEXT, GtkWidget)

GtkWidget *hir_script_text_new (HirSelection *selection);
/* Shows @source where there is no program of it: a script that does not parse. @diagnostics (HirDiagnostic*,
 * nullable) are marked at their lines and listed above the text. */
void hir_script_text_set_source (HirScriptText *self, HirSource *source, GPtrArray *diagnostics);
GtkTextView *hir_script_text_get_text_view (HirScriptText *self);

G_END_DECLS
