/* Puts a long text into a buffer in slices, between frames: 20,000 lines at once would hold the main loop for
 * half a second. The first slice, which is what is seen, is there at once. Main thread. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

typedef struct _HirTextFill HirTextFill;

/* @filled (nullable) is called after each slice, with the lines it has added: first, and one past the last.
 * The buffer is kept by reference. */
HirTextFill *hir_text_fill_new (GtkTextBuffer *buffer,
                                void (*filled) (guint first, guint end, gpointer user_data),
                                gpointer user_data);
void hir_text_fill_free (HirTextFill *fill);
/* Empties the buffer and begins with @text (taken; valid UTF-8). What was under way before is given up. */
void hir_text_fill_start (HirTextFill *fill, char *text);
/* Puts in what is missing, now: before something far down is to be found. */
void hir_text_fill_finish (HirTextFill *fill);
gboolean hir_text_fill_get_is_done (const HirTextFill *fill);

G_END_DECLS
