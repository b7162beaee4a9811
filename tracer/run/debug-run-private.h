/* Shared by the files of a debugged run. */
#pragma once

#include "run/debug-run.h"
#include "run/evaluator-undo.h"
#include "run/session-private.h"

G_BEGIN_DECLS

/* Rounds of the same ranks. */
typedef struct
{
  guint32 ranks;
  guint64 n;
} HirDebugStretch;

typedef enum
{
  HIR_SEAT_STANDS,
  HIR_SEAT_STEPS, /* its thread is to take one step, or does */
  HIR_SEAT_GOES,  /* ... as many as it may */
  HIR_SEAT_LEAVES,
} HirSeatDoing;

/* A rank and the thread that steps it, where it has one. */
typedef struct
{
  HirDebugRun *run;
  guint i;
  HirRank *rank;    /* borrowed from the session */
  gboolean ended;   /* its thread's while it does not stand */
  guint64 n_steps;  /* the same: in this go */
  GError *error;    /* the same */
  GPtrArray *writes;
  GThread *thread; /* nullable */
  HirSeatDoing doing; /* guarded by the run's lock */
} HirSeat;

struct _HirDebugRun
{
  HirDebugMake make;
  gpointer user_data;
  HirSession *session; /* NULL: it could not be made again */
  GPtrArray *seats;    /* HirSeat*, one a rank */
  GArray *history;     /* HirDebugStretch */
  guint64 round;
  guint32 epoch; /* of record/once.h */
  HirUndoLog *log;
  gboolean keeps, watches;
  gboolean has_threads; /* a step may block until another rank's comes */
  gboolean has_failed, is_finished;
  gint stop; /* atomic: asked for from outside */
  gint halt; /* atomic: of a go */
  GMutex lock;
  GCond changed;
  guint64 limit; /* steps of a go, guarded by lock */
};

static inline HirSeat *
hir_debug_run_get_seat (const HirDebugRun *run, guint i)
{
  return (HirSeat *) g_ptr_array_index (run->seats, i);
}

/* What is recorded from now on may have been recorded before. */
void hir_debug_run_begin_epoch (HirDebugRun *run);

/* A new session, at its begin, where there is none; and its end. */
gboolean hir_debug_run_begin (HirDebugRun *run, GError **error);
void hir_debug_run_tear_down (HirDebugRun *run);

/* One instruction and, behind the last one, the end. On whatever thread. */
HirStep hir_seat_step (HirSeat *seat, GError **error);

/* The same in a go, counted; the end is a call of its own. FALSE where it failed. */
gboolean hir_seat_go (HirSeat *seat);

/* debug-workers.c: @seat's thread, made where there is none, does what is said; then waits until all
 * stand, or, in steps, until nothing changes any more. */
void hir_seat_start (HirSeat *seat, HirSeatDoing doing);
void hir_debug_run_await_steps (HirDebugRun *run, guint32 ranks);
/* Until all have gone to their ends or to one count of steps. */
void hir_debug_run_await_goes (HirDebugRun *run, guint32 ranks);
/* Ends the threads. The session must have been stopped. */
void hir_debug_run_join (HirDebugRun *run);

/* debug-settle.c: every stream is at rest, or none can go on. */
gboolean hir_debug_run_is_quiet (HirDebugRun *run, gboolean *all_rest);

G_END_DECLS
