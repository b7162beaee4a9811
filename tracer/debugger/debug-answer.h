/* Values of a program that is debugged, for who watches it. */
#pragma once

#include "debugger/debugger.h"

G_BEGIN_DECLS

/* Answers a LOOK's @payload (run/value-request.h) where @debugger stands: of a rank, gathered from all, or less what the program
 * in sequence has. @n_streams: numberOfStreams. Floating. Of the debugger's thread; blocks. */
GVariant *hir_debug_answer_value (HirDebugger *debugger, gint64 n_streams, GVariant *payload);

G_END_DECLS
