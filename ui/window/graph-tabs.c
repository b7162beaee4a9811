#include "window/graph-tabs.h"

#include "window/window-private.h"

static void
on_lanes_toggled (GtkToggleButton *button, gpointer user_data)
{
  HirGraphTabs *self = user_data;

  hir_graph_view_set_lanes (self->graph, gtk_toggle_button_get_active (button));
}

static void
on_page_toggled (GtkToggleButton *button, gpointer user_data)
{
  HirGraphTabs *self = user_data;
  const char *page = gtk_toggle_button_get_active (self->show_stats)     ? "statistics"
                     : gtk_toggle_button_get_active (self->show_explain) ? "explain"
                     : gtk_toggle_button_get_active (self->show_events)  ? "events"
                                                                         : "graph";

  gtk_stack_set_visible_child_name (self->stack, page);
  gtk_widget_set_visible (self->tools, g_str_equal (page, "graph"));
}

gboolean
hir_graph_tabs_set_has_graph (HirGraphTabs *self, gboolean has_graph)
{
  if (gtk_widget_get_visible (GTK_WIDGET (self->show_graph)) == has_graph)
    return FALSE;
  gtk_widget_set_visible (GTK_WIDGET (self->show_graph), has_graph);
  gtk_widget_set_visible (GTK_WIDGET (self->show_lanes), has_graph);
  gtk_toggle_button_set_active (has_graph ? self->show_graph : self->show_stats, TRUE);
  return TRUE;
}

static GtkToggleButton *
add_kind (HirGraphTabs *self, const char *label, const char *tooltip, GCallback toggled)
{
  GtkWidget *button = gtk_toggle_button_new_with_label (label);

  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_widget_set_tooltip_text (button, tooltip);
  if (self->show_graph != NULL)
    gtk_toggle_button_set_group (GTK_TOGGLE_BUTTON (button), self->show_graph);
  if (toggled != NULL)
    g_signal_connect (button, "toggled", toggled, self);
  gtk_box_append (GTK_BOX (self->kinds), button);
  return GTK_TOGGLE_BUTTON (button);
}

static void
on_diff_toggled (GtkToggleButton *button, gpointer user_data)
{
  HirGraphTabs *self = user_data;

  hir_graph_view_set_diff (self->graph, gtk_toggle_button_get_active (button));
}

static void
on_near_toggled (GtkToggleButton *button, gpointer user_data)
{
  HirGraphTabs *self = user_data;

  hir_graph_view_set_near (self->graph, gtk_toggle_button_get_active (button));
}

static GtkToggleButton *
add_tool_toggle (HirGraphTabs *self, const char *label, const char *tooltip, GCallback toggled)
{
  GtkWidget *button = gtk_toggle_button_new_with_label (label);

  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_focus_on_click (button, FALSE);
  gtk_widget_set_tooltip_text (button, tooltip);
  g_signal_connect (button, "toggled", toggled, self);
  gtk_box_append (GTK_BOX (self->tools), button);
  return GTK_TOGGLE_BUTTON (button);
}

/* Creates the menu of all actions; narrow windows have no other tool. */
static GtkWidget *
create_graph_menu (void)
{
  GtkWidget *button = gtk_menu_button_new ();
  g_autoptr (GMenu) menu = g_menu_new ();
  g_autoptr (GMenu) parts = g_menu_new (), folds = g_menu_new (), marks = g_menu_new ();
  g_autoptr (GMenu) look = g_menu_new (), zoom = g_menu_new ();

  g_menu_append (parts, "Differences", "win.graph-diff");
  g_menu_append (parts, "Only Near the Selection", "win.graph-near");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (parts));
  g_menu_append (folds, "Fold or Unfold the Loop", "win.graph-fold");
  g_menu_append (folds, "Unfold All", "win.graph-unfold-all");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (folds));
  g_menu_append (marks, "Highlight the Selection", "win.graph-mark");
  g_menu_append (marks, "Remove Highlight", "win.graph-unmark");
  g_menu_append (marks, "Show Card of the Selection", "win.graph-card");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (marks));
  g_menu_append (look, "Compare With\xe2\x80\xa6", "win.compare");
  g_menu_append (look, "Compare With Previous Step", "win.compare-end");
  g_menu_append (look, "Legend", "win.graph-legend");
  g_menu_append (look, "Map", "win.graph-map");
  g_menu_append (look, "Animation", "win.animate");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (look));
  g_menu_append (zoom, "Zoom In", "win.graph-zoom-in");
  g_menu_append (zoom, "Zoom Out", "win.graph-zoom-out");
  g_menu_append (zoom, "Whole Graph", "win.graph-fit");
  g_menu_append_section (menu, NULL, G_MENU_MODEL (zoom));
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "view-more-symbolic");
  gtk_menu_button_set_menu_model (GTK_MENU_BUTTON (button), G_MENU_MODEL (menu));
  gtk_widget_add_css_class (button, "flat");
  gtk_widget_set_valign (button, GTK_ALIGN_CENTER);
  gtk_widget_set_tooltip_text (button, "Graph actions");
  return button;
}

