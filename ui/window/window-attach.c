#include "window/window-attach.h"

#include "trace/load/import.h"
#include "window/window-open.h"
#include "window/window-private.h"

static void
attach_program (HirWindow *self, const char *path)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRequest) request = self->host->open (path, self->host->user_data, &error);

  if (request == NULL)
    {
      hir_window_alert (self, "Cannot Attach This", error->message);
      return;
    }
  self->opening_path = g_canonicalize_filename (path, NULL);
  self->has_shown_program = FALSE;
  hir_document_attach_program (self->document, request);
}

static void
attach_traces (HirWindow *self, const char *const *paths)
{
  g_autoptr (HirTraceRules) rules = hir_window_dup_rules (self);

  hir_document_set_rules (self->document, rules);
  hir_document_attach_traces (self->document, paths);
}

static void
on_trace_response (GtkNativeDialog *dialog, int response, gpointer user_data)
{
  HirWindow *self = user_data;
  g_auto (GStrv) paths = hir_window_take_chosen_paths (self, response);

  if (paths[0] != NULL && hir_document_can_attach_trace (self->document))
    attach_traces (self, (const char *const *) paths);
}

static void
on_program_response (GtkNativeDialog *dialog, int response, gpointer user_data)
{
  HirWindow *self = user_data;
  g_autofree char *path = hir_window_take_chosen_path (self, response);

  if (path != NULL && hir_document_can_attach_program (self->document))
    attach_program (self, path);
}

static void
ask_for_traces (HirWindow *self)
{
  static const char *const patterns[] = { "*.json", "*.json.gz", "*.sqlite", NULL };
  GtkFileChooser *chooser = hir_window_create_chooser (self, "Attach a Trace of This Program",
                                                       GTK_FILE_CHOOSER_ACTION_OPEN, "_Attach",
                                                       G_CALLBACK (on_trace_response), self);

  gtk_file_chooser_set_select_multiple (chooser, TRUE);
  hir_window_show_open_chooser (self, "Traces", patterns);
}

static void
ask_for_program (HirWindow *self)
{
  static const char *const patterns[] = { "*.py", "*.txt", "*.log", NULL };

  hir_window_create_chooser (self, "Attach the Program of This Trace", GTK_FILE_CHOOSER_ACTION_OPEN,
                             "_Attach", G_CALLBACK (on_program_response), self);
  hir_window_show_open_chooser (self, "Scripts and printed programs", patterns);
}

void
hir_window_attach (HirWindow *self, GVariant *parameter, int argument)
{
  if (hir_document_can_attach_trace (self->document))
    ask_for_traces (self);
  else if (hir_document_can_attach_program (self->document))
    ask_for_program (self);
}

gboolean
hir_window_attach_paths (HirWindow *self, const char *const *paths)
{
  guint n_traces = 0;

  for (guint i = 0; paths[i] != NULL; i++)
    n_traces += hir_trace_sniff (paths[i]);
  if (!hir_window_in_workspace (self) || g_str_has_suffix (paths[0], ".hirs"))
    return FALSE;
  if (n_traces == 0 && paths[1] == NULL && hir_document_can_attach_program (self->document))
    attach_program (self, paths[0]);
  else if (n_traces == g_strv_length ((char **) paths) &&
           hir_document_can_attach_trace (self->document))
    attach_traces (self, paths);
  else
    return FALSE;
  return TRUE;
}

static void
on_failed_response (AdwMessageDialog *dialog, const char *response, gpointer user_data)
{
  if (g_str_equal (response, "open"))
    hir_window_open_paths (user_data, g_object_get_data (G_OBJECT (dialog), "hir-paths"));
}

/* Offers to open a trace that does not fit the program without it. */
static void
ask_to_open (HirWindow *self, const char *const *paths, const char *why)
{
  GtkWidget *widget = adw_message_dialog_new (GTK_WINDOW (self), "Cannot Attach This", NULL);
  AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (widget);

  adw_message_dialog_set_body (dialog, why);
  adw_message_dialog_add_responses (dialog, "close", "_Close", "open", "_Open the Trace Alone",
                                    NULL);
  adw_message_dialog_set_default_response (dialog, "close");
  g_object_set_data_full (G_OBJECT (dialog), "hir-paths", g_strdupv ((char **) paths),
                          (GDestroyNotify) g_strfreev);
  g_signal_connect_object (dialog, "response", G_CALLBACK (on_failed_response), self, 0);
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
on_attached (HirWindow *self, const char *const *paths, const char *why)
{
  const HirJoin *join = hir_document_get_join (self->document);

  if (why != NULL && hir_window_has_passes (self))
    ask_to_open (self, paths, why);
  else if (why != NULL)
    hir_window_alert (self, "Cannot Attach This", why);
  self->has_shown_program |= hir_document_get_program (self->document) != NULL;
  if (why == NULL && join->findings->len > 0)
    gtk_widget_activate_action (GTK_WIDGET (self), "win.check", NULL);
}

void
hir_window_attach_connect (HirWindow *self)
{
  g_signal_connect_swapped (self->document, "attached", G_CALLBACK (on_attached), self);
}

void
hir_window_update_attach_actions (HirWindow *self, gboolean in_workspace)
{
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.attach-trace",
                                 in_workspace && hir_document_can_attach_trace (self->document));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.attach-program",
                                 in_workspace && hir_document_can_attach_program (self->document));
}
