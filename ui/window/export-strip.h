/* A strip under the header bar with the progress of an export and a button to cancel it. Shown only
 * for exports that take longer than 0.3 s. */
#pragma once

#include <gtk/gtk.h>

#include "trace/export-progress.h"

G_BEGIN_DECLS

/* Creates a hidden strip. */
GtkWidget *hir_export_strip_new (void);

/* Shows @progress of the export to @path. @progress is borrowed until
 * hir_export_strip_end(). */
void hir_export_strip_begin (GtkWidget *strip, const char *path, const HirExportProgress *progress);

/* Hides the strip. */
void hir_export_strip_end (GtkWidget *strip);

G_END_DECLS
