/* Shows the errors of a text at their lines, over the text, which does not move: an underline, a
 * marked line (not for a warning), and the message after the end of the line, one line high. A
 * message that does not fit there is cut; a click shows all of it in a box below the line, or above
 * it if there is no room, until Escape, another click, or a move of the cursor. */
#pragma once

#include "diagnostic.h"
#include "text/code-view.h"

G_BEGIN_DECLS

typedef struct _HirScriptErrors HirScriptErrors;

/**
 * hir_script_errors_new:
 * @overlay: its child is @scroller; owns the result
 * @scroller: its child is @view
 * @view: the view of the text; its buffer has a tag "error"
 *
 * Returns: (transfer none): without errors
 */
HirScriptErrors *
hir_script_errors_new (GtkOverlay *overlay, GtkScrolledWindow *scroller, HirCodeView *view);
/* Replaces the displayed errors. @diagnostics: (nullable): HirDiagnostic*. Those without a line are
 * at the lower edge. */
void hir_script_errors_show (HirScriptErrors *self, const GPtrArray *diagnostics);
/* Returns the height of the errors at the lower edge in pixels. */
int hir_script_errors_get_bottom_height (HirScriptErrors *self);

G_END_DECLS
