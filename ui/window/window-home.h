/* The window's actions that are about the window itself: palette, preferences, tour, files opened before. */
#pragma once

#include "window/window.h"

G_BEGIN_DECLS

/* Activate functions of `win.*` actions; window-actions.c says which. */
void hir_window_show_preferences (HirWindow *self, GVariant *parameter, int argument);
void hir_window_take_tour (HirWindow *self, GVariant *parameter, int argument);
/* A section with the files that were opened last, kept up to date while @self lives; the caller's. */
GMenuModel *hir_window_create_recent_menu (HirWindow *self);
/* The window follows the settings of runs. */
void hir_window_follow_settings (HirWindow *self);

G_END_DECLS
