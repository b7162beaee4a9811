#include "window-export.h"

#include "draw/figure.h"
#include "trace/export-chrome.h"
#include "window-debug.h"
#include "window-private.h"

typedef struct
{
  const char *target; /* parameter of win.export */
  const char *title;
  const char *suffix;
} Kind;

static const Kind kinds[] = {
  { "chrome", "Export a Chrome Trace", ".json" },
  { "timeline", "Export the Timeline (.svg, .pdf or .png)", ".svg" },
  { "graph", "Export the Graph (.svg, .pdf or .png)", ".svg" },
  { "text", "Export the Program Text", ".txt" },
  { "save", "Save the Recording", ".hirs" },
};

/* What is exported, held while a thread writes it. */
typedef struct
{
  const Kind *kind;
  char *path;
  HirTrace *trace;
  HirProgram *program;
  HirProgramView *view;
  gint64 range_start_ns, range_end_ns;
  gboolean has_selection; /* of an event: figures mark it */
  guint selected_track, selected_index;
  gboolean dark;
} Job;

static void
job_free (Job *job)
{
  g_free (job->path);
  g_clear_pointer (&job->trace, hir_trace_unref);
  g_clear_pointer (&job->program, hir_program_unref);
  g_clear_pointer (&job->view, hir_program_view_unref);
  g_free (job);
}

static gboolean
write_figure (const Job *job, GError **error)
{
  HirFigureOptions options = { .dark = FALSE, .legend = TRUE };

  if (!hir_figure_format_from_path (job->path, &options.format))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "%s does not end in .svg, .pdf or .png; the ending says what is written",
                     job->path);
      return FALSE;
    }
  if (g_str_equal (job->kind->target, "timeline"))
    {
      options.range_start_ns = job->range_start_ns;
      options.range_end_ns = job->range_end_ns;
      options.has_selection = job->has_selection;
      options.selected_track = job->selected_track;
      options.selected_index = job->selected_index;
      return hir_figure_write_timeline (job->trace, &options, job->path, error);
    }
  else
    {
      g_autoptr (HirLayouter) layouter = hir_layouter_new (NULL, 0);

      options.title = job->view->pass_name;
      return hir_figure_write_graph (job->view->graph, NULL, layouter, &options, job->path, error);
    }
}

static void
write_in_thread (GTask *task, gpointer source_object, gpointer task_data, GCancellable *cancellable)
{
  Job *job = task_data;
  GError *error = NULL;
  gboolean done;

  if (g_str_equal (job->kind->target, "chrome"))
    done = hir_export_chrome_file (job->trace, job->path, &error);
  else if (g_str_equal (job->kind->target, "text"))
    done = g_file_set_contents (job->path, job->view->text, -1, &error);
  else
    done = write_figure (job, &error);

  if (done)
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

static void
on_written (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HirWindow) self = HIR_WINDOW (source);
  Job *job = g_task_get_task_data (G_TASK (result));
  g_autoptr (GError) error = NULL;
  g_autofree char *name = g_path_get_basename (job->path);
  g_autofree char *text = g_strdup_printf ("Wrote %s", name);

  if (g_task_propagate_boolean (G_TASK (result), &error))
    hir_window_toast (self, text);
  else
    hir_window_alert (self, "The export failed", error->message);
}

static void
on_saved (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HirWindow) self = user_data;
  g_autoptr (GError) error = NULL;

  if (hir_document_save_finish (result, &error))
    hir_window_toast (self, "Recording saved");
  else
    hir_window_alert (self, "The recording could not be saved", error->message);
}

static void
start_job (HirWindow *self, const Kind *kind, const char *path)
{
  g_autoptr (GTask) task = g_task_new (g_object_ref (self), NULL, on_written, NULL);
  Job *job = g_new0 (Job, 1);
  HirTrace *trace = hir_document_get_trace (self->document);
  HirProgramView *view = hir_selection_get_view (self->selection);

  job->kind = kind;
  job->path = g_strdup (path);
  job->trace = trace != NULL ? hir_trace_ref (trace) : NULL;
  job->view = view != NULL ? hir_program_view_ref (view) : NULL;
  hir_selection_get_range (self->selection, &job->range_start_ns, &job->range_end_ns);
  job->has_selection =
      hir_selection_get_event (self->selection, &job->selected_track, &job->selected_index);
  g_task_set_task_data (task, job, (GDestroyNotify) job_free);
  g_task_run_in_thread (task, write_in_thread);
}

static void
on_response (GtkNativeDialog *dialog, int response, gpointer user_data)
{
  HirWindow *self = user_data;
  const Kind *kind = g_object_get_data (G_OBJECT (dialog), "kind");
  g_autoptr (GFile) file = NULL;
  g_autofree char *path = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    {
      file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
      path = g_file_get_path (file);
    }
  g_clear_object (&self->chooser);
  if (path == NULL)
    return;
  if (g_str_equal (kind->target, "save"))
    {
      hir_document_save_async (self->document, path, on_saved, g_object_ref (self));
      hir_window_breaks_keep_for (self, path);
    }
  else
    start_job (self, kind, path);
}

static void
choose (HirWindow *self, const Kind *kind)
{
  HirRequest *request = hir_document_get_request (self->document);
  g_autofree char *name =
      g_strconcat (request != NULL && request->function != NULL ? request->function : "program",
                   kind->suffix, NULL);

  g_clear_object (&self->chooser);
  self->chooser = gtk_file_chooser_native_new (kind->title, GTK_WINDOW (self),
                                               GTK_FILE_CHOOSER_ACTION_SAVE, "_Save", "_Cancel");
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (self->chooser), name);
  g_object_set_data (G_OBJECT (self->chooser), "kind", (gpointer) kind);
  g_signal_connect (self->chooser, "response", G_CALLBACK (on_response), self);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
}

void
hir_window_save (GtkWidget *widget, const char *name, GVariant *parameter)
{
  choose (HIR_WINDOW (widget), &kinds[G_N_ELEMENTS (kinds) - 1]);
}

void
hir_window_export (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);
  const char *target = g_variant_get_string (parameter, NULL);

  if (hir_document_get_trace (self->document) == NULL &&
      (g_str_equal (target, "chrome") || g_str_equal (target, "timeline")))
    {
      hir_window_toast (self, "There is no recording yet: press Run first");
      return;
    }
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    {
      if (g_str_equal (kinds[i].target, target))
        choose (self, &kinds[i]);
    }
}
