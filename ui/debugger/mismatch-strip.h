/* Search for the first instruction with an incorrect result, in the debugger's panel: progress
 * and result. Activates `win.find-wrong-*`. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HIR_TYPE_MISMATCH_STRIP (hir_mismatch_strip_get_type ())
G_DECLARE_FINAL_TYPE (HirMismatchStrip, hir_mismatch_strip, HIR, MISMATCH_STRIP, GtkWidget)

/* Creates the strip, hidden. */
GtkWidget *hir_mismatch_strip_new (void);
/* Hides the strip. */
void hir_mismatch_strip_clear (HirMismatchStrip *self);
/* Displays the progress: the number of compared results. */
void hir_mismatch_strip_show_progress (HirMismatchStrip *self, guint n_compared);
/* Displays the result: a sentence @text and lines @report of fixed width (both nullable). @found
 * enables the buttons that go to the instruction. */
void hir_mismatch_strip_show_result (HirMismatchStrip *self,
                                     const char *heading,
                                     const char *text,
                                     const char *report,
                                     gboolean found);
/* Returns heading, text and report, or "" if hidden (transfer full). For tests. */
char *hir_mismatch_strip_dup_text (HirMismatchStrip *self);
/* Returns the label of the report (borrowed). For tests. */
GtkWidget *hir_mismatch_strip_get_report (HirMismatchStrip *self);

G_END_DECLS
