#include "window/window-graph.h"

#include <string.h>

#include "stats/compare-picker.h"
#include "window/window-private.h"

static void
show_graph (HirWindow *self)
{
  /* Under the statistics nobody would see what the key did. */
  if (gtk_toggle_button_get_active (self->show_stats))
    gtk_toggle_button_set_active (self->show_graph, TRUE);
}

static void
toggle (HirWindow *self, HirSetting setting)
{
  hir_settings_set (self->settings, setting, !hir_settings_get (self->settings, setting));
}

void
hir_window_graph_action (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);
  HirGraphView *graph = self->graph;
  HirGraphPane *pane = self->graph_pane;
  const char *what = name + strlen ("win.graph-");

  show_graph (self);
  if (g_str_equal (what, "stop-layout"))
    hir_graph_view_stop_layout (graph);
  else if (g_str_equal (what, "lanes"))
    gtk_toggle_button_set_active (gtk_toggle_button_get_active (self->show_lanes)
                                      ? self->show_graph
                                      : self->show_lanes,
                                  TRUE);
  else if (g_str_equal (what, "diff"))
    gtk_toggle_button_set_active (self->show_diff, !hir_graph_view_get_diff (graph));
  else if (g_str_equal (what, "near"))
    gtk_toggle_button_set_active (self->show_near, !hir_graph_view_get_near (graph));
  else if (g_str_equal (what, "near-more"))
    hir_graph_view_change_hops (graph, 1);
  else if (g_str_equal (what, "near-less"))
    hir_graph_view_change_hops (graph, -1);
  else if (g_str_equal (what, "near-direction"))
    hir_graph_view_turn_direction (graph);
  else if (g_str_equal (what, "fold") && !hir_graph_view_fold (graph))
    hir_window_toast (self, "Select something in a loop to fold the loop");
  else if (g_str_equal (what, "unfold-all"))
    hir_graph_view_unfold_all (graph);
  else if (g_str_equal (what, "mark"))
    hir_graph_view_mark (graph);
  else if (g_str_equal (what, "unmark"))
    hir_graph_view_unmark_selected (graph);
  else if (g_str_equal (what, "card"))
    hir_graph_pane_toggle_card (pane);
  else if (g_str_equal (what, "legend"))
    toggle (self, HIR_SETTING_LEGEND);
  else if (g_str_equal (what, "map"))
    toggle (self, HIR_SETTING_MAP);
}

void
hir_window_animate (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);
  gboolean animate = TRUE;

  toggle (self, HIR_SETTING_ANIMATION);
  g_object_get (gtk_widget_get_settings (widget), "gtk-enable-animations", &animate, NULL);
  hir_window_toast (self, !hir_settings_get (self->settings, HIR_SETTING_ANIMATION)
                              ? "Nothing glides any more"
                          : animate ? "Boxes glide to their places"
                                    : "The desktop asks for less motion: nothing glides");
}

void
hir_window_apply_graph_settings (HirWindow *self)
{
  hir_graph_pane_set_legend (self->graph_pane,
                             hir_settings_get (self->settings, HIR_SETTING_LEGEND) != 0);
  hir_graph_view_set_map (self->graph, hir_settings_get (self->settings, HIR_SETTING_MAP) != 0);
}

void
hir_window_text_fold (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);

  if (g_str_equal (name, "win.text-unfold-all"))
    hir_text_pane_unfold_all (self->text);
  else if (!hir_text_pane_fold (self->text))
    hir_window_toast (self, "Select something in a loop to fold the loop");
}

static void
on_picked (HirProgramView *base, const char *name, gpointer user_data)
{
  HirWindow *self = user_data;

  hir_selection_set_base (self->selection, base, name);
  gtk_toggle_button_set_active (self->show_diff, TRUE);
  hir_text_pane_show (self->text, "diff");
}

void
hir_window_compare (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);

  show_graph (self);
  hir_compare_picker_present (GTK_WINDOW (self), self->selection, on_picked, self);
}

void
hir_window_compare_end (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);

  hir_selection_set_base (self->selection, NULL, NULL);
  gtk_toggle_button_set_active (self->show_diff, FALSE);
}

void
hir_window_side_by_side (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);

  hir_text_pane_show (self->text, "diff");
  hir_text_pane_toggle_sides (self->text);
}

void
hir_window_go_difference (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);

  hir_text_pane_show (self->text, "diff");
  hir_text_pane_go_difference (self->text, g_str_equal (name, "win.next-difference"));
}
