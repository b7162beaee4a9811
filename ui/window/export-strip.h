/* The strip under the header bar while a file is written: which, how far it is, and a button to give up. Not shown
 * otherwise, nor for what is written in a blink. */
#pragma once

#include <gtk/gtk.h>

#include "trace/export-progress.h"

G_BEGIN_DECLS

/* A widget with nothing to show yet. */
GtkWidget *hir_export_strip_new (void);
/* Follows @watch, which is borrowed until the end, of the file at @path. */
void hir_export_strip_begin (GtkWidget *strip, const char *path, const HirExportProgress *watch);
void hir_export_strip_end (GtkWidget *strip);

G_END_DECLS
