/* What the events table lists: kinds of events, groups and columns, with a menu to choose them. */
#pragma once

#include <gtk/gtk.h>

#include "query/query-listing.h"

G_BEGIN_DECLS

#define HIR_TYPE_EVENTS_OPTIONS (hir_events_options_get_type ())
G_DECLARE_FINAL_TYPE (HirEventsOptions, hir_events_options, HIR, EVENTS_OPTIONS, GObject)

/* Signal `changed`, without arguments: anything was chosen. */
HirEventsOptions *hir_events_options_new (void);
/* Returns the actions of the menu, for the prefix "events" (borrowed). */
GSimpleActionGroup *hir_events_options_get_actions (HirEventsOptions *self);
/* Returns a button that opens the menu. */
GtkWidget *hir_events_options_create_button (HirEventsOptions *self);
/* Returns a button that opens a menu of the columns: in GTK 4.8 on X11, a menu with a submenu can
 * leave the window without the keyboard. */
GtkWidget *hir_events_options_create_columns_button (HirEventsOptions *self);
/* Returns the table of tracer/query (borrowed until it changes). */
const char *hir_events_options_get_table (HirEventsOptions *self);
/* Returns how events are grouped. */
HirListingGroup hir_events_options_get_group (HirEventsOptions *self);
/* Sets how events are grouped. */
void hir_events_options_set_group (HirEventsOptions *self, HirListingGroup group);
/* Returns the chosen columns that the table has, separated by ", " (transfer full). */
char *hir_events_options_dup_columns (HirEventsOptions *self);

G_END_DECLS
