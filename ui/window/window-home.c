#include "window/window-home.h"

#include "base/names.h"
#include "base/recent.h"
#include "program/run-engine.h"
#include "window/preferences.h"
#include "window/tour.h"
#include "window/window-layout.h"
#include "window/window-open.h"

#define MAX_RECENT 8

void
hir_window_show_preferences (HirWindow *self, GVariant *parameter, int argument)
{
  g_autofree char *missing = hir_run_engine_dup_missing (HIR_BACKEND_CUDA);

  hir_preferences_present (GTK_WINDOW (self), self->settings, missing);
}

/* On the start page, opens the first example, which then offers the tour. An open document stays in
 * its window. */
void
hir_window_take_tour (HirWindow *self, GVariant *parameter, int argument)
{
  if (hir_window_in_workspace (self) && hir_window_has_passes (self))
    {
      hir_tour_begin (self);
      return;
    }
  hir_settings_set (self->settings, HIR_SETTING_TOUR_SEEN, 0);
  if (self->host->n_cards == 0)
    return;
  if (hir_document_get_program (self->document) != NULL)
    self = hir_window_new_beside (self);
  gtk_widget_activate_action (GTK_WIDGET (self), "win.open-path", "s", self->host->cards[0].spec);
}

static void
fill_recent (GMenu *menu)
{
  g_autoptr (GPtrArray) list = hir_recent_dup (MAX_RECENT);

  g_menu_remove_all (menu);
  for (guint i = 0; i < list->len; i++)
    {
      const HirRecent *recent = g_ptr_array_index (list, i);
      g_autofree char *label = hir_names_dup_menu_label (recent->name);
      g_autoptr (GMenuItem) item = g_menu_item_new (label, NULL);

      g_menu_item_set_action_and_target (item, "win.open-path", "s", recent->path);
      g_menu_append_item (menu, item);
    }
}

GMenuModel *
hir_window_create_recent_menu (HirWindow *self)
{
  GMenu *menu = g_menu_new ();

  fill_recent (menu);
  g_signal_connect_object (gtk_recent_manager_get_default (), "changed", G_CALLBACK (fill_recent),
                           menu, G_CONNECT_SWAPPED);
  return G_MENU_MODEL (menu);
}

static void
on_setting (HirSettings *settings, guint setting, gpointer user_data)
{
  HirWindow *self = user_data;

  if (setting == HIR_SETTING_STREAMS || setting == HIR_SETTING_MODEL_CLOCK ||
      setting == HIR_SETTING_ON_GPU)
    hir_run_controls_restore (&self->run_controls, settings);
  else if (setting == HIR_SETTING_MAP || setting == HIR_SETTING_LEGEND ||
           setting == HIR_SETTING_WRAP || setting == HIR_SETTING_ABBREVIATE)
    hir_window_apply_graph_settings (self);
}

void
hir_window_follow_settings (HirWindow *self)
{
  g_signal_connect_object (self->settings, "changed", G_CALLBACK (on_setting), self, 0);
}
