/* The kept run and the queue of value queries. */
#include "job/run-values.h"

#include "run/session/value-request.h"

struct _HirRunQuestions
{
  GAsyncQueue *queue; /* GVariant*; a string marks the end */
};

HirRunKept *
hir_run_kept_new (HirSession *session, HirRunEngine *engine, HirRecorder *recorder)
{
  HirRunKept *kept = g_new (HirRunKept, 1);

  *kept = (HirRunKept){ session, engine, recorder };
  return kept;
}

void
hir_run_kept_free (HirRunKept *kept)
{
  if (kept == NULL)
    return;
  hir_session_free (kept->session);
  hir_run_engine_free (kept->engine);
  hir_recorder_free (kept->recorder);
  g_free (kept);
}

HirRunQuestions *
hir_run_questions_new (void)
{
  HirRunQuestions *self = g_new (HirRunQuestions, 1);

  self->queue = g_async_queue_new_full ((GDestroyNotify) g_variant_unref);
  return self;
}

void
hir_run_questions_free (HirRunQuestions *self)
{
  g_async_queue_unref (self->queue);
  g_free (self);
}

void
hir_run_questions_add (HirRunQuestions *self, GVariant *payload)
{
  g_async_queue_push (self->queue, g_variant_ref (payload));
}

void
hir_run_questions_end (HirRunQuestions *self)
{
  g_async_queue_push (self->queue, g_variant_ref_sink (g_variant_new_string ("")));
}

void
hir_run_questions_serve (HirRunQuestions *self,
                         HirRunKept *kept,
                         HirControlWriter *writer,
                         GCancellable *cancellable)
{
  gboolean is_open = TRUE;

  while (is_open)
    {
      g_autoptr (GVariant) payload = g_async_queue_pop (self->queue);

      if (g_variant_is_of_type (payload, G_VARIANT_TYPE_STRING))
        return;
      is_open = hir_control_writer_send (
          writer, HIR_CONTROL_SUMMARY,
          hir_value_request_answer (payload, kept != NULL ? kept->session : NULL,
                                    "the run did not end well, so no values are kept", cancellable),
          NULL);
    }
}
