/* Stretches of a text that fold to their first line: the lines behind it are hidden, not taken out, and a row
 * "... 9 lines" stands in their place. What is folded is kept by key, so that it stays folded in another text that
 * has it. Main thread. */
#pragma once

#include <gtksourceview/gtksource.h>

G_BEGIN_DECLS

/* Lines count from 0: @head stays, those behind it up to @last hide. */
typedef struct
{
  guint head, last;
  guint64 key;
} HirFoldRegion;

typedef struct _HirCodeFolds HirCodeFolds;

/* For a view that owns it: adds a gutter with triangles to it, and tags to its buffer. */
HirCodeFolds *hir_code_folds_new (GtkSourceView *view);
void hir_code_folds_free (HirCodeFolds *folds);
/* Of the text that is about to be put into the buffer: HirFoldRegion by head, each within another or beside it. Taken. */
void hir_code_folds_set_regions (HirCodeFolds *folds, GArray *regions);
/* Lines @first to before @end are in the buffer now: hides what is folded among them. */
void hir_code_folds_fill (HirCodeFolds *folds, guint first, guint end);

/* The innermost region that line @line is in, as its head or hidden by it; a folded one before what it hides. NULL:
 * none. Borrowed, until the next set_regions(). */
const HirFoldRegion *hir_code_folds_find (const HirCodeFolds *folds, guint line);
/* The region with this head; NULL: none. */
const HirFoldRegion *hir_code_folds_get_at (const HirCodeFolds *folds, guint head);
gboolean hir_code_folds_get_is_folded (const HirCodeFolds *folds, const HirFoldRegion *region);
/* A cursor in what is hidden goes to the head. */
void hir_code_folds_toggle (HirCodeFolds *folds, const HirFoldRegion *region);
void hir_code_folds_open_all (HirCodeFolds *folds);
/* Opens all that hide line @line; FALSE where nothing did. */
gboolean hir_code_folds_reveal (HirCodeFolds *folds, guint line);
/* Opens all that hide @words, in upper or lower case; FALSE where nothing did. */
gboolean hir_code_folds_reveal_words (HirCodeFolds *folds, const char *words);
/* Itself, or the head that is seen in its place. */
guint hir_code_folds_get_seen_line (const HirCodeFolds *folds, guint line);

/* The region whose row "... 9 lines" is at @y, in pixels of the buffer; NULL: none. */
const HirFoldRegion *hir_code_folds_get_row_at (const HirCodeFolds *folds, int y);
/* The strip with the triangles, each in the middle of its width. Borrowed. */
GtkWidget *hir_code_folds_get_gutter (const HirCodeFolds *folds);
/* Pixels of such a row. */
int hir_code_folds_get_row_height (const HirCodeFolds *folds);
/* The font of the view may be another one. */
void hir_code_folds_measure (HirCodeFolds *folds);
/* "... 9 lines". Newly allocated. */
char *hir_fold_region_dup_text (const HirFoldRegion *region);
/* The words of the row of @region, whose head is at @top and so high, in pixels of the buffer. */
void hir_code_folds_draw_row (const HirCodeFolds *folds,
                              const HirFoldRegion *region,
                              GtkSnapshot *snapshot,
                              int top,
                              int height);

G_END_DECLS
