/* One execution of a program under a debugger, on all ranks, forward and backward.
 *
 * The unit of execution is a *round*: one instruction on each selected rank. Streams and ranks
 * order themselves, so the state after a round depends only on the number of instructions that each
 * rank has issued. A position is therefore a round number, and replaying the same rounds gives the
 * same values.
 *
 * One thread uses a run; only hir_debug_run_request_stop() may be called from other threads. */
#pragma once

#include "run/session/session.h"
#include "run/undo-log.h"

G_BEGIN_DECLS

/* Sets of ranks are bits. */
#define HIR_DEBUG_ALL_RANKS G_MAXUINT32

/* Creates a session with the same program, inputs and options each time, and one repetition. */
typedef HirSession *(*HirDebugMake) (gpointer user_data, GError **error);

typedef struct _HirDebugRun HirDebugRun;

/* Creates a run that is paused before its first instruction. @undo_bytes is the maximum size of the
 * undo log; 0 disables it. */
HirDebugRun *
hir_debug_run_new (HirDebugMake make, gpointer user_data, gsize undo_bytes, GError **error);
void hir_debug_run_free (HirDebugRun *run);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDebugRun, hir_debug_run_free)

/* Returns the number of ranks. */
guint hir_debug_run_get_n_ranks (const HirDebugRun *run);
/* Returns the evaluator of rank index @i (borrowed until the run goes back). Indices count from 0,
 * independent of rank numbers. */
HirEvaluator *hir_debug_run_get_evaluator (const HirDebugRun *run, guint i);
/* Returns the back end of rank index @i (borrowed until the run goes back). */
HirBackend *hir_debug_run_get_backend (const HirDebugRun *run, guint i);
/* Returns the program of rank index @i (borrowed). */
HirContainer *hir_debug_run_get_program (const HirDebugRun *run, guint i);
/* Returns the session (borrowed until the run goes back), or NULL if it could not be created
 * again. */
HirSession *hir_debug_run_get_session (const HirDebugRun *run);
/* Returns the rank number of index @i. */
int hir_debug_run_get_rank (const HirDebugRun *run, guint i);
/* Returns the index of rank number @rank, or -1 if there is no such rank. */
int hir_debug_run_find_rank (const HirDebugRun *run, gint64 rank);
/* Returns the communicator's world, or NULL for a single device without communication. */
HirCommWorld *hir_debug_run_get_world (const HirDebugRun *run);

/* Gets the next instruction of rank @i. Returns FALSE if the rank has ended or is inside an
 * instruction. */
gboolean hir_debug_run_peek (HirDebugRun *run, guint i, HirProgramPoint *point);
/* Returns TRUE if rank @i is inside an instruction that waits for another rank. Only on back ends
 * whose collectives block host threads. */
gboolean hir_debug_run_is_inside (HirDebugRun *run, guint i);
/* Returns TRUE if all ranks have ended. Work that they issued may still be running. */
gboolean hir_debug_run_is_over (const HirDebugRun *run);
/* Returns TRUE if hir_debug_run_finish() has succeeded: the issued work has finished too. */
gboolean hir_debug_run_is_finished (const HirDebugRun *run);
/* Gets the modelled time of the host of rank @i. Returns FALSE on the wall clock. */
gboolean hir_debug_run_get_modelled_ns (const HirDebugRun *run, guint i, gint64 *host_ns);
/* Returns the number of rounds since the start. */
guint64 hir_debug_run_get_round (const HirDebugRun *run);

/**
 * hir_debug_run_step:
 * @ranks: ranks to step, as bits
 *
 * Executes one round on those of @ranks that have not ended.
 *
 * Returns: HIR_STEP_DONE if no rank can step; after HIR_STEP_FAILED the run can only go back
 */
