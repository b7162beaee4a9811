/* Main function of the run process, `hirscope run --control FD`. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Keys of a FINISHED frame: "done" b, "check-outcome" u (HirCheckOutcome), "stopped" b, "kept" b
 * (LOOK frames are answered until the parent closes the socket), "summary" s, "inputs" s, "check"
 * s. */

/**
 * hir_run_server_main:
 * @fd: the socket
 * @orphaned: called on another thread if the parent is gone or has sent STOP, and the run has not
 *   ended within 2 s after being cancelled; should exit the process
 *
 * Sends HELLO, receives START, runs the program, streams the recorded events, and sends FINISHED.
 * Blocks until the parent closes the socket.
 *
 * Returns: FALSE if the parent does not speak the protocol or has another version; the message is
 *   printed to standard error
 */
gboolean hir_run_server_main (int fd, void (*orphaned) (void));

G_END_DECLS
