/* Sequential interpreter of host programs. */
#include "run/reference/reference-host.h"

#include "run/evaluator-private.h"
#include "run/reference/reference-host-private.h"
#include "run/stream-piece.h"

/* Number of steps between two checks for cancellation. */
#define STEPS_PER_TURN 1000

struct _HirReferencePlay
{
  guint n;
  HirRefRank *ranks;
  HirRefWorld *world;
};

static void
rank_clear (HirRefRank *rank)
{
  g_clear_pointer (&rank->group, hir_ref_work_free);
  g_clear_pointer (&rank->works, g_ptr_array_unref);
  g_clear_pointer (&rank->frames, g_array_unref);
  g_clear_pointer (&rank->next, g_hash_table_unref);
  g_clear_pointer (&rank->plans, g_hash_table_unref);
  g_clear_pointer (&rank->dependents, g_hash_table_unref);
  g_clear_pointer (&rank->env, hir_env_free);
  g_clear_pointer (&rank->pieces, g_hash_table_unref);
}

static void
push_frame (HirRefRank *rank, const HirScope *scope, const HirExpr *loop)
{
  HirRefFrame frame = { .scope = scope, .loop = loop };

  g_array_append_val (rank->frames, frame);
}

static gboolean
bind_inputs (HirRefRank *rank, const HirReferenceRank *from, GError **error)
{
  const HirVec *formal = &rank->program->inputs;

  if (from->n_inputs != formal->len)
    {
      hir_set_error (error, HIR_ERROR_RUN, NULL, "the program takes %u inputs, but %u are given",
                     formal->len, from->n_inputs);
      return FALSE;
    }
  for (guint i = 0; i < from->n_inputs; i++)
    {
      HirVal *val = formal->items[i];
      g_autoptr (HirValue) value = NULL;

      if (HIR_IS_SCALAR (val))
        {
          hir_env_bind (rank->env, val, from->inputs[i]);
          continue;
        }
      value = hir_ref_host_load (from->inputs[i], error);
      if (value == NULL || !hir_env_bind_input (rank->env, HIR_TENSOR (val), value, error))
        return FALSE;
    }
  return TRUE;
}

static gboolean
rank_init (HirRefRank *rank,
           HirRefWorld *world,
           const HirReferenceRank *from,
           gint64 n_streams,
           GError **error)
{
  rank->world = world;
  rank->program = from->program;
  rank->rank = from->rank;
  rank->limit = G_MAXUINT64;
  rank->env = hir_env_new ();
  rank->pieces = hir_stream_pieces_new (from->program);
  rank->dependents = g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_ptr_array_unref);
  rank->plans = hir_unit_plans_new ();
  rank->next = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  rank->frames = g_array_new (FALSE, FALSE, sizeof (HirRefFrame));
  rank->works = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_ref_work_free);
  hir_env_set_device (rank->env, from->rank);
  hir_env_set_pieces (rank->env, rank->pieces);
  hir_env_bind_symbols (rank->env, from->symbols);
  hir_env_bind_named (rank->env, HIR_NAME_NUMBER_OF_STREAMS, n_streams);
  hir_env_bind_named (rank->env, HIR_NAME_RANK, from->rank);
  hir_env_bind_named (rank->env, HIR_NAME_DEVICE_IDX_X, from->rank);
  push_frame (rank, &rank->program->top, NULL);
  return bind_inputs (rank, from, error);
}

/* Binds a new index and unbinds the tensors that are computed from it
 * (docs/host-ir.md#control-flow). */
static void
bind_index (HirRefRank *rank, const HirExpr *loop, gint64 index)
{
  g_autoptr (HirValue) value = hir_value_new_int (index, HIR_DTYPE_INDEX);
  GPtrArray *dependents = g_hash_table_lookup (rank->dependents, loop);

  if (dependents == NULL)
    {
      dependents = hir_loop_dup_dependents (rank->program, loop);
      g_hash_table_insert (rank->dependents, (gpointer) loop, dependents);
    }
  for (guint i = 0; i < dependents->len; i++)
    hir_env_unbind (rank->env, g_ptr_array_index (dependents, i));
  hir_env_bind (rank->env, HIR_VAL (loop->u.loop.index), value);
}

static gboolean
enter_loop (HirRefRank *rank, const HirExpr *expr, GError **error)
{
  gint64 start, stop, step;
  HirRefFrame *frame;

  if (!hir_env_evaluate_int (rank->env, expr->u.loop.start, &start, error) ||
      !hir_env_evaluate_int (rank->env, expr->u.loop.stop, &stop, error))
    return FALSE;
  if (expr->u.loop.step == NULL)
    step = 1;
  else if (!hir_env_evaluate_int (rank->env, expr->u.loop.step, &step, error))
    return FALSE;
  if (start >= stop || step < 1)
    return TRUE;
  push_frame (rank, &expr->u.loop.body, expr);
  frame = &g_array_index (rank->frames, HirRefFrame, rank->frames->len - 1);
  frame->i = start;
  frame->stop = stop;
  frame->step = step;
  bind_index (rank, expr, start);
  return TRUE;
}

