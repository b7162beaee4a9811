/* Ties a trace of another profiler to the open program, or a program to the open trace. */
#pragma once

#include "window/window.h"

G_BEGIN_DECLS

/* Asks for what the document lacks: the traces of a program, or the program of a trace. */
void hir_window_attach (HirWindow *self, GVariant *parameter, int argument);
/* Ties dropped @paths (NULL-terminated) to the open document. Returns FALSE if they are not what it
 * lacks: the traces of a program, or the program of a trace. */
gboolean hir_window_attach_paths (HirWindow *self, const char *const *paths);
/* Connects the signal of the document; called once. */
void hir_window_attach_connect (HirWindow *self);
void hir_window_update_attach_actions (HirWindow *self, gboolean in_workspace);

G_END_DECLS
