#include "window/export-job.h"

#include <string.h>

#include "draw/report/html-report.h"
#include "draw/timeline/timeline-arrange.h"
#include "explain/explain-write.h"
#include "predict/explain-run.h"
#include "trace/export/export-chrome.h"
#include "trace/export/export-csv.h"
#include "trace/export/export-nsight.h"
#include "trace/export/export-perfetto.h"
#include "trace/text-out.h"

static const HirExportKind kinds[] = {
  { "save", "Save Recording", ".hirs", HIR_EXPORT_OF_TRACE },
  { "chrome", "Export Chrome Trace (.json or .json.gz)", ".json", HIR_EXPORT_OF_TRACE },
  { "perfetto", "Export Perfetto Trace", ".pftrace", HIR_EXPORT_OF_TRACE },
  { "nsight", "Export Nsight Systems Tables", ".sqlite", HIR_EXPORT_OF_TRACE },
  { "csv", "Export All Events as CSV", ".csv", HIR_EXPORT_OF_TRACE },
  { "html", "Export Report", ".html", HIR_EXPORT_OF_TRACE },
  { "explanation", "Export Explanation (.txt or .json)", ".txt", HIR_EXPORT_OF_TRACE },
  { "timeline", "Export Timeline (.svg, .pdf or .png)", ".svg", HIR_EXPORT_OF_TRACE },
  { "graph", "Export Graph (.svg, .pdf or .png)", ".svg", HIR_EXPORT_OF_VIEW },
  { "text", "Export Program Text", ".txt", HIR_EXPORT_OF_VIEW },
};

struct _HirExportJob
{
  const HirExportKind *kind;
  char *path;
  HirDocument *document;
  HirTrace *trace;      /* nullable */
  HirProgram *program;  /* nullable */
  HirProgramView *view; /* nullable */
  HirPicture *picture;  /* nullable: displayed graph */
  GHashTable *folded;   /* nullable: as in HirHtmlOptions, like the next one */
  GArray *folds;
  char *title; /* title of a report */
  HirFigureOptions figure;
  GArray *tracks;      /* nullable: those of the figure */
  gboolean shows_path; /* the figure has the critical path */
  GCancellable *cancellable;
  HirExportProgress progress;
};

const HirExportKind *
hir_export_kind_lookup (const char *target)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_equal (kinds[i].target, target))
      return &kinds[i];
  return NULL;
}

/* Sets the range of a figure, relative to the start of the trace. Does nothing if the range covers
 * the whole trace. */
static void
set_range (HirExportJob *job, gint64 start_ns, gint64 end_ns)
{
  gint64 first_ns, last_ns;

  hir_trace_get_span (job->trace, &first_ns, &last_ns);
  if (end_ns <= first_ns || start_ns >= last_ns || (start_ns <= first_ns && end_ns >= last_ns))
    return;
  job->figure.range_start_ns = MAX (start_ns, first_ns) - first_ns;
  job->figure.range_end_ns = MIN (end_ns, last_ns) - first_ns;
}

HirExportJob *
hir_export_job_new (const HirExportKind *kind,
                    const char *path,
                    HirDocument *document,
                    HirSelection *selection)
{
  HirExportJob *job = g_new0 (HirExportJob, 1);
  HirTrace *trace = hir_document_get_trace (document);
  HirProgram *program = hir_document_get_program (document);
  HirProgramView *view = hir_selection_get_view (selection);
  HirRequest *request = hir_document_get_request (document);
  const char *recorded = hir_document_get_recording_path (document);
  gint64 start_ns, end_ns;

  job->kind = kind;
  job->path = g_strdup (path);
  job->document = g_object_ref (document);
  job->trace = trace != NULL ? hir_trace_ref (trace) : NULL;
  job->program = program != NULL ? hir_program_ref (program) : NULL;
  job->view = view != NULL ? hir_program_view_ref (view) : NULL;
  job->title = recorded != NULL ? g_path_get_basename (recorded)
                                : g_strdup (request != NULL ? request->function : NULL);
  job->cancellable = g_cancellable_new ();
  hir_export_progress_init (&job->progress, job->cancellable);
  job->figure.legend = TRUE;
  job->figure.progress = &job->progress;
  if (trace != NULL && hir_selection_get_range (selection, &start_ns, &end_ns))
    set_range (job, start_ns, end_ns);
  if (trace != NULL && hir_selection_get_tracks (selection) != NULL)
    job->tracks = g_array_ref (hir_selection_get_tracks (selection));
  job->figure.tracks = job->tracks;
  job->figure.has_selection =
      hir_selection_get_event (selection, &job->figure.selected_track, &job->figure.selected_index);
  return job;
}

