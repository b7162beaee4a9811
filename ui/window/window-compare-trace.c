#include "stats/compare-window.h"
#include "window/window-private.h"

static void
compare_with (HirWindow *self, const char *path)
{
  const char *recording = hir_document_get_recording_path (self->document);
  g_autoptr (HirTraceRules) rules = hir_window_dup_rules (self);
  g_autofree char *name = recording != NULL ? g_path_get_basename (recording)
                                            : g_strdup (adw_window_title_get_title (self->title));

  gtk_window_present (GTK_WINDOW (
      hir_compare_window_new (GTK_WINDOW (self), hir_document_get_program (self->document),
                              hir_document_get_trace (self->document), name, path, rules)));
}

static void
on_response (GtkNativeDialog *dialog, int response, gpointer user_data)
{
  HirWindow *self = user_data;
  g_autofree char *path = hir_window_take_chosen_path (self, response);

  if (path != NULL && hir_document_get_trace (self->document) != NULL)
    compare_with (self, path);
  else if (response == GTK_RESPONSE_ACCEPT)
    hir_window_alert (self, "Cannot Open This", "The location is not a local file.");
}

void
hir_window_compare_trace (HirWindow *self, GVariant *parameter, int argument)
{
  static const char *const patterns[] = { "*.hirs", "*.json", "*.json.gz", "*.sqlite", NULL };

  hir_window_create_chooser (self, "Compare With", GTK_FILE_CHOOSER_ACTION_OPEN, "_Compare",
                             G_CALLBACK (on_response), self);
  hir_window_show_open_chooser (self, "Recordings and traces", patterns);
}
