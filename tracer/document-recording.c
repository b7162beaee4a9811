/* Opening and saving recordings: how a program, a request and a trace lie in a .hirs. */
#include "document-recording.h"

#include "config.h"

void
hir_opened_free (HirOpened *opened)
{
  if (opened == NULL)
    return;

  g_clear_pointer (&opened->program, hir_program_unref);
  g_clear_pointer (&opened->trace, hir_trace_unref);
  g_free (opened);
}

/* The request as one line of text in the meta table: a GVariant's own text form. */
static HirRequest *
read_request (const HirRecording *recording)
{
  const char *text = hir_recording_get_meta (recording, HIR_META_OPTIONS);
  g_autoptr (GVariant) variant = NULL;

  if (text == NULL)
    return NULL;
  variant = g_variant_parse (G_VARIANT_TYPE_VARDICT, text, NULL, NULL, NULL);
  return variant != NULL ? hir_request_new_from_variant (variant, NULL) : NULL;
}

HirOpened *
hir_opened_new (const char *path, GError **error)
{
  g_autoptr (HirRecording) recording = hir_recording_open (path, error);
  HirOpened *opened;

  if (recording == NULL)
    return NULL;

  opened = g_new0 (HirOpened, 1);
  opened->program =
      hir_program_new_from_views (read_request (recording), g_ptr_array_ref (recording->views));
  opened->trace = hir_trace_ref (recording->trace);
  return opened;
}

gboolean
hir_program_write (HirProgram *program, HirRecordingWriter *writer, GError **error)
{
  const HirRequest *request = program->request;

  if (!hir_recording_writer_set_meta (writer, HIR_META_VERSION, HIR_VERSION, error))
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
  return TRUE;
}

gboolean
hir_program_save (HirProgram *program, HirTrace *trace, const char *path, GError **error)
{
  g_autoptr (HirRecordingWriter) writer = hir_recording_writer_new (path, error);

  return writer != NULL && hir_program_write (program, writer, error) &&
         (trace == NULL || hir_recording_writer_add_trace (writer, trace, error)) &&
         hir_recording_writer_close (writer, error);
}
