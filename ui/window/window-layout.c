#include "window/window-layout.h"

#include "window/window-graph.h"

#define STRIP_HEIGHT 50 /* the strip above the timeline, and some padding */

/* Returns a stored size, scaled by the text size. Sizes are stored for a text size of 100%. */
static int
enlarge (HirWindow *self, HirSetting setting)
{
  return hir_settings_get (self->settings, setting) *
         hir_settings_get (self->settings, HIR_SETTING_TEXT_SIZE) / 100;
}

static gboolean
share_room (gpointer user_data)
{
  HirWindow *self = user_data;
  int height = gtk_widget_get_height (GTK_WIDGET (self->layout.rows));
  int width = gtk_widget_get_width (GTK_WIDGET (self->layout.columns));
  int wanted = (int) hir_timeline_pane_get_full_height (self->timeline_pane) + STRIP_HEIGHT;
  int timeline = MIN (enlarge (self, HIR_SETTING_TIMELINE_HEIGHT), height / 2);
  int inspector = enlarge (self, HIR_SETTING_INSPECTOR_WIDTH);

  if (!hir_window_has_passes (self))
    timeline = CLAMP (wanted, height / 4, height * 3 / 5);
  if (height > 0)
    gtk_paned_set_position (self->layout.rows, MAX (height - timeline, height / 3));
  self->layout.shared_height = height;
  self->layout.shared_timeline = height - gtk_paned_get_position (self->layout.rows);
  if (width > 0)
    gtk_paned_set_position (self->layout.columns, MAX (width - inspector, width / 3));
  self->layout.has_room |= height > 0 && width > 0;
  return G_SOURCE_REMOVE;
}

void
hir_window_share_room (HirWindow *self)
{
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, share_room, g_object_ref (self), g_object_unref);
}

void
hir_window_follow_room (HirWindow *self)
{
  int height = gtk_widget_get_height (GTK_WIDGET (self->layout.rows));

  if (self->layout.has_room && !hir_window_has_passes (self) &&
      height != self->layout.shared_height &&
      height - gtk_paned_get_position (self->layout.rows) == self->layout.shared_timeline)
    share_room (self);
}

static void
show_pane (HirWindow *self, HirSetting setting)
{
  gboolean is_shown = hir_settings_get (self->settings, setting) != 0;

  if (setting == HIR_SETTING_SHOW_PASSES)
    gtk_widget_set_visible (self->layout.passes_pane, is_shown && hir_window_has_passes (self));
  else if (setting == HIR_SETTING_SHOW_INSPECTOR)
    gtk_widget_set_visible (self->layout.inspector, is_shown);
  else
    gtk_widget_set_visible (self->layout.bottom, is_shown);
}

void
hir_window_toggle_pane (HirWindow *self, GVariant *parameter, int argument)
{
  HirSetting setting = (HirSetting) argument;

  hir_settings_set (self->settings, setting, !hir_settings_get (self->settings, setting));
  show_pane (self, setting);
}

void
hir_window_restore_layout (HirWindow *self)
{
  HirSettings *settings = self->settings;

  gtk_window_set_default_size (GTK_WINDOW (self),
                               hir_settings_get (settings, HIR_SETTING_WINDOW_WIDTH),
                               hir_settings_get (settings, HIR_SETTING_WINDOW_HEIGHT));
  if (hir_settings_get (settings, HIR_SETTING_MAXIMIZED))
    gtk_window_maximize (GTK_WINDOW (self));
  gtk_paned_set_position (self->layout.left, enlarge (self, HIR_SETTING_PASSES_WIDTH));
  gtk_paned_set_position (self->layout.middle, enlarge (self, HIR_SETTING_TEXT_WIDTH));
  show_pane (self, HIR_SETTING_SHOW_PASSES);
  show_pane (self, HIR_SETTING_SHOW_INSPECTOR);
  show_pane (self, HIR_SETTING_SHOW_TIMELINE);
  hir_run_controls_restore (&self->run_controls, settings);
  hir_window_apply_graph_settings (self);
}

/* Stores the size of @pane, unless the pane is hidden or was never allocated. */
static void
store_pane (HirWindow *self, HirSetting setting, GtkWidget *pane, int size)
{
  int text_size = hir_settings_get (self->settings, HIR_SETTING_TEXT_SIZE);

  if (gtk_widget_get_visible (pane) && size > 0)
    hir_settings_set (self->settings, setting, size * 100 / text_size);
}

void
hir_window_store_layout (HirWindow *self)
{
  HirSettings *settings = self->settings;
  int width, height;

  gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
  hir_settings_set (settings, HIR_SETTING_MAXIMIZED, gtk_window_is_maximized (GTK_WINDOW (self)));
  if (!gtk_window_is_maximized (GTK_WINDOW (self)) && width > 0 && height > 0)
    {
      hir_settings_set (settings, HIR_SETTING_WINDOW_WIDTH, width);
      hir_settings_set (settings, HIR_SETTING_WINDOW_HEIGHT, height);
    }
  if (!self->layout.has_room || !hir_window_has_passes (self))
    return;
  store_pane (self, HIR_SETTING_PASSES_WIDTH, self->layout.passes_pane,
              gtk_paned_get_position (self->layout.left));
  store_pane (self, HIR_SETTING_TEXT_WIDTH, GTK_WIDGET (self->text),
              gtk_paned_get_position (self->layout.middle));
  store_pane (self, HIR_SETTING_INSPECTOR_WIDTH, self->layout.inspector,
              gtk_widget_get_width (GTK_WIDGET (self->layout.columns)) -
                  gtk_paned_get_position (self->layout.columns));
  store_pane (self, HIR_SETTING_TIMELINE_HEIGHT, self->layout.bottom,
              gtk_widget_get_height (GTK_WIDGET (self->layout.rows)) -
                  gtk_paned_get_position (self->layout.rows));
}
