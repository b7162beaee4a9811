/* The application: one process, its windows, its style. */
#pragma once

#include "window/window.h"

G_BEGIN_DECLS

/* Runs the main loop and gives the exit code. @specs: what to open, each in a window of its own,
 * but Chrome or Kineto traces that follow each other as one, of several ranks (NULL-terminated, may be empty: the gallery). Errors in opening are shown in the window. @host: see
 * hir_window_new(). Exit code 2, with a message, where there is no display. */
int hir_application_run (const HirWindowHost *host, const char *const *specs);

G_END_DECLS