HirStep
hir_debug_run_step (HirDebugRun *run, guint32 ranks, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/**
 * hir_debug_run_go:
 * @ranks: ranks to run, as bits
 *
 * Executes rounds on @ranks until they end or a stop is requested, each rank on its own thread. All
 * of @ranks then stop after the same round. Stores no undo entries.
 *
 * Returns: as hir_debug_run_step()
 */
HirStep
hir_debug_run_go (HirDebugRun *run, guint32 ranks, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Waits for the streams after all ranks have ended, and checks the results if the session
 * checks. */
gboolean hir_debug_run_finish (HirDebugRun *run, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Ends the current operation soon, and later ones, until the request is cleared. Call from any
 * thread or a signal handler. */
void hir_debug_run_request_stop (HirDebugRun *run);
/* Returns TRUE if a stop is requested. */
gboolean hir_debug_run_is_stop_requested (const HirDebugRun *run);
/* Clears a stop request. */
void hir_debug_run_clear_stop (HirDebugRun *run);

/* Waits until every stream is idle or blocked on another rank. Returns FALSE if a stop is requested
 * first. */
gboolean hir_debug_run_quiesce (HirDebugRun *run);
/* If @held, holds every stream before its next task, on back ends that can do this. Streams must be
 * released (@held FALSE) before any operation except inspection. */
void hir_debug_run_hold (HirDebugRun *run, gboolean held);

/* How the run reached an earlier round. */
typedef enum
{
  HIR_DEBUG_BY_LOG,        /* undo log */
  HIR_DEBUG_BY_CHECKPOINT, /* replay from the nearest checkpoint */
  HIR_DEBUG_BY_RUNNING,    /* replay from the start */
} HirRewindMethod;

/**
 * hir_debug_run_go_back:
 * @round: the number of rounds to keep; at most the current one
 * @method: (out) (nullable): the method
 * @n_replayed: (out) (nullable): number of replayed rounds
 *
 * Goes back to the state after @round rounds.
 *
 * Returns: FALSE if the session cannot be created again; the run is then unusable
 */
gboolean hir_debug_run_go_back (HirDebugRun *run,
                                guint64 round,
                                HirRewindMethod *method,
                                guint64 *n_replayed,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Tests a state. @ranks are the ranks of the next round (before) or of the last round (after). */
typedef gboolean (*HirDebugTest) (HirDebugRun *run, guint32 ranks, gpointer user_data);

/* A search for an earlier state. Each state is tested by `after`, then by `before`. */
typedef struct
{
  HirDebugTest before;   /* nullable: tests the state before each round */
  HirDebugTest after;    /* nullable: tests the state after each round; requires a replay */
  gboolean undoes_round; /* if `after` matches, go back to before that round, also the last one */
  gpointer user_data;
} HirDebugSearch;

/**
 * hir_debug_run_find_back:
 * @found: (out): whether a test matched
 * @method: (out): the method
 * @n_replayed: (out): number of replayed rounds
 *
 * Goes back to the last earlier state that a test of @search matches. If there is none, goes back
 * to the start. If a stop is requested, stops at any earlier state.
 *
 * Returns: FALSE if the session cannot be created again
 */
gboolean hir_debug_run_find_back (HirDebugRun *run,
                                  const HirDebugSearch *search,
                                  gboolean *found,
                                  HirRewindMethod *method,
                                  guint64 *n_replayed,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns the undo log (borrowed, never NULL). */
HirUndoLog *hir_debug_run_get_log (HirDebugRun *run);
/* Enables or disables undo entries and checkpoints. Initially enabled, if the back end supports
 * them. Also call after changing the bound of the undo log. */
void hir_debug_run_set_keeps (HirDebugRun *run, gboolean keeps);

/**
 * hir_debug_run_set_checkpoints:
 * @wanted: whether to store checkpoints; initially TRUE
 * @every: rounds between two checkpoints; 0: as often as their cost allows, several per second at
 *   most
 *
 * Configures checkpoints, from which replays start. They use at most half of the bound of the undo
 * log; older ones are thinned out. They require that the host can copy the memory of all ranks.
 */
void hir_debug_run_set_checkpoints (HirDebugRun *run, gboolean wanted, guint64 every);
/* Returns the number of checkpoints, and sets the rounds of the first and the last one and their
 * total size. */
guint hir_debug_run_get_n_checkpoints (const HirDebugRun *run,
                                       guint64 *first,
                                       guint64 *last,
                                       gsize *n_bytes);

/* Sets whether the values that steps write are recorded for hir_debug_run_get_writes(). */
void hir_debug_run_watch_writes (HirDebugRun *run, gboolean watch);
/* Returns the values (HirValue*, borrowed) that the last step of rank @i wrote; NULL if writes are
 * not recorded. */
GPtrArray *hir_debug_run_get_writes (HirDebugRun *run, guint i);

G_END_DECLS
