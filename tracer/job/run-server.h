/* The child's end of a run under control: `hirscope run --control FD`. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Keys of a FINISHED frame: "done" b, "check-failed" b, "stopped" b, "kept" b (LOOK frames are answered until the other end closes), "summary" s, "inputs" s, "check" s. */

/* Says hello on @fd, takes a START, runs it, streams what is recorded, says FINISHED. Blocks until then, and
 * until the other end closes. @orphaned: called on a thread of its own when the other end has gone, or said
 * STOP, and the run did not end within two seconds of being cancelled; the process should then go. Returns FALSE where @fd speaks no protocol, or a
 * HELLO of another version came; the message is on standard error. */
gboolean hir_run_server_main (int fd, void (*orphaned) (void));

G_END_DECLS
