#include "scroller.h"

static gboolean
on_idle (gpointer user_data)
{
  GtkWidget *scroller = user_data;

  g_object_steal_data (G_OBJECT (scroller), "hir-again");
  for (GtkWidget *w = scroller; w != NULL; w = gtk_widget_get_parent (w))
    gtk_widget_queue_resize (w);
  return G_SOURCE_REMOVE;
}

static void
on_adjusted (GtkAdjustment *adjustment, gpointer user_data)
{
  GtkWidget *scroller = user_data;

  if (g_object_get_data (G_OBJECT (scroller), "hir-again") != NULL ||
      gtk_widget_get_mapped (scroller) == FALSE)
    return;
  g_object_set_data (G_OBJECT (scroller), "hir-again", scroller);
  g_idle_add_full (G_PRIORITY_HIGH_IDLE, on_idle, g_object_ref (scroller), g_object_unref);
}

GtkWidget *
hir_scroller_new (void)
{
  GtkWidget *scroller = gtk_scrolled_window_new ();

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

GtkWidget *
hir_scrollbar_new (GtkAdjustment *adjustment)
{
  GtkWidget *bar = gtk_scrollbar_new (GTK_ORIENTATION_VERTICAL, adjustment);

  g_signal_connect_object (adjustment, "changed", G_CALLBACK (on_range), bar, 0);
  on_range (adjustment, bar);
  return bar;
}
