/* Converts programs, requests and failures to the meta table of a recording and back. */
#include "program/document-recording.h"

#include <string.h>

#include "config.h"

/* Keys of the meta table that only this file uses. */
#define META_ERROR "lowering.error"
#define META_ERROR_CODE "lowering.error_code"
#define META_ERROR_PLACE "lowering.error_place" /* line:column in the script */
#define META_FAILED_PASS "lowering.failed_pass"

void
hir_opened_free (HirOpened *opened)
{
  if (opened == NULL)
    return;

  g_clear_pointer (&opened->program, hir_program_unref);
  g_clear_pointer (&opened->ranks, hir_rank_programs_unref);
  g_clear_pointer (&opened->trace, hir_trace_unref);
  g_free (opened);
}

/* Reads the request, which is stored as the text form of a GVariant. Falls back to the script alone
 * if it is not readable. */
static HirRequest *
read_request (const HirRecording *recording)
{
  const char *options = hir_recording_get_meta (recording, HIR_META_OPTIONS);
  const char *path = hir_recording_get_meta (recording, HIR_META_SOURCE_PATH);
  const char *text = hir_recording_get_meta (recording, HIR_META_SOURCE_TEXT);
  g_autoptr (GVariant) variant =
      options != NULL ? g_variant_parse (G_VARIANT_TYPE_VARDICT, options, NULL, NULL, NULL) : NULL;
  HirRequest *request = variant != NULL ? hir_request_new_from_variant (variant, NULL) : NULL;
  g_autoptr (HirSource) source = NULL;

  if (request != NULL || text == NULL)
    return request;
  source = hir_source_new (path != NULL ? path : "<text>", text, -1);
  return hir_request_new (source, hir_recording_get_meta (recording, HIR_META_FUNCTION));
}

/* Writes the error that ended the lowering, with its position. */
static gboolean
write_failure (const HirProgram *program, HirRecordingWriter *writer, GError **error)
{
  HirPos pos = hir_error_get_pos (program->error);
  g_autofree char *position = g_strdup_printf ("%u:%u", pos.line, pos.column);
  g_autofree char *code = g_strdup_printf ("%d", program->error->code);

  return hir_recording_writer_set_meta (writer, META_ERROR, program->error->message, error) &&
         hir_recording_writer_set_meta (writer, META_ERROR_CODE, code, error) &&
         hir_recording_writer_set_meta (writer, META_ERROR_PLACE, position, error) &&
         (program->failed_pass == NULL ||
          hir_recording_writer_set_meta (writer, META_FAILED_PASS, program->failed_pass, error));
}

static void
read_failure (HirProgram *program, const HirRecording *recording)
{
  const char *message = hir_recording_get_meta (recording, META_ERROR);
  const char *code = hir_recording_get_meta (recording, META_ERROR_CODE);
  const char *position = hir_recording_get_meta (recording, META_ERROR_PLACE);
  const char *colon = position != NULL ? strchr (position, ':') : NULL;
  HirPos pos = { 0, 0 };
  guint64 number = HIR_ERROR_INPUT;

  if (message == NULL)
    return;
  if (colon != NULL)
    pos = (HirPos){ (guint) MIN (g_ascii_strtoull (position, NULL, 10), G_MAXINT32),
                    (guint) MIN (g_ascii_strtoull (colon + 1, NULL, 10), G_MAXINT32) };
  if (code != NULL)
    number = MIN (g_ascii_strtoull (code, NULL, 10), HIR_ERROR_CANCELLED);
  hir_set_error (&program->error, (HirErrorCode) number, &pos, "%s", message);
  program->failed_pass = g_strdup (hir_recording_get_meta (recording, META_FAILED_PASS));
}

/* Passes progress and partial results to the caller. */
typedef struct
{
  const HirImportOptions *options;
  HirOpenedFunc picture; /* nullable */
  HirOpened *opened;     /* program and ranks are set before the first picture */
} Opening;

static void
on_progress (guint64 done, guint64 total, gpointer user_data)
{
  const Opening *opening = user_data;

  if (opening->options->progress != NULL)
    opening->options->progress (done, total, opening->options->user_data);
}

static void
on_picture (HirTrace *trace, gpointer user_data)
{
  const Opening *opening = user_data;
  HirOpened opened = *opening->opened;

  opened.trace = trace;
  opening->picture (&opened, opening->options->user_data);
}

/* Opens a trace of another profiler, which has no program. */
static void
open_foreign (Opening *opening,
              const char *const *paths,
              const HirImportOptions *options,
              GError **error)
{
  HirOpened *opened = opening->opened;

  opened->program = hir_program_new_from_views (NULL, g_ptr_array_new_with_free_func (
                                                          (GDestroyNotify) hir_program_view_unref));
  opened->ranks = hir_rank_programs_new (opened->program, NULL, NULL);
  opened->trace = hir_trace_open (paths, options, error);
}

