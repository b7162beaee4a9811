/* Detects when the window is idle, so that reported positions are up to date. */
#pragma once

#include <gtk/gtk.h>

#include "document/document.h"

G_BEGIN_DECLS

typedef struct _HirReportRest HirReportRest;

/* Called with the last requested number when the window is idle. */
typedef void (*HirReportRestFunc) (guint64 number, gpointer user_data);

/**
 * hir_report_rest_new:
 * @path: a named pipe from which requests are read, one decimal number per line
 * @window: borrowed
 * @document: borrowed
 * @func: called after each request when the window is idle
 *
 * The window is idle when all input has been handled, no frame was drawn for a while, @document is
 * not lowering, and no other thread or child process is computing. Main thread.
 *
 * Returns: (nullable): the detector, or NULL if @path is not a named pipe
 */
HirReportRest *hir_report_rest_new (const char *path,
                                    GtkWidget *window,
                                    HirDocument *document,
                                    HirReportRestFunc func,
                                    gpointer user_data);

/* Call when a frame was drawn. */
void hir_report_rest_note_frame (HirReportRest *self);

/* Call when a report was written; @is_same: nothing has changed since the previous one. While
 * scroll bars fade, two such reports replace the condition on frames. */
void hir_report_rest_note_report (HirReportRest *self, gboolean is_same);

/* Frees @self. */
void hir_report_rest_free (HirReportRest *self);

G_END_DECLS
