/* Control flow, memory, slices, and the step of an evaluator. */
#include "run/evaluator-private.h"

#include "run/stream-piece.h"

static gboolean
find_foreign (HirExpr *expr, guint depth, gpointer user_data)
{
  const HirExpr **found = user_data;

  switch (expr->kind)
    {
    case HIR_EXPR_COMMUNICATION:
    case HIR_EXPR_P2P:
    case HIR_EXPR_START_COALESCING:
    case HIR_EXPR_END_COALESCING:
    case HIR_EXPR_WAIT:
    case HIR_EXPR_COLLECTIVE_PERMUTE:
      *found = expr;
      return FALSE;
    default:
      return TRUE;
    }
}

gboolean
hir_evaluator_is_opaque (const HirExpr *expr)
{
  return expr->kind == HIR_EXPR_DISPATCH || expr->kind == HIR_EXPR_COMBINE ||
         expr->kind == HIR_EXPR_SYMMETRIC_VIEW ||
         (expr->kind == HIR_EXPR_LAUNCH_KERNEL && expr->u.post.unit == NULL);
}

static gboolean
find_opaque (HirExpr *expr, guint depth, gpointer user_data)
{
  const HirExpr **found = user_data;

  if (hir_evaluator_is_opaque (expr))
    *found = expr;
  return *found == NULL;
}

static gboolean
refuse_opaque (const HirExpr *expr, GError **error)
{
  const char *name = hir_expr_kind_get_info (expr->kind)->name;

  if (expr->kind == HIR_EXPR_LAUNCH_KERNEL)
    hir_set_error (error, HIR_ERROR_UNSUPPORTED, &expr->node.pos,
                   "the text does not contain the math of the kernel of group %d; run a log that "
                   "contains its fusion (NVFUSER_DUMP=segmented_fusion,host_ir); check needs no "
                   "math",
                   expr->u.post.group);
  else if (expr->kind == HIR_EXPR_SYMMETRIC_VIEW)
    hir_set_error (error, HIR_ERROR_UNSUPPORTED, &expr->node.pos,
                   "%s maps the memory of other devices, which run does not do; check accepts it",
                   name);
  else
    hir_set_error (error, HIR_ERROR_UNSUPPORTED, &expr->node.pos,
                   "%s is opaque: it sends tokens to ranks that depend on data, and its text does "
                   "not name all of its operands; check accepts it",
                   name);
  return FALSE;
}

static gboolean
check_program (HirContainer *program, const HirEvaluatorOptions *options, GError **error)
{
  gboolean has_communicator = options->communicator != NULL;
  const HirExpr *foreign = NULL, *opaque = NULL;

  if (program->kind != HIR_CONTAINER_HOST)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "this is a fusion, not a host program; lower it with SegmentFusion first");
      return FALSE;
    }
  if (!options->allow_missing_waits)
    hir_container_foreach_expr (program, find_opaque, &opaque);
  if (opaque != NULL)
    return refuse_opaque (opaque, error);
  if (!has_communicator)
    hir_container_foreach_expr (program, find_foreign, &foreign);
  if (foreign == NULL)
    return TRUE;
  hir_set_error (error, HIR_ERROR_UNSUPPORTED, &foreign->node.pos,
                 "%s needs other devices, but this run has one; run all devices",
                 hir_expr_kind_get_info (foreign->kind)->name);
  return FALSE;
}

