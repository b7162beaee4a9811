/* The gutter of the program text: shows the next instruction of a debugged program, breakpoints and
 * the numbers of lines. A click toggles a breakpoint (`win.break-at`). */
#pragma once

#include <gtksourceview/gtksource.h>

#include "selection/selection.h"
#include "text/code-folds.h"

G_BEGIN_DECLS

#define HIR_TYPE_BREAK_GUTTER (hir_break_gutter_get_type ())
G_DECLARE_FINAL_TYPE (HirBreakGutter, hir_break_gutter, HIR, BREAK_GUTTER, GtkSourceGutterRenderer)

GtkSourceGutterRenderer *hir_break_gutter_new (HirSelection *selection);
/* Sets the instruction that starts in each line: array of guint64, 0 for none. Takes a reference.
 * NULL if no line has one. The text has @n_lines. */
void hir_break_gutter_set_lines (HirBreakGutter *self, GArray *ids, guint n_lines);

/* Returns the gutter of @view, or NULL. For tests. */
HirBreakGutter *hir_break_gutter_find (GtkSourceView *view);

/* Sets the folds of the view (borrowed). A folded line that hides a breakpoint shows a ring. */
void hir_break_gutter_set_folds (HirBreakGutter *self, const HirCodeFolds *folds);

/**
 * hir_break_gutter_get_dot:
 * @x: (out): center of the dot, in pixels of the gutter
 * @is_set: (out): whether the line has a breakpoint
 * @is_hidden: (out): whether lines folded behind @line have breakpoints
 *
 * For tests.
 *
 * Returns: FALSE if no instruction starts in @line
 */
gboolean hir_break_gutter_get_dot (
    HirBreakGutter *self, guint line, double *x, gboolean *is_set, gboolean *is_hidden);

G_END_DECLS
