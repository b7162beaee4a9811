/* Lock files of sessions. The kernel releases the lock when the process ends, so that others can
 * tell what a session has left that was killed. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Opens and locks the file at @path without waiting. @flags are more flags of open(), such as
 * O_CREAT; @how is LOCK_EX or LOCK_SH. Returns the file, which holds the lock until it is closed,
 * or -1 if another session holds it or deletes the file. Any thread. */
int hir_session_lock (const char *path, int flags, int how);

G_END_DECLS
