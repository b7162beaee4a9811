/* The tabs for graph, lanes and statistics, and the tools of the graph next to them. */
#pragma once

#include "graph/graph-pane.h"
#include "stats/stats-page.h"

G_BEGIN_DECLS

typedef struct
{
  HirGraphView *graph; /* borrowed */
  GtkWidget *strip;    /* contains the widgets below except the stack */
  GtkWidget *kinds;    /* the tabs */
  GtkToggleButton *show_graph, *show_lanes, *show_stats;
  GtkWidget *tools; /* hidden while the statistics are displayed */
  GtkToggleButton *show_diff, *show_near;
  GtkStack *stack;
} HirGraphTabs;

/* Creates the tabs. @self must be zero, and remain valid as long as the widgets. Returns the
 * container of the tabs and of @pane and @stats. */
GtkWidget *hir_graph_tabs_init (HirGraphTabs *self, HirGraphPane *pane, HirStatsPage *stats);

G_END_DECLS
