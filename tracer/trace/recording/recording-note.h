/* Changes values of the meta table in a closed recording, for example the breakpoints of the
 * debugger. The rest of the file is not accessed. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

#define HIR_NOTE_BREAKPOINTS "breakpoints"
#define HIR_NOTE_MARKS "marks" /* named times of the timeline */

/* Returns the value (transfer full), or NULL if @path is not a recording or the note is missing or
 * damaged. May be called from any thread. */
char *hir_recording_dup_note (const char *path, const char *key);
/* Replaces the value in one transaction, which is on disk on return. May be called from any thread.
 * Errors: HIR_ERROR_INPUT if @path is not a recording, HIR_ERROR_RUN if it is not writable or is
 * being written. */
gboolean hir_recording_set_note (const char *path,
                                 const char *key,
                                 const char *value,
                                 GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
