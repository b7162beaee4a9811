/* The style of code: creates read-only source views with the colors of the dark and the light
 * style, and colors printed programs. */
#pragma once

#include "text/code-view.h"

G_BEGIN_DECLS

/* Returns a monospace, read-only view of @buffer (transfer full) that follows the dark style. Adds
 * the tag "selected" to the buffer. */
HirCodeView *hir_code_style_create_view (GtkSourceBuffer *buffer);

/* Colors keywords, tensors, axes and numbers of a printed program in lines @first to @end - 1. */
void hir_code_style_apply (GtkSourceBuffer *buffer, guint first, guint end);

/* Hides domains and device meshes of tensors in lines @first to @end - 1 of a printed program. The
 * buffer still contains them. Call hir_code_style_show_hidden() to display them. */
void hir_code_style_abbreviate (GtkSourceBuffer *buffer, guint first, guint end);

/* Displays what hir_code_style_abbreviate() has hidden, or hides it again. */
void hir_code_style_show_hidden (GtkSourceBuffer *buffer, gboolean is_shown);

/* Returns the language "hirscope-script" or "hirscope-host-ir" from languages/, or one of
 * GtkSourceView (borrowed), or NULL if GtkSourceView lacks it or those that it extends. The only
 * way to a language: after a search, GtkSourceView takes no other folders. */
GtkSourceLanguage *hir_code_style_get_language (const char *id);

G_END_DECLS
