#include "window/export-controller.h"

#include <string.h>

#include "base/figure-dialog.h"
#include "canvas/canvas.h"
#include "draw/report/html-report.h"
#include "text/code-folds.h"
#include "trace/duration.h"
#include "window/debug-controller.h"
#include "window/export-job.h"
#include "window/export-strip.h"

struct _HirExportController
{
  HirWindow *window;      /* borrowed */
  GtkWidget *strip;       /* the progress of the export */
  HirExportJob *job;      /* NULL if no file is being written */
  GtkWidget *question;    /* nullable: the dialog that asks before closing */
  gboolean closes;        /* close the window after the export */
  HirFigureLook looks[2]; /* of graphs and timelines */
};

static gboolean
close_now (gpointer user_data)
{
  gtk_window_close (user_data);
  return G_SOURCE_REMOVE;
}

static void
report_result (HirWindow *self, const HirExportJob *job, const GError *error)
{
  gboolean saves = g_str_equal (hir_export_job_get_kind (job)->target, "save");
  g_autofree char *name = g_path_get_basename (hir_export_job_get_path (job));
  g_autofree char *note = hir_export_job_dup_note (job);
  g_autofree char *text = NULL;

  if (error == NULL)
    text = saves          ? g_strdup ("Recording saved")
           : note != NULL ? g_strdup_printf ("Wrote %s; %s", name, note)
                          : g_strdup_printf ("Wrote %s", name);
  else if (g_error_matches (error, HIR_ERROR, HIR_ERROR_CANCELLED))
    text = g_strdup_printf ("Export of %s was cancelled", name);
  if (text != NULL)
    hir_window_toast (self, text);
  else
    hir_window_alert (self, saves ? "Could Not Save the Recording" : "Export Failed",
                      error->message);
}

static void
on_written (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HirWindow) window = user_data;
  HirExportController *self = window->export_controller;
  HirExportJob *job = g_steal_pointer (&self->job);
  g_autoptr (GError) error = NULL;

  if (hir_export_job_finish (job, result, &error) &&
      g_str_equal (hir_export_job_get_kind (job)->target, "save"))
    {
      hir_debug_breakpoints_store_for (window->debugger, hir_export_job_get_path (job));
      hir_timeline_view_store_marks_for (window->timeline, hir_export_job_get_path (job));
    }
  hir_export_strip_end (self->strip);
  if (self->question != NULL)
    gtk_window_destroy (GTK_WINDOW (g_steal_pointer (&self->question)));
  /* The user has to read an error before the window closes. */
  if (self->closes && (error == NULL || g_error_matches (error, HIR_ERROR, HIR_ERROR_CANCELLED)))
    g_idle_add_full (G_PRIORITY_DEFAULT, close_now, g_object_ref (window), g_object_unref);
  else
    report_result (window, job, error);
  self->closes = FALSE;
  hir_export_job_free (job);
  hir_window_update (window);
}

static gboolean
is_timeline (const HirExportKind *kind)
{
  return g_str_equal (kind->target, "timeline");
}

static gboolean
is_figure (const HirExportKind *kind)
{
  return is_timeline (kind) || g_str_equal (kind->target, "graph");
}

/* Sets the folds of the last program, which a report shows, as on screen. */
static void
set_folds (HirExportController *self)
{
  HirProgram *program = hir_document_get_program (self->window->document);
  GArray *folds = g_array_new (FALSE, FALSE, sizeof (HirHtmlFold));
  g_autoptr (GArray) regions = NULL;

  if (program != NULL && program->views->len > 0)
    regions = hir_text_pane_dup_folded (self->window->text,
                                        program->views->pdata[program->views->len - 1]);
  for (guint i = 0; regions != NULL && i < regions->len; i++)
    {
      const HirFoldRegion *region = &g_array_index (regions, HirFoldRegion, i);
      const HirHtmlFold fold = { region->head, region->last };

      g_array_append_val (folds, fold);
    }
  hir_export_job_set_folds (self->job, hir_graph_view_dup_folded (self->window->graph), folds);
}

