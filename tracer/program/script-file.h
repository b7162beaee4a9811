/* Writing a text back to the file that it was read from, as that file is written: its line ends and byte order
 * mark stay. */
#pragma once

#include "diagnostic.h"

G_BEGIN_DECLS

/* TRUE where @path is there and holds another text than @expected, as hir_script_load() or hir_source_load() read it:
 * somebody else has changed it. */
gboolean hir_script_file_differs (const char *path, const char *expected);
/* Replaces the file as a whole or not at all. HIR_ERROR_INPUT: it can't be written, or the file says that it is not
 * in UTF-8 and @text has more than ASCII. Blocks; any thread. */
gboolean hir_script_file_save (const char *path, const char *text, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
