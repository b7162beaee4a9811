/* The window's actions that change what is lowered: passes, options, back and forth. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* Activate functions of `win.*` actions; window-actions.c says which. */
void hir_window_enable_pass (HirWindow *self, GVariant *parameter, int argument);
void hir_window_set_option (HirWindow *self, GVariant *parameter, int argument);
void hir_window_toggle_pass (HirWindow *self, GVariant *parameter, int argument);
void hir_window_open_pass_options (HirWindow *self, GVariant *parameter, int argument);
void hir_window_default_passes (HirWindow *self, GVariant *parameter, int argument);
void hir_window_copy_command (HirWindow *self, GVariant *parameter, int argument);
void hir_window_undo (HirWindow *self, GVariant *parameter, int argument);
void hir_window_redo (HirWindow *self, GVariant *parameter, int argument);
void hir_window_find_pass (HirWindow *self, GVariant *parameter, int argument);
void hir_window_toggle_quiet (HirWindow *self, GVariant *parameter, int argument);
void hir_window_first_touch (HirWindow *self, GVariant *parameter, int argument);
void hir_window_show_rejected (HirWindow *self, GVariant *parameter, int argument);
void hir_window_toggle_editing (HirWindow *self, GVariant *parameter, int argument);

G_END_DECLS
