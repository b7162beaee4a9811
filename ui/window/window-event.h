/* Actions on the selected event, the history of selections, links, and marks of the timeline. */
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

/* Follows a link. @parameter: a target of hir_link_text_find(), or "event/TRACK/INDEX", "node/ID",
 * "step3/ID", "instruction/LINE" (of the printed program), "name/STRING" (the first event of this
 * name), "track/TRACK", "time/NS" (of the trace's clock). */
void hir_window_follow_link (HirWindow *self, GVariant *parameter, int argument);

/* Sets a mark in the timeline and opens the list of marks to name it. */
void hir_window_set_mark (HirWindow *self, GVariant *parameter, int argument);
/* Opens the list of marks. @parameter (nullable): index of the mark with the focus. */
void hir_window_list_marks (HirWindow *self, GVariant *parameter, int argument);

G_END_DECLS
