/* For tests that drive the window with real keys and a real pointer: says what is on show and where. */
#pragma once

#include "window.h"

G_BEGIN_DECLS

/* Where HIRSCOPE_REPORT names a file, appends one JSON object a line to it after each change: step, selected
 * node, script line, event, run state, and the place of every bar and pass row in window pixels. Without
 * it nothing is done. */
void hir_report_attach (HirWindow *window);

G_END_DECLS
