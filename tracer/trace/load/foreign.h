/* Recognizes files that Hirscope does not read, and tells how to convert them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns a sentence that names the format of the file at @path and the command that converts it,
 * or NULL if the format is not known. Looks at the name and at the first bytes, also of the text of
 * a compressed file. Free with g_free(). */
char *hir_foreign_dup_message (const char *path);

G_END_DECLS
