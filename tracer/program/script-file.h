/* Reads a script again, and saves it with the line endings and byte order mark of its file. */
#pragma once

#include "diagnostic.h"

G_BEGIN_DECLS

/* Reads a script or a printed program (transfer full), as it was read when it was opened. */
HirSource *hir_script_file_load (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns TRUE if @path exists and differs from @expected, the text that hir_script_file_load() has
 * read: another program has changed the file. */
gboolean hir_script_file_differs (const char *path, const char *expected);
/* Replaces the file atomically. Returns FALSE with HIR_ERROR_INPUT if it cannot be written, or
 * if the script declares an encoding other than UTF-8 and is not plain ASCII. Blocks; any
 * thread. */
gboolean
hir_script_file_save (const char *path, const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
