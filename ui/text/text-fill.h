/* Inserts a long text into a buffer in slices between frames: 20,000 lines at once would block the
 * main loop for 0.5 s. The first slice contains the visible lines and is inserted immediately. Main
 * thread. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct _HirTextFill HirTextFill;

/**
 * hir_text_fill_new:
 * @buffer: takes a reference
 * @filled: (nullable): called after each slice with the first new line and the line after the last
 * one
 *
 * Creates a filler for @buffer.
 */
HirTextFill *hir_text_fill_new (GtkTextBuffer *buffer,
                                void (*filled) (guint first, guint end, gpointer user_data),
                                gpointer user_data);
void hir_text_fill_free (HirTextFill *fill);
/* Replaces the contents of the buffer by @text (transfer full; valid UTF-8), and drops the rest of
 * a previous text. */
void hir_text_fill_start (HirTextFill *fill, char *text);

/* Inserts the rest of the text now. */
void hir_text_fill_finish (HirTextFill *fill);

/* Returns whether the whole text is in the buffer. */
gboolean hir_text_fill_get_is_done (const HirTextFill *fill);

G_END_DECLS