void
hir_export_job_set_shown (HirExportJob *job,
                          const HirTimelineRows *rows,
                          gint64 start_ns,
                          gint64 end_ns)
{
  g_return_if_fail (job->trace != NULL && job->figure.arrangement == NULL);
  if (rows != NULL)
    {
      job->figure.arrangement = g_key_file_new ();
      hir_timeline_rows_save_arrangement (rows, job->figure.arrangement, HIR_FIGURE_ARRANGEMENT);
    }
  /* A report describes the whole recording, or the selected range. */
  if (g_str_equal (job->kind->target, "timeline") &&
      job->figure.range_start_ns == job->figure.range_end_ns)
    set_range (job, start_ns, end_ns);
}

void
hir_export_job_set_shows_path (HirExportJob *job, gboolean shows_path)
{
  job->shows_path = shows_path;
}

void
hir_export_job_set_look (HirExportJob *job, const HirFigureLook *look, gboolean dark)
{
  job->figure.width_mm = look->width_mm;
  job->figure.height_mm = look->height_mm;
  job->figure.font_pt = look->font_pt;
  job->figure.legend = look->legend;
  job->figure.dark = look->background == HIR_FIGURE_ON_THEME && dark;
  job->figure.transparent = look->background == HIR_FIGURE_ON_NOTHING;
}

void
hir_export_job_set_picture (HirExportJob *job, HirPicture *picture)
{
  g_return_if_fail (job->picture == NULL);
  job->picture = picture != NULL ? hir_picture_ref (picture) : NULL;
}

void
hir_export_job_set_folds (HirExportJob *job, GHashTable *folded, GArray *folds)
{
  g_return_if_fail (job->folded == NULL);
  job->folded = folded;
  job->folds = folds;
}

void
hir_export_job_free (HirExportJob *job)
{
  if (job == NULL)
    return;
  g_clear_pointer (&job->figure.arrangement, g_key_file_unref);
  g_clear_pointer (&job->tracks, g_array_unref);
  g_clear_pointer (&job->trace, hir_trace_unref);
  g_clear_pointer (&job->program, hir_program_unref);
  g_clear_pointer (&job->view, hir_program_view_unref);
  g_clear_pointer (&job->picture, hir_picture_unref);
  g_clear_pointer (&job->folded, g_hash_table_unref);
  g_clear_pointer (&job->folds, g_array_unref);
  g_object_unref (job->document);
  g_object_unref (job->cancellable);
  g_free (job->title);
  g_free (job->path);
  g_free (job);
}

static gboolean
write_figure (HirExportJob *job, GError **error)
{
  g_autoptr (HirLayouter) layouter = NULL;
  g_autoptr (HirExplain) explain = NULL;
  HirFigureOptions options = job->figure;

  if (!hir_figure_format_from_path (job->path, &options.format))
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "%s does not end in .svg, .pdf or .png; the ending says what is written",
                     job->path);
      return FALSE;
    }
  if (job->shows_path)
    options.explain = explain =
        hir_explain_run (job->trace, job->program, job->cancellable, NULL, NULL);
  if (g_str_equal (job->kind->target, "timeline"))
    return hir_figure_write_timeline (job->trace, &options, job->path, error);
  options.title = job->view->pass_name;
  if (job->picture != NULL)
    return hir_figure_write_picture (job->picture, &options, job->path, error);
  layouter = hir_layouter_new (NULL, 0);
  return hir_figure_write_graph (job->view->graph, NULL, layouter, &options, job->path, error);
}

static gboolean
write_report (HirExportJob *job, GError **error)
{
  g_autoptr (HirLayouter) layouter = hir_layouter_new (NULL, 0);
  g_autoptr (HirExplain) explain =
      hir_explain_run (job->trace, job->program, job->cancellable, NULL, NULL);
  HirHtmlOptions html = {
    .figure = job->figure,
    .title = job->title,
    .views = job->program != NULL ? job->program->views : NULL,
    .layouter = layouter,
    .folded = job->folded,
    .folds = job->folds,
  };

  html.figure.explain = explain;
  html.figure.has_selection = FALSE;
  return hir_html_report_write (job->trace, &html, job->path, error);
}

