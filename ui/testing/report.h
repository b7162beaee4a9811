/* For tests that drive the window with real keys and a real pointer: says what is on show and where. */
#pragma once

#include "window/window.h"

G_BEGIN_DECLS

/* Where HIRSCOPE_REPORT names a file, appends one JSON object a line to it after each frame in which
 * something changed: step, selected nodes, script line, event, run state, controls with their words, lines
 * of the text on show, and the place of every bar and graph node, in pixels of the X window; and
 * `stall_ms`, the longest time since the line before in which the main loop did nothing else, and
 * `stall_cpu_ms`, the same in time that its thread computed, which other work on the machine does not
 * make longer. A number written to the named pipe of the same name and `.ask` comes back as `rest` in a
 * line written when the window is at rest. Without HIRSCOPE_REPORT nothing is done. */
void hir_report_attach (HirWindow *window);

/* The timeline's tracks, the strip above it, the account. */
void hir_report_append_timeline (GString *out, HirWindow *window);
/* Within the check: the bars that are lit of what lacks an order, null where the trace has none; and what is said then. */
void hir_report_append_lit (GString *out, HirWindow *window);

/* "debug": the debugger panel. */
void hir_report_append_debug (GString *out, HirWindow *window);

/* The comparison of two traces, where there is one on show; what is selected there makes @window tell it. */
void hir_report_append_compare (GString *out, HirWindow *window);

G_END_DECLS
