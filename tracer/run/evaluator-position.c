/* Copies of an evaluator's position. */
#include "run/evaluator-position.h"

void
hir_evaluator_position_take (HirEvaluatorPosition *position, HirEvaluator *evaluator)
{
  position->frames = g_array_copy (evaluator->frames);
  position->current = evaluator->current;
  position->ended = evaluator->ended;
  position->n_steps = evaluator->n_steps;
  position->n_posts = evaluator->n_posts;
  position->correlation = evaluator->correlation;
  position->pending = g_ptr_array_new ();
  for (guint i = 0; i < evaluator->pending->len; i++)
    g_ptr_array_add (position->pending,
                     hir_pending_ref (g_ptr_array_index (evaluator->pending, i)));
  position->group = evaluator->group != NULL ? hir_comm_post_copy (evaluator->group) : NULL;
  position->group_start = evaluator->group_start;
}

void
hir_evaluator_position_restore (const HirEvaluatorPosition *position, HirEvaluator *evaluator)
{
  g_array_set_size (evaluator->frames, 0);
  g_array_append_vals (evaluator->frames, position->frames->data, position->frames->len);
  hir_evaluator_reset_pending (evaluator);
  for (guint i = 0; i < position->pending->len; i++)
    g_ptr_array_add (evaluator->pending,
                     hir_pending_ref (g_ptr_array_index (position->pending, i)));
  g_clear_pointer (&evaluator->group, hir_comm_post_free);
  evaluator->group = position->group != NULL ? hir_comm_post_copy (position->group) : NULL;
  evaluator->group_start = position->group_start;
  evaluator->current = position->current;
  evaluator->ended = position->ended;
  evaluator->n_steps = position->n_steps;
  evaluator->n_posts = position->n_posts;
  evaluator->correlation = position->correlation;
}

void
hir_evaluator_position_clear (HirEvaluatorPosition *position, HirEvaluator *evaluator)
{
  for (guint i = 0; i < position->pending->len; i++)
    hir_pending_unref (evaluator, g_ptr_array_index (position->pending, i));
  g_clear_pointer (&position->pending, g_ptr_array_unref);
  g_clear_pointer (&position->frames, g_array_unref);
  g_clear_pointer (&position->group, hir_comm_post_free);
}
