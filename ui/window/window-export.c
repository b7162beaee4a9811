#include "window/window-export.h"

#include <string.h>

#include "window/export-job.h"
#include "window/export-strip.h"
#include "window/window-debug.h"
#include "window/window-private.h"

/* The file that is being written, and who waits for it. */
struct _HirWindowExport
{
  HirExportJob *job;
  GtkWidget *question; /* nullable: whether to close nevertheless */
  gboolean closes;     /* the window goes once it has ended */
};

static gboolean
close_now (gpointer user_data)
{
  gtk_window_close (user_data);
  return G_SOURCE_REMOVE;
}

static void
tell (HirWindow *self, const HirExportJob *job, const GError *error)
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
    text = g_strdup_printf ("%s was not written", name);
  if (text != NULL)
    hir_window_toast (self, text);
  else
    hir_window_alert (self, saves ? "The recording could not be saved" : "The export failed",
                      error->message);
}

static void
on_written (GObject *source, GAsyncResult *result, gpointer user_data)
{
  g_autoptr (HirWindow) self = user_data;
  HirWindowExport *under_way = g_steal_pointer (&self->under_way);
  HirExportJob *job = under_way->job;
  g_autoptr (GError) error = NULL;

  if (hir_export_job_finish (job, result, &error) &&
      g_str_equal (hir_export_job_get_kind (job)->target, "save"))
    hir_window_breaks_keep_for (self, hir_export_job_get_path (job));
  hir_export_strip_end (self->export_strip);
  if (under_way->question != NULL)
    gtk_window_destroy (GTK_WINDOW (under_way->question));
  /* What failed is to be read before the window goes. */
  if (under_way->closes &&
      (error == NULL || g_error_matches (error, HIR_ERROR, HIR_ERROR_CANCELLED)))
    g_idle_add_full (G_PRIORITY_DEFAULT, close_now, g_object_ref (self), g_object_unref);
  else
    tell (self, job, error);
  hir_export_job_free (job);
  g_free (under_way);
  hir_window_update_actions (self);
}

static void
start (HirWindow *self, const HirExportKind *kind, const char *path)
{
  HirWindowExport *under_way = g_new0 (HirWindowExport, 1);
  const HirTimelineRows *rows = hir_timeline_view_get_rows (self->timeline);
  gint64 start_ns, end_ns;

  under_way->job = hir_export_job_new (kind, path, self->document, self->selection);
  if (g_str_equal (kind->target, "timeline") && rows != NULL)
    {
      hir_timeline_view_get_shown (self->timeline, &start_ns, &end_ns);
      hir_export_job_set_shown (under_way->job, rows, start_ns, end_ns);
    }
  self->under_way = under_way;
  hir_export_strip_begin (self->export_strip, path, hir_export_job_get_progress (under_way->job));
  hir_export_job_start (under_way->job, on_written, g_object_ref (self));
  hir_window_update_actions (self);
}

void
hir_window_cancel_export (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);

  if (self->under_way != NULL)
    hir_export_job_cancel (self->under_way->job);
}

/* --- closing while a file is written ------------------------------------------------------------
 */

static void
on_answer (AdwMessageDialog *dialog, const char *response, gpointer user_data)
{
  HirWindow *self = user_data;

  if (self->under_way == NULL)
    return;
  self->under_way->question = NULL;
  if (g_str_equal (response, "go-on"))
    return;
  self->under_way->closes = TRUE;
  if (g_str_equal (response, "stop"))
    hir_export_job_cancel (self->under_way->job);
}

