/* The window's actions that check synchronisation, in the panel above the timeline. */
#pragma once

#include <gtk/gtk.h>

#include "window/window-private.h"

G_BEGIN_DECLS

/* The panel, below @above, which it takes room of: both in one widget. */
GtkWidget *hir_window_create_check (HirWindow *self, GtkWidget *above);

/* Activate functions of `win.*` actions; window-actions.c says which. */
void hir_window_check (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_check_cancel (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_check_close (GtkWidget *widget, const char *name, GVariant *parameter);
/* @parameter: an index, -1: of the chosen row. */
void hir_window_check_fix (GtkWidget *widget, const char *name, GVariant *parameter);
/* A program that was asked for by the last is there: it is run. */
void hir_window_check_on_program (HirWindow *self);

G_END_DECLS
