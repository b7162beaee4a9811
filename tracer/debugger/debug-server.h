/* The child's end of a program that a window debugs: lines of debug/console.h in, states out. */
#pragma once

#include "program/program.h"
#include "program/run-settings.h"
#include "run/session/control.h"

G_BEGIN_DECLS

typedef struct _HirDebugServer HirDebugServer;

HirDebugServer *hir_debug_server_new (void);
void hir_debug_server_free (HirDebugServer *server);

/* A DEBUG frame's payload; any thread. Done in turn by run(). */
void hir_debug_server_add (HirDebugServer *server, GVariant *payload);
/* A LOOK frame's payload; any thread. FALSE: no program is being debugged. */
gboolean hir_debug_server_add_question (HirDebugServer *server, GVariant *payload);
/* Any thread: what goes on ends soon. */
void hir_debug_server_pause (HirDebugServer *server);
/* Any thread: nothing more will be added; run() comes to its end. */
void hir_debug_server_end (HirDebugServer *server);

/* Does what is added, and answers each by a DEBUGGED; events go to @writer too, each
 * once, also of what is run again. TRUE at quit or end. FALSE and @error where
 * the program can't be debugged at all. */
gboolean hir_debug_server_run (HirDebugServer *server,
                               HirProgram *program,
                               const HirRunSettings *settings,
                               HirControlWriter *writer,
                               GError **error);

G_END_DECLS
