/* The first instruction whose result is wrong, in the debugger's panel: that it is looked for, and what was found. Asks by
 * `win.find-wrong-*`. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HIR_TYPE_WRONG_STRIP (hir_wrong_strip_get_type ())
G_DECLARE_FINAL_TYPE (HirWrongStrip, hir_wrong_strip, HIR, WRONG_STRIP, GtkWidget)

/* Hidden. */
GtkWidget *hir_wrong_strip_new (void);
void hir_wrong_strip_clear (HirWrongStrip *self);
/* It goes on. */
void hir_wrong_strip_show_progress (HirWrongStrip *self, guint n_compared);
/* @found: there is an instruction to go to. @text: nullable, lines. */
void hir_wrong_strip_show_result (HirWrongStrip *self, const char *heading, const char *text, gboolean found);
/* What it says: heading and text; "" where it is hidden. Newly allocated. */
char *hir_wrong_strip_dup_text (HirWrongStrip *self);

G_END_DECLS
