#include "window/window-open.h"

#include "base/recent.h"
#include "trace/load/import.h"
#include "window/text-file-controller.h"

static void
begin (HirWindow *self)
{
  self->has_shown_program = FALSE;
  hir_text_pane_set_editing (self->text, FALSE);
  g_clear_pointer (&self->opening_path, g_free);
}

void
hir_window_open (HirWindow *self, const char *spec)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirRequest) request = NULL;

  if (!hir_window_may_open (self, spec))
    return;
  begin (self);
  if (g_str_has_suffix (spec, ".hirs") || hir_trace_sniff (spec))
    {
      hir_document_open_recording (self->document, spec);
    }
  else
    {
      request = self->host->open (spec, self->host->user_data, &error);
      if (request == NULL)
        {
          hir_window_alert (self, "Cannot Open This", error->message);
          return;
        }
      /* The path of an example is not a file. */
      if (!g_str_has_prefix (spec, "example:") && g_path_is_absolute (request->source->path))
        self->opening_path = g_strdup (request->source->path);
      else if (!g_str_has_prefix (spec, "example:") &&
               g_file_test (request->source->path, G_FILE_TEST_EXISTS))
        self->opening_path = g_canonicalize_filename (request->source->path, NULL);
      hir_document_open (self->document, request);
    }
  hir_recent_add (spec);
}

void
hir_window_open_ranks (HirWindow *self, const char *const *paths)
{
  if (!hir_window_may_open (self, paths[0]))
    return;
  begin (self);
  hir_document_open_recordings (self->document, paths);
}

gboolean
hir_window_open_files (HirWindow *self, GSList *files)
{
  g_autoptr (GStrvBuilder) builder = g_strv_builder_new ();
  g_auto (GStrv) paths = NULL;

  for (GSList *file = files; file != NULL; file = file->next)
    {
      g_autofree char *path = g_file_get_path (file->data);

      if (path != NULL)
        g_strv_builder_add (builder, path);
    }
  paths = g_strv_builder_end (builder);
  if (paths[0] == NULL)
    return FALSE;
  if (paths[1] == NULL)
    {
      hir_window_open (self, paths[0]);
      return TRUE;
    }
  hir_window_open_ranks (self, (const char *const *) paths);
  return TRUE;
}

void
hir_window_open_path (HirWindow *self, GVariant *parameter, int argument)
{
  hir_window_open (self, g_variant_get_string (parameter, NULL));
}

static void
on_open_response (GtkNativeDialog *dialog, int response, gpointer user_data)
{
  HirWindow *self = user_data;

  if (response == GTK_RESPONSE_ACCEPT)
    {
      g_autoptr (GListModel) chosen = gtk_file_chooser_get_files (GTK_FILE_CHOOSER (dialog));
      GSList *files = NULL;
      gboolean done;

      for (guint i = 0; i < g_list_model_get_n_items (chosen); i++)
        files = g_slist_append (files, g_list_model_get_item (chosen, i));
      done = hir_window_open_files (self, files);
      g_slist_free_full (files, g_object_unref);
      if (!done)
        hir_window_alert (self, "Cannot Open This", "The location is not a local file.");
    }
  g_clear_object (&self->chooser);
}

void
hir_window_choose_file (HirWindow *self, GVariant *parameter, int argument)
{
  static const char *const patterns[] = {
    "*.py", "*.hirs", "*.json", "*.json.gz", "*.sqlite", NULL
  };
  GtkFileChooser *chooser =
      hir_window_create_chooser (self, "Open a Script or a Recording", GTK_FILE_CHOOSER_ACTION_OPEN,
                                 "_Open", G_CALLBACK (on_open_response), self);

  gtk_file_chooser_set_select_multiple (chooser, TRUE);
  hir_window_show_open_chooser (self, "Scripts and traces", patterns);
}