HirEvaluator *
hir_evaluator_new (HirContainer *program, const HirEvaluatorOptions *options, GError **error)
{
  g_autoptr (HirEvaluator) evaluator = NULL;

  g_return_val_if_fail (options->n_streams >= 1, NULL);
  if (!check_program (program, options, error))
    return NULL;
  evaluator = g_new0 (HirEvaluator, 1);
  evaluator->program = hir_container_ref (program);
  evaluator->options = *options;
  evaluator->plant_op = g_strdup (options->plant_op);
  evaluator->env = hir_env_new ();
  evaluator->pieces = hir_stream_pieces_new (program);
  hir_env_set_device (evaluator->env, options->rank);
  hir_env_set_pieces (evaluator->env, evaluator->pieces);
  evaluator->frames = g_array_new (FALSE, FALSE, sizeof (HirFrame));
  evaluator->hooks = g_array_new (FALSE, FALSE, sizeof (HirEvaluatorHooks));
  evaluator->post_counts = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  evaluator->labels =
      g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ref_string_release);
  evaluator->plans = hir_unit_plans_new ();
  evaluator->freed = g_hash_table_new (NULL, NULL);
  evaluator->dependents =
      g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  if (options->recorder != NULL && options->trace_issue)
    {
      HirTrack host = { .kind = HIR_TRACK_HOST,
                        .rank = options->rank,
                        .device = options->rank,
                        .stream = -1,
                        .name = (char *) "host" };
      evaluator->host_track = hir_recorder_add_track (options->recorder, &host);
    }
  hir_evaluator_init_caches (evaluator);
  hir_evaluator_init_comm (evaluator);
  if (!hir_evaluator_init_streams (evaluator, error))
    return NULL;
  return g_steal_pointer (&evaluator);
}

void
hir_evaluator_free (HirEvaluator *evaluator)
{
  hir_evaluator_drop_frames (evaluator, 0);
  hir_evaluator_clear_comm (evaluator);
  hir_evaluator_clear_streams (evaluator);
  hir_evaluator_clear_caches (evaluator);
  g_clear_pointer (&evaluator->pieces, g_hash_table_unref);
  g_clear_pointer (&evaluator->dependents, g_hash_table_unref);
  g_clear_pointer (&evaluator->plans, g_hash_table_unref);
  g_clear_pointer (&evaluator->freed, g_hash_table_unref);
  g_clear_pointer (&evaluator->post_counts, g_hash_table_unref);
  g_clear_pointer (&evaluator->labels, g_hash_table_unref);
  g_clear_pointer (&evaluator->written, hir_written_free);
  g_clear_pointer (&evaluator->hooks, g_array_unref);
  g_clear_pointer (&evaluator->frames, g_array_unref);
  g_clear_pointer (&evaluator->env, hir_env_free);
  g_free (evaluator->plant_op);
  hir_container_unref (evaluator->program);
  g_free (evaluator);
}

void
hir_evaluator_add_hooks (HirEvaluator *evaluator, const HirEvaluatorHooks *hooks)
{
  g_array_append_val (evaluator->hooks, *hooks);
}

gboolean
hir_evaluator_start (
    HirEvaluator *evaluator, HirValue *const *inputs, guint n, HirPhase phase, GError **error)
{
  const HirVec *formal = &evaluator->program->inputs;

  hir_evaluator_drop_frames (evaluator, 0);
  hir_evaluator_reset_comm (evaluator);
  g_hash_table_remove_all (evaluator->freed);
  evaluator->ended = FALSE;
  hir_env_reset (evaluator->env);
  hir_env_bind_symbols (evaluator->env, evaluator->options.symbols);
  hir_env_bind_named (evaluator->env, HIR_NAME_NUMBER_OF_STREAMS, evaluator->options.n_streams);
  hir_env_bind_named (evaluator->env, HIR_NAME_RANK, evaluator->options.rank);
  hir_env_bind_named (evaluator->env, HIR_NAME_DEVICE_IDX_X, evaluator->options.rank);
  evaluator->phase = phase;
  evaluator->n_steps = 0;
  evaluator->n_bound++;
  if (n != formal->len)
    {
      hir_set_error (error, HIR_ERROR_RUN, NULL, "the program takes %u inputs, but %u are given",
                     formal->len, n);
      return FALSE;
    }
  for (guint i = 0; i < n; i++)
    {
      HirVal *val = formal->items[i];
      if (HIR_IS_SCALAR (val))
        hir_env_bind (evaluator->env, val, inputs[i]);
      else if (!hir_env_bind_input (evaluator->env, HIR_TENSOR (val), inputs[i], error))
        return FALSE;
    }
  hir_evaluator_push_frame (evaluator, &evaluator->program->top, NULL);
  return TRUE;
}

