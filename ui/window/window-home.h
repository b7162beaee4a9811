/* Preferences, tour and recent files of the window. */
#pragma once

#include "window/window.h"

G_BEGIN_DECLS

/* `win.preferences`: shows the preferences. */
void hir_window_show_preferences (HirWindow *self, GVariant *parameter, int argument);

/* `win.tour`: starts the tour. */
void hir_window_take_tour (HirWindow *self, GVariant *parameter, int argument);

/* Returns a menu of recent files (transfer full), which is updated when they change. */
GMenuModel *hir_window_create_recent_menu (HirWindow *self);

/* Applies changes of settings to the controls of runs and to the graph. */
void hir_window_follow_settings (HirWindow *self);

G_END_DECLS
