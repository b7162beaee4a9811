#include "canvas/scroller.h"

#include <string.h>

#define KEY "hir-scroller"

/* Limit of consecutive resizes with the same result. */
#define MAX_SAME 3
/* After this number of frames without a resize the count restarts. */
#define IDLE_FRAMES 4

/* State of the resizes of a scrolled window. */
typedef struct
{
  double extents[4];
  gint64 frame;
  guint n_same;
  gboolean is_queued;
} ResizeState;

static void
get_extents (GtkWidget *scroller, double extents[4])
{
  GtkAdjustment *across = gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (scroller));
  GtkAdjustment *down = gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller));

  extents[0] = gtk_adjustment_get_upper (across);
  extents[1] = gtk_adjustment_get_page_size (across);
  extents[2] = gtk_adjustment_get_upper (down);
  extents[3] = gtk_adjustment_get_page_size (down);
}

static gint64
get_frame (GtkWidget *scroller)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (scroller);

  return clock != NULL ? gdk_frame_clock_get_frame_counter (clock) : 0;
}

/* Limits the number of resizes: if scroll bars take space, each allocation tries with and
 * without them and both report a change, which would never end. */
static gboolean
on_idle (gpointer user_data)
{
  GtkWidget *scroller = user_data;
  ResizeState *state = g_object_get_data (G_OBJECT (scroller), KEY);
  double extents[4];

  state->is_queued = FALSE;
  get_extents (scroller, extents);
  if (memcmp (state->extents, extents, sizeof extents) != 0 ||
      get_frame (scroller) - state->frame > IDLE_FRAMES)
    state->n_same = 0;
  else if (++state->n_same > MAX_SAME)
    return G_SOURCE_REMOVE;
  state->frame = get_frame (scroller);
  memcpy (state->extents, extents, sizeof extents);
  for (GtkWidget *w = scroller; w != NULL; w = gtk_widget_get_parent (w))
    gtk_widget_queue_resize (w);
  return G_SOURCE_REMOVE;
}

static void
on_adjusted (GtkAdjustment *adjustment, gpointer user_data)
{
  GtkWidget *scroller = user_data;
  ResizeState *state = g_object_get_data (G_OBJECT (scroller), KEY);

  if (state->is_queued || !gtk_widget_get_mapped (scroller))
    return;
  state->is_queued = TRUE;
  g_idle_add_full (G_PRIORITY_HIGH_IDLE, on_idle, g_object_ref (scroller), g_object_unref);
}

GtkWidget *
hir_scroller_new (void)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

  g_object_set_data_full (G_OBJECT (scroller), KEY, g_new0 (ResizeState, 1), g_free);
  g_signal_connect (gtk_scrolled_window_get_hadjustment (GTK_SCROLLED_WINDOW (scroller)), "changed",
                    G_CALLBACK (on_adjusted), scroller);
  g_signal_connect (gtk_scrolled_window_get_vadjustment (GTK_SCROLLED_WINDOW (scroller)), "changed",
                    G_CALLBACK (on_adjusted), scroller);
  return scroller;
}

static void
on_range (GtkAdjustment *adjustment, GtkWidget *bar)
{
  gboolean scrolls = gtk_adjustment_get_upper (adjustment) - gtk_adjustment_get_lower (adjustment) >
                     gtk_adjustment_get_page_size (adjustment) + 0.5;

  gtk_widget_set_opacity (bar, scrolls ? 1 : 0);
  gtk_widget_set_can_target (bar, scrolls);
}

static GtkWidget *
create_scrollbar (GtkOrientation orientation, GtkAdjustment *adjustment)
{
  GtkWidget *bar = gtk_scrollbar_new (orientation, adjustment);

  g_signal_connect_object (adjustment, "changed", G_CALLBACK (on_range), bar, 0);
  on_range (adjustment, bar);
  return bar;
}

GtkWidget *
hir_scrollbar_new (GtkAdjustment *adjustment)
{
  return create_scrollbar (GTK_ORIENTATION_VERTICAL, adjustment);
}

GtkWidget *
hir_scrollbar_new_horizontal (GtkAdjustment *adjustment)
{
  return create_scrollbar (GTK_ORIENTATION_HORIZONTAL, adjustment);
}
