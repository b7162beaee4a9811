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