static gboolean
enter_loop (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  gint64 start, stop, step = 1;
  HirFrame *frame;

  if (!hir_env_evaluate_int (evaluator->env, expr->u.loop.start, &start, error) ||
      !hir_env_evaluate_int (evaluator->env, expr->u.loop.stop, &stop, error))
    return FALSE;
  if (expr->u.loop.step != NULL &&
      !hir_env_evaluate_int (evaluator->env, expr->u.loop.step, &step, error))
    return FALSE;
  if (step < 1)
    {
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                     "the step of a loop is %" G_GINT64_FORMAT "; it must be positive", step);
      return FALSE;
    }
  if (start >= stop)
    return TRUE;
  frame = hir_evaluator_push_frame (evaluator, &expr->u.loop.body, expr);
  frame->i = start;
  frame->stop = stop;
  frame->step = step;
  hir_evaluator_bind_index (evaluator, frame);
  return TRUE;
}

static gboolean
enter_branch (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  gint64 condition;

  if (!hir_env_evaluate_int (evaluator->env, expr->u.branch.condition, &condition, error))
    return FALSE;
  hir_evaluator_push_frame (evaluator,
                            condition ? &expr->u.branch.then_body : &expr->u.branch.else_body,
                            expr);
  return TRUE;
}

static gboolean
run_allocate (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  const HirTensor *buffer = expr->u.allocate.buffer;
  g_autoptr (HirValue) value = NULL;

  if (!expr->u.allocate.always && hir_env_lookup (evaluator->env, HIR_VAL (buffer)) != NULL)
    /* known already: preallocated, or a slice of known memory (docs/host-ir.md#memory) */
    return TRUE;
  value = hir_evaluator_allocate (evaluator, buffer, error);
  if (value == NULL || !expr->u.allocate.zero_init)
    return value != NULL;
  hir_evaluator_note_write (evaluator, value);
  return hir_evaluator_fill (evaluator, value->buffer, 0, expr, error);
}

static gboolean
run_deallocate (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  const HirTensor *buffer = expr->u.deallocate.buffer;

  if (hir_env_lookup (evaluator->env, HIR_VAL (buffer)) == NULL)
    {
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                     "T%d has no memory to deallocate; it was freed before or never allocated",
                     buffer->base.name);
      return FALSE;
    }
  /* A transfer keeps its memory until the Wait, like the tensors that a process group holds. */
  hir_env_unbind (evaluator->env, HIR_VAL (buffer));
  g_hash_table_insert (evaluator->freed, (gpointer) buffer, (gpointer) expr);
  return TRUE;
}

/* Moves the unshared slice @before of the previous iteration to @index. Returns FALSE if that is
 * impossible. */
static gboolean
move_slice (HirValue *before, const HirValue *whole, guint axis, gint64 index)
{
  if (before == NULL || !hir_value_is_slice (before, whole, axis))
    return FALSE;
  before->offset = whole->offset + index * whole->strides[axis];
  return TRUE;
}

static gboolean
run_alias_select (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  const HirTensor *in = HIR_TENSOR (expr->inputs[0]);
  HirIterDomain *selected = in->logical.ids[expr->u.alias_select.axis];
  HirValue *whole = hir_env_lookup (evaluator->env, HIR_VAL (in));
  g_autoptr (HirValue) slice = NULL;
  gint64 index = 0;
  guint axis;

  if (whole == NULL)
    {
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                     "T%d must be computed or allocated before it is sliced", in->base.name);
      return FALSE;
    }
  if (!hir_alias_select_find_axis (expr, &axis)) /* the run-time tensor does not have this axis */
    {
      hir_env_bind (evaluator->env, HIR_VAL (expr->u.alias_select.out), whole);
      return TRUE;
    }
  if (axis >= whole->n_dims)
    {
      g_autofree char *text = hir_value_describe (whole);
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos, "T%d is %s, which has no axis %u",
                     in->base.name, text, axis);
      return FALSE;
    }
  if (!hir_iter_domain_is_broadcast (selected) && whole->sizes[axis] != 1 &&
      !hir_env_evaluate_int (evaluator->env, expr->u.alias_select.index, &index, error))
    return FALSE;
  if (index < 0 || index >= whole->sizes[axis])
    {
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                     "slice %" G_GINT64_FORMAT
                     " is out of range: axis %u of T%d has size %" G_GINT64_FORMAT,
                     index, axis, in->base.name, whole->sizes[axis]);
      return FALSE;
    }
  if (move_slice (hir_env_lookup_own (evaluator->env, HIR_VAL (expr->u.alias_select.out)), whole,
                  axis, index))
    return TRUE;
  slice = hir_value_select (whole, axis, index);
  hir_env_bind (evaluator->env, HIR_VAL (expr->u.alias_select.out), slice);
  return TRUE;
}

