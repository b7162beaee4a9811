/* One execution of a program under a debugger: all ranks, as many instructions of each as are asked
 * for, forwards and backwards. What is done at once is a *round*: one instruction on each of some
 * ranks. As streams and ranks order themselves, the state after it depends only on how many
 * instructions each rank has issued; that is what a position stands for, and why going back by
 * running again ends in the same numbers. One thread, but for requesting a stop. */
#pragma once

#include "run/session/session.h"
#include "run/undo-log.h"

G_BEGIN_DECLS

/* Ranks as bits. */
#define HIR_DEBUG_ALL_RANKS G_MAXUINT32

/* A new session with the same program, inputs and options; one repeat. */
typedef HirSession *(*HirDebugMake) (gpointer user_data, GError **error);

typedef struct _HirDebugRun HirDebugRun;

/* Stands before the first instruction. @undo_bytes: bound of the undo log; 0: none. */
HirDebugRun *
hir_debug_run_new (HirDebugMake make, gpointer user_data, gsize undo_bytes, GError **error);
void hir_debug_run_free (HirDebugRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDebugRun, hir_debug_run_free)

guint hir_debug_run_get_n_ranks (const HirDebugRun *run);
/* Borrowed, until the run goes back. @i: from 0, whatever the rank's number. */
HirEvaluator *hir_debug_run_get_evaluator (const HirDebugRun *run, guint i);
HirBackend *hir_debug_run_get_backend (const HirDebugRun *run, guint i);
HirContainer *hir_debug_run_get_program (const HirDebugRun *run, guint i);
HirSession *hir_debug_run_get_session (const HirDebugRun *run);
int hir_debug_run_get_rank (const HirDebugRun *run, guint i);
/* Index of the rank of that number; -1: there is none. */
int hir_debug_run_find_rank (const HirDebugRun *run, gint64 rank);
/* NULL: a single device without communication. */
HirCommWorld *hir_debug_run_get_world (const HirDebugRun *run);

/* The next instruction of rank @i; FALSE at its end. */
gboolean hir_debug_run_peek (HirDebugRun *run, guint i, HirProgramPoint *place);
/* It is in its instruction still, for another rank has to come: only where streams are the
 * device's own. */
gboolean hir_debug_run_is_inside (HirDebugRun *run, guint i);
/* All ranks are at their ends; what they have issued may not be done. */
gboolean hir_debug_run_is_over (const HirDebugRun *run);
/* ... and it is done: hir_debug_run_finish() has succeeded. */
gboolean hir_debug_run_is_finished (const HirDebugRun *run);
/* How far the host of rank @i is on the modelled clock; FALSE on the wall clock. */
gboolean hir_debug_run_get_modelled_ns (const HirDebugRun *run, guint i, gint64 *host_ns);
/* Rounds since the begin. */
guint64 hir_debug_run_get_round (const HirDebugRun *run);

/* One round of those of @ranks that are not at their ends. DONE where there is none. After FAILED
 * only going back is possible. */
HirStep
hir_debug_run_step (HirDebugRun *run, guint32 ranks, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Rounds of @ranks to their ends, or until a stop is requested, each rank on a thread of its own;
 * @ranks then stand behind the same round. Nothing is kept to be undone. */
HirStep
hir_debug_run_go (HirDebugRun *run, guint32 ranks, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* All ranks are at their ends: waits for the streams, and compares where the session checks. */
gboolean hir_debug_run_finish (HirDebugRun *run, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Any thread, and a handler of signals: what goes on ends soon. Until it is cleared. */
void hir_debug_run_request_stop (HirDebugRun *run);
gboolean hir_debug_run_is_stop_requested (const HirDebugRun *run);
void hir_debug_run_clear_stop (HirDebugRun *run);

/* Waits until no stream can do more before a rank goes on. FALSE where a stop is requested first. */
gboolean hir_debug_run_quiesce (HirDebugRun *run);
/* TRUE: streams stand still before their next piece of work, where the back end can hold them; FALSE, before anything
 * else is done than looking: they go on. */
void hir_debug_run_hold (HirDebugRun *run, gboolean held);

/* How it came to an earlier round. */
typedef enum
{
  HIR_DEBUG_BY_LOG,
  HIR_DEBUG_BY_CHECKPOINT, /* from the nearest, again */
  HIR_DEBUG_BY_RUNNING,    /* from the start, again */
} HirRewindMethod;

/* Goes back to the state before round @round + 1, which is not after the present one. *@way, and *@n_again, the rounds
 * that were run for it: nullable. FALSE: the run can't be made again, and is at an end. */
gboolean hir_debug_run_go_back (HirDebugRun *run,
                                guint64 round,
                                HirRewindMethod *way,
                                guint64 *n_again,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Looks for the last earlier state at which @before (nullable) holds, called with the ranks that then
 * take the next round, or behind which @after (nullable) does: called when they have. Stands there
 * then, or, *@found FALSE, at the begin; or, where a stop is requested, somewhere. *@way and *@n_again as above. */
typedef gboolean (*HirDebugTest) (HirDebugRun *run, guint32 ranks, gpointer user_data);
gboolean hir_debug_run_find_back (HirDebugRun *run,
                                  HirDebugTest before,
                                  HirDebugTest after,
                                  gpointer user_data,
                                  gboolean *found,
                                  HirRewindMethod *way,
                                  guint64 *n_again,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Never NULL. */
HirUndoLog *hir_debug_run_get_log (HirDebugRun *run);
/* Whether rounds are kept to be undone, and checkpoints: TRUE as from the start where the back end can. After another
 * bound of the log was set, too. */
void hir_debug_run_set_keeps (HirDebugRun *run, gboolean keeps);

/* Whether states are kept on the way, so that what is run again begins at the nearest one: TRUE as from the start. They
 * count within the bound of the undo log, of which they take half at most; those far back are fewer. @every: rounds
 * between two; 0: as it costs little, some a second at most. Only where the host can copy the memory of all
 * ranks. */
void hir_debug_run_set_checkpoints (HirDebugRun *run, gboolean wanted, guint64 every);
/* How many there are, of which rounds, and what they take. */
guint hir_debug_run_get_n_checkpoints (const HirDebugRun *run,
                                       guint64 *first,
                                       guint64 *last,
                                       gsize *n_bytes);

/* What the last step of rank @i wrote (HirValue*), while that is watched; borrowed. */
void hir_debug_run_watch_writes (HirDebugRun *run, gboolean watch);
GPtrArray *hir_debug_run_get_writes (HirDebugRun *run, guint i);

G_END_DECLS