static gboolean
enter_branch (HirRefRank *rank, const HirExpr *expr, GError **error)
{
  gint64 condition;

  if (!hir_env_evaluate_int (rank->env, expr->u.branch.condition, &condition, error))
    return FALSE;
  push_frame (rank, condition ? &expr->u.branch.then_body : &expr->u.branch.else_body, NULL);
  return TRUE;
}

static gboolean
allocate (HirRefRank *rank, const HirExpr *expr, GError **error)
{
  const HirTensor *buffer = expr->u.allocate.buffer;
  g_autoptr (HirValue) shape = NULL;
  g_autoptr (HirValue) value = NULL;
  g_autoptr (HirRefTensor) zeros = NULL;

  if (!expr->u.allocate.always && hir_env_lookup (rank->env, HIR_VAL (buffer)) != NULL)
    return TRUE;
  shape = hir_env_new_tensor (rank->env, buffer, NULL, error);
  value = shape != NULL ? hir_ref_host_realize (shape, error) : NULL;
  if (value == NULL)
    return FALSE;
  if (expr->u.allocate.zero_init)
    {
      zeros = hir_ref_tensor_new (value->dtype, value->n_dims, value->sizes, error);
      if (zeros == NULL || !hir_ref_host_scatter (value, zeros, error))
        return FALSE;
    }
  hir_env_bind (rank->env, HIR_VAL (buffer), value);
  return TRUE;
}

static HirValue *
lookup_whole (HirRefRank *rank, const HirExpr *expr, GError **error)
{
  HirValue *whole = hir_env_lookup (rank->env, expr->inputs[0]);

  if (whole == NULL)
    hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                   "T%d must be computed or allocated before it is sliced", expr->inputs[0]->name);
  return whole;
}

static gboolean
alias_select (HirRefRank *rank, const HirExpr *expr, GError **error)
{
  const HirTensor *in = HIR_TENSOR (expr->inputs[0]);
  const HirIterDomain *cut = in->logical.ids[expr->u.alias_select.axis];
  HirValue *whole = lookup_whole (rank, expr, error);
  g_autoptr (HirValue) slice = NULL;
  gint64 index = 0;
  guint axis;

  if (whole == NULL)
    return FALSE;
  if (!hir_alias_select_find_axis (expr, &axis))
    slice = hir_value_ref (whole);
  else if (axis >= whole->n_dims ||
           (!hir_iter_domain_is_broadcast (cut) && whole->sizes[axis] != 1 &&
            !hir_env_evaluate_int (rank->env, expr->u.alias_select.index, &index, error)) ||
           index < 0 || index >= whole->sizes[axis])
    {
      if (error != NULL && *error == NULL)
        hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos, "T%d has no slice %" G_GINT64_FORMAT,
                       in->base.name, index);
      return FALSE;
    }
  else
    slice = hir_value_select (whole, axis, index);
  hir_env_bind (rank->env, HIR_VAL (expr->u.alias_select.out), slice);
  return TRUE;
}

static gboolean
shard (HirRefRank *rank, const HirExpr *expr, GError **error)
{
  HirValue *whole = lookup_whole (rank, expr, error);
  g_autoptr (HirValue) piece = NULL;
  gint64 start, size;
  guint axis;

  if (whole == NULL || !hir_stream_piece_get (expr, rank->env, whole->n_dims, whole->sizes, &axis,
                                              &start, &size, error))
    return FALSE;
  piece = hir_value_slice (whole, axis, start, size, 1);
  hir_env_bind (rank->env, HIR_VAL (expr->u.shard.out), piece);
  return TRUE;
}

