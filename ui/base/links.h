/* Links in sentences: script positions, ranks, streams and tensors that a text names. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Returns @text as markup with the links of hir_link_text_find(), or NULL if there are none
 * (transfer full). */
char *hir_links_dup_markup (const char *text);

/* Returns a scrolled label whose lines do not wrap, in a font of fixed width, for reports with
 * source lines and carets. *@label is the label (borrowed). */
GtkWidget *hir_links_new_report (GtkLabel **label);

/* Sets the text of @label, in the words of the window (base/control-words.h), with links that
 * activate `win.link`. @words (nullable), if @text contains them, are a link to @target. */
void hir_links_set_text (GtkLabel *label, const char *text, const char *words, const char *target);

G_END_DECLS
