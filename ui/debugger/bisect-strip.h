/* Bisection of the passes, a tab at the bottom of the window: progress and result. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HIR_TYPE_BISECT_STRIP (hir_bisect_strip_get_type ())
G_DECLARE_FINAL_TYPE (HirBisectStrip, hir_bisect_strip, HIR, BISECT_STRIP, GtkWidget)

/* Creates the strip, hidden. Its buttons activate `win.bisect-text` (s: a pattern),
 * `win.bisect-stop` and `win.bisect-diff`. */
GtkWidget *hir_bisect_strip_new (void);
/* Hides the strip. */
void hir_bisect_strip_clear (HirBisectStrip *self);
/* Displays "Checking SegmentFusion", the progress @index of @n and a Cancel button. */
void hir_bisect_strip_show_progress (HirBisectStrip *self, const char *pass, guint index, guint n);
/* Displays the result: a sentence @text and lines @report of fixed width (both nullable). @has_diff
 * adds a button that displays what the pass changed. */
void hir_bisect_strip_show_result (HirBisectStrip *self,
                                   const char *heading,
                                   const char *text,
                                   const char *report,
                                   gboolean has_diff);
/* Displays the entry for a pattern. */
void hir_bisect_strip_ask (HirBisectStrip *self);

G_END_DECLS
