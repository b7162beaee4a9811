/* Questions for values, put to the process of a run that is over. */
#include "job/run-child-private.h"
#include "run/session/value-request.h"

static void
put (HirRunChild *self, GVariant *question)
{
  /* It is far smaller than a frame may be. */
  self->is_asking = hir_run_child_queue_frame (self, HIR_CONTROL_LOOK, question, NULL);
}

guint
hir_run_child_ask (HirRunChild *self, int rank, guint64 tensor_id, const HirValueQuery *look)
{
  HirValueRequest request = { self->n_questions + 1, rank, tensor_id, *look };
  GVariant *question;

  if (self->fd < 0)
    return 0;
  question = hir_value_request_to_variant (&request);
  g_clear_pointer (&self->question, g_variant_unref);
  if (self->is_asking)
    self->question = g_variant_ref_sink (question);
  else
    put (self, question);
  return ++self->n_questions;
}

void
hir_run_child_take_summary (HirRunChild *self, GVariant *payload)
{
  g_autoptr (GVariant) next = g_steal_pointer (&self->question);
  g_autoptr (HirValueSummary) summary = NULL;
  g_autoptr (GError) error = NULL;
  guint number;

  self->is_asking = FALSE;
  if (next != NULL)
    {
      put (self, next);
      return;
    }
  summary = hir_value_answer_read (payload, &number, &error);
  if (number == self->n_questions && self->callbacks.value != NULL)
    self->callbacks.value (number, summary, error, self->user_data);
}

void
hir_run_child_drop_questions (HirRunChild *self)
{
  g_autoptr (GError) error = NULL;
  gboolean was_asked = self->is_asking || self->question != NULL;

  self->is_asking = FALSE;
  g_clear_pointer (&self->question, g_variant_unref);
  if (!was_asked || self->is_freed || self->callbacks.value == NULL)
    return;
  hir_set_error (&error, HIR_ERROR_RUN, NULL,
                 "the run's process has gone, and with it the values; run it again");
  self->callbacks.value (self->n_questions, NULL, error, self->user_data);
}
