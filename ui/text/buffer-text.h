/* Two versions of one text: replaces one by the other in a buffer, and maps lines between them. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Changes the contents of @buffer to @text. Replaces only the part that differs, so that cursor,
 * scroll position and tags of the rest are kept. Returns FALSE if there was no difference. */
gboolean hir_buffer_set_text (GtkTextBuffer *buffer, const char *text);

/* Returns the contents of @buffer (transfer full). */
char *hir_buffer_dup_text (GtkTextBuffer *buffer);

/* Returns the first line of @to that differs from @from. Lines count from 1. */
guint hir_text_find_change (const char *from, const char *to);

/* Returns the line of @to that corresponds to line @line of @from, or 0 if @line is between the
 * first and the last difference. Lines count from 1. */
guint hir_text_map_line (const char *from, const char *to, guint line);

G_END_DECLS
