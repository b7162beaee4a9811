#include "window/window-events.h"

#include "diagnostic.h"
#include "window/window-panes.h"

/* Shows the selected event with some time around it. */
static void
on_show_event (HirWindow *self)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  guint track, index;
  gint64 start_ns, end_ns, margin_ns;

  if (!hir_selection_get_event (self->selection, &track, &index))
    return;
  hir_trace_get_interval (trace, track, index, &start_ns, &end_ns);
  margin_ns = MAX (2 * (end_ns - start_ns), 1000);
  hir_window_raise_timeline (self);
  hir_timeline_view_show (self->timeline, start_ns - margin_ns, end_ns + margin_ns);
  /* A hidden timeline would lose the keys. */
  if (gtk_widget_get_mapped (GTK_WIDGET (self->timeline)))
    gtk_widget_grab_focus (GTK_WIDGET (self->timeline));
}

static void
on_message (HirWindow *self, const char *text)
{
  hir_window_toast (self, text);
}

HirEventsPage *
hir_window_create_events (HirWindow *self)
{
  HirEventsPage *page = HIR_EVENTS_PAGE (hir_events_page_new (self->selection, self->settings));

  g_signal_connect_object (page, "show-event", G_CALLBACK (on_show_event), self, G_CONNECT_SWAPPED);
  g_signal_connect_object (page, "message", G_CALLBACK (on_message), self, G_CONNECT_SWAPPED);
  return page;
}

void
hir_window_show_events (HirWindow *self, GVariant *parameter, int argument)
{
  gtk_toggle_button_set_active (self->graph_tabs.show_events, TRUE);
  hir_events_page_set_is_sql (self->events, argument);
  if (!argument)
    hir_events_page_find (self->events);
}

void
hir_window_filter_events (HirWindow *self, GVariant *parameter, int argument)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  guint track, index;
  HirEvent event;

  if (!hir_selection_get_event (self->selection, &track, &index))
    {
      hir_window_toast (self, "Select an event first");
      return;
    }
  hir_trace_get_event (trace, track, index, &event);
  gtk_toggle_button_set_active (self->graph_tabs.show_events, TRUE);
  hir_events_page_filter_name (self->events, hir_trace_get_string (trace, event.name));
}

/* --- file --------------------------------------------------------------------------------- */

static void
on_saved (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HirWindow) self = user_data;
  g_autoptr (GError) error = NULL;

  if (hir_events_model_save_finish (result, &error))
    hir_window_toast (self, "Rows saved");
  else if (!g_error_matches (error, HIR_ERROR, HIR_ERROR_CANCELLED))
    hir_window_alert (self, "Could Not Save the Rows", error->message);
}

static void
on_response (GtkNativeDialog *dialog, int response, gpointer user_data)
{
  HirWindow *self = user_data;
  g_autofree char *path = hir_window_take_chosen_path (self, response);

  if (path != NULL && hir_events_page_can_save (self->events))
    hir_events_page_save (self->events, path, on_saved, g_object_ref (self));
  else if (path != NULL)
    hir_window_toast (self, "The rows have changed; save them again");
  else if (response == GTK_RESPONSE_ACCEPT)
    hir_window_alert (self, "Cannot Save Here", "The location is not a local file.");
  gtk_widget_grab_focus (GTK_WIDGET (self->events));
}

void
hir_window_save_events (HirWindow *self, GVariant *parameter, int argument)
{
  GtkFileChooser *chooser;

  if (!hir_events_page_can_save (self->events))
    {
      hir_window_toast (self, "No rows to save; show the events table first");
      return;
    }
  chooser = hir_window_create_chooser (self, "Save Rows as CSV", GTK_FILE_CHOOSER_ACTION_SAVE,
                                       "_Save", G_CALLBACK (on_response), self);
  gtk_file_chooser_set_current_name (chooser, "events.csv");
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
}
