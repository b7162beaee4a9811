/* The first instruction whose result is wrong, in the debugger's panel: that it is looked for, and what was found. Asks by
 * `win.find-wrong-*`. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HIR_TYPE_MISMATCH_STRIP (hir_mismatch_strip_get_type ())
G_DECLARE_FINAL_TYPE (HirMismatchStrip, hir_mismatch_strip, HIR, MISMATCH_STRIP, GtkWidget)

/* Hidden. */
GtkWidget *hir_mismatch_strip_new (void);
void hir_mismatch_strip_clear (HirMismatchStrip *self);
/* It goes on. */
void hir_mismatch_strip_show_progress (HirMismatchStrip *self, guint n_compared);
/* @found: there is an instruction to go to. @text: nullable, lines. */
void hir_mismatch_strip_show_result (HirMismatchStrip *self, const char *heading, const char *text, gboolean found);
/* What it says: heading and text; "" where it is hidden. Newly allocated. */
char *hir_mismatch_strip_dup_text (HirMismatchStrip *self);

G_END_DECLS
