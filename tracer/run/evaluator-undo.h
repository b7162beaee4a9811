/* Undo of evaluator steps: saves everything that a step is about to change. */
#pragma once

#include "run/evaluator.h"
#include "run/undo-log.h"

G_BEGIN_DECLS

/* Returns FALSE with a modelled clock, and if the host cannot copy the memory of the back end. */
gboolean hir_evaluator_can_undo (const HirEvaluator *evaluator);
/* Saves the changes of the next step as a new entry of @log. Call before the step; call
 * hir_evaluator_end_undo() after it. */
void hir_evaluator_begin_undo (HirEvaluator *evaluator, HirUndoLog *log);
/* Ends the entry started by hir_evaluator_begin_undo(). */
void hir_evaluator_end_undo (HirEvaluator *evaluator);
/* Reverts the step of @entry, the newest of this evaluator. Streams of all ranks must be idle, and
 * the communicator must have forgotten the posts of the step. Returns FALSE and changes nothing if
 * the entry is incomplete. */
gboolean hir_evaluator_undo (HirEvaluator *evaluator, HirUndoEntry *entry);
/* Returns the number of posts of the step of @entry. */
guint hir_evaluator_count_undone_posts (HirEvaluator *evaluator, const HirUndoEntry *entry);

/* Sets whether waits of streams are named even if nothing is recorded. */
void hir_evaluator_set_debugged (HirEvaluator *evaluator, gboolean is_debugged);
/* Sets the epoch of later events (record/replay-filter.h). Raise it before each re-execution of
 * steps. */
void hir_evaluator_set_epoch (HirEvaluator *evaluator, guint32 epoch);
/* Appends each value that later steps write to @writes (borrowed array of HirValue* references);
 * NULL stops this. Streams may not have written all of it yet. */
void hir_evaluator_watch_writes (HirEvaluator *evaluator, GPtrArray *writes);
/* Starts to record which elements are written. Call before the program starts. */
void hir_evaluator_record_writes (HirEvaluator *evaluator);
/* Returns a bool tensor that is true for each element of @value that the program has not written,
 * or NULL if there is none; see hir_written_dup_missing(). */
HirValue *
hir_evaluator_dup_missing (HirEvaluator *evaluator, const HirValue *value, GError **error);

G_END_DECLS
