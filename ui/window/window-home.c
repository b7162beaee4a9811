#include "window/window-home.h"

#include "window/palette.h"
#include "window/preferences.h"
#include "base/recent.h"
#include "program/run-engine.h"
#include "window/tour.h"
#include "window/window-layout.h"
#include "window/window-private.h"

#define MAX_RECENT 8

void
hir_window_show_palette (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hir_palette_present (HIR_WINDOW (widget));
}

void
hir_window_show_preferences (GtkWidget *widget, const char *name, GVariant *parameter)
{
  g_autofree char *missing = hir_run_engine_dup_missing (HIR_BACKEND_CUDA);

  hir_preferences_present (GTK_WINDOW (widget), HIR_WINDOW (widget)->settings, missing);
}

/* On the gallery there is nothing to show: it opens the first example, which then offers the tour.
 */
void
hir_window_take_tour (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);

  if (g_strcmp0 (gtk_stack_get_visible_child_name (self->pages), "workspace") == 0 &&
      hir_window_has_passes (self))
    {
      hir_tour_begin (self);
      return;
    }
  hir_settings_set (self->settings, HIR_SETTING_TOUR_SEEN, 0);
  if (self->host->n_cards > 0)
    hir_window_open (self, self->host->cards[0].spec);
}

void
hir_window_open_path (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hir_window_open (HIR_WINDOW (widget), g_variant_get_string (parameter, NULL));
}

static void
fill_recent (GMenu *menu)
{
  g_autoptr (GPtrArray) list = hir_recent_dup (MAX_RECENT);

  g_menu_remove_all (menu);
  for (guint i = 0; i < list->len; i++)
    {
      const HirRecent *recent = g_ptr_array_index (list, i);
      g_autoptr (GMenuItem) item = g_menu_item_new (NULL, NULL);
      g_autoptr (GString) label = g_string_new (recent->name);

      /* An underscore is one, and no mnemonic. */
      g_string_replace (label, "_", "__", 0);
      g_menu_item_set_label (item, label->str);
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
  if (setting == HIR_SETTING_STREAMS || setting == HIR_SETTING_MODEL_CLOCK ||
      setting == HIR_SETTING_ON_GPU)
    hir_window_restore_runs (user_data);
  else if (setting == HIR_SETTING_MAP || setting == HIR_SETTING_LEGEND)
    hir_window_apply_graph_settings (user_data);
}

void
hir_window_follow_settings (HirWindow *self)
{
  g_signal_connect_object (self->settings, "changed", G_CALLBACK (on_setting), self, 0);
}
