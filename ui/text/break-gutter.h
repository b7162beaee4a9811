/* The margin of a program's text: where a debugged program stands, and its breakpoints. A click sets
 * one, or takes it away (`win.break-at`). */
#pragma once

#include <gtksourceview/gtksource.h>

#include "text/code-folds.h"
#include "selection/selection.h"

G_BEGIN_DECLS

#define HIR_TYPE_BREAK_GUTTER (hir_break_gutter_get_type ())
G_DECLARE_FINAL_TYPE (HirBreakGutter, hir_break_gutter, HIR, BREAK_GUTTER, GtkSourceGutterRenderer)

GtkSourceGutterRenderer *hir_break_gutter_new (HirSelection *selection);
/* The instruction that begins in each line, an array of guint64, 0: none. Keeps a reference; NULL: no lines. */
void hir_break_gutter_set_lines (HirBreakGutter *self, GArray *ids);
/* That of @view; NULL: it has none. */
HirBreakGutter *hir_break_gutter_find (GtkSourceView *view);
/* What folds in that view: the head of what hides a breakpoint shows a ring. Borrowed, as long as the view lives. */
void hir_break_gutter_set_folds (HirBreakGutter *self, const HirCodeFolds *folds);
/* FALSE: no instruction begins in @line. @x: the middle of its dot, in pixels of the strip; @is_set: there is one;
 * @is_hidden: there are some in what is folded behind it. */
gboolean hir_break_gutter_get_dot (
    HirBreakGutter *self, guint line, double *x, gboolean *is_set, gboolean *is_hidden);

G_END_DECLS