/* Writes the same as the command `explain`. */
static gboolean
write_explanation_text (gconstpointer explain,
                        GOutputStream *stream,
                        HirExportProgress *progress,
                        GError **error)
{
  HirTextOut out;

  hir_text_out_init (&out, stream, progress);
  hir_explain_write_text (explain, HIR_EXPLAIN_MAX_ROWS, &out);
  return hir_text_out_finish (&out, error);
}

static gboolean
write_explanation_json (gconstpointer explain,
                        GOutputStream *stream,
                        HirExportProgress *progress,
                        GError **error)
{
  HirTextOut out;

  hir_text_out_init (&out, stream, progress);
  hir_explain_write_json (explain, &out);
  return hir_text_out_finish (&out, error);
}

static gboolean
write_explanation (HirExportJob *job, GError **error)
{
  g_autoptr (HirExplain) explain =
      hir_explain_run (job->trace, job->program, job->cancellable, NULL, error);

  return explain != NULL &&
         hir_text_out_write_file (job->path,
                                  g_str_has_suffix (job->path, ".json") ? write_explanation_json
                                                                        : write_explanation_text,
                                  explain, &job->progress, error);
}

static gboolean
write_view_text (gconstpointer view,
                 GOutputStream *stream,
                 HirExportProgress *progress,
                 GError **error)
{
  const char *text = ((const HirProgramView *) view)->text;

  return g_output_stream_write_all (stream, text, strlen (text), NULL,
                                    hir_export_progress_get_cancellable (progress), error);
}

static gboolean
write_job (HirExportJob *job, GError **error)
{
  const char *target = job->kind->target;

  if (g_str_equal (target, "chrome"))
    return hir_export_chrome_file (job->trace, job->path, &job->progress, error);
  if (g_str_equal (target, "perfetto"))
    return hir_export_perfetto_file (job->trace, job->path, &job->progress, error);
  if (g_str_equal (target, "nsight"))
    return hir_export_nsight_file (job->trace, job->path, &job->progress, error);
  if (g_str_equal (target, "csv"))
    return hir_export_csv_file (job->trace, job->path, &job->progress, error);
  if (g_str_equal (target, "html"))
    return write_report (job, error);
  if (g_str_equal (target, "explanation"))
    return write_explanation (job, error);
  if (g_str_equal (target, "text"))
    return hir_text_out_write_file (job->path, write_view_text, job->view, &job->progress, error);
  return write_figure (job, error);
}

static void
write_in_thread (GTask *task, gpointer source_object, gpointer task_data, GCancellable *cancellable)
{
  GError *error = NULL;

  if (write_job (task_data, &error))
    g_task_return_boolean (task, TRUE);
  else
    g_task_return_error (task, error);
}

void
hir_export_job_start (HirExportJob *job, GAsyncReadyCallback callback, gpointer user_data)
{
  g_autoptr (GTask) task = NULL;

  if (g_str_equal (job->kind->target, "save"))
    {
      hir_document_save_async (job->document, job->path, &job->progress, callback, user_data);
      return;
    }
  task = g_task_new (job->document, NULL, callback, user_data);
  g_task_set_task_data (task, job, NULL);
  g_task_run_in_thread (task, write_in_thread);
}

gboolean
hir_export_job_finish (HirExportJob *job, GAsyncResult *result, GError **error)
{
  if (g_str_equal (job->kind->target, "save"))
    return hir_document_save_finish (result, error);
  return g_task_propagate_boolean (G_TASK (result), error);
}

void
hir_export_job_cancel (HirExportJob *job)
{
  g_cancellable_cancel (job->cancellable);
}

const HirExportProgress *
hir_export_job_get_progress (const HirExportJob *job)
{
  return &job->progress;
}

const HirExportKind *
hir_export_job_get_kind (const HirExportJob *job)
{
  return job->kind;
}

const char *
hir_export_job_get_path (const HirExportJob *job)
{
  return job->path;
}

char *
hir_export_job_dup_note (const HirExportJob *job)
{
  return g_str_equal (job->kind->target, "nsight") ? hir_export_nsight_dup_note (job->trace) : NULL;
}
