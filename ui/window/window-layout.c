#include "window/window-layout.h"

#include <adwaita.h>

#include "base/focus.h"

/* Value of HIR_SETTING_WRAP: only in large windows. */
#define WRAPS_IN_LARGE 2

#define STRIP_HEIGHT 50   /* the line above the timeline, and some padding */
#define EVENTS_HEIGHT 330 /* of a table with at least 8 rows, below its filter */

/* Smallest width of medium and of large windows, and smallest height of high ones, at a text size
 * of 100%. */
#define MEDIUM_WIDTH 1300
#define LARGE_WIDTH 1800
#define HIGH_HEIGHT 740

#define FRAMES 3 /* until new positions of nested dividers are valid */

/* Indexed by size class. */
static const HirSetting width_settings[][HIR_N_WIDTHS] = {
  { HIR_SETTING_PASSES_WIDTH_SMALL, HIR_SETTING_TEXT_WIDTH_SMALL,
    HIR_SETTING_INSPECTOR_WIDTH_SMALL },
  { HIR_SETTING_PASSES_WIDTH, HIR_SETTING_TEXT_WIDTH, HIR_SETTING_INSPECTOR_WIDTH },
  { HIR_SETTING_PASSES_WIDTH_LARGE, HIR_SETTING_TEXT_WIDTH_LARGE,
    HIR_SETTING_INSPECTOR_WIDTH_LARGE },
};
static const HirSetting height_settings[] = { HIR_SETTING_TIMELINE_HEIGHT_LOW,
                                              HIR_SETTING_TIMELINE_HEIGHT };

static int
get_text_size (HirWindow *self)
{
  return hir_settings_get (self->settings, HIR_SETTING_TEXT_SIZE);
}

static guint
get_width_class (HirWindow *self, int width)
{
  int scaled = width * 100 / get_text_size (self);

  return scaled >= LARGE_WIDTH ? 2 : scaled >= MEDIUM_WIDTH ? 1 : 0;
}

static guint
get_height_class (HirWindow *self, int height)
{
  return height * 100 / get_text_size (self) >= HIGH_HEIGHT ? 1 : 0;
}

/* Returns a remembered size, scaled by the text size. Sizes are remembered for a text size of
 * 100%. */
static int
enlarge (HirWindow *self, int size)
{
  return size * get_text_size (self) / 100;
}

/* Returns the width of the divider, which is a part of the width of @paned. */
static int
get_divider (GtkPaned *paned)
{
  GtkWidget *start = gtk_paned_get_start_child (paned), *end = gtk_paned_get_end_child (paned);
  int divider = gtk_widget_get_width (GTK_WIDGET (paned)) - gtk_widget_get_width (start) -
                gtk_widget_get_width (end);

  return gtk_widget_get_mapped (start) && gtk_widget_get_mapped (end) ? CLAMP (divider, 1, 9) : 1;
}

/* Returns the number of the current frame. */
static gint64
get_frame (HirWindow *self)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (self));

  return clock != NULL ? gdk_frame_clock_get_frame_counter (clock) : 0;
}

static void
set_widths (HirWindow *self, int width)
{
  HirWindowLayout *layout = &self->layout;
  const int *widths;
  int rest = width;

  layout->shared_frame = get_frame (self);
  widths = layout->widths[layout->width_class];
  gtk_paned_set_position (layout->left, enlarge (self, widths[HIR_WIDTH_PASSES]));
  gtk_paned_set_position (layout->middle, enlarge (self, widths[HIR_WIDTH_TEXT]));
  if (gtk_widget_get_visible (layout->panes[HIR_PANE_PASSES]))
    rest -= enlarge (self, widths[HIR_WIDTH_PASSES]) + get_divider (layout->left);
  if (gtk_widget_get_visible (layout->panes[HIR_PANE_TEXT]))
    rest -= enlarge (self, widths[HIR_WIDTH_TEXT]) + get_divider (layout->middle);
  gtk_paned_set_position (layout->columns,
                          MAX (rest - enlarge (self, widths[HIR_WIDTH_INSPECTOR]), rest / 3));
}

/* GTK changes a position in proportion when the pane gets another width, so that positions become
 * valid one after the other. */
static gboolean
on_frame (GtkWidget *rows, GdkFrameClock *clock, gpointer user_data)
{
  HirWindow *self = user_data;

  if (self->layout.maximized == HIR_PANE_NONE)
    set_widths (self, gtk_widget_get_width (rows));
  return --self->layout.n_frames > 0 ? G_SOURCE_CONTINUE : G_SOURCE_REMOVE;
}

