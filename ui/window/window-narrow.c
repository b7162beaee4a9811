#include "window/window-narrow.h"

#include <adwaita.h>

#include "base/focus.h"
#include "window/window-private.h"

/* Pixels at a text size of 100%. */
#define NARROW_WIDTH 800
#define TOOLS_WIDTH 1100
#define HINT_WIDTH 1300

typedef struct
{
  HirWindow *window;
  AdwHeaderBar *header;
  GtkWidget *hint;
  GtkWidget *options; /* the button of the popover */
  GtkBox *room;       /* contents of the popover */
  gboolean is_narrow;
} Narrow;

static void
move (Narrow *narrow, GtkWidget *widget)
{
  hir_focus_leave (widget, NULL);
  g_object_ref (widget);
  if (narrow->is_narrow)
    {
      adw_header_bar_remove (narrow->header, widget);
      gtk_box_prepend (narrow->room, widget);
    }
  else
    {
      gtk_box_remove (narrow->room, widget);
      adw_header_bar_pack_end (narrow->header, widget);
    }
  g_object_unref (widget);
}

/* Moves the run controls, in the order in which the header bar packs them from its end. */
static void
move_all (Narrow *narrow)
{
  HirWindow *self = narrow->window;

  move (narrow, GTK_WIDGET (self->run_controls.alone));
  move (narrow, GTK_WIDGET (self->run_controls.gpu));
  move (narrow, GTK_WIDGET (self->run_controls.clock));
  move (narrow, GTK_WIDGET (self->run_controls.streams));
}

/* Shows or hides the tools of the graph: its menu has them all. */
static void
show_tools (Narrow *narrow, gboolean are_shown)
{
  GtkWidget *tool = gtk_widget_get_first_child (narrow->window->graph_tabs.tools);

  for (; tool != NULL; tool = gtk_widget_get_next_sibling (tool))
    gtk_widget_set_visible (tool, are_shown || GTK_IS_MENU_BUTTON (tool));
}

static void
update (Narrow *narrow)
{
  HirWindow *self = narrow->window;
  int width, height, size = hir_settings_get (self->settings, HIR_SETTING_TEXT_SIZE);
  gboolean is_narrow;

  gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
  if (gtk_window_is_maximized (GTK_WINDOW (self)))
    width = MAX (width, gtk_widget_get_width (GTK_WIDGET (self)));
  width = width * 100 / MAX (size, 1);
  is_narrow = width > 0 && width < NARROW_WIDTH;
  gtk_widget_set_visible (narrow->hint, width <= 0 || width >= HINT_WIDTH);
  show_tools (narrow, width <= 0 || width >= TOOLS_WIDTH);
  if (is_narrow != narrow->is_narrow)
    {
      narrow->is_narrow = is_narrow;
      move_all (narrow);
    }
  gtk_widget_set_visible (narrow->options,
                          is_narrow && gtk_widget_get_visible (GTK_WIDGET (self->run)));
}

static GtkWidget *
create_options (Narrow *narrow)
{
  GtkWidget *button = gtk_menu_button_new ();
  GtkWidget *popover = gtk_popover_new ();

  narrow->room = GTK_BOX (gtk_box_new (GTK_ORIENTATION_VERTICAL, 6));
  gtk_popover_set_child (GTK_POPOVER (popover), GTK_WIDGET (narrow->room));
  gtk_menu_button_set_popover (GTK_MENU_BUTTON (button), popover);
  gtk_menu_button_set_icon_name (GTK_MENU_BUTTON (button), "emblem-system-symbolic");
  gtk_widget_set_tooltip_text (button, "Streams, clock and device of the next run");
  return button;
}

static void
fit_width (HirWindow *self)
{
  update (g_object_get_data (G_OBJECT (self), "hir-narrow"));
}

void
hir_window_watch_width (HirWindow *self, GtkWidget *header, GtkWidget *hint)
{
  Narrow *narrow = g_new0 (Narrow, 1);

  *narrow = (Narrow){ self, ADW_HEADER_BAR (header), hint, NULL, NULL, FALSE };
  narrow->options = create_options (narrow);
  adw_header_bar_pack_end (narrow->header, narrow->options);
  g_object_set_data_full (G_OBJECT (self), "hir-narrow", narrow, g_free);
  g_signal_connect_swapped (self, "notify::default-width", G_CALLBACK (update), narrow);
  g_signal_connect_swapped (self, "notify::maximized", G_CALLBACK (update), narrow);
  g_signal_connect_swapped (self->run, "notify::visible", G_CALLBACK (update), narrow);
  g_signal_connect_object (self->settings, "changed", G_CALLBACK (fit_width), self,
                           G_CONNECT_SWAPPED);
  update (narrow);
}
