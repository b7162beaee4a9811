/* A source view whose lines can be marked with a background color. Marks are drawn and are not
 * tags: one tag per line takes seconds for 10,000 lines, and GTK 4.8 does not paint all of a tagged
 * range. */
#pragma once

#include "text/code-folds.h"

G_BEGIN_DECLS

#define HIR_TYPE_CODE_VIEW (hir_code_view_get_type ())
G_DECLARE_FINAL_TYPE (HirCodeView, hir_code_view, HIR, CODE_VIEW, GtkSourceView)

/* A set of bits. Of several marks of a line, the highest one is visible. */
typedef enum
{
  HIR_MARK_MADE = 1 << 0, /* created by the pass; a subtle color, since most lines can be new */
  HIR_MARK_CHANGED = 1 << 1,
  HIR_MARK_MOVED = 1 << 2,
  HIR_MARK_ADDED = 1 << 3,
  HIR_MARK_REMOVED = 1 << 4,
  HIR_MARK_ERROR = 1 << 5,
  HIR_MARK_SELECTED = 1 << 6,
  HIR_MARK_POINTER = 1 << 7, /* the next instruction of a debugged program */
  HIR_MARK_ALL = (1 << 8) - 1,
} HirMark;

GtkWidget *hir_code_view_new (GtkSourceBuffer *buffer);
/* Adds @mark to lines @first to @last, counted from 0. */
void hir_code_view_mark (HirCodeView *self, int first, int last, HirMark mark);

/* Removes the set @marks from all lines. */
void hir_code_view_unmark (HirCodeView *self, guint marks);

/* Returns the folds of the view (borrowed). The first call creates them. Copying text includes
 * hidden lines. */
HirCodeFolds *hir_code_view_get_folds (HirCodeView *self);

/* Returns whether hir_code_view_get_folds() was called. For tests. */
gboolean hir_code_view_has_folds (HirCodeView *self);

/* Returns the names of the marks of @line, such as "selected" or "error" (transfer full). For
 * tests. */
char **hir_code_view_dup_mark_names (HirCodeView *self, int line);

G_END_DECLS
