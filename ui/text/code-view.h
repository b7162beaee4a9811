/* A source view whose lines can be marked: each mark is a colour behind the whole line. They are
 * drawn, not tags: a tag a line costs a program of 10,000 lines seconds, and GTK 4.8 leaves some of a tagged
 * stretch unpainted. */
#pragma once

#include "text/code-folds.h"

G_BEGIN_DECLS

#define HIR_TYPE_CODE_VIEW (hir_code_view_get_type ())
G_DECLARE_FINAL_TYPE (HirCodeView, hir_code_view, HIR, CODE_VIEW, GtkSourceView)

/* Of several marks of a line the last one in this order is seen. */
typedef enum
{
  HIR_MARK_MADE = 1 << 0, /* a pass made it; quiet, for listings in which most is new */
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
/* Lines count from 0; both included. */
void hir_code_view_mark (HirCodeView *self, int first, int last, HirMark mark);
/* Takes @marks, a set of them, off all lines. */
void hir_code_view_unmark (HirCodeView *self, guint marks);
/* A set of HirMark. */
guint hir_code_view_get_marks (HirCodeView *self, int line);
/* What folds in it; the first call makes it so, with a gutter of triangles. Copying takes what is hidden along. */
HirCodeFolds *hir_code_view_get_folds (HirCodeView *self);
/* FALSE: get_folds() was never called. */
gboolean hir_code_view_has_folds (HirCodeView *self);
/* "selected", "error", ... of one mark. */
const char *hir_mark_get_name (HirMark mark);

G_END_DECLS
