/* Where an evaluator stands in its program, as a copy: what an entry of the undo log and a checkpoint
 * both keep beside the values. */
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

/* Fills @position. A new iteration begins with the look at its first instruction, so call
 * hir_evaluator_peek() before. For all of these: the evaluator's thread. */
void hir_evaluator_position_take (HirEvaluatorPosition *position, HirEvaluator *evaluator);
/* Puts @evaluator, which @position is of, back there. @position may be used again. Values and
 * counters of what was met are the caller's. */
void hir_evaluator_position_restore (const HirEvaluatorPosition *position, HirEvaluator *evaluator);
/* Frees what @position, taken of @evaluator, holds. */
void hir_evaluator_position_clear (HirEvaluatorPosition *position, HirEvaluator *evaluator);

G_END_DECLS
