/* Errors of a text: a row each above it, a line under the words that they are about, a mark on the line. */
#pragma once

#include "text/code-view.h"
#include "diagnostic.h"

G_BEGIN_DECLS

/* Called with the line that was clicked, 0: the error has none. */
typedef void (*HirScriptErrorFunc) (guint line, gpointer user_data);

/* Puts @diagnostics (HirDiagnostic*, nullable: none) in place of what @rows and @view show; @view's buffer has a tag
 * "error". */
void hir_script_errors_show (GtkBox *rows,
                             HirCodeView *view,
                             const GPtrArray *diagnostics,
                             HirScriptErrorFunc clicked,
                             gpointer user_data);

G_END_DECLS