static void
create_graph_tools (HirGraphTabs *self)
{
  self->tools = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 2);
  self->show_diff =
      add_tool_toggle (self, "Diff", "Highlight the differences from the compared step (g)",
                       G_CALLBACK (on_diff_toggled));
  self->show_near =
      add_tool_toggle (self, "Near",
                       "Show only nodes near the selection (n); more or fewer (. ,); direction (u)",
                       G_CALLBACK (on_near_toggled));
  gtk_box_append (GTK_BOX (self->tools), create_graph_menu ());
  gtk_box_append (GTK_BOX (self->tools),
                  hir_flat_button_new ("zoom-fit-best-symbolic", "win.graph-fit",
                                       "Show the whole graph (0)"));
}

GtkWidget *
hir_graph_tabs_init (HirGraphTabs *self,
                     HirGraphPane *pane,
                     HirStatsPage *stats,
                     HirExplainPage *explain,
                     HirEventsPage *events)
{
  GtkWidget *box = gtk_box_new (GTK_ORIENTATION_VERTICAL, 0);
  GtkWidget *spring = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);

  self->graph = hir_graph_pane_get_view (pane);
  self->stack = GTK_STACK (gtk_stack_new ());
  gtk_stack_add_named (self->stack, GTK_WIDGET (pane), "graph");
  gtk_stack_add_named (self->stack, GTK_WIDGET (stats), "statistics");
  gtk_stack_add_named (self->stack, GTK_WIDGET (explain), "explain");
  gtk_stack_add_named (self->stack, GTK_WIDGET (events), "events");
  gtk_widget_set_vexpand (GTK_WIDGET (self->stack), TRUE);
  gtk_widget_set_hexpand (GTK_WIDGET (self->stack), TRUE);
  create_graph_tools (self);
  self->strip = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 6);
  self->kinds = gtk_box_new (GTK_ORIENTATION_HORIZONTAL, 0);
  gtk_widget_add_css_class (self->kinds, "views");
  self->show_graph = add_kind (self, "Graph", NULL, NULL);
  gtk_toggle_button_set_active (self->show_graph, TRUE);
  self->show_lanes = add_kind (self, "Lanes", "Streams as columns, program order as rows (v)",
                               G_CALLBACK (on_lanes_toggled));
  self->show_stats =
      add_kind (self, "Statistics", "Statistics of the recording or of the selected range", NULL);
  self->show_explain =
      add_kind (self, "Explain", "Critical path, and where the time went (Shift+E)", NULL);
  self->show_events = add_kind (self, "Events", "Table of events, and SQL (Ctrl+E)", NULL);
  g_signal_connect (self->show_stats, "toggled", G_CALLBACK (on_page_toggled), self);
  g_signal_connect (self->show_explain, "toggled", G_CALLBACK (on_page_toggled), self);
  g_signal_connect (self->show_events, "toggled", G_CALLBACK (on_page_toggled), self);
  gtk_widget_set_hexpand (spring, TRUE);
  gtk_widget_add_css_class (self->strip, "tabs");
  gtk_box_append (GTK_BOX (self->strip), self->kinds);
  gtk_box_append (GTK_BOX (self->strip), spring);
  gtk_box_append (GTK_BOX (self->strip), self->tools);
  gtk_box_append (GTK_BOX (box), self->strip);
  gtk_box_append (GTK_BOX (box), GTK_WIDGET (self->stack));
  return box;
}