static gboolean
run_shard (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  HirValue *whole = hir_env_lookup (evaluator->env, expr->inputs[0]);
  g_autoptr (HirValue) piece = NULL;
  gint64 start, size;
  guint axis;

  if (whole == NULL)
    {
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                     "T%d must be computed or allocated before it is sliced",
                     expr->inputs[0]->name);
      return FALSE;
    }
  if (!hir_stream_piece_get (expr, evaluator->env, whole->n_dims, whole->sizes, &axis, &start,
                             &size, error))
    return FALSE;
  piece = hir_value_slice (whole, axis, start, size, 1);
  hir_env_bind (evaluator->env, HIR_VAL (expr->u.shard.out), piece);
  return TRUE;
}

/* nvFuser exchanges handles and passes a barrier on the host, which orders no work. */
static gboolean
run_handles (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  gint64 peer;

  for (guint i = 0; i < expr->u.handles.n; i++)
    {
      if (!hir_env_evaluate_int (evaluator->env, expr->u.handles.of[i]->u.p2p.peer, &peer, error))
        return FALSE;
      if (peer != evaluator->options.rank)
        continue;
      hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos, "it sends to its own rank");
      return FALSE;
    }
  return TRUE;
}

static gboolean
execute (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  switch (expr->kind)
    {
    case HIR_EXPR_FOR:
      return enter_loop (evaluator, expr, error);
    case HIR_EXPR_IF:
      return enter_branch (evaluator, expr, error);
    case HIR_EXPR_ALLOCATE:
      return run_allocate (evaluator, expr, error);
    case HIR_EXPR_DEALLOCATE:
      return run_deallocate (evaluator, expr, error);
    case HIR_EXPR_ALIAS_SELECT:
      return run_alias_select (evaluator, expr, error);
    case HIR_EXPR_SHARD_BY_STREAM:
      return run_shard (evaluator, expr, error);
    case HIR_EXPR_SCALAR:
      return hir_env_compute_again (evaluator->env, HIR_SCALAR (expr->outputs[0]), error);
    case HIR_EXPR_SHARE_MEM_HANDLES:
      return run_handles (evaluator, expr, error);
    case HIR_EXPR_SYMMETRIC_VIEW:
      hir_env_bind (evaluator->env, expr->outputs[0],
                    hir_env_lookup (evaluator->env, expr->inputs[0]));
      return TRUE;
    case HIR_EXPR_DISPATCH:
    case HIR_EXPR_COMBINE:
      return hir_evaluator_run_opaque (evaluator, expr, error);
    case HIR_EXPR_LAUNCH_KERNEL:
      return expr->u.post.unit != NULL ? hir_evaluator_run_post (evaluator, expr, error)
                                       : hir_evaluator_run_opaque (evaluator, expr, error);
    case HIR_EXPR_POST_ON_STREAM:
      return hir_evaluator_run_post (evaluator, expr, error);
    case HIR_EXPR_GET_CURRENT_STREAM:
    case HIR_EXPR_SET_CURRENT_STREAM:
    case HIR_EXPR_SYNCHRONIZE:
      return hir_evaluator_run_stream_op (evaluator, expr, error);
    case HIR_EXPR_COMMUNICATION:
    case HIR_EXPR_P2P:
    case HIR_EXPR_START_COALESCING:
    case HIR_EXPR_END_COALESCING:
    case HIR_EXPR_WAIT:
    case HIR_EXPR_COLLECTIVE_PERMUTE:
      return hir_evaluator_run_comm (evaluator, expr, error);
    default:
      return hir_evaluator_run_compute (evaluator, expr, error);
    }
}

