/* How code looks: the read-only source view that every pane uses, its colours in dark and light, and the
 * words of the host IR. */
#pragma once

#include <gtksourceview/gtksource.h>

G_BEGIN_DECLS

/* A monospace, read-only view of @buffer that follows the application's dark style, with the tags
 * `selected`, `selected-line`, `created`, `changed`, `removed`, `error` made in the buffer. Takes @buffer. */
GtkTextView *hir_code_style_create_view (GtkSourceBuffer *buffer);
/* Puts @view into @scroller, with scroll bars at both sides. */
void hir_code_style_set_scrolled (GtkScrolledWindow *scroller, GtkTextView *view);
/* Colours keywords, tensors, axes and numbers of a printed program. */
void hir_code_style_apply (GtkSourceBuffer *buffer);

G_END_DECLS
