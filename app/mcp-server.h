/* Server of the Model Context Protocol on standard input and output: JSON-RPC 2.0, one message per
 * line. docs/mcp.md describes it. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Answers requests until standard input ends and all calls have ended, until the client closes
 * standard output, or until SIGINT, SIGTERM or SIGHUP. Tools that execute programs exist only with
 * @allow_run. Call on the main thread. */
void hir_mcp_server_run (gboolean allow_run);

G_END_DECLS
