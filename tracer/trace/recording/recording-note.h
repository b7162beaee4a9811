/* Notes on a recording that is closed: values of its meta table that are changed afterwards, as the breakpoints of who
 * debugs it. The rest of the file is neither read nor touched. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define HIR_NOTE_BREAKPOINTS "breakpoints"

/* NULL where @path is no recording, has no such note, or one that is damaged. Newly allocated. Any thread. */
char *hir_recording_dup_note (const char *path, const char *key);
/* In place of what was there, in one transaction, on the disk when it returns. Errors: HIR_ERROR_INPUT where @path is no
 * recording, HIR_ERROR_RUN where it may not be written or is being written. Any thread. */
gboolean hir_recording_set_note (const char *path,
                                 const char *key,
                                 const char *value,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
