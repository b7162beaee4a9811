/* Folding of code: a folded region shows only its first line, the head, and below it a row such as
 * "... 9 lines". Folded lines are hidden but stay in the buffer. Folds are stored by key, so that
 * they persist when the text changes. Main thread. */
#pragma once

#include <gtksourceview/gtksource.h>

G_BEGIN_DECLS

/* The lines after @head up to and including @last are hidden if the region is folded. Lines count
 * from 0. */
typedef struct
{
  guint head, last;
  guint64 key;
} HirFoldRegion;

typedef struct _HirCodeFolds HirCodeFolds;

/* Creates the folds of a view, which owns them. Adds a gutter with triangles to @view, and tags to
 * its buffer. */
HirCodeFolds *hir_code_folds_new (GtkSourceView *view);

/* Frees @folds. */
void hir_code_folds_free (HirCodeFolds *folds);

/* Sets the regions of the text that is about to be inserted: HirFoldRegion sorted by head, disjoint
 * or nested (transfer full). */
void hir_code_folds_set_regions (HirCodeFolds *folds, GArray *regions);

/* Hides the folded lines from @first to before @end. Call after these lines were inserted into the
 * buffer. */
void hir_code_folds_fill (HirCodeFolds *folds, guint first, guint end);

/* Returns the innermost region that contains @line, including its head, or NULL. Prefers a folded
 * region to the regions inside. Borrowed until the next hir_code_folds_set_regions(). */
const HirFoldRegion *hir_code_folds_find (const HirCodeFolds *folds, guint line);

/* Returns the region with this head (borrowed), or NULL. */
const HirFoldRegion *hir_code_folds_get_at (const HirCodeFolds *folds, guint head);

/* Returns whether @region is folded. */
gboolean hir_code_folds_get_is_folded (const HirCodeFolds *folds, const HirFoldRegion *region);

/* Folds or unfolds @region. Moves a cursor in the hidden lines to the head. */
void hir_code_folds_toggle (HirCodeFolds *folds, const HirFoldRegion *region);

/* Unfolds all regions. */
void hir_code_folds_open_all (HirCodeFolds *folds);

/* Unfolds all regions that hide @line. Returns FALSE if there are none. */
gboolean hir_code_folds_reveal (HirCodeFolds *folds, guint line);

/* Unfolds all regions that hide @words, ignoring case. Returns FALSE if there are none. */
gboolean hir_code_folds_reveal_words (HirCodeFolds *folds, const char *words);

/* Returns @line if it is visible, otherwise the head of the fold that hides it. */
guint hir_code_folds_get_visible_line (const HirCodeFolds *folds, guint line);

/* Returns the folded region whose row "... 9 lines" is at @y (in pixels of the buffer), or NULL. */
const HirFoldRegion *hir_code_folds_get_row_at (const HirCodeFolds *folds, int y);

/* Returns the gutter (borrowed). Triangles are in the middle of its width. For tests. */
GtkWidget *hir_code_folds_get_gutter (const HirCodeFolds *folds);

/* Returns the height of the row below a folded head, in pixels. */
int hir_code_folds_get_row_height (const HirCodeFolds *folds);

/* Updates the height of rows. Call after the font of the view changed. */
void hir_code_folds_measure (HirCodeFolds *folds);

/* Returns the text of the row of @region, such as "... 9 lines", or NULL if it is not folded
 * (transfer full). For tests. */
char *hir_code_folds_dup_row_text (const HirCodeFolds *folds, const HirFoldRegion *region);

/* Draws the row of @region. @top and @height are those of its head, in pixels of the buffer. */
void hir_code_folds_draw_row (const HirCodeFolds *folds,
                              const HirFoldRegion *region,
                              GtkSnapshot *snapshot,
                              int top,
                              int height);

G_END_DECLS
