/* Tab with the events table: a filter, groups, SQL, and the rows. The current row and the selected
 * event follow each other. */
#pragma once

#include "events/events-canvas.h"
#include "events/events-sql.h"

G_BEGIN_DECLS

#define HIR_TYPE_EVENTS_PAGE (hir_events_page_get_type ())
G_DECLARE_FINAL_TYPE (HirEventsPage, hir_events_page, HIR, EVENTS_PAGE, GtkWidget)

/* @settings keep the columns. Signals: `show-event`, without arguments: the selected event is to be
 * shown in the timeline. `message`, with a text: to be displayed for a short time. */
GtkWidget *hir_events_page_new (HirSelection *selection, HirSettings *settings);
/* Lists the events with this name, of all kinds. */
void hir_events_page_filter_name (HirEventsPage *self, const char *name);
/* Moves the focus to the filter, or to the SQL. */
void hir_events_page_find (HirEventsPage *self);
/* Shows or hides the SQL. */
void hir_events_page_set_is_sql (HirEventsPage *self, gboolean is_sql);
/* Cancels what runs. Returns FALSE if nothing runs. */
gboolean hir_events_page_cancel (HirEventsPage *self);
/* Returns whether there are rows that can be written to a file, and none is being written. */
gboolean hir_events_page_can_save (HirEventsPage *self);
/* Writes all rows to a CSV file on a worker thread; see hir_events_model_save(). */
void hir_events_page_save (HirEventsPage *self,
                           const char *path,
                           GAsyncReadyCallback done,
                           gpointer user_data);

/* For tests. */
HirEventsCanvas *hir_events_page_get_canvas (HirEventsPage *self);
HirEventsModel *hir_events_page_get_model (HirEventsPage *self);
HirEventsSql *hir_events_page_get_sql (HirEventsPage *self);
const char *hir_events_page_get_title (HirEventsPage *self);

G_END_DECLS
