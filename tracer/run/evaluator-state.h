/* Saved state of an evaluator: its position, its values with their memory, and the modelled clock.
 */
#pragma once

#include "run/evaluator.h"

G_BEGIN_DECLS

typedef struct _HirEvaluatorState HirEvaluatorState;

/* Returns FALSE if the host cannot copy the memory of the back end. */
gboolean hir_evaluator_can_save (const HirEvaluator *evaluator);
/* Saves the state of @evaluator. Streams of all ranks must be idle. Memory that is unchanged since
 * @before (nullable; an earlier state) is shared with it. Returns NULL if memory is short or the
 * modelled clock waits for another rank. Free the state before @evaluator. */
HirEvaluatorState *hir_evaluator_save (HirEvaluator *evaluator, const HirEvaluatorState *before);
/* Frees @state. */
void hir_evaluator_state_free (HirEvaluatorState *state);
/* Restores @state. Streams of all ranks must be idle, and the communicator must have forgotten
 * later posts. */
void hir_evaluator_restore (HirEvaluator *evaluator, const HirEvaluatorState *state);
/* Returns the number of posts since @state. */
guint
hir_evaluator_count_posts_since (const HirEvaluator *evaluator, const HirEvaluatorState *state);
/* Returns the size of the memory of @state that is not in @counted (a set of addresses), and adds
 * it to @counted. Includes buffers that only @state keeps alive. */
gsize hir_evaluator_state_count_bytes (const HirEvaluatorState *state, GHashTable *counted);

G_END_DECLS