gboolean
hir_window_get_wraps (HirWindow *self)
{
  int wrap = hir_settings_get (self->settings, HIR_SETTING_WRAP);

  return wrap == WRAPS_IN_LARGE ? self->layout.width_class == HIR_N_WIDTH_CLASSES - 1 : wrap != 0;
}

void
hir_window_apply_graph_settings (HirWindow *self)
{
  hir_graph_pane_set_legend (self->graph_pane,
                             hir_settings_get (self->settings, HIR_SETTING_LEGEND) != 0);
  hir_text_pane_set_wraps (self->text, hir_window_get_wraps (self));
  hir_text_pane_set_abbreviates (self->text,
                                 hir_settings_get (self->settings, HIR_SETTING_ABBREVIATE) != 0);
  hir_graph_view_set_map (self->graph, hir_settings_get (self->settings, HIR_SETTING_MAP) != 0);
}

static void
share_width (HirWindow *self, int width)
{
  HirWindowLayout *layout = &self->layout;

  layout->width_class = get_width_class (self, width);
  hir_window_apply_graph_settings (self);
  set_widths (self, width);
  if (layout->n_frames == 0)
    gtk_widget_add_tick_callback (GTK_WIDGET (layout->rows), on_frame, self, NULL);
  layout->n_frames = FRAMES;
}

/* Returns the height of the bottom place. */
static int
get_bottom_height (HirWindow *self, int height)
{
  int wanted = (int) hir_timeline_pane_get_full_height (self->timeline_pane) + STRIP_HEIGHT;
  int most = MAX (MIN (height * 3 / 5, height - enlarge (self, EVENTS_HEIGHT)), height / 4);

  if (self->layout.is_bottom_low)
    return 0;
  if (!hir_window_has_passes (self))
    return CLAMP (wanted, height / 4, most);
  return MIN (enlarge (self, self->layout.heights[self->layout.height_class]), height / 2);
}

static void
share_height (HirWindow *self, int height)
{
  HirWindowLayout *layout = &self->layout;

  layout->height_class = get_height_class (self, height);
  layout->shared_frame = get_frame (self);
  layout->shared_height = height;
  gtk_paned_set_position (layout->rows,
                          MAX (height - get_bottom_height (self, height), height / 3));
  layout->shared_bottom = height - gtk_paned_get_position (layout->rows);
}

static gboolean
share_room (gpointer user_data)
{
  HirWindow *self = user_data;
  int height = gtk_widget_get_height (GTK_WIDGET (self->layout.rows));
  int width = gtk_widget_get_width (GTK_WIDGET (self->layout.rows));

  self->layout.is_outdated = FALSE;
  if (height <= 0 || width <= 0 || self->layout.maximized != HIR_PANE_NONE)
    return G_SOURCE_REMOVE;
  share_height (self, height);
  share_width (self, width);
  self->layout.has_room = TRUE;
  return G_SOURCE_REMOVE;
}

void
hir_window_share_room (HirWindow *self)
{
  self->layout.is_outdated = TRUE;
  g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, share_room, g_object_ref (self), g_object_unref);
}

/* Remembers @size for a text size of 100%, unless @pane is hidden. */
static void
remember (HirWindow *self, int *remembered, HirPane pane, int size)
{
  if (gtk_widget_get_mapped (self->layout.panes[pane]) && size > 0)
    *remembered = size * 100 / get_text_size (self);
}

/* New positions of the dividers are ignored until the panes have been allocated, in the next
 * frame. */
void
hir_window_remember_sizes (HirWindow *self)
{
  HirWindowLayout *layout = &self->layout;
  int *widths = layout->widths[layout->width_class];

  if (!layout->has_room || layout->is_outdated || layout->maximized != HIR_PANE_NONE ||
      !hir_window_has_passes (self) || get_frame (self) < layout->shared_frame + 2)
    return;
  remember (self, &widths[HIR_WIDTH_PASSES], HIR_PANE_PASSES,
            gtk_widget_get_width (layout->panes[HIR_PANE_PASSES]));
  remember (self, &widths[HIR_WIDTH_TEXT], HIR_PANE_TEXT,
            gtk_widget_get_width (layout->panes[HIR_PANE_TEXT]));
  remember (self, &widths[HIR_WIDTH_INSPECTOR], HIR_PANE_INSPECTOR,
            gtk_widget_get_width (layout->panes[HIR_PANE_INSPECTOR]) +
                get_divider (layout->columns));
  if (!layout->is_bottom_low)
    remember (self, &layout->heights[layout->height_class], HIR_PANE_BOTTOM,
              gtk_widget_get_height (layout->panes[HIR_PANE_BOTTOM]) + get_divider (layout->rows));
}