/* Returns a tensor without a value that @expr needs, or NULL. */
static const HirVal *
find_unbound (HirEvaluator *evaluator, const HirExpr *expr)
{
  const HirVal *own = expr->kind == HIR_EXPR_P2P          ? HIR_VAL (expr->u.p2p.buffer)
                      : expr->kind == HIR_EXPR_DEALLOCATE ? HIR_VAL (expr->u.deallocate.buffer)
                                                          : NULL;
  gboolean needs_outputs =
      expr->kind == HIR_EXPR_COMMUNICATION || expr->kind == HIR_EXPR_COLLECTIVE_PERMUTE;

  if (own != NULL && hir_env_lookup (evaluator->env, own) == NULL)
    return own;
  for (guint i = 0; i < expr->n_inputs; i++)
    if (HIR_IS_TENSOR (expr->inputs[i]) && hir_env_lookup (evaluator->env, expr->inputs[i]) == NULL)
      return expr->inputs[i];
  for (guint i = 0; i < expr->n_outputs && needs_outputs; i++)
    if (hir_env_lookup (evaluator->env, expr->outputs[i]) == NULL)
      return expr->outputs[i];
  return NULL;
}

/* Adds instruction, iteration and rank to an error. */
static void
locate_error (HirEvaluator *evaluator, const HirProgramPoint *point, GError *cause, GError **error)
{
  HirPos pos = hir_error_get_pos (cause);
  gboolean is_located = evaluator->error_is_located;
  const HirVal *unbound;

  evaluator->error_is_located = FALSE;
  evaluator->has_bad_value = FALSE;
  if (is_located || cause->code == HIR_ERROR_CANCELLED)
    {
      g_propagate_error (error, cause);
      return;
    }
  if (pos.line == 0)
    pos = point->expr->node.pos;
  g_autoptr (GString) where = g_string_new (hir_evaluator_get_label (evaluator, point->expr));
  if (point->iteration >= 0)
    g_string_append_printf (where, " in iteration %d", point->iteration);
  g_string_append_printf (where, " on rank %d", point->rank);
  unbound = find_unbound (evaluator, point->expr);
  evaluator->has_bad_value = unbound == NULL && point->expr->kind != HIR_EXPR_WAIT &&
                             point->expr->kind != HIR_EXPR_START_COALESCING &&
                             point->expr->kind != HIR_EXPR_END_COALESCING;
  if (unbound != NULL && hir_evaluator_lookup_free (evaluator, unbound) != NULL)
    g_string_append_printf (where, ", after the Deallocate of T%d in line %u", unbound->name,
                            hir_evaluator_lookup_free (evaluator, unbound)->node.pos.line);
  hir_set_error (error, (HirErrorCode) cause->code, &pos, "%s: %s", where->str, cause->message);
  g_error_free (cause);
}

static gboolean
run_instruction (HirEvaluator *evaluator,
                 const HirProgramPoint *point,
                 gboolean times_issue,
                 GError **error)
{
  gboolean is_baseline = evaluator->phase == HIR_PHASE_BASELINE;

  if (is_baseline && !hir_evaluator_begin_alone (evaluator, point->expr, error))
    return FALSE;
  if (times_issue)
    hir_evaluator_begin_issue (evaluator, point->expr);
  if (!execute (evaluator, point->expr, error))
    return FALSE;
  if (times_issue)
    hir_evaluator_end_issue (evaluator, point->expr, point->iteration);
  return !is_baseline || hir_evaluator_end_alone (evaluator, point->expr, error);
}

