/* Prepared loop bodies. After the first iteration of a loop, most lookups, computations and checks
 * are known to give the same results in later iterations, and are done once. Values remain those of
 * the environment, and slices are moved in place as in normal execution. After each prepared
 * iteration, the state is the same as after a normal one, so either may follow. */
#include "run/evaluator-private.h"

/* State of a preparation. No op between a communication and its Wait may access memory. */
typedef struct
{
  HirEvaluator *evaluator;
  HirFrame *frame;
  const HirScalar *index; /* loop index */
  HirPreparedBody *body;
  const HirPreparedOp *open; /* post without a Wait so far */
} Preparation;

static gboolean
is_index (const Preparation *preparation, const HirScalar *scalar)
{
  const HirScalar *index = preparation->index;

  return scalar == index || (scalar->kind == HIR_SCALAR_NAMED && index->kind == HIR_SCALAR_NAMED &&
                             g_str_equal (scalar->named, index->named));
}

/* Returns the modulus n of a stream index `i` or `i % n`, or 0 for other indices. */
static gint64
find_modulus (const Preparation *preparation, const HirScalar *scalar)
{
  gint64 modulus = 0;

  if (is_index (preparation, scalar))
    return G_MAXINT64;
  /* FOR .. from keeps the first value of an expression. */
  if (preparation->frame->owner->u.loop.iter_domain == NULL)
    return 0;
  if (scalar->kind != HIR_SCALAR_OP || scalar->op != HIR_SCALAR_OP_MOD ||
      !is_index (preparation, scalar->a) ||
      hir_loop_scalar_depends (scalar->b, preparation->index) ||
      !hir_env_evaluate_int (preparation->evaluator->env, scalar->b, &modulus, NULL))
    return 0;
  return MAX (modulus, 0);
}

static gboolean
add_stream (Preparation *preparation, const HirStream *stream, guint *number)
{
  GArray *streams = preparation->body->streams;
  HirPreparedStream prepared = { .stream = stream, .slot = -1 };

  for (*number = 0; *number < streams->len; ++*number)
    if (g_array_index (streams, HirPreparedStream, *number).stream == stream)
      return TRUE;
  if (stream->index == NULL)
    prepared.slot = hir_evaluator_peek_stream (preparation->evaluator, stream);
  else
    prepared.modulus = find_modulus (preparation, stream->index);
  if (stream->index == NULL ? prepared.slot < 0 : prepared.modulus == 0)
    return FALSE;
  g_array_append_val (streams, prepared);
  return TRUE;
}

static gboolean
make_select (Preparation *preparation, HirPreparedOp *op)
{
  const HirExpr *expr = op->expr;
  HirEnv *env = preparation->evaluator->env;
  const HirIterDomain *id = HIR_TENSOR (expr->inputs[0])->logical.ids[expr->u.alias_select.axis];
  guint axis;

  op->kind = HIR_PREPARED_SELECT;
  op->whole = hir_env_lookup (env, expr->inputs[0]);
  op->slice = hir_env_lookup_own (env, HIR_VAL (expr->u.alias_select.out));
  if (op->whole == NULL || op->slice == NULL || !hir_alias_select_find_axis (expr, &axis) ||
      axis >= op->whole->n_dims || !hir_value_is_slice (op->slice, op->whole, axis))
    return FALSE;
  if (hir_iter_domain_is_broadcast (id) || op->whole->sizes[axis] == 1)
    return TRUE; /* always index 0 */
  op->stride = op->whole->strides[axis];
  return is_index (preparation, expr->u.alias_select.index) &&
         preparation->frame->stop <= op->whole->sizes[axis];
}

/* Prepares an op that writes in place. Only tensor operands may depend on the index. */
static gboolean
make_compute (Preparation *preparation, HirPreparedOp *op)
{
  HirEvaluator *evaluator = preparation->evaluator;
  HirBackend *backend = evaluator->options.backend;
  const HirExpr *expr = op->expr;
  HirInstructionCache *cache = op->cache;
  HirValue *known;

  op->kind = HIR_PREPARED_COMPUTE;
  if (cache->call == NULL || cache->task == NULL || cache->device_axes != 0 || expr->n_outputs != 1)
    return FALSE;
  for (guint i = 0; i < expr->n_inputs; i++)
    if (HIR_IS_SCALAR (expr->inputs[i]) &&
        hir_loop_scalar_depends (HIR_SCALAR (expr->inputs[i]), preparation->index))
      return FALSE;
  known = hir_env_lookup (evaluator->env, expr->outputs[0]);
  if (known == NULL || !hir_op_call_renew (cache->call, evaluator->env, NULL))
    return FALSE;
  hir_op_call_set_output (cache->call, known);
  op->task = backend->klass->get_ready (backend, cache->task);
  hir_op_call_release (cache->call);
  return TRUE;
}

