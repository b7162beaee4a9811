/* The events table of the window: its tab, its messages and its file. */
#pragma once

#include "events/events-page.h"
#include "window/window.h"

G_BEGIN_DECLS

/* Creates the page (floating). */
HirEventsPage *hir_window_create_events (HirWindow *self);
/* Shows the table. @argument: whether to show the SQL, too. */
void hir_window_show_events (HirWindow *self, GVariant *parameter, int argument);
/* Lists the events with the name of the selected one. */
void hir_window_filter_events (HirWindow *self, GVariant *parameter, int argument);
/* Asks for a file and writes the rows to it. */
void hir_window_save_events (HirWindow *self, GVariant *parameter, int argument);

G_END_DECLS
