/* Opens scripts, recordings, traces and examples in the window. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* Opens @paths (NULL-terminated, at least one); several files are traces of several ranks. */
void hir_window_open_paths (HirWindow *self, const char *const *paths);

/* Like hir_window_open(), but a script continues with the function, the number of devices and the
 * pipeline with which it was displayed last, see opened-memory.h. */
void hir_window_reopen (HirWindow *self, const char *spec);

/* Creates and presents an empty window of the same application. */
HirWindow *hir_window_new_beside (HirWindow *self);
/* Opens @request, a printed copy of the program of @self, in a new window for editing, and shows
 * @what there. Returns the window (borrowed). */
HirWindow *hir_window_open_copy (HirWindow *self, HirRequest *request, const char *what);

/* `win.draft-restore`: makes the offered draft the edited text. */
void hir_window_restore_draft (HirWindow *self, GVariant *parameter, int argument);

/* `win.open-path`: opens @parameter, see hir_window_reopen(). */
void hir_window_open_path (HirWindow *self, GVariant *parameter, int argument);

/* `win.open`: asks for files and opens them. */
void hir_window_choose_file (HirWindow *self, GVariant *parameter, int argument);

G_END_DECLS