static gboolean
issue_post (gpointer data, gpointer native_stream, GError **error)
{
  const HirPreparedOp *op = data;

  return op->communicator->klass->issue_repeat (op->repeat, &op->post, native_stream, error);
}

/* Looks up a value whose memory order is that of the tensor, so that it needs no view. */
static gboolean
lookup_part_value (Preparation *preparation, const HirVal *val, HirValue **part)
{
  *part = hir_env_lookup (preparation->evaluator->env, val);
  return *part != NULL && !((const HirTensor *) val)->has_allocation;
}

static gboolean
issue_copy (gpointer data, gpointer native_stream, GError **error)
{
  const HirPreparedOp *op = data;

  return op->communicator->klass->copy (op->communicator, op->post.label, op->post.iteration,
                                        op->post.out, op->copied, native_stream, error);
}

/* Returns whether copying the bytes of the input gives the output. */
static gboolean
can_copy (const HirPreparedOp *op)
{
  const HirValue *in = op->post.in, *out = op->post.out;

  return op->communicator->klass->copy != NULL && in->buffer != out->buffer &&
         in->dtype == out->dtype && hir_value_is_contiguous (in) && hir_value_is_contiguous (out);
}

static void
make_copier (HirPreparedOp *op)
{
  op->copied = op->post.in;
  op->copier = hir_task_new (op->expr, op->post.label);
  op->copier->event = (HirEvent){ .instruction = op->expr->node.id, .iteration = -1 };
  op->copier->issue = issue_copy;
  op->copier->work = op;
}

/* Prepares the copy of the input to the output, if there is one. */
static gboolean
make_copy (const Preparation *preparation, HirPreparedOp *op)
{
  if (op->post.in == NULL || op->post.out == NULL ||
      !hir_comm_copies_first (op->expr, preparation->evaluator->options.rank))
    return TRUE;
  if (!can_copy (op))
    return FALSE;
  make_copier (op);
  op->post.in = op->post.out;
  return TRUE;
}

/* Prepares a communication of a team of one, which only copies its input. */
static gboolean
make_alone (HirPreparedOp *op)
{
  if (op->post.in == NULL || op->post.out == NULL || !can_copy (op) ||
      hir_value_get_size_bytes (op->post.in) != hir_value_get_size_bytes (op->post.out))
    return FALSE;
  make_copier (op);
  return TRUE;
}

static gboolean
make_post (Preparation *preparation, HirPreparedOp *op)
{
  HirEvaluator *evaluator = preparation->evaluator;
  HirCommunicator *communicator = evaluator->options.communicator;
  HirInstructionCache *cache = op->cache;
  guint n;

  op->kind = HIR_PREPARED_POST;
  if (communicator->klass->get_repeat == NULL || !cache->has_part || preparation->open != NULL)
    return FALSE;
  preparation->open = op;
  if (!cache->is_member)
    return TRUE;
  g_free (hir_comm_dup_members (op->expr, &n));
  if ((cache->channel == NULL && n > 1) || cache->post == NULL ||
      (cache->reads && !lookup_part_value (preparation, op->expr->inputs[0], &op->post.in)) ||
      (cache->writes && !lookup_part_value (preparation, op->expr->outputs[0], &op->post.out)))
    return FALSE;
  op->post.expr = op->expr;
  op->post.label = cache->post->label;
  op->post.rank = evaluator->options.rank;
  op->post.iteration = cache->post->iteration;
  op->communicator = communicator;
  if (n == 1)
    return make_alone (op);
  op->channel = cache->channel->index;
  if (!make_copy (preparation, op))
    return FALSE;
  op->repeat = communicator->klass->get_repeat (communicator, &op->post);
  if (op->repeat == NULL)
    return FALSE;
  op->carrier = hir_task_new (op->expr, op->post.label);
  op->carrier->event = (HirEvent){ .instruction = op->expr->node.id, .iteration = -1 };
  op->carrier->issue = issue_post;
  op->carrier->work = op;
  return TRUE;
}

