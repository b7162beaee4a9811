/* Finding the pass that spoils a program, above the list of passes: how far it is, what it found. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HIR_TYPE_BISECT_STRIP (hir_bisect_strip_get_type ())
G_DECLARE_FINAL_TYPE (HirBisectStrip, hir_bisect_strip, HIR, BISECT_STRIP, GtkWidget)

/* Hidden at first. Its buttons activate `win.bisect-text` (s: a pattern), `win.bisect-stop` and `win.bisect-diff`. */
GtkWidget *hir_bisect_strip_new (void);
/* Hides it. */
void hir_bisect_strip_clear (HirBisectStrip *self);
/* "Checking SegmentFusion", @index of @n, with a bar and a button that ends it. */
void hir_bisect_strip_show_progress (HirBisectStrip *self, const char *pass, guint index, guint n);
/* What was found, a heading and a line; @has_diff: with a button to what the pass did. */
void hir_bisect_strip_show_result (HirBisectStrip *self,
                                   const char *heading,
                                   const char *text,
                                   gboolean has_diff);
/* Asks for a pattern. */
void hir_bisect_strip_ask (HirBisectStrip *self);

G_END_DECLS
