/* What the events table lists: kinds of events, groups and columns, with a menu to choose them. */
#pragma once

#include <gtk/gtk.h>

#include "base/settings.h"
#include "query/query-listing.h"

G_BEGIN_DECLS

#define HIR_TYPE_EVENTS_OPTIONS (hir_events_options_get_type ())
G_DECLARE_FINAL_TYPE (HirEventsOptions, hir_events_options, HIR, EVENTS_OPTIONS, GObject)

/* Signals without arguments: `changed`: anything was chosen, `resized`: a width. @settings keep the
 * columns and their widths. */
HirEventsOptions *hir_events_options_new (HirSettings *settings);
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
/* Sets whether rows of the user's SQL are listed, to which kinds and groups do not apply: the menu
 * shows none as chosen. */
void hir_events_options_set_is_sql (HirEventsOptions *self, gboolean is_sql);
/* Returns the chosen columns that the table has, separated by ", " (transfer full). */
char *hir_events_options_dup_columns (HirEventsOptions *self);
/* Moves a chosen column before another one, or to the end (NULL). Ignores columns that are not
 * chosen. */
void hir_events_options_move (HirEventsOptions *self, const char *column, const char *before);
/* Returns the width in pixels that the user chose for a column, or 0. */
int hir_events_options_get_width (HirEventsOptions *self, const char *column);
/* Sets the width of a column, at most 2000 pixels; 0: that of its texts. */
void hir_events_options_set_width (HirEventsOptions *self, const char *column, int width);

G_END_DECLS