static gboolean
make_wait (Preparation *preparation, HirPreparedOp *op)
{
  const HirPreparedOp *open = preparation->open;

  op->kind = HIR_PREPARED_WAIT;
  if (open == NULL || op->expr->u.wait.of != open->expr)
    return FALSE;
  op->communicator = open->carrier != NULL ? open->communicator : NULL;
  op->channel = open->channel;
  preparation->open = NULL;
  return TRUE;
}

/* Returns FALSE if the op cannot be prepared. Sets *@is_idle if there is nothing to execute. */
static gboolean
make_op (Preparation *preparation, HirPreparedOp *op, gboolean *is_idle)
{
  const HirExpr *expr = op->expr;

  switch (expr->kind)
    {
    case HIR_EXPR_SET_CURRENT_STREAM:
    case HIR_EXPR_SYNCHRONIZE:
      op->kind =
          expr->kind == HIR_EXPR_SYNCHRONIZE ? HIR_PREPARED_SYNCHRONIZE : HIR_PREPARED_SET_STREAM;
      return add_stream (preparation, expr->u.stream.stream, &op->stream);
    case HIR_EXPR_ALLOCATE: /* a known buffer is kept */
      *is_idle = TRUE;
      return !expr->u.allocate.always && hir_env_lookup (preparation->evaluator->env,
                                                         HIR_VAL (expr->u.allocate.buffer)) != NULL;
    case HIR_EXPR_ALIAS_SELECT:
      return make_select (preparation, op);
    case HIR_EXPR_COMMUNICATION:
      *is_idle = !op->cache->is_member;
      return make_post (preparation, op);
    case HIR_EXPR_WAIT:
      if (!make_wait (preparation, op))
        return FALSE;
      *is_idle = op->communicator == NULL;
      return TRUE;
    case HIR_EXPR_SET:
    case HIR_EXPR_MATMUL:
    case HIR_EXPR_LINEAR:
    case HIR_EXPR_BINARY:
    case HIR_EXPR_REDUCTION:
      return preparation->open == NULL && make_compute (preparation, op);
    default:
      return FALSE;
    }
}

static gboolean
make_ops (Preparation *preparation)
{
  HirPreparedBody *body = preparation->body;
  const HirVec *exprs = &preparation->frame->scope->exprs;

  for (guint i = 0; i < exprs->len; i++)
    {
      HirPreparedOp *op = &body->ops[body->n_ops];
      gboolean is_idle = FALSE, ok;

      op->expr = exprs->items[i];
      op->cache = &preparation->frame->caches[i];
      ok = make_op (preparation, op, &is_idle);
      /* Count a failed op as well: it may own resources. */
      body->n_ops++;
      if (!ok)
        return FALSE;
      if (is_idle && preparation->open != op)
        {
          body->n_ops--;
          *op = (HirPreparedOp){ 0 };
        }
    }
  return preparation->open == NULL;
}

HirPreparedBody *
hir_prepared_body_new (HirEvaluator *evaluator, HirFrame *frame)
{
  HirPreparedBody *body = g_new0 (HirPreparedBody, 1);
  Preparation preparation = { evaluator, frame, frame->owner->u.loop.index, body, NULL };

  body->n_instructions = frame->scope->exprs.len;
  body->ops = g_new0 (HirPreparedOp, body->n_instructions);
  body->streams = g_array_new (FALSE, FALSE, sizeof (HirPreparedStream));
  body->index = hir_env_lookup_own (evaluator->env, HIR_VAL (preparation.index));
  if (frame->i >= 0 && body->index != NULL && frame->dependents->len == 0 &&
      make_ops (&preparation))
    return body;
  hir_prepared_body_free (evaluator, body);
  return NULL;
}

void
hir_prepared_body_free (HirEvaluator *evaluator, HirPreparedBody *body)
{
  HirBackend *backend = evaluator->options.backend;

  for (guint i = 0; i < body->n_ops; i++)
    {
      if (body->ops[i].task != NULL)
        backend->klass->free_ready (backend, body->ops[i].task);
      g_clear_pointer (&body->ops[i].carrier, hir_task_free);
      g_clear_pointer (&body->ops[i].copier, hir_task_free);
      g_clear_pointer (&body->ops[i].post.where, g_free);
    }
  g_array_unref (body->streams);
  g_free (body->ops);
  g_free (body);
}
