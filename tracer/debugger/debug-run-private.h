/* Shared by the files of a debugged run. */
#pragma once

#include "debugger/debug-run.h"
#include "run/evaluator-undo.h"
#include "run/reference/reference-host.h"
#include "run/session/session-private.h"

G_BEGIN_DECLS

/* Rounds of the same ranks. */
typedef struct
{
  guint32 ranks;
  guint64 n;
} HirDebugStretch;

typedef enum
{
  HIR_WORKER_IDLE,
  HIR_WORKER_STEPPING, /* its thread is to take one step, or does */
  HIR_WORKER_RUNNING,  /* ... as many as it may */
  HIR_WORKER_EXITING,
} HirWorkerState;

/* A rank and the thread that steps it, where it has one. */
typedef struct
{
  HirDebugRun *run;
  guint i;
  HirRank *rank;    /* borrowed from the session */
  gboolean ended;   /* its thread's while it does not stand */
  guint64 n_steps;  /* the same: instructions in this go */
  guint64 n_before; /* of the evaluator, when the go began */
  GError *error;    /* the same */
  GPtrArray *writes;
  GThread *thread; /* nullable */
  HirWorkerState doing; /* guarded by the run's lock */
  gint is_detached;   /* atomic: it stands behind that then, though the others go on */
} HirRankWorker;

struct _HirDebugRun
{
  HirDebugMake make;
  gpointer user_data;
  HirSession *session; /* NULL: it could not be made again */
  GPtrArray *seats;    /* HirRankWorker*, one a rank */
  GArray *history;     /* HirDebugStretch */
  guint64 round;
  guint32 epoch; /* of record/replay-filter.h */
  HirReferencePlay *play; /* debug-compare.c; NULL: nothing was compared */
  HirUndoLog *log;
  gboolean keeps, watches;
  gboolean has_threads; /* a step may block until another rank's comes */
  gboolean has_failed, is_finished;
  gint stop; /* atomic: asked for from outside */
  gint halt; /* atomic: of a go */
  GMutex lock;
  GCond changed;
  guint64 limit; /* steps of a go, guarded by lock */
  /* debug-checkpoint.c */
  GPtrArray *checkpoints; /* Checkpoint*, by round */
  gboolean has_checkpoints;
  guint64 every;  /* rounds between two; 0: as time goes by */
  gint64 next_us, kept_us; /* when the next one is due, when the last was kept; g_get_monotonic_time() */
  gint64 go_until_us; /* a go stands then, ... */
  gboolean is_interrupted; /* ... and has, for that */
};

static inline HirRankWorker *
hir_debug_run_get_seat (const HirDebugRun *run, guint i)
{
  return (HirRankWorker *) g_ptr_array_index (run->seats, i);
}

static inline gboolean
hir_debug_ranks_have (guint32 ranks, guint i)
{
  return (ranks & (1u << i)) != 0;
}

/* debug-run-state.c: rounds from @from on, before @round. */
GArray *hir_debug_history_cut (const GArray *history, guint64 from, guint64 round);
/* Only what was before @round has been; it stands there. */
void hir_debug_run_cut_to (HirDebugRun *run, guint64 round);
/* What is recorded from now on may have been recorded before. */
void hir_debug_run_begin_epoch (HirDebugRun *run);

/* A new session, at its begin, where there is none; and its end. */
gboolean hir_debug_run_begin (HirDebugRun *run, GError **error);
void hir_debug_run_tear_down (HirDebugRun *run);

/* One instruction and, behind the last one, the end. On whatever thread. */
HirStep hir_rank_worker_step (HirRankWorker *seat, GError **error);

/* The same in a go, counted; the end is a call of its own. More than one where a loop's body is ready.
 * FALSE where it failed. */
gboolean hir_rank_worker_run (HirRankWorker *seat);
/* In this go; while it is inside of what can't go on alone, with that. */
guint64 hir_rank_worker_count (const HirRankWorker *seat, gboolean is_inside);
/* Ends it where it is behind its last instruction. FALSE where that failed. */
gboolean hir_rank_worker_end (HirRankWorker *seat, GError **error);
void hir_rank_worker_free (gpointer seat);

/* debug-workers.c: @seat's thread, made where there is none, does what is said; then waits until all
 * stand, or, in steps, until nothing changes any more. */
void hir_rank_worker_start (HirRankWorker *seat, HirWorkerState doing);
void hir_debug_run_await_steps (HirDebugRun *run);
/* Until all have gone to their ends or to one count of steps. */
void hir_debug_run_await_goes (HirDebugRun *run, guint32 ranks);
/* Ends the threads. The session must have been stopped. */
void hir_debug_run_join (HirDebugRun *run);

/* debug-checkpoint.c. After a round, or where a go stands: keeps one where one is due. When that is, G_MAXINT64: never.
 * The first one of a session is due some time after this moment. */
void hir_debug_run_init_checkpoints (HirDebugRun *run);
void hir_debug_run_keep_checkpoint (HirDebugRun *run, gboolean stands);
gint64 hir_debug_run_get_checkpoint_us (HirDebugRun *run);
void hir_debug_run_await_checkpoint (HirDebugRun *run);
/* Stands there then. FALSE, and nothing is changed: there is none, or not all streams rest. */
gboolean hir_debug_run_restore_checkpoint (HirDebugRun *run, guint64 round);
void hir_debug_run_drop_checkpoints (HirDebugRun *run, guint64 after);
void hir_debug_run_drop_all_checkpoints (HirDebugRun *run);

/* debug-quiesce.c: every stream is at rest, or none can go on. */
gboolean hir_debug_run_is_quiescent (HirDebugRun *run, gboolean *all_rest);

G_END_DECLS
