#include "stats/compare-window.h"
#include "window/window-private.h"

static void
compare_with (HirWindow *self, const char *path)
{
  const char *recording = hir_document_get_recording_path (self->document);
  g_autofree char *name = recording != NULL ? g_path_get_basename (recording)
                                            : g_strdup (adw_window_title_get_title (self->title));

  gtk_window_present (
      GTK_WINDOW (hir_compare_window_new (GTK_WINDOW (self),
                                          hir_document_get_trace (self->document), name, path)));
}

static void
on_response (GtkNativeDialog *dialog, int response, gpointer user_data)
{
  HirWindow *self = user_data;
  g_autoptr (GFile) file = NULL;
  g_autofree char *path = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
  path = file != NULL ? g_file_get_path (file) : NULL;
  if (path != NULL && hir_document_get_trace (self->document) != NULL)
    compare_with (self, path);
  else if (response == GTK_RESPONSE_ACCEPT)
    hir_window_alert (self, "This can't be opened", "It is not a file of this machine.");
  g_clear_object (&self->chooser);
}

void
hir_window_compare_trace (GtkWidget *widget, const char *name, GVariant *parameter)
{
  static const char *const patterns[] = { "*.hirs", "*.json", "*.json.gz", "*.sqlite" };
  HirWindow *self = HIR_WINDOW (widget);
  g_autoptr (GtkFileFilter) known = gtk_file_filter_new ();
  g_autoptr (GtkFileFilter) all = gtk_file_filter_new ();

  g_clear_object (&self->chooser);
  self->chooser = gtk_file_chooser_native_new ("Compare With", GTK_WINDOW (self),
                                               GTK_FILE_CHOOSER_ACTION_OPEN, "_Compare", "_Cancel");
  gtk_file_filter_set_name (known, "Recordings and traces");
  for (guint i = 0; i < G_N_ELEMENTS (patterns); i++)
    gtk_file_filter_add_pattern (known, patterns[i]);
  gtk_file_filter_set_name (all, "All files");
  gtk_file_filter_add_pattern (all, "*");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (self->chooser), known);
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (self->chooser), all);
  g_signal_connect (self->chooser, "response", G_CALLBACK (on_response), self);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
}
