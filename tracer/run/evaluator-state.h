/* All of an evaluator at a moment, so that it can be put there again: where it stands, what it knows, and the memory of
 * it. Also the modelled clock. */
#pragma once

#include "run/evaluator.h"

G_BEGIN_DECLS

typedef struct _HirEvaluatorState HirEvaluatorState;

/* FALSE: on back ends whose memory the host can't copy. */
gboolean hir_evaluator_can_save (const HirEvaluator *evaluator);
/* Streams of all ranks must be at rest. Memory that is as it was in @before (nullable: an earlier state of it) is
 * shared with that. NULL: memory can't be had, or the modelled clock waits for another rank. Free it before the
 * evaluator. */
HirEvaluatorState *hir_evaluator_save (HirEvaluator *evaluator, const HirEvaluatorState *before);
void hir_evaluator_state_free (HirEvaluatorState *state);
/* Streams of all ranks must be at rest; what was posted since must be forgotten by who matches it. */
void hir_evaluator_restore (HirEvaluator *evaluator, const HirEvaluatorState *state);
/* Posts to the communicator since @state. */
guint hir_evaluator_count_posts_since (const HirEvaluator *evaluator,
                                       const HirEvaluatorState *state);
/* What it holds that is not in @counted (a set of addresses), which has it then. Buffers that nothing else keeps any
 * more are counted, too. */
gsize hir_evaluator_state_count_bytes (const HirEvaluatorState *state, GHashTable *counted);

G_END_DECLS