static gboolean
execute (HirRefRank *rank, const HirExpr *expr, GError **error)
{
  switch (expr->kind)
    {
    case HIR_EXPR_FOR:
      return enter_loop (rank, expr, error);
    case HIR_EXPR_IF:
      return enter_branch (rank, expr, error);
    case HIR_EXPR_ALLOCATE:
      return allocate (rank, expr, error);
    case HIR_EXPR_DEALLOCATE:
      hir_env_unbind (rank->env, HIR_VAL (expr->u.deallocate.buffer));
      return TRUE;
    case HIR_EXPR_ALIAS_SELECT:
      return alias_select (rank, expr, error);
    case HIR_EXPR_SHARD_BY_STREAM:
      return shard (rank, expr, error);
    case HIR_EXPR_SCALAR:
      return hir_env_compute_again (rank->env, HIR_SCALAR (expr->outputs[0]), error);
    case HIR_EXPR_SHARE_MEM_HANDLES:
      return TRUE;
    case HIR_EXPR_LAUNCH_KERNEL: /* the run refuses one without a unit */
    case HIR_EXPR_POST_ON_STREAM:
      return hir_ref_host_post_unit (rank, expr, error);
    case HIR_EXPR_GET_CURRENT_STREAM:
    case HIR_EXPR_SET_CURRENT_STREAM:
    case HIR_EXPR_SYNCHRONIZE:
      return TRUE; /* everything is sequential */
    case HIR_EXPR_COMMUNICATION:
    case HIR_EXPR_COLLECTIVE_PERMUTE:
    case HIR_EXPR_P2P:
    case HIR_EXPR_START_COALESCING:
    case HIR_EXPR_END_COALESCING:
      return hir_ref_host_post (rank, expr, error);
    default:
      return hir_ref_host_compute (rank, expr, error);
    }
}

/* Returns the frame with the next instruction, or NULL at the end. */
static HirRefFrame *
next_frame (HirRefRank *rank)
{
  while (rank->frames->len > 0)
    {
      HirRefFrame *top = &g_array_index (rank->frames, HirRefFrame, rank->frames->len - 1);

      if (top->next < top->scope->exprs.len)
        return top;
      if (top->loop != NULL && top->scope->exprs.len > 0 && top->i < top->stop - top->step)
        {
          top->i += top->step;
          top->next = 0;
          bind_index (rank, top->loop, top->i);
          return top;
        }
      g_array_set_size (rank->frames, rank->frames->len - 1);
    }
  return NULL;
}

static gboolean
step (HirRefRank *rank, HirRefFrame *frame, GError **error)
{
  const HirExpr *expr = frame->scope->exprs.items[frame->next];
  gboolean ready = TRUE;

  if (expr->kind == HIR_EXPR_WAIT)
    {
      if (!hir_ref_host_wait (rank, expr, &ready, error))
        return FALSE;
      rank->blocked_on = ready ? NULL : expr;
      frame->next += ready;
      rank->n_steps += ready;
      return TRUE;
    }
  frame->next++;
  rank->n_steps++;
  return execute (rank, expr, error);
}

/* Runs a rank until it is blocked, at most STEPS_A_TURN steps. Sets *@progress to TRUE if it made
 * progress. */
static gboolean
run_rank (HirRefRank *rank, guint64 max_steps, gboolean *progress, GError **error)
{
  HirRefFrame *frame;
  const HirExpr *expr;

  rank->blocked_on = NULL;
  for (guint turn = 0;
       turn < STEPS_PER_TURN && rank->blocked_on == NULL && rank->n_steps < rank->limit; turn++)
    {
      if (max_steps > 0 && rank->n_steps >= max_steps)
        {
          hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                         "the program does not end within %" G_GUINT64_FORMAT " instructions",
                         max_steps);
          return FALSE;
        }
      frame = next_frame (rank);
      rank->is_done = frame == NULL;
      if (frame == NULL)
        return TRUE;
      expr = frame->scope->exprs.items[frame->next];
      if (!step (rank, frame, error) ||
          (rank->watch != NULL && rank->blocked_on == NULL &&
           !rank->watch (rank->i, expr, rank->env, rank->watch_data, error)))
        return FALSE;
      *progress |= rank->blocked_on == NULL;
    }
  return TRUE;
}

static gboolean
fail_stuck (const HirReferencePlay *play, GError **error)
{
  const HirRefRank *ranks = play->ranks;

  for (guint i = 0; i < play->n; i++)
    if (!ranks[i].is_done)
      {
        hir_set_error (
            error, HIR_ERROR_UNSUPPORTED, &ranks[i].blocked_on->node.pos,
            "this program cannot be checked: without concurrent streams, rank %d waits here "
            "for "
            "a post that no other rank reaches; run it without --check",
            ranks[i].rank);
        return FALSE;
      }
  return FALSE;
}

static gboolean
run_all (HirReferencePlay *play, guint64 max_steps, GCancellable *cancellable, GError **error)
{
  HirRefRank *ranks = play->ranks;
  guint n_done = 0;

  while (n_done < play->n)
    {
      gboolean progress = FALSE;

      if (g_cancellable_is_cancelled (cancellable))
        {
          hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "the check was stopped");
          return FALSE;
        }
      n_done = 0;
      for (guint i = 0; i < play->n; i++)
        {
          if (!ranks[i].is_done && !run_rank (&ranks[i], max_steps, &progress, error))
            return FALSE;
          n_done += ranks[i].is_done;
        }
      if (!progress && n_done < play->n)
        return fail_stuck (play, error);
    }
  return TRUE;
}

