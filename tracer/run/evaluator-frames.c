/* Stack of frames: the position of an evaluator in its program. */
#include "run/evaluator-private.h"

HirFrame *
hir_evaluator_push_frame (HirEvaluator *evaluator, const HirScope *scope, const HirExpr *owner)
{
  HirFrame frame = { .scope = scope,
                     .owner = owner,
                     .caches = hir_evaluator_get_caches (evaluator, scope) };

  g_array_append_val (evaluator->frames, frame);
  return &g_array_index (evaluator->frames, HirFrame, evaluator->frames->len - 1);
}

static GPtrArray *
get_dependents (HirEvaluator *evaluator, const HirExpr *loop)
{
  GPtrArray *dependents = g_hash_table_lookup (evaluator->dependents, loop);

  if (dependents == NULL)
    {
      /* FOR .. from invalidates nothing (docs/host-ir.md#control-flow). */
      dependents = loop->u.loop.iter_domain != NULL
                       ? hir_loop_dup_dependents (evaluator->program, loop)
                       : g_ptr_array_new ();
      g_hash_table_insert (evaluator->dependents, (gpointer) loop, dependents);
    }
  return dependents;
}

void
hir_evaluator_bind_index (HirEvaluator *evaluator, HirFrame *frame)
{
  evaluator->n_bound++;
  /* the body was prepared: no value depends on the index, and it is unshared */
  if (frame->prepared != NULL)
    {
      frame->prepared->index->i = frame->i;
      frame->prepared->index->d = (double) frame->i;
      return;
    }
  if (frame->dependents == NULL)
    frame->dependents = get_dependents (evaluator, frame->owner);
  for (guint i = 0; i < frame->dependents->len; i++)
    hir_env_unbind (evaluator->env, g_ptr_array_index (frame->dependents, i));
  if (frame->owner->u.loop.iter_domain == NULL)
    hir_env_keep_expressions_of (evaluator->env, frame->owner->u.loop.index);
  hir_env_bind_index (evaluator->env, HIR_VAL (frame->owner->u.loop.index), frame->i);
}

void
hir_evaluator_drop_frames (HirEvaluator *evaluator, guint first)
{
  for (guint i = first; i < evaluator->frames->len; i++)
    {
      HirFrame *frame = &g_array_index (evaluator->frames, HirFrame, i);

      if (frame->prepared != NULL)
        hir_prepared_body_free (evaluator, frame->prepared);
    }
  g_array_set_size (evaluator->frames, first);
}

/* Pops finished scopes and starts next iterations, so that the top frame, if any, has a next
 * instruction. */
static void
prepare_top (HirEvaluator *evaluator)
{
  while (evaluator->frames->len > 0)
    {
      HirFrame *top = &g_array_index (evaluator->frames, HirFrame, evaluator->frames->len - 1);

      if (top->next < top->scope->exprs.len)
        return;
      if (top->owner != NULL && top->owner->kind == HIR_EXPR_FOR && top->scope->exprs.len > 0 &&
          top->step > 0 && top->i < top->stop - top->step)
        {
          top->i += top->step;
          top->next = 0;
          top->has_run_once = TRUE;
          hir_evaluator_bind_index (evaluator, top);
          return;
        }
      hir_evaluator_drop_frames (evaluator, evaluator->frames->len - 1);
    }
}

gboolean
hir_evaluator_peek (HirEvaluator *evaluator, HirProgramPoint *point)
{
  prepare_top (evaluator);
  if (evaluator->frames->len == 0)
    return FALSE;

  const HirFrame *top = &g_array_index (evaluator->frames, HirFrame, evaluator->frames->len - 1);
  point->expr = top->scope->exprs.items[top->next];
  point->iteration = hir_evaluator_get_iteration (evaluator);
  point->depth = evaluator->frames->len - 1;
  point->rank = evaluator->options.rank;
  return TRUE;
}
