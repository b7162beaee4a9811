/* Opens scripts, recordings, traces and examples in the window. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* Opens @files (GFile*); several files are traces of several ranks. Returns FALSE if none is
 * local. */
gboolean hir_window_open_files (HirWindow *self, GSList *files);

/* `win.open-path`: opens @parameter, see hir_window_open(). */
void hir_window_open_path (HirWindow *self, GVariant *parameter, int argument);

/* `win.open`: asks for files and opens them. */
void hir_window_choose_file (HirWindow *self, GVariant *parameter, int argument);

G_END_DECLS
