/* Internal declarations of a debugged run. */
#pragma once

#include "debugger/debug-run.h"
#include "run/evaluator-undo.h"
#include "run/reference/reference-host.h"
#include "run/session/session-private.h"

G_BEGIN_DECLS

/* Consecutive rounds of the same ranks. */
typedef struct
{
  guint32 ranks;
  guint64 n;
} HirDebugStretch;

typedef enum
{
  HIR_WORKER_IDLE,
  HIR_WORKER_STEPPING, /* the thread executes one step */
  HIR_WORKER_RUNNING,  /* the thread executes steps until it is halted */
  HIR_WORKER_EXITING,
} HirWorkerState;

/* A rank, and the thread that steps it if it has one. */
typedef struct
{
  HirDebugRun *run;
  guint i;
  HirRank *rank;        /* borrowed from the session */
  gboolean ended;       /* the rank has ended; owned by the thread unless it is idle */
  guint64 n_steps;      /* instructions in this go; owned like `ended` */
  guint64 n_before;     /* steps of the evaluator when the go began */
  GError *error;        /* nullable; owned like `ended` */
  GPtrArray *writes;    /* nullable: HirValue* that the last step wrote */
  GPtrArray *numbers;   /* nullable: hir_instruction_numbers() */
  GThread *thread;      /* nullable */
  HirWorkerState doing; /* guarded by the run's lock */
  gint is_detached;     /* atomic: stop after the current instruction */
} HirRankWorker;

struct _HirDebugRun
{
  HirDebugMake make;
  gpointer user_data;
  HirSession *session; /* NULL if it could not be created again */
  GPtrArray *workers;  /* HirRankWorker*, one per rank */
  GArray *history;     /* HirDebugStretch */
  guint64 round;
  guint32 epoch;          /* number of re-executions; see record/replay-filter.h */
  HirReferencePlay *play; /* nullable: reference evaluation of debug-compare.c */
  HirUndoLog *log;
  gboolean keeps, watches;
  gboolean has_threads; /* ranks need threads: a step may block until another rank steps */
  gboolean has_failed, is_finished;
  gint stop; /* atomic: a stop is requested */
  gint halt; /* atomic: the workers must stop */
  GMutex lock;
  GCond changed;
  guint64 limit; /* maximum steps per rank in a go; guarded by lock */
  /* debug-checkpoint.c */
  GPtrArray *checkpoints; /* Checkpoint*, in order of rounds */
  gboolean has_checkpoints;
  guint64 every;           /* rounds between two; 0: by time */
  gint64 next_us, kept_us; /* when the next is due and the last was stored; monotonic */
  gint64 go_until_us;      /* a go pauses at this time for a checkpoint */
  gboolean is_interrupted; /* the go paused for a checkpoint */
};

static inline HirRankWorker *
hir_debug_run_get_worker (const HirDebugRun *run, guint i)
{
  return (HirRankWorker *) g_ptr_array_index (run->workers, i);
}

static inline gboolean
hir_debug_ranks_have (guint32 ranks, guint i)
{
  return (ranks & (1u << i)) != 0;
}

/* debug-run-state.c */

/* Returns the part of @history from round @from to before @round (transfer full). */
GArray *hir_debug_history_cut (const GArray *history, guint64 from, guint64 round);
/* Drops the history from @round on; the run is then at @round. */
void hir_debug_run_cut_to (HirDebugRun *run, guint64 round);
/* Begins a new epoch: events recorded from now on may be duplicates. */
void hir_debug_run_begin_epoch (HirDebugRun *run);

/* Creates a session at its start. */
gboolean hir_debug_run_begin (HirDebugRun *run, GError **error);
/* Stops and frees the session, if any. */
void hir_debug_run_tear_down (HirDebugRun *run);

/* debug-workers.c */

/* Executes one instruction and, after the last one, the end of the program. Any thread. */
HirStep hir_rank_worker_step (HirRankWorker *worker, GError **error);

/* Executes one instruction, or more of them in a prepared loop body, and counts them in n_steps.
 * Returns FALSE on failure. */
gboolean hir_rank_worker_run (HirRankWorker *worker);
/* Returns the number of instructions in this go, including the current one if @is_inside. */
guint64 hir_rank_worker_count (const HirRankWorker *worker, gboolean is_inside);
/* Ends the rank if it is after its last instruction. Returns FALSE on failure. */
gboolean hir_rank_worker_end (HirRankWorker *worker, GError **error);
/* Frees a worker, whose thread must be joined. */
void hir_rank_worker_free (gpointer worker);

/* Sets the state of the worker's thread, and creates the thread if there is none. */
void hir_rank_worker_start (HirRankWorker *worker, HirWorkerState doing);
/* Waits until every worker is idle, or blocked until another rank steps. */
void hir_debug_run_await_steps (HirDebugRun *run);
/* Waits until all of @ranks have ended or have executed the same number of steps. */
void hir_debug_run_await_goes (HirDebugRun *run, guint32 ranks);
/* Joins the threads. The session must be stopped. */
void hir_debug_run_join (HirDebugRun *run);

/* debug-checkpoint.c */

/* Creates the list of checkpoints. */
void hir_debug_run_init_checkpoints (HirDebugRun *run);
/* Stores a checkpoint if one is due. Call after a round (@after_go FALSE) or a go (TRUE). */
void hir_debug_run_keep_checkpoint (HirDebugRun *run, gboolean after_go);
/* Returns when the next checkpoint is due, in monotonic time; G_MAXINT64: never. */
gint64 hir_debug_run_get_checkpoint_us (HirDebugRun *run);
/* Starts the timer for the first checkpoint of a session. */
void hir_debug_run_await_checkpoint (HirDebugRun *run);
/* Restores the last checkpoint at or before @round. Returns FALSE and changes nothing if there is
 * none or some streams are not idle. */
gboolean hir_debug_run_restore_checkpoint (HirDebugRun *run, guint64 round);
/* Drops all checkpoints after round @after. */
void hir_debug_run_drop_checkpoints (HirDebugRun *run, guint64 after);
/* Drops all checkpoints. */
void hir_debug_run_drop_all_checkpoints (HirDebugRun *run);

/* debug-quiesce.c: returns TRUE if every stream is idle or blocked on another rank. Sets @all_rest
 * if all are idle. */
gboolean hir_debug_run_is_quiescent (HirDebugRun *run, gboolean *all_rest);

G_END_DECLS
