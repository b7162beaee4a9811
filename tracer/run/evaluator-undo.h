/* Steps of an evaluator that can be taken back: what a step is about to change is kept first. */
#pragma once

#include "run/evaluator.h"
#include "run/undo-log.h"

G_BEGIN_DECLS

/* FALSE: on a modelled clock, and on back ends whose memory the host can't copy. */
gboolean hir_evaluator_can_undo (const HirEvaluator *evaluator);
/* What the next step changes goes into @log, as an entry. Before the step; then end. */
void hir_evaluator_begin_undo (HirEvaluator *evaluator, HirUndoLog *log);
void hir_evaluator_end_undo (HirEvaluator *evaluator);
/* Takes the step of @entry, the newest of this evaluator, back. Streams of all ranks must be at
 * rest; what was posted must be forgotten by who matches it. FALSE and the state is unchanged where
 * the entry is not whole. */
gboolean hir_evaluator_undo (HirEvaluator *evaluator, HirUndoEntry *entry);
/* Posts to the communicator that @entry's step has made. */
guint hir_evaluator_count_undone_posts (HirEvaluator *evaluator, const HirUndoEntry *entry);

/* Whether streams that wait tell in what, though nothing is recorded. */
void hir_evaluator_set_debugged (HirEvaluator *evaluator, gboolean is_debugged);
/* What it records from now on is of that epoch (record/replay-filter.h): raised each time that steps are taken
 * again. */
void hir_evaluator_set_epoch (HirEvaluator *evaluator, guint32 epoch);
/* What each step writes from now on (HirValue*, references) is appended to @writes (borrowed); NULL:
 * nowhere. Part of it may not be written yet: streams do that. */
void hir_evaluator_watch_writes (HirEvaluator *evaluator, GPtrArray *writes);

G_END_DECLS
