/* What carries tensor ops out: the CPU here; a GPU by the same table. The host thread issues, in
 * program order, and never waits but where it says so; streams run in issue order; events order
 * streams. */
#pragma once

#include <gio/gio.h>

#include "record/clock.h"
#include "record/recorder.h"
#include "run/op-call.h"

G_BEGIN_DECLS

/* One piece of work on a stream: an op, or the ops of a HostUnit as one kernel. Also what a wait is
 * called in the trace, then without calls. */
typedef struct
{
  GPtrArray *calls;    /* HirOpCall*, owned, run in order; NULL: none */
  const HirExpr *expr; /* the instruction; borrowed */
  char *label;         /* "T5_matmul" */
  HirEvent event;      /* all but the times */
  /* Nullable: run after the calls, on the stream's thread; may block. Its error is taken as it is:
   * it names instruction and rank. */
  gboolean (*run) (gpointer work, GError **error);
  gpointer work;
  void (*free_work) (gpointer work);
} HirTask;

HirTask *hir_task_new (const HirExpr *expr, const char *label);
void hir_task_free (HirTask *task);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTask, hir_task_free)

typedef struct
{
  HirRecorder *recorder;     /* nullable: nothing is recorded */
  gint64 zero_ns;            /* hir_clock_now_ns() that events count from */
  gint64 timeout_us;         /* no task done for so long is a hang; 0: wait for ever */
  GCancellable *cancellable; /* nullable */
  int rank;                  /* for messages */
  /* Nullable: told of the error that stops all streams, once, on whatever thread finds it. */
  void (*stopped) (const GError *error, gpointer user_data);
  gpointer user_data;
  /* Test hooks: each task is delayed by up to so much, drawn from the seed; a task with this op
   * name never ends (until cancelled). */
  guint max_delay_us;
  guint32 delay_seed;
  const char *hang_on;
} HirBackendOptions;

typedef struct _HirBackend HirBackend;
typedef struct _HirBackendEvent HirBackendEvent;

typedef struct
{
  const char *name; /* "cpu" */
  /* Index of a new stream. 0, the default stream, is there from the start. */
  gboolean (*open_stream) (HirBackend *backend, guint *stream, GError **error);
  /* Ordered on @stream; the buffer goes back when its last reference does. */
  HirBuffer *(*allocate) (HirBackend *backend, guint stream, gsize size_bytes, GError **error);
  /* Takes @task. FALSE where an earlier task has failed (its error), or, with a full queue, hangs.
   */
  gboolean (*enqueue) (HirBackend *backend, guint stream, HirTask *task, GError **error);
  /* An event behind all that is queued on @stream now. */
  HirBackendEvent *(*record_event) (HirBackend *backend, guint stream);
  /* What is queued on @stream from now on runs after @event. Takes both. */
  gboolean (*wait_event) (
      HirBackend *backend, guint stream, HirBackendEvent *event, HirTask *task, GError **error);
  /* Takes @event, which nobody waits for. */
  void (*drop_event) (HirBackend *backend, HirBackendEvent *event);
  /* Pieces of work that are done, and that run now. Any thread. */
  void (*get_progress) (HirBackend *backend, guint64 *n_done, guint *n_running);
  /* The host waits for all streams. Errors: of the first task that failed; HIR_ERROR_RUN for a
   * hang, naming what hangs; HIR_ERROR_CANCELLED. */
  gboolean (*synchronize) (HirBackend *backend, GError **error);
  /* Elements of @tensor, row-major, into host memory. All streams must be idle. */
  gboolean (*read) (HirBackend *backend, const HirValue *tensor, gpointer host, GError **error);
  /* Drops what is queued, from any thread. */
  void (*cancel) (HirBackend *backend);
  void (*free) (HirBackend *backend);
} HirBackendClass;

struct _HirBackend
{
  const HirBackendClass *klass;
};

/* Cancels and frees; returns when no thread of it is left. */
void hir_backend_free (HirBackend *backend);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirBackend, hir_backend_free)

G_END_DECLS
