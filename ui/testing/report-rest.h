/* Tells a test when the window is at rest, so that what it clicks at is where it was told to be. */
#pragma once

#include <gtk/gtk.h>

#include "document/document.h"

G_BEGIN_DECLS

typedef struct _HirReportRest HirReportRest;

/* Called with the newest number asked for, once the window is at rest. */
typedef void (*HirReportRestFunc) (guint64 number, gpointer user_data);

/* Listens to the named pipe @path, a decimal number a line. After each it waits until all input sent
 * so far has been taken in, no frame was drawn for a while, @document is not lowering, and no thread
 * of this process, nor a process that lays out for it, has anything to compute; then calls @func.
 * @window and @document are borrowed and must outlive it. NULL where @path is no named pipe. Main
 * thread. */
HirReportRest *hir_report_rest_new (const char *path, GtkWidget *window, HirDocument *document,
                                    HirReportRestFunc func, gpointer user_data);

/* A frame was drawn just now. */
void hir_report_rest_note_frame (HirReportRest *self);

/* What is on show, and where, was read just now: @is_same says that it is as it was the last time. While scroll bars
 * fade, which takes them a second of frames, two such looks stand for the frames that are not drawn. */
void hir_report_rest_note_look (HirReportRest *self, gboolean is_same);

void hir_report_rest_free (HirReportRest *self);

G_END_DECLS
