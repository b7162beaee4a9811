/* Finding the pass that spoils the numbers, or the first one with another structure, in the window. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* Puts its strip above the passes, and offers to look where a run gave wrong numbers. */
void hir_window_bisect_connect (HirWindow *self);

/* Activate functions. */
void hir_window_bisect (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_bisect_ask (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_bisect_text (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_bisect_stop (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_bisect_diff (GtkWidget *widget, const char *name, GVariant *parameter);

G_END_DECLS
