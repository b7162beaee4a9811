/* Shows the errors of a text: one row per error above the text, an underline and a marked line. */
#pragma once

#include "diagnostic.h"
#include "text/code-view.h"

G_BEGIN_DECLS

/* Called when a row is clicked, with the line of the error, or 0. */
typedef void (*HirScriptErrorFunc) (guint line, gpointer user_data);

/**
 * hir_script_errors_show:
 * @rows: the box for the rows
 * @view: the view of the text; its buffer has a tag "error"
 * @diagnostics: (nullable): HirDiagnostic*
 * @clicked: called when a row is clicked
 *
 * Replaces the displayed errors.
 */
void hir_script_errors_show (GtkBox *rows,
                             HirCodeView *view,
                             const GPtrArray *diagnostics,
                             HirScriptErrorFunc clicked,
                             gpointer user_data);

G_END_DECLS