static GPtrArray *
dup_outputs (HirRefRank *rank, GError **error)
{
  g_autoptr (GPtrArray) outputs =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_ref_tensor_unref);

  for (guint i = 0; i < rank->program->outputs.len; i++)
    {
      HirVal *val = rank->program->outputs.items[i];
      HirValue *value = HIR_IS_TENSOR (val) ? hir_env_lookup (rank->env, val) : NULL;
      HirRefTensor *tensor = value != NULL ? hir_ref_host_gather (value, error) : NULL;

      if (value != NULL && tensor == NULL)
        return NULL;
      g_ptr_array_add (outputs, tensor);
    }
  return g_steal_pointer (&outputs);
}

HirReferencePlay *
hir_reference_play_new (const HirReferenceRank *from,
                        guint n_ranks,
                        gint64 n_streams,
                        GError **error)
{
  HirReferencePlay *play = g_new0 (HirReferencePlay, 1);
  gboolean ok = TRUE;

  play->n = n_ranks;
  play->ranks = g_new0 (HirRefRank, n_ranks);
  play->world = hir_ref_world_new ();
  for (guint i = 0; i < n_ranks && ok; i++)
    {
      ok = rank_init (&play->ranks[i], play->world, &from[i], n_streams, error);
      play->ranks[i].i = i;
    }
  if (ok)
    return play;
  hir_reference_play_free (play);
  return NULL;
}

void
hir_reference_play_free (HirReferencePlay *play)
{
  for (guint i = 0; i < play->n; i++)
    rank_clear (&play->ranks[i]);
  hir_ref_world_free (play->world);
  g_free (play->ranks);
  g_free (play);
}

gboolean
hir_reference_play_to (HirReferencePlay *play,
                       const guint64 *n_steps,
                       GCancellable *cancellable,
                       GError **error)
{
  gboolean progress = TRUE;

  for (guint i = 0; i < play->n; i++)
    {
      if (play->ranks[i].n_steps > n_steps[i])
        return FALSE;
      play->ranks[i].limit = n_steps[i];
    }
  while (progress)
    {
      progress = FALSE;
      if (g_cancellable_is_cancelled (cancellable))
        {
          hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "the comparison was stopped");
          return FALSE;
        }
      for (guint i = 0; i < play->n; i++)
        if (!play->ranks[i].is_done && !run_rank (&play->ranks[i], 0, &progress, error))
          return FALSE;
    }
  return TRUE;
}

gboolean
hir_reference_play_has_come (const HirReferencePlay *play, guint i)
{
  return play->ranks[i].n_steps == play->ranks[i].limit;
}

const HirValue *
hir_reference_play_lookup (HirReferencePlay *play, guint i, const HirVal *val)
{
  return hir_env_lookup (play->ranks[i].env, val);
}

HirRefTensor *
hir_reference_dup_tensor (const HirValue *value, GError **error)
{
  return hir_ref_host_gather (value, error);
}

GPtrArray *
hir_reference_evaluate_host (const HirReferenceRank *from,
                             guint n_ranks,
                             gint64 n_streams,
                             guint64 max_steps,
                             GCancellable *cancellable,
                             GError **error)
{
  HirReferencePlay *play = hir_reference_play_new (from, n_ranks, n_streams, error);
  g_autoptr (GPtrArray) result =
      g_ptr_array_new_with_free_func ((GDestroyNotify) g_ptr_array_unref);
  gboolean ok;

  if (play == NULL)
    return NULL;
  ok = run_all (play, max_steps, cancellable, error);
  for (guint i = 0; i < n_ranks && ok; i++)
    {
      GPtrArray *outputs = dup_outputs (&play->ranks[i], error);

      ok = outputs != NULL;
      if (ok)
        g_ptr_array_add (result, outputs);
    }
  hir_reference_play_free (play);
  return ok ? g_steal_pointer (&result) : NULL;
}

gboolean
hir_reference_watch_host (const HirReferenceRank *from,
                          guint n_ranks,
                          gint64 n_streams,
                          HirReferenceWatch watch,
                          gpointer user_data,
                          GCancellable *cancellable,
                          GError **error)
{
  HirReferencePlay *play = hir_reference_play_new (from, n_ranks, n_streams, error);
  gboolean ok;

  if (play == NULL)
    return FALSE;
  for (guint i = 0; i < n_ranks; i++)
    {
      play->ranks[i].watch = watch;
      play->ranks[i].watch_data = user_data;
    }
  ok = run_all (play, 0, cancellable, error);
  hir_reference_play_free (play);
  return ok;
}