static gboolean
remember_sizes (gpointer user_data)
{
  hir_window_remember_sizes (user_data);
  return G_SOURCE_REMOVE;
}

/* The user may have moved a divider. */
static gboolean
on_event (GtkEventControllerLegacy *controller, GdkEvent *event, gpointer user_data)
{
  if (gdk_event_get_event_type (event) == GDK_BUTTON_RELEASE)
    g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, remember_sizes, g_object_ref (user_data),
                     g_object_unref);
  return FALSE;
}

/* Divides the window again if it has become small or large, if the divider of the low bottom place
 * was moved, or if only a trace is displayed and the user has not moved the divider. */
static gboolean
follow_room (gpointer user_data)
{
  HirWindow *self = user_data;
  HirWindowLayout *layout = &self->layout;
  int height = gtk_widget_get_height (GTK_WIDGET (layout->rows));
  int width = gtk_widget_get_width (GTK_WIDGET (layout->rows));
  int bottom = height - gtk_paned_get_position (layout->rows);
  int most;

  g_object_get (layout->rows, "max-position", &most, NULL);
  layout->is_following = FALSE;
  if (!layout->has_room || layout->maximized != HIR_PANE_NONE || height <= 0 || width <= 0)
    return G_SOURCE_REMOVE;
  if ((layout->is_bottom_low && height - bottom < most) ||
      get_height_class (self, height) != layout->height_class ||
      (!hir_window_has_passes (self) && bottom == layout->shared_bottom &&
       height != layout->shared_height))
    share_height (self, height);
  if (get_width_class (self, width) != layout->width_class)
    share_width (self, width);
  return G_SOURCE_REMOVE;
}

/* In an idle callback, because a new position would restart the allocation. */
static void
on_room (HirWindow *self)
{
  if (!self->layout.is_following)
    g_idle_add_full (G_PRIORITY_DEFAULT_IDLE, follow_room, g_object_ref (self), g_object_unref);
  self->layout.is_following = TRUE;
}

/* Called at the first allocation. */
static void
on_first_room (GtkPaned *rows, GParamSpec *pspec, gpointer user_data)
{
  HirWindow *self = user_data;
  GtkPaned *all[] = { rows, self->layout.left, self->layout.middle, self->layout.columns };
  GtkEventController *events = gtk_event_controller_legacy_new ();

  g_signal_handlers_disconnect_by_func (rows, on_first_room, self);
  gtk_event_controller_set_propagation_phase (events, GTK_PHASE_CAPTURE);
  g_signal_connect (events, "event", G_CALLBACK (on_event), self);
  gtk_widget_add_controller (GTK_WIDGET (rows), events);
  hir_window_share_room (self);
  for (guint i = 0; i < G_N_ELEMENTS (all); i++)
    {
      g_signal_connect_swapped (all[i], "notify::max-position", G_CALLBACK (on_room), self);
      g_signal_connect_swapped (all[i], "notify::position", G_CALLBACK (on_room), self);
    }
}

void
hir_window_set_bottom_low (HirWindow *self, gboolean is_low)
{
  if (self->layout.is_bottom_low == is_low)
    return;
  hir_window_remember_sizes (self);
  self->layout.is_bottom_low = is_low;
  hir_window_share_room (self);
}

void
hir_window_restore_layout (HirWindow *self)
{
  HirSettings *settings = self->settings;
  HirWindowLayout *layout = &self->layout;

  gtk_window_set_default_size (GTK_WINDOW (self),
                               hir_settings_get (settings, HIR_SETTING_WINDOW_WIDTH),
                               hir_settings_get (settings, HIR_SETTING_WINDOW_HEIGHT));
  if (hir_settings_get (settings, HIR_SETTING_MAXIMIZED))
    gtk_window_maximize (GTK_WINDOW (self));
  for (guint i = 0; i < G_N_ELEMENTS (layout->widths); i++)
    for (guint k = 0; k < HIR_N_WIDTHS; k++)
      layout->widths[i][k] = hir_settings_get (settings, width_settings[i][k]);
  for (guint i = 0; i < G_N_ELEMENTS (layout->heights); i++)
    layout->heights[i] = hir_settings_get (settings, height_settings[i]);
  g_signal_connect (layout->rows, "notify::max-position", G_CALLBACK (on_first_room), self);
  hir_run_controls_restore (&self->run_controls, settings);
  hir_window_apply_graph_settings (self);
}