static void
start (HirExportController *self, const HirExportKind *kind, const char *path)
{
  HirWindow *window = self->window;
  const HirFigureLook *look = &self->looks[is_timeline (kind)];
  const HirTimelineRows *rows = hir_timeline_view_get_rows (window->timeline);
  gint64 start_ns, end_ns;

  self->job = hir_export_job_new (kind, path, window->document, window->selection);
  if (is_figure (kind))
    hir_export_job_set_look (self->job, look, hir_canvas_get_theme ()->dark);
  if (is_timeline (kind) && !look->all_rows)
    hir_export_job_set_shows_path (self->job, hir_explaining_get_shows_path (window->explaining));
  if ((is_timeline (kind) || g_str_equal (kind->target, "html")) && rows != NULL)
    {
      hir_timeline_view_get_shown (window->timeline, &start_ns, &end_ns);
      hir_export_job_set_shown (self->job, is_timeline (kind) && look->all_rows ? NULL : rows,
                                start_ns, end_ns);
    }
  if (g_str_equal (kind->target, "html"))
    set_folds (self);
  if (g_str_equal (kind->target, "graph"))
    hir_export_job_set_picture (self->job, hir_graph_view_get_picture (window->graph));
  hir_export_strip_begin (self->strip, path, hir_export_job_get_progress (self->job));
  hir_export_job_start (self->job, on_written, g_object_ref (window));
  hir_window_update (window);
}

void
hir_window_cancel_export (HirWindow *window, GVariant *parameter, int argument)
{
  if (window->export_controller->job != NULL)
    hir_export_job_cancel (window->export_controller->job);
}

/* --- closing during an export
 * ------------------------------------------------------------------- */

static void
on_answer (AdwMessageDialog *dialog, const char *response, gpointer user_data)
{
  HirExportController *self = user_data;

  if (self->job == NULL)
    return;
  self->question = NULL;
  if (g_str_equal (response, "go-on"))
    return;
  self->closes = TRUE;
  if (g_str_equal (response, "stop"))
    hir_export_job_cancel (self->job);
}

static void
ask (HirExportController *self)
{
  g_autofree char *name = g_path_get_basename (hir_export_job_get_path (self->job));
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self->window), NULL, NULL);

  adw_message_dialog_format_heading (ADW_MESSAGE_DIALOG (dialog), "%s Is Still Being Written",
                                     name);
  adw_message_dialog_set_body (
      ADW_MESSAGE_DIALOG (dialog),
      "If you stop the export, no file is written, and an existing file is "
      "kept.");
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "go-on", "_Cancel", "stop",
                                    "_Stop and Close", "wait", "Close _When Done", NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "stop",
                                              ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "wait",
                                              ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "wait");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "go-on");
  g_signal_connect (dialog, "response", G_CALLBACK (on_answer), self);
  self->question = dialog;
  gtk_window_present (GTK_WINDOW (dialog));
}

static gboolean
on_close_request (HirExportController *self)
{
  if (self->job == NULL)
    return FALSE;
  if (self->question == NULL)
    ask (self);
  return TRUE;
}

/* --- choosing a file
 * ---------------------------------------------------------------------------- */

static void
on_response (GtkNativeDialog *dialog, int response, gpointer user_data)
{
  HirExportController *self = user_data;
  const HirExportKind *kind = g_object_get_data (G_OBJECT (dialog), "kind");
  g_autofree char *path = hir_window_take_chosen_path (self->window, response);

  if (path != NULL)
    start (self, kind, path);
}

