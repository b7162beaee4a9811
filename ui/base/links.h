/* Links in sentences: script positions, ranks, streams and tensors that a text names. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Returns @text as markup with a link for each named thing, or NULL if it names none (transfer
 * full). The targets, as of the action `win.link`: "line/60" for "line 60" and "a.py:60:5",
 * "rank/3" for "rank 3", "stream/2" for "stream 2", "tensor/5" for "T5". */
char *hir_links_dup_markup (const char *text);

/* Sets the text of @label, with links that activate `win.link`. @words (nullable), if @text
 * contains them, are a link to @target. */
void hir_links_set_text (GtkLabel *label, const char *text, const char *words, const char *target);

G_END_DECLS
