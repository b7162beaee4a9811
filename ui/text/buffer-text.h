/* Texts of two versions of the same thing: putting one in place of the other, and which line is which. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Makes @text what the buffer holds by replacing what differs, so that cursor, scrolling and tags of the rest stay
 * where they are. FALSE: it held that already. */
gboolean hir_buffer_set_text (GtkTextBuffer *buffer, const char *text);
/* All of it, newly allocated. */
char *hir_buffer_dup_text (GtkTextBuffer *buffer);
/* The line of @to, counted from 1, that is line @line of @from: before the first and behind the last difference
 * of the two; 0: it lies between. */
guint hir_text_map_line (const char *from, const char *to, guint line);

G_END_DECLS
