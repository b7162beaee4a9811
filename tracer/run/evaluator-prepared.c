/* Execution of prepared loop bodies. */
#include "run/evaluator-private.h"

/* Minimum number of remaining iterations for which a body is prepared. */
#define MIN_ITERATIONS 3

/* Returns TRUE if a debugger observes single instructions. */
static gboolean
is_observed (const HirEvaluator *evaluator)
{
  return evaluator->is_debugged || evaluator->undo != NULL || evaluator->writes != NULL;
}

/* Returns TRUE if no recorder, model, debugger, hook or test needs single instructions. */
static gboolean
may_prepare (const HirEvaluator *evaluator)
{
  const HirEvaluatorOptions *options = &evaluator->options;

  if (options->backend->klass->get_ready == NULL || options->recorder != NULL ||
      options->model != NULL || is_observed (evaluator) || evaluator->plant_op != NULL ||
      options->allow_missing_waits)
    return FALSE;
  for (guint i = 0; i < evaluator->hooks->len; i++)
    if (!g_array_index (evaluator->hooks, HirEvaluatorHooks, i).is_coarse)
      return FALSE;
  return TRUE;
}

static gboolean
find_streams (HirEvaluator *evaluator, const HirPreparedBody *body, gint64 i)
{
  HirPreparedStream *streams = (HirPreparedStream *) (gpointer) body->streams->data;

  for (guint k = 0; k < body->streams->len; k++)
    {
      if (streams[k].modulus > 0)
        streams[k].slot = hir_evaluator_peek_key (evaluator, i % streams[k].modulus);
      if (streams[k].slot < 0)
        return FALSE;
    }
  return TRUE;
}

/* Prepares the body if necessary. Executes nothing, so that the caller can still run the iteration
 * instruction by instruction. */
static gboolean
prepare_iteration (HirEvaluator *evaluator, HirFrame *frame)
{
  guint64 max_steps = evaluator->options.max_steps;

  if (frame->is_never_prepared)
    return FALSE;
  if (frame->prepared == NULL)
    {
      if ((frame->stop - frame->i) / frame->step < MIN_ITERATIONS || !may_prepare (evaluator))
        return FALSE;
      frame->prepared = hir_prepared_body_new (evaluator, frame);
      frame->is_never_prepared = frame->prepared == NULL;
      if (frame->is_never_prepared)
        return FALSE;
    }
  if (!is_observed (evaluator) && evaluator->pending->len == 0 && evaluator->group == NULL &&
      (max_steps == 0 || evaluator->n_steps + frame->prepared->n_instructions <= max_steps) &&
      find_streams (evaluator, frame->prepared, frame->i))
    return TRUE;
  /* Values may be replaced while the iteration runs instruction by instruction. Prepare the body
   * again for the next one. */
  hir_prepared_body_free (evaluator, g_steal_pointer (&frame->prepared));
  return FALSE;
}

static guint
get_stream (HirEvaluator *evaluator, guint slot)
{
  return ((HirStreamSlot *) g_ptr_array_index (evaluator->slots, slot))->index;
}

/* Orders the current stream after the work on the back end's stream @before. */
static gboolean
order_after (HirEvaluator *evaluator, guint before, GError **error)
{
  HirBackend *backend = evaluator->options.backend;

  return backend->klass->order (backend, get_stream (evaluator, evaluator->current), before,
                                error) ||
         hir_evaluator_fail_located (evaluator);
}

static gboolean
run_compute (HirEvaluator *evaluator, const HirPreparedOp *op, gint32 iteration, GError **error)
{
  HirBackend *backend = evaluator->options.backend;
  HirPreparedResult result = HIR_READY_NOT;
  gboolean ok;

  if (op->task != NULL)
    result = backend->klass->issue_ready (backend, get_stream (evaluator, evaluator->current),
                                          op->task, iteration, error);
  if (result != HIR_READY_NOT)
    return result == HIR_READY_DONE || hir_evaluator_fail_located (evaluator);
  evaluator->cache = op->cache;
  ok = hir_evaluator_run_compute (evaluator, op->expr, error);
  evaluator->cache = NULL;
  return ok;
}

static gboolean
run_post (HirEvaluator *evaluator, HirPreparedOp *op, gint32 iteration, GError **error)
{
  HirBackend *backend = evaluator->options.backend;

  if (op->communicator == NULL) /* this rank does not take part */
    return TRUE;
  op->post.iteration = iteration;
  if (op->copier != NULL)
    {
      op->copier->event.iteration = iteration;
      if (!backend->klass->issue (backend, get_stream (evaluator, evaluator->current), op->copier,
                                  error))
        return hir_evaluator_fail_located (evaluator);
    }
  if (op->carrier == NULL)
    return TRUE;
  op->carrier->event.iteration = iteration;
  if (!op->communicator->klass->post_repeat (op->repeat, &op->post, error))
    return hir_evaluator_fail_located (evaluator);
  evaluator->n_posts++;
  return (backend->klass->order (backend, op->channel, get_stream (evaluator, evaluator->current),
                                 error) &&
          backend->klass->issue (backend, op->channel, op->carrier, error)) ||
         hir_evaluator_fail_located (evaluator);
}

static gboolean
run_op (HirEvaluator *evaluator,
        const HirPreparedStream *streams,
        HirPreparedOp *op,
        gint64 index,
        gint32 iteration,
        GError **error)
{
  switch (op->kind)
    {
    case HIR_PREPARED_SET_STREAM:
      evaluator->current = (guint) streams[op->stream].slot;
      return TRUE;
    case HIR_PREPARED_SYNCHRONIZE:
      return (guint) streams[op->stream].slot == evaluator->current ||
             order_after (evaluator, get_stream (evaluator, (guint) streams[op->stream].slot),
                          error);
    case HIR_PREPARED_SELECT:
      op->slice->offset = op->whole->offset + index * op->stride;
      return TRUE;
    case HIR_PREPARED_POST:
      return run_post (evaluator, op, iteration, error);
    case HIR_PREPARED_WAIT:
      return order_after (evaluator, op->channel, error);
    default:
      return run_compute (evaluator, op, iteration, error);
    }
}

gboolean
hir_evaluator_run_prepared (HirEvaluator *evaluator,
                            HirFrame *frame,
                            HirProgramPoint *point,
                            GError **cause)
{
  HirPreparedBody *body;
  const HirPreparedStream *streams;

  if (!prepare_iteration (evaluator, frame))
    return FALSE;
  body = frame->prepared;
  /* A prepared body does not note its writes. */
  if (evaluator->written != NULL)
    hir_written_forget (evaluator->written);
  streams = (const HirPreparedStream *) (gconstpointer) body->streams->data;
  evaluator->n_walking = body->n_instructions;
  for (guint i = 0; i < body->n_ops; i++)
    if (!run_op (evaluator, streams, &body->ops[i], frame->i, point->iteration, cause))
      {
        point->expr = body->ops[i].expr;
        return TRUE;
      }
  evaluator->n_walking = 0;
  frame->next = body->n_instructions;
  evaluator->n_steps += body->n_instructions;
  evaluator->n_walked++;
  return TRUE;
}
