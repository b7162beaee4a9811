/* Internal declarations of the events page. events-page.c has the widget and follows the selection,
 * events-page-rows.c lists the rows. */
#pragma once

#include "events/events-options.h"
#include "events/events-page.h"

G_BEGIN_DECLS

struct _HirEventsPage
{
  GtkWidget parent_instance;

  HirSelection *selection;
  HirEventsModel *model;
  HirEventsOptions *options;
  GtkWidget *box;
  GtkEditable *filter;
  GtkWidget *view; /* button of the menu */
  GtkToggleButton *show_sql;
  GtkRevealer *sql_room;
  HirEventsSql *sql;
  GtkLabel *title;
  GtkSpinner *spinner;
  GtkButton *cancel;
  HirEventsCanvas *canvas;
  char *order; /* column; nullable */
  gboolean is_descending;
  char *written;     /* nullable: the SQL of the user whose rows are listed */
  char *shown;       /* nullable: SQL of all columns of the rows that are listed */
  const char *hint;  /* nullable, static: why the current row selects nothing */
  char *problem;     /* nullable: why the filter is incorrect */
  gboolean is_stale; /* the rows are of an earlier trace, range or choice */
  guint serial;      /* of the rows that the current row was looked up in */
  guint timer;       /* waits until the range stays */
};

/* Returns whether there is anything to list. */
gboolean hir_events_page_has_events (HirEventsPage *self);
/* Updates the title and the button Cancel. */
void hir_events_page_update (HirEventsPage *self);
/* Lists the rows again if the page is displayed, otherwise when it is displayed. */
void hir_events_page_refresh (HirEventsPage *self);
/* Lists events instead of the rows of the user's SQL, with the next refresh. */
void hir_events_page_leave_written (HirEventsPage *self);
/* Lists the rows of the user's SQL. */
void hir_events_page_run_sql (HirEventsPage *self);
/* Sorts by a column; reverses the order if it is already that of @column. */
void hir_events_page_sort (HirEventsPage *self, guint column);

G_END_DECLS