static void
take_views (const HirRecording *recording, gpointer user_data)
{
  Opening *opening = user_data;
  HirOpened *opened = opening->opened;

  opened->program =
      hir_program_new_from_views (read_request (recording), g_ptr_array_ref (recording->views));
  read_failure (opened->program, recording);
  opened->ranks = hir_rank_programs_read (recording, opened->program);
}

static void
open_own (Opening *opening, const char *path, const HirImportOptions *options, GError **error)
{
  g_autoptr (HirRecording) recording = NULL;
  HirLoadProgress progress;

  hir_load_progress_init (&progress, path, options);
  recording = hir_recording_open_watched (path, &progress, take_views, opening, error);
  hir_load_progress_clear (&progress);
  if (recording != NULL)
    opening->opened->trace = hir_trace_ref (recording->trace);
}

HirOpened *
hir_opened_new_from (const char *const *paths,
                     const HirImportOptions *options,
                     HirOpenedFunc picture,
                     GError **error)
{
  const HirImportOptions none = { 0 };
  g_autoptr (HirOpened) opened = g_new0 (HirOpened, 1);
  Opening opening = { options != NULL ? options : &none, picture, opened };
  HirImportOptions watched = *opening.options;
  gboolean is_own = paths[1] == NULL && hir_trace_is_recording (paths[0]);

  watched.progress = on_progress;
  watched.picture = picture != NULL ? on_picture : NULL;
  watched.user_data = &opening;
  if (is_own)
    open_own (&opening, paths[0], &watched, error);
  else
    open_foreign (&opening, paths, &watched, error);
  return opened->trace != NULL ? g_steal_pointer (&opened) : NULL;
}

HirOpened *
hir_opened_new (const char *path, GError **error)
{
  const char *const paths[] = { path, NULL };

  return hir_opened_new_from (paths, NULL, NULL, error);
}

static gboolean
write_all (HirProgram *program,
           const HirRankPrograms *ranks,
           HirRecordingWriter *writer,
           GError **error)
{
  const HirRequest *request = program->request;

  /* The version is not stored for a converted trace of another profiler. */
  if ((request != NULL || program->views->len > 0) &&
      !hir_recording_writer_set_meta (writer, HIR_META_VERSION, HIR_VERSION, error))
    return FALSE;
  if (request != NULL)
    {
      g_autoptr (GVariant) variant = g_variant_ref_sink (hir_request_to_variant (request));
      g_autofree char *text = g_variant_print (variant, TRUE);

      if (!hir_recording_writer_set_meta (writer, HIR_META_SOURCE_PATH, request->source->path,
                                          error) ||
          !hir_recording_writer_set_meta (writer, HIR_META_SOURCE_TEXT, request->source->text,
                                          error) ||
          !hir_recording_writer_set_meta (writer, HIR_META_OPTIONS, text, error) ||
          (request->function != NULL &&
           !hir_recording_writer_set_meta (writer, HIR_META_FUNCTION, request->function, error)))
        return FALSE;
    }
  for (guint i = 0; i < program->views->len; i++)
    {
      if (!hir_recording_writer_add_view (writer, i, program->views->pdata[i], error))
        return FALSE;
    }
  return hir_rank_programs_write (ranks, program, writer, error) &&
         (program->error == NULL || write_failure (program, writer, error));
}

const char *
hir_program_lookup_label (const HirProgram *program, guint64 instruction)
{
  const GPtrArray *views = program->views;
  const HirNodeInfo *info =
      views != NULL && views->len > 0
          ? hir_program_view_lookup (g_ptr_array_index (views, views->len - 1), instruction)
          : NULL;

  return info != NULL ? info->label : NULL;
}

gboolean
hir_program_write (HirProgram *program, HirRecordingWriter *writer, GError **error)
{
  g_autoptr (HirRankPrograms) ranks = hir_rank_programs_new (program, NULL, error);

  return ranks != NULL && write_all (program, ranks, writer, error);
}

gboolean
hir_program_save (HirProgram *program,
                  HirRankPrograms *ranks,
                  HirTrace *trace,
                  const char *path,
                  HirExportProgress *progress,
                  GError **error)
{
  HirRecordingWriter *writer = hir_recording_writer_new_beside (path, error);
  gboolean done;

  if (writer == NULL)
    return FALSE;
  done = (ranks != NULL ? write_all (program, ranks, writer, error)
                        : hir_program_write (program, writer, error)) &&
         (trace == NULL || hir_recording_writer_add_trace (writer, trace, progress, error)) &&
         hir_recording_writer_close (writer, error);
  /* A partial file is useless, because everything is still in memory. */
  if (!done)
    hir_recording_writer_discard (writer);
  hir_recording_writer_free (writer);
  return done;
}
