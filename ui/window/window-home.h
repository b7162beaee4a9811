/* The window's actions that are about the window itself: palette, preferences, tour, files opened before. */
#pragma once

#include "window/window.h"

G_BEGIN_DECLS

/* Activate functions of `win.*` actions; window-actions.c says which. */
void hir_window_show_palette (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_show_preferences (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_take_tour (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_open_path (GtkWidget *widget, const char *name, GVariant *parameter);
/* A section with the files that were opened last, kept up to date while @self lives; the caller's. */
GMenuModel *hir_window_create_recent_menu (HirWindow *self);
/* The window follows the settings of runs. */
void hir_window_follow_settings (HirWindow *self);

G_END_DECLS
