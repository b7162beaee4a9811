#include "window/window-graph.h"

#include "stats/compare-picker.h"
#include "window/window-layout.h"
#include "window/window-panes.h"

static void
toggle (HirWindow *self, HirSetting setting)
{
  hir_settings_set (self->settings, setting, !hir_settings_get (self->settings, setting));
}

void
hir_window_graph_stop_layout (HirWindow *self, GVariant *parameter, int argument)
{
  hir_window_leave_statistics (self);
  hir_graph_view_stop_layout (self->graph);
}

void
hir_window_graph_toggle_lanes (HirWindow *self, GVariant *parameter, int argument)
{
  hir_window_leave_statistics (self);
  gtk_toggle_button_set_active (gtk_toggle_button_get_active (self->graph_tabs.show_lanes)
                                    ? self->graph_tabs.show_graph
                                    : self->graph_tabs.show_lanes,
                                TRUE);
}

void
hir_window_graph_toggle_diff (HirWindow *self, GVariant *parameter, int argument)
{
  hir_window_leave_statistics (self);
  gtk_toggle_button_set_active (self->graph_tabs.show_diff, !hir_graph_view_get_diff (self->graph));
}

void
hir_window_graph_toggle_near (HirWindow *self, GVariant *parameter, int argument)
{
  hir_window_leave_statistics (self);
  gtk_toggle_button_set_active (self->graph_tabs.show_near, !hir_graph_view_get_near (self->graph));
}

void
hir_window_graph_change_hops (HirWindow *self, GVariant *parameter, int argument)
{
  hir_window_leave_statistics (self);
  hir_graph_view_change_hops (self->graph, argument);
}

void
hir_window_graph_turn_direction (HirWindow *self, GVariant *parameter, int argument)
{
  hir_window_leave_statistics (self);
  hir_graph_view_turn_direction (self->graph);
}

void
hir_window_graph_fold (HirWindow *self, GVariant *parameter, int argument)
{
  hir_window_leave_statistics (self);
  if (!hir_graph_view_fold (self->graph))
    hir_window_toast (self, "Select something in a loop to fold the loop");
}

void
hir_window_graph_unfold_all (HirWindow *self, GVariant *parameter, int argument)
{
  hir_window_leave_statistics (self);
  hir_graph_view_unfold_all (self->graph);
}

void
hir_window_graph_mark (HirWindow *self, GVariant *parameter, int argument)
{
  hir_window_leave_statistics (self);
  hir_graph_view_mark (self->graph);
}

void
hir_window_graph_unmark (HirWindow *self, GVariant *parameter, int argument)
{
  hir_window_leave_statistics (self);
  hir_graph_view_unmark_selected (self->graph);
}

void
hir_window_graph_toggle_card (HirWindow *self, GVariant *parameter, int argument)
{
  hir_window_leave_statistics (self);
  hir_graph_pane_toggle_card (self->graph_pane);
}

void
hir_window_graph_toggle_setting (HirWindow *self, GVariant *parameter, int argument)
{
  hir_window_leave_statistics (self);
  toggle (self, (HirSetting) argument);
}

void
hir_window_text_toggle_abbreviations (HirWindow *self, GVariant *parameter, int argument)
{
  hir_window_reveal_pane (self, HIR_PANE_TEXT);
  toggle (self, HIR_SETTING_ABBREVIATE);
}

void
hir_window_animate (HirWindow *self, GVariant *parameter, int argument)
{
  gboolean animate = TRUE;

  toggle (self, HIR_SETTING_ANIMATION);
  g_object_get (gtk_widget_get_settings (GTK_WIDGET (self)), "gtk-enable-animations", &animate,
                NULL);
  hir_window_toast (self, !hir_settings_get (self->settings, HIR_SETTING_ANIMATION)
                              ? "Animation disabled"
                          : animate ? "Animation enabled"
                                    : "Animation is disabled in the settings of the desktop");
}

void
hir_window_text_toggle_wrap (HirWindow *self, GVariant *parameter, int argument)
{
  hir_window_reveal_pane (self, HIR_PANE_TEXT);
  hir_settings_set (self->settings, HIR_SETTING_WRAP, !hir_window_get_wraps (self));
}

void
hir_window_text_fold (HirWindow *self, GVariant *parameter, int argument)
{
  if (!hir_window_has_passes (self))
    gtk_widget_activate_action (GTK_WIDGET (self->timeline), "track.fold", NULL);
  else if (!hir_text_pane_fold (self->text))
    hir_window_toast (self, "Select something in a loop to fold the loop");
}

void
hir_window_text_unfold_all (HirWindow *self, GVariant *parameter, int argument)
{
  if (!hir_window_has_passes (self))
    gtk_widget_activate_action (GTK_WIDGET (self->timeline), "track.unfold-all", NULL);
  else
    hir_text_pane_unfold_all (self->text);
}

static void
on_picked (HirProgramView *base, const char *name, gpointer user_data)
{
  HirWindow *self = user_data;

  hir_selection_set_base (self->selection, base, name);
  gtk_toggle_button_set_active (self->graph_tabs.show_diff, TRUE);
  hir_text_pane_show (self->text, "diff");
}

void
hir_window_compare (HirWindow *self, GVariant *parameter, int argument)
{
  hir_window_leave_statistics (self);
  hir_compare_picker_present (GTK_WINDOW (self), self->selection, on_picked, self);
}

void
hir_window_compare_end (HirWindow *self, GVariant *parameter, int argument)
{
  hir_selection_set_base (self->selection, NULL, NULL);
  gtk_toggle_button_set_active (self->graph_tabs.show_diff, FALSE);
}

void
hir_window_side_by_side (HirWindow *self, GVariant *parameter, int argument)
{
  hir_text_pane_show (self->text, "diff");
  hir_text_pane_toggle_sides (self->text);
}

void
hir_window_go_difference (HirWindow *self, GVariant *parameter, int argument)
{
  hir_text_pane_show (self->text, "diff");
  hir_text_pane_go_difference (self->text, argument);
}