HirStep
hir_evaluator_step (HirEvaluator *evaluator, GError **error)
{
  /* The recorder or the model needs the time of issuing. */
  gboolean times_issue = evaluator->options.model != NULL ||
                         (evaluator->options.recorder != NULL && evaluator->options.trace_issue);
  HirProgramPoint point;
  GError *cause = NULL;

  if (!hir_evaluator_peek (evaluator, &point))
    return HIR_STEP_DONE;
  if (evaluator->options.max_steps > 0 && evaluator->n_steps >= evaluator->options.max_steps)
    {
      hir_set_error (error, HIR_ERROR_LIMIT, &point.expr->node.pos,
                     "the program does not end within %" G_GUINT64_FORMAT " instructions",
                     evaluator->options.max_steps);
      return HIR_STEP_FAILED;
    }
  for (guint i = 0; i < evaluator->hooks->len; i++)
    {
      const HirEvaluatorHooks *hooks = &g_array_index (evaluator->hooks, HirEvaluatorHooks, i);
      if (hooks->before != NULL && !hooks->before (&point, hooks->user_data, error))
        return HIR_STEP_FAILED;
    }
  HirFrame *top = &g_array_index (evaluator->frames, HirFrame, evaluator->frames->len - 1);
  if (top->has_run_once && top->next == 0 &&
      hir_evaluator_run_prepared (evaluator, top, &point, &cause))
    {
      if (cause == NULL)
        return HIR_STEP_MORE;
      locate_error (evaluator, &point, cause, error);
      return HIR_STEP_FAILED;
    }
  evaluator->cache = &top->caches[top->next++];
  if (!run_instruction (evaluator, &point, times_issue, &cause))
    {
      locate_error (evaluator, &point, cause, error);
      return HIR_STEP_FAILED;
    }
  evaluator->cache = NULL;
  if (evaluator->options.model != NULL)
    hir_model_log_resolve (evaluator->options.model);
  evaluator->n_steps++;
  for (guint i = 0; i < evaluator->hooks->len; i++)
    {
      const HirEvaluatorHooks *hooks = &g_array_index (evaluator->hooks, HirEvaluatorHooks, i);
      if (hooks->after != NULL)
        hooks->after (&point, hooks->user_data);
    }
  return HIR_STEP_MORE;
}

/* Fails if an output that this rank holds has been freed. */
static gboolean
check_outputs (HirEvaluator *evaluator, GError **error)
{
  const HirVec *outputs = &evaluator->program->outputs;

  for (guint i = 0; i < outputs->len && !evaluator->options.allow_missing_waits; i++)
    {
      const HirVal *val = outputs->items[i];
      const HirExpr *by = hir_evaluator_lookup_free (evaluator, val);

      if (by == NULL ||
          (((const HirTensor *) val)->mesh != NULL && evaluator->options.communicator != NULL &&
           !hir_mesh_has (((const HirTensor *) val)->mesh, evaluator->options.rank)))
        continue;
      hir_set_error (error, HIR_ERROR_RUN, &by->node.pos,
                     "T%d is an output, but is freed here on rank %d; remove this Deallocate",
                     val->name, evaluator->options.rank);
      return FALSE;
    }
  return TRUE;
}

gboolean
hir_evaluator_end (HirEvaluator *evaluator, GError **error)
{
  HirStep step;

  do
    step = hir_evaluator_step (evaluator, error);
  while (step == HIR_STEP_MORE);
  if (step == HIR_STEP_FAILED)
    return FALSE;
  if (!evaluator->ended &&
      (!hir_evaluator_end_comm (evaluator, error) || !check_outputs (evaluator, error)))
    return FALSE;
  evaluator->ended = TRUE;
  return TRUE;
}

gboolean
hir_evaluator_finish (HirEvaluator *evaluator, GError **error)
{
  HirModelLog *model = evaluator->options.model;

  if (!hir_evaluator_end (evaluator, error) ||
      !evaluator->options.backend->klass->synchronize (evaluator->options.backend, error))
    return FALSE;
  if (model != NULL)
    {
      hir_model_log_synchronize (model);
      hir_model_log_resolve (model);
    }
  return TRUE;
}

HirValue *
hir_evaluator_lookup (HirEvaluator *evaluator, const HirVal *val)
{
  return hir_env_lookup (evaluator->env, val);
}

gboolean
hir_evaluator_failed_by_order (const HirEvaluator *evaluator)
{
  return !evaluator->has_bad_value;
}

const HirExpr *
hir_evaluator_lookup_free (HirEvaluator *evaluator, const HirVal *val)
{
  const HirExpr *by = g_hash_table_lookup (evaluator->freed, val);

  return by != NULL && hir_env_lookup (evaluator->env, val) == NULL ? by : NULL;
}

HirEnv *
hir_evaluator_get_env (HirEvaluator *evaluator)
{
  return evaluator->env;
}

HirValue *
hir_evaluator_evaluate (HirEvaluator *evaluator, const HirScalar *scalar, GError **error)
{
  return hir_env_evaluate (evaluator->env, scalar, error);
}

guint64
hir_evaluator_get_n_steps (const HirEvaluator *evaluator)
{
  return evaluator->n_steps;
}

guint64
hir_evaluator_get_n_walked (const HirEvaluator *evaluator)
{
  return evaluator->n_walked;
}
