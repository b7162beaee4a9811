/* The window's actions that change what is lowered: passes, options, back and forth. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

/* Activate functions of `win.*` actions; window-actions.c says which. */
void hir_window_enable_pass (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_set_option (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_toggle_pass (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_open_pass_options (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_default_passes (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_copy_command (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_undo (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_redo (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_find_pass (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_toggle_quiet (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_first_touch (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_show_rejected (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_toggle_editing (GtkWidget *widget, const char *name, GVariant *parameter);

G_END_DECLS
