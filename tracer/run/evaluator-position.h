/* Copy of the position of an evaluator in its program, without values. Part of undo entries and
 * checkpoints. All functions run on the evaluator's thread. */
#pragma once

#include "run/evaluator-private.h"

G_BEGIN_DECLS

typedef struct
{
  GArray *frames; /* HirFrame */
  guint current;
  gboolean ended;
  guint64 n_steps;
  guint n_posts;
  guint32 correlation;
  GPtrArray *pending; /* HirPending*, references */
  HirCommPost *group; /* nullable: a copy */
  const HirExpr *group_start;
} HirEvaluatorPosition;

/* Sets @position to the position of @evaluator. Call hir_evaluator_peek() first, which starts the
 * next iteration of a loop. */
void hir_evaluator_position_take (HirEvaluatorPosition *position, HirEvaluator *evaluator);
/* Restores @position, which was taken from @evaluator and can be restored repeatedly. Values and
 * message counters are restored by the caller. */
void hir_evaluator_position_restore (const HirEvaluatorPosition *position, HirEvaluator *evaluator);
/* Frees the contents of @position, which was taken from @evaluator. */
void hir_evaluator_position_clear (HirEvaluatorPosition *position, HirEvaluator *evaluator);

G_END_DECLS
