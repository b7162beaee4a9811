/* Saves recordings and exports traces, programs and pictures from the window. One file is written
 * at a time, on a worker thread; a strip shows its progress. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* Creates the controller and its strip. If the window is closed during an export, the user is asked
 * first. Free with g_free(). */
HirExportController *hir_export_controller_new (HirWindow *window);

/* Returns the progress strip (borrowed). */
GtkWidget *hir_export_controller_get_strip (HirExportController *self);

gboolean hir_export_controller_is_writing (HirExportController *self);

/* `win.save`: saves the recording. */
void hir_window_save (HirWindow *self, GVariant *parameter, int argument);

/* `win.export`: exports to the target @parameter, see export-job.c. */
void hir_window_export (HirWindow *self, GVariant *parameter, int argument);

/* `win.cancel-export`: cancels the export. */
void hir_window_cancel_export (HirWindow *window, GVariant *parameter, int argument);

G_END_DECLS
