/* How code looks: the read-only source view that every pane uses, its colours in dark and light, and the
 * words of the host IR. */
#pragma once

#include "text/code-view.h"

G_BEGIN_DECLS

/* A monospace, read-only view of @buffer that follows the application's dark style, with the tag
 * `selected` made in the buffer. Takes @buffer. */
HirCodeView *hir_code_style_create_view (GtkSourceBuffer *buffer);
/* Colours keywords, tensors, axes and numbers of a printed program, in lines @first to before @end. */
void hir_code_style_apply (GtkSourceBuffer *buffer, guint first, guint end);

/* Of languages/, by its id: "hirscope-script", "hirscope-host-ir". Borrowed; NULL where GtkSourceView lacks what it
 * is made of. */
GtkSourceLanguage *hir_code_style_get_language (const char *id);

G_END_DECLS