void
hir_window_store_layout (HirWindow *self)
{
  HirSettings *settings = self->settings;
  HirWindowLayout *layout = &self->layout;
  int width, height;

  gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
  hir_settings_set (settings, HIR_SETTING_MAXIMIZED, gtk_window_is_maximized (GTK_WINDOW (self)));
  if (!gtk_window_is_maximized (GTK_WINDOW (self)) && width > 0 && height > 0)
    {
      hir_settings_set (settings, HIR_SETTING_WINDOW_WIDTH, width);
      hir_settings_set (settings, HIR_SETTING_WINDOW_HEIGHT, height);
    }
  hir_window_remember_sizes (self);
  if (!layout->has_room)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (layout->widths); i++)
    for (guint k = 0; k < HIR_N_WIDTHS; k++)
      hir_settings_set (settings, width_settings[i][k], layout->widths[i][k]);
  for (guint i = 0; i < G_N_ELEMENTS (layout->heights); i++)
    hir_settings_set (settings, height_settings[i], layout->heights[i]);
}

/* --- header bar --------------------------------------------------------------------------- */

/* Pixels at a text size of 100%. */
#define NARROW_WIDTH 1000
#define SMALL_WIDTH 1120
#define TOOLS_WIDTH 1100
#define HINT_WIDTH 1300

typedef struct
{
  HirWindow *window;
  AdwHeaderBar *header;
  GtkWidget *hint;
  GtkWidget *options; /* the button of the popover */
  GtkBox *room;       /* contents of the popover */
  guint n_moved;      /* controls in the popover */
} Narrow;

/* Moves controls between header bar and popover: those that the header bar packs first from its end
 * leave it first. */
static void
place_controls (Narrow *narrow, guint n_moved)
{
  HirRunControls *controls = &narrow->window->run_controls;
  GtkWidget *widgets[] = { GTK_WIDGET (controls->baseline), GTK_WIDGET (controls->gpu),
                           GTK_WIDGET (controls->clock), GTK_WIDGET (controls->streams),
                           narrow->window->program_menu };

  if (n_moved == narrow->n_moved)
    return;
  for (guint i = 0; i < G_N_ELEMENTS (widgets); i++)
    {
      hir_focus_leave (widgets[i], NULL);
      g_object_ref (widgets[i]);
      if (i < narrow->n_moved)
        gtk_box_remove (narrow->room, widgets[i]);
      else
        adw_header_bar_remove (narrow->header, widgets[i]);
    }
  for (guint i = 0; i < G_N_ELEMENTS (widgets); i++)
    {
      if (i < n_moved)
        gtk_box_prepend (narrow->room, widgets[i]);
      else
        adw_header_bar_pack_end (narrow->header, widgets[i]);
      g_object_unref (widgets[i]);
    }
  narrow->n_moved = n_moved;
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
  int width, height, menu = 0, size = hir_settings_get (self->settings, HIR_SETTING_TEXT_SIZE);

  gtk_window_get_default_size (GTK_WINDOW (self), &width, &height);
  if (gtk_window_is_maximized (GTK_WINDOW (self)))
    width = MAX (width, gtk_widget_get_width (GTK_WIDGET (self)));
  width = width * 100 / MAX (size, 1);
  gtk_widget_set_visible (narrow->hint, width <= 0 || width >= HINT_WIDTH);
  show_tools (narrow, width <= 0 || width >= TOOLS_WIDTH);
  if (gtk_widget_get_visible (self->parameters))
    gtk_widget_measure (self->parameters, GTK_ORIENTATION_HORIZONTAL, -1, NULL, &menu, NULL, NULL);
  place_controls (narrow, width <= 0 || width >= SMALL_WIDTH + menu * 100 / MAX (size, 1) ? 0
                          : width >= NARROW_WIDTH                                         ? 2
                                                                                          : 4);
  gtk_widget_set_visible (narrow->options,
                          narrow->n_moved > 0 && gtk_widget_get_visible (GTK_WIDGET (self->run)));
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

  *narrow = (Narrow){ self, ADW_HEADER_BAR (header), hint, NULL, NULL, 0 };
  narrow->options = create_options (narrow);
  adw_header_bar_pack_end (narrow->header, narrow->options);
  g_object_set_data_full (G_OBJECT (self), "hir-narrow", narrow, g_free);
  g_signal_connect_swapped (self, "notify::default-width", G_CALLBACK (update), narrow);
  g_signal_connect_swapped (self, "notify::maximized", G_CALLBACK (update), narrow);
  g_signal_connect_swapped (self->run, "notify::visible", G_CALLBACK (update), narrow);
  g_signal_connect_swapped (self->parameters, "notify::visible", G_CALLBACK (update), narrow);
  g_signal_connect_swapped (self->parameters, "notify::label", G_CALLBACK (update), narrow);
  g_signal_connect_object (self->settings, "changed", G_CALLBACK (fit_width), self,
                           G_CONNECT_SWAPPED);
  update (narrow);
}
