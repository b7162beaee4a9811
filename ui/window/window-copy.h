/* Copies pictures of the timeline and of the graph to the clipboard, drawn by a worker thread, and
 * saves generated code. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* `win.copy-timeline`: copies the selected range of the timeline. */
void hir_window_copy_timeline (HirWindow *self, GVariant *parameter, int argument);

/* `win.copy-graph`: copies the graph as displayed. */
void hir_window_copy_graph (HirWindow *self, GVariant *parameter, int argument);

/* `win.save-cuda`: saves the CUDA C of the selected instruction, or of all. */
void hir_window_save_cuda (HirWindow *self, GVariant *parameter, int argument);

G_END_DECLS