/* Returns the name of the function, or of the trace file without its suffixes. */
static char *
dup_stem (HirWindow *self)
{
  static const char *const endings[] = { ".gz", ".json", ".sqlite", ".hirs", ".partial" };
  HirRequest *request = hir_document_get_request (self->document);
  const char *path = hir_document_get_recording_path (self->document);
  char *stem;

  if (request != NULL && request->function != NULL)
    return g_strdup (request->function);
  stem = path != NULL ? g_path_get_basename (path) : g_strdup ("program");
  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (stem, endings[i]) && strlen (stem) > strlen (endings[i]))
      stem[strlen (stem) - strlen (endings[i])] = '\0';
  return stem;
}

static void
choose (gpointer data, gpointer user_data)
{
  HirWindow *window = data;
  const HirExportKind *kind = user_data;
  g_autofree char *stem = dup_stem (window);
  g_autofree char *name = g_strconcat (stem, kind->suffix, NULL);
  GtkFileChooser *chooser =
      hir_window_create_chooser (window, kind->title, GTK_FILE_CHOOSER_ACTION_SAVE, "_Save",
                                 G_CALLBACK (on_response), window->export_controller);

  gtk_file_chooser_set_current_name (chooser, name);
  g_object_set_data (G_OBJECT (chooser), "kind", (gpointer) kind);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (chooser));
}

/* Returns which time a figure of the timeline has; see hir_export_job_set_shown(). */
static char *
dup_time (HirWindow *self)
{
  g_autofree char *length = NULL;
  gint64 start_ns, end_ns;

  if (hir_selection_get_range (self->selection, &start_ns, &end_ns))
    {
      length = hir_format_duration (end_ns - start_ns);
      return g_strdup_printf ("The selected range of %s is drawn. ", length);
    }
  hir_timeline_view_get_shown (self->timeline, &start_ns, &end_ns);
  length = hir_format_duration (end_ns - start_ns);
  return g_strdup_printf ("The visible %s are drawn; select a range for another time. ", length);
}

static void
begin (HirWindow *self, const char *target)
{
  const HirExportKind *kind = hir_export_kind_lookup (target);

  if (kind == NULL)
    return;
  if (self->export_controller->job != NULL)
    {
      g_autofree char *name =
          g_path_get_basename (hir_export_job_get_path (self->export_controller->job));
      g_autofree char *text =
          g_strdup_printf ("%s is still being written; wait, or cancel the export", name);

      hir_window_toast (self, text);
    }
  else if (kind->of == HIR_EXPORT_OF_TRACE && hir_document_get_trace (self->document) == NULL)
    hir_window_toast (self, hir_selection_get_advice (self->selection));
  else if (kind->of == HIR_EXPORT_OF_VIEW && hir_selection_get_view (self->selection) == NULL)
    hir_window_toast (self, "This document is a trace without a program");
  else if (is_figure (kind))
    {
      g_autofree char *time = is_timeline (kind) ? dup_time (self) : NULL;

      hir_figure_dialog_present (GTK_WINDOW (self), time,
                                 &self->export_controller->looks[is_timeline (kind)], choose, self,
                                 (gpointer) kind);
    }
  else
    choose (self, (gpointer) kind);
}

void
hir_window_save (HirWindow *self, GVariant *parameter, int argument)
{
  begin (self, "save");
}

void
hir_window_export (HirWindow *self, GVariant *parameter, int argument)
{
  begin (self, g_variant_get_string (parameter, NULL));
}

HirExportController *
hir_export_controller_new (HirWindow *window)
{
  HirExportController *self = g_new0 (HirExportController, 1);

  self->window = window;
  for (int i = 0; i < 2; i++)
    hir_figure_look_init (&self->looks[i], i);
  self->strip = hir_export_strip_new ();
  g_signal_connect_swapped (window, "close-request", G_CALLBACK (on_close_request), self);
  return self;
}

GtkWidget *
hir_export_controller_get_strip (HirExportController *self)
{
  return self->strip;
}

gboolean
hir_export_controller_is_writing (HirExportController *self)
{
  return self->job != NULL;
}
