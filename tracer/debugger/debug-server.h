/* The run process's side of debugging from a window: executes console lines (debugger/console.h)
 * and sends states back. */
#pragma once

#include "program/program.h"
#include "program/run-settings.h"
#include "run/session/control.h"

G_BEGIN_DECLS

typedef struct _HirDebugServer HirDebugServer;

HirDebugServer *hir_debug_server_new (void);
void hir_debug_server_free (HirDebugServer *server);

/* Queues the payload of a DEBUG frame for hir_debug_server_run(). Any thread. */
void hir_debug_server_add (HirDebugServer *server, GVariant *payload);
/* Queues the payload of a LOOK frame. Returns FALSE if no program is being debugged. Any thread. */
gboolean hir_debug_server_add_question (HirDebugServer *server, GVariant *payload);
/* Ends the current move soon. Any thread. */
void hir_debug_server_pause (HirDebugServer *server);
/* Ends hir_debug_server_run(). Nothing may be added afterwards. Any thread. */
void hir_debug_server_end (HirDebugServer *server);

/**
 * hir_debug_server_run:
 *
 * Executes the queued lines and queries, and answers each line with a DEBUGGED frame. Sends events
 * to @writer, without duplicates from replays. Blocks until the quit command or
 * hir_debug_server_end().
 *
 * Returns: FALSE and sets @error if the program cannot be debugged, or with HIR_ERROR_CANCELLED if
 * it has not been executed to its end
 */
gboolean hir_debug_server_run (HirDebugServer *server,
                               HirProgram *program,
                               const HirRunSettings *settings,
                               HirControlWriter *writer,
                               GError **error);

G_END_DECLS
