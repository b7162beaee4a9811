/* Actions on the selected event, and the history of selections. */
#pragma once

#include "window/window.h"

G_BEGIN_DECLS

/* Selects the next or previous event of the same name. @argument: whether forward. */
void hir_window_select_same (HirWindow *self, GVariant *parameter, int argument);
/* Highlights all events of the same name, by the search of the timeline. */
void hir_window_find_same (HirWindow *self, GVariant *parameter, int argument);
/* Zooms the timeline to the event. */
void hir_window_zoom_event (HirWindow *self, GVariant *parameter, int argument);
/* Selects the launch of work, or the work of a launch. */
void hir_window_select_launch (HirWindow *self, GVariant *parameter, int argument);
/* Copies the event. @parameter: "text" or "json". */
void hir_window_copy_event (HirWindow *self, GVariant *parameter, int argument);
/* Goes back or forward in the history of selections. @argument: whether forward. */
void hir_window_go_selection (HirWindow *self, GVariant *parameter, int argument);
/* Enables the actions of the history. */
void hir_window_update_history (HirWindow *self);

G_END_DECLS
