#include "window/window-copy.h"

#include <glib/gstdio.h>

#include "canvas/canvas.h"
#include "draw/report/figure.h"
#include "draw/timeline/timeline-arrange.h"
#include "predict/explain-run.h"

typedef struct
{
  HirTrace *trace;     /* NULL for a graph */
  HirProgram *program; /* nullable: of the trace, if its critical path is drawn */
  gboolean shows_path;
  HirPicture *picture; /* NULL for a timeline */
  HirFigureOptions options;
  GArray *tracks; /* nullable: those of the options */
  char *title;
} Job;

static void
job_free (gpointer data)
{
  Job *job = data;

  g_clear_pointer (&job->trace, hir_trace_unref);
  g_clear_pointer (&job->program, hir_program_unref);
  g_clear_pointer (&job->options.arrangement, g_key_file_unref);
  g_clear_pointer (&job->picture, hir_picture_unref);
  g_clear_pointer (&job->tracks, g_array_unref);
  g_free (job->title);
  g_free (job);
}

static gboolean
write_picture (Job *job, const char *path, GError **error)
{
  g_autoptr (HirExplain) explain = NULL;

  job->options.format = HIR_FIGURE_PNG;
  if (job->shows_path)
    job->options.explain = explain = hir_explain_run (job->trace, job->program, NULL, NULL, NULL);
  if (job->trace != NULL)
    return hir_figure_write_timeline (job->trace, &job->options, path, error);
  job->options.title = job->title;
  return hir_figure_write_picture (job->picture, &job->options, path, error);
}

static void
draw_in_thread (GTask *task, gpointer source_object, gpointer task_data, GCancellable *cancellable)
{
  g_autofree char *folder = NULL;
  g_autofree char *path = NULL;
  GError *error = NULL;
  char *bytes = NULL;
  gsize length = 0;
  gboolean done;

  folder = g_dir_make_tmp ("hirscope-copy-XXXXXX", &error);
  if (folder == NULL)
    {
      g_task_return_error (task, error);
      return;
    }
  path = g_build_filename (folder, "picture.png", NULL);
  done = write_picture (task_data, path, &error) &&
         g_file_get_contents (path, &bytes, &length, &error);
  g_unlink (path);
  g_rmdir (folder);
  if (done)
    g_task_return_pointer (task, g_bytes_new_take (bytes, length), (GDestroyNotify) g_bytes_unref);
  else
    g_task_return_error (task, error);
}

static void
on_drawn (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HirWindow) self = HIR_WINDOW (source);
  g_autoptr (GError) error = NULL;
  g_autoptr (GBytes) bytes = g_task_propagate_pointer (G_TASK (result), &error);
  g_autoptr (GdkTexture) texture = NULL;

  if (bytes != NULL)
    texture = gdk_texture_new_from_bytes (bytes, &error);
  if (texture == NULL)
    {
      hir_window_alert (self, "Could Not Create the Picture", error->message);
      return;
    }
  gdk_clipboard_set_texture (gtk_widget_get_clipboard (GTK_WIDGET (self)), texture);
  hir_window_toast (self, "Picture copied to the clipboard");
}

static void
copy (HirWindow *self, Job *job)
{
  g_autoptr (GTask) task = g_task_new (g_object_ref (self), NULL, on_drawn, NULL);

  job->options.dark = hir_canvas_get_theme ()->dark;
  job->options.legend = TRUE;
  g_task_set_task_data (task, job, job_free);
  g_task_run_in_thread (task, draw_in_thread);
}

void
hir_window_copy_timeline (HirWindow *self, GVariant *parameter, int argument)
{
  HirTrace *trace = hir_document_get_trace (self->document);
  HirProgram *program = hir_document_get_program (self->document);
  const HirTimelineRows *rows = hir_timeline_view_get_rows (self->timeline);
  gint64 start_ns, end_ns, first_ns, last_ns;
  Job *job;

  if (trace == NULL || hir_trace_get_n_events (trace) == 0)
    {
      hir_window_toast (self, hir_selection_get_advice (self->selection));
      return;
    }
  job = g_new0 (Job, 1);
  job->trace = hir_trace_ref (trace);
  job->program = program != NULL ? hir_program_ref (program) : NULL;
  job->shows_path = hir_explaining_get_shows_path (self->explaining);
  hir_trace_get_span (trace, &first_ns, &last_ns);
  if (hir_selection_get_range (self->selection, &start_ns, &end_ns))
    {
      job->options.range_start_ns = start_ns - first_ns;
      job->options.range_end_ns = end_ns - first_ns;
    }
  if (hir_selection_get_tracks (self->selection) != NULL)
    job->tracks = g_array_ref (hir_selection_get_tracks (self->selection));
  job->options.tracks = job->tracks;
  if (rows != NULL)
    {
      job->options.arrangement = g_key_file_new ();
      hir_timeline_rows_save_arrangement (rows, job->options.arrangement, HIR_FIGURE_ARRANGEMENT);
    }
  job->options.has_selection =
      hir_selection_get_event (self->selection, &job->options.selected_track,
                               &job->options.selected_index);
  copy (self, job);
}

void
hir_window_copy_graph (HirWindow *self, GVariant *parameter, int argument)
{
  HirPicture *picture = hir_graph_view_get_picture (self->graph);
  Job *job;

  if (picture == NULL)
    {
      hir_window_toast (self, "No graph to copy");
      return;
    }
  job = g_new0 (Job, 1);
  job->picture = hir_picture_ref (picture);
  job->title = g_strdup (picture->choice->view->pass_name);
  copy (self, job);
}

static void
on_cuda_chosen (GtkNativeDialog *dialog, int response, gpointer user_data)
{
  HirWindow *self = user_data;
  g_autofree char *path = hir_window_take_chosen_path (self, response);
  g_autofree char *name = NULL;
  g_autofree char *text =
      path != NULL ? hir_cuda_text_dup_file (hir_text_pane_get_cuda (self->text), &name) : NULL;
  g_autoptr (GError) error = NULL;

  if (text != NULL && g_file_set_contents (path, text, -1, &error))
    hir_window_toast (self, "CUDA C saved");
  else if (error != NULL)
    hir_window_alert (self, "Could Not Save the CUDA C", error->message);
  else if (response == GTK_RESPONSE_ACCEPT)
    hir_window_alert (self, "Cannot Save Here", "The location is not a local file.");
}

void
hir_window_save_cuda (HirWindow *self, GVariant *parameter, int argument)
{
  g_autofree char *name = NULL;
  g_autofree char *text = NULL;
  GtkFileChooser *chooser;

  /* Shows what is saved, and generates it if necessary. */
  hir_text_pane_show (self->text, "cuda");
  text = hir_cuda_text_dup_file (hir_text_pane_get_cuda (self->text), &name);
  if (text == NULL)
    {
      hir_window_toast (self, "There is no CUDA C to save yet");
      return;
    }
  chooser = hir_window_create_chooser (self, "Save CUDA C", GTK_FILE_CHOOSER_ACTION_SAVE, "_Save",
                                       G_CALLBACK (on_cuda_chosen), self);
  gtk_file_chooser_set_current_name (chooser, name);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
}