static void
ask (HirWindow *self)
{
  g_autofree char *name = g_path_get_basename (hir_export_job_get_path (self->under_way->job));
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self), NULL, NULL);

  adw_message_dialog_format_heading (ADW_MESSAGE_DIALOG (dialog), "%s is still being written", name);
  adw_message_dialog_set_body (ADW_MESSAGE_DIALOG (dialog),
                               "If you stop it now, there will be no such file; one that it was to "
                               "replace stays as it is.");
  adw_message_dialog_add_responses (ADW_MESSAGE_DIALOG (dialog), "go-on", "_Cancel", "stop",
                                    "_Stop and Close", "wait", "Close _When Done", NULL);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "stop",
                                              ADW_RESPONSE_DESTRUCTIVE);
  adw_message_dialog_set_response_appearance (ADW_MESSAGE_DIALOG (dialog), "wait",
                                              ADW_RESPONSE_SUGGESTED);
  adw_message_dialog_set_default_response (ADW_MESSAGE_DIALOG (dialog), "wait");
  adw_message_dialog_set_close_response (ADW_MESSAGE_DIALOG (dialog), "go-on");
  g_signal_connect (dialog, "response", G_CALLBACK (on_answer), self);
  self->under_way->question = dialog;
  gtk_window_present (GTK_WINDOW (dialog));
}

static gboolean
on_close_request (HirWindow *self)
{
  if (self->under_way == NULL)
    return FALSE;
  if (self->under_way->question == NULL)
    ask (self);
  return TRUE;
}

void
hir_window_export_connect (HirWindow *self)
{
  g_signal_connect (self, "close-request", G_CALLBACK (on_close_request), NULL);
}

/* --- asking for a name --------------------------------------------------------------------------
 */

static void
on_response (GtkNativeDialog *dialog, int response, gpointer user_data)
{
  HirWindow *self = user_data;
  const HirExportKind *kind = g_object_get_data (G_OBJECT (dialog), "kind");
  g_autoptr (GFile) file = NULL;
  g_autofree char *path = NULL;

  if (response == GTK_RESPONSE_ACCEPT)
    {
      file = gtk_file_chooser_get_file (GTK_FILE_CHOOSER (dialog));
      path = g_file_get_path (file);
    }
  g_clear_object (&self->chooser);
  if (path != NULL)
    start (self, kind, path);
}

/* Of the function; of a trace of others, of its file without what tells the format. */
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
choose (HirWindow *self, const HirExportKind *kind)
{
  g_autofree char *stem = dup_stem (self);
  g_autofree char *name = g_strconcat (stem, kind->suffix, NULL);

  g_clear_object (&self->chooser);
  self->chooser = gtk_file_chooser_native_new (kind->title, GTK_WINDOW (self),
                                               GTK_FILE_CHOOSER_ACTION_SAVE, "_Save", "_Cancel");
  gtk_file_chooser_set_current_name (GTK_FILE_CHOOSER (self->chooser), name);
  g_object_set_data (G_OBJECT (self->chooser), "kind", (gpointer) kind);
  g_signal_connect (self->chooser, "response", G_CALLBACK (on_response), self);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
}

static void
begin (HirWindow *self, const char *target)
{
  const HirExportKind *kind = hir_export_kind_lookup (target);

  if (kind == NULL)
    return;
  if (self->under_way != NULL)
    {
      g_autofree char *name = g_path_get_basename (hir_export_job_get_path (self->under_way->job));
      g_autofree char *text =
          g_strdup_printf ("%s is still being written: wait for it, or stop it", name);

      hir_window_toast (self, text);
    }
  else if (kind->of == HIR_EXPORT_OF_TRACE && hir_document_get_trace (self->document) == NULL)
    hir_window_toast (self, "There is no recording yet: press Run first");
  else if (kind->of == HIR_EXPORT_OF_VIEW && hir_selection_get_view (self->selection) == NULL)
    hir_window_toast (self, "There is no program here, only a trace");
  else
    choose (self, kind);
}

void
hir_window_save (GtkWidget *widget, const char *name, GVariant *parameter)
{
  begin (HIR_WINDOW (widget), "save");
}

void
hir_window_export (GtkWidget *widget, const char *name, GVariant *parameter)
{
  begin (HIR_WINDOW (widget), g_variant_get_string (parameter, NULL));
}
