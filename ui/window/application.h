/* The application: main loop, windows and style. */
#pragma once

#include "window/window.h"

G_BEGIN_DECLS

/**
 * hir_application_run:
 * @host: see hir_window_new()
 * @specs: (array zero-terminated=1): what to open, each in a separate window; leading Chrome traces
 * are opened as one trace of several ranks. The gallery is shown if there are none.
 *
 * Runs the main loop. Windows show errors of opening.
 *
 * Returns: the exit code; 2 after a message if there is no display
 */
int hir_application_run (const HirWindowHost *host, const char *const *specs);

G_END_DECLS
