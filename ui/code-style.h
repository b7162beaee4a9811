/* How code looks: the read-only source view that every pane uses, its colours in dark and light, and the
 * words of the host IR. */
#pragma once

#include <gtksourceview/gtksource.h>

G_BEGIN_DECLS

/* A monospace, read-only view of @buffer that follows the application's dark style, with the tags
 * `selected`, `selected-line`, `made`, `created`, `changed`, `removed`, `error` made in the buffer. Takes @buffer. */
GtkTextView *hir_code_style_create_view (GtkSourceBuffer *buffer);
/* Puts @tag on whole lines, counted from 0, both included. */
void
hir_code_style_apply_to_lines (GtkTextBuffer *buffer, const char *tag, int first, int last);
/* Takes off a tag that was put on whole lines. */
void hir_code_style_remove_from_lines (GtkTextBuffer *buffer, const char *tag);
/* Colours keywords, tensors, axes and numbers of a printed program. */
void hir_code_style_apply (GtkSourceBuffer *buffer);

G_END_DECLS
