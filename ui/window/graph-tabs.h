/* The tabs for graph, lanes, statistics, explanation and events, and the tools of the graph next to
 * them. */
#pragma once

#include "events/events-page.h"
#include "explain/explain-page.h"
#include "graph/graph-pane.h"
#include "stats/stats-page.h"

G_BEGIN_DECLS

typedef struct
{
  HirGraphView *graph; /* borrowed */
  GtkWidget *strip;    /* contains the widgets below except the stack */
  GtkWidget *kinds;    /* the tabs */
  GtkToggleButton *show_graph, *show_lanes, *show_stats, *show_explain, *show_events;
  GtkWidget *tools; /* hidden while no graph is displayed */
  GtkToggleButton *show_diff, *show_near;
  GtkStack *stack;
} HirGraphTabs;

/* Creates the tabs. @self must be zero, and remain valid as long as the widgets. Returns the
 * container of the tabs and of the pages. */
GtkWidget *hir_graph_tabs_init (HirGraphTabs *self,
                                HirGraphPane *pane,
                                HirStatsPage *stats,
                                HirExplainPage *explain,
                                HirEventsPage *events);
/* Shows only the tabs for traces if there is no graph. Returns FALSE if nothing changed. */
gboolean hir_graph_tabs_set_has_graph (HirGraphTabs *self, gboolean has_graph);

G_END_DECLS
