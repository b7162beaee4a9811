#include "explain/predict-window.h"
#include "stats/compare-window.h"
#include "window/window-private.h"

/* Shows @a beside the trace of @path, whose name is @name_b if that is not NULL. Returns the
 * window.
 * @prefix: of the name of @a. */
static GtkWidget *
compare_with (
    HirWindow *self, HirTrace *a, const char *prefix, const char *path, const char *name_b)
{
  const char *recording = hir_document_get_recording_path (self->document);
  g_autoptr (HirTraceRules) rules = hir_window_dup_rules (self);
  g_autofree char *name = recording != NULL ? g_path_get_basename (recording)
                                            : g_strdup (adw_window_title_get_title (self->title));
  g_autofree char *name_a = g_strconcat (prefix, name, NULL);
  GtkWidget *window =
      hir_compare_window_new (GTK_WINDOW (self), hir_document_get_program (self->document), a,
                              name_a, path, name_b, rules);

  gtk_window_present (GTK_WINDOW (window));
  return window;
}

static void
on_response (GtkNativeDialog *dialog, int response, gpointer user_data)
{
  HirWindow *self = user_data;
  g_autofree char *path = hir_window_take_chosen_path (self, response);

  if (path != NULL && hir_document_get_trace (self->document) != NULL)
    compare_with (self, hir_document_get_trace (self->document), "", path, NULL);
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

static void
on_closed (GtkWidget *window, gpointer path)
{
  hir_predict_window_delete_file (path);
}

static void
free_path (gpointer path, GClosure *closure)
{
  g_free (path);
}

/* Shows the predicted run beside the recorded one. */
static void
on_predicted (const char *path, const char *changes, HirTrace *measured, gpointer user_data)
{
  gboolean is_model = g_strcmp0 (hir_trace_get_meta (measured, "clock"), "model") == 0;
  g_autofree char *name = g_strdup_printf ("predicted: %s", changes);
  GtkWidget *window =
      compare_with (user_data, measured, is_model ? "modelled: " : "measured: ", path, name);

  g_signal_connect_data (window, "destroy", G_CALLBACK (on_closed), g_strdup (path), free_path, 0);
}

void
hir_window_predict (HirWindow *self, GVariant *parameter, int argument)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  HirTrace *trace = hir_document_get_trace (self->document);

  if (program == NULL || trace == NULL)
    return;
  gtk_window_present (GTK_WINDOW (hir_predict_window_new (GTK_WINDOW (self), program, trace,
                                                          hir_explain_page_get_gain (self->explain),
                                                          on_predicted, self)));
}
