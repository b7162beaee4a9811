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
  char *label;         /* "T5_matmul"; a GRefString */
  HirEvent event;      /* all but the times */
  gconstpointer last;  /* the back end's own, for tasks that are used again; NULL in a new one */
  /* Nullable: run after the calls, on the stream's thread; may block. Its error is taken as it is:
   * it names instruction and rank. */
  gboolean (*run) (gpointer work, GError **error);
  /* Nullable: called instead of `run` by back ends with streams of their own kind, on the host
   * thread, in the stream's order: puts the work on @native_stream (a CUstream). It may block no
   * longer than it takes the other host threads to come to the same place. */
  gboolean (*issue) (gpointer work, gpointer native_stream, GError **error);
  gpointer work;
  void (*free_work) (gpointer work);
  /* Nullable: called first, on the stream's thread; only where the back end has ref_event(). */
  void (*before) (gpointer before_data);
  gpointer before_data;
  void (*free_before) (gpointer before_data);
} HirTask;

/* @label: a GRefString, which it shares. */
HirTask *hir_task_new (const HirExpr *expr, char *label);
void hir_task_free (HirTask *task);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTask, hir_task_free)

/* Told of what a back end launches, on the thread that launches, so that a recorder which sees the
 * device's own records can say whose they are. Calls nest. */
typedef struct
{
  /* What is launched until the matching pop() is a part of @event; copied. */
  void (*push) (gpointer tracer, const HirEvent *event);
  void (*pop) (gpointer tracer);
  /* What the device's own records call a stream ("GPU 1, stream 14"); newly allocated, nullable.
   * @context, @stream: the device's handles. */
  char *(*dup_stream_name) (gpointer tracer, int device, gpointer context, gpointer stream);
  /* Work on that stream, which is @rank's, belongs on @track. Before the first. */
  void (*set_stream_track) (
      gpointer tracer, gpointer context, gpointer stream, guint track, int rank);
} HirLaunchTracer;

typedef struct
{
  HirRecorder *recorder;     /* nullable: nothing is recorded */
  gint64 zero_ns;            /* hir_clock_now_ns() that events count from */
  gint64 timeout_us;         /* no task done for so long is a hang; 0: wait for ever */
  GCancellable *cancellable; /* nullable */
  int rank;                  /* for messages */
  const HirLaunchTracer *launch_tracer; /* nullable */
  gpointer tracer;                      /* its first argument */
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
typedef struct _HirPreparedTask HirPreparedTask;

typedef enum
{
  HIR_READY_FAILED = -1,
  HIR_READY_NOT, /* it is another kind of work now, and nothing was done */
  HIR_READY_DONE,
} HirPreparedResult;

typedef enum
{
  HIR_STREAM_IDLE, /* nothing is queued */
  HIR_STREAM_RUNNING,
  HIR_STREAM_WAITING, /* for an event that was not reached yet */
  HIR_STREAM_HELD,  /* before its next piece of work, by hold() */
} HirStreamState;

/* What a stream does at a moment. */
typedef struct
{
  guint stream;
  HirStreamState doing;
  char *label;         /* nullable: of what runs, or of the wait */
  const HirExpr *expr; /* nullable: its instruction */
  gint32 iteration;
  guint waits_for;     /* stream whose event it is */
  guint n_queued;      /* behind that: tasks and waits */
} HirStreamStatus;

/* What a stream is for: back ends with priorities treat the two differently. */
typedef enum
{
  HIR_STREAM_COMPUTE,
  HIR_STREAM_CHANNEL, /* of a communicator */
} HirStreamUse;

typedef struct
{
  /* Index of a new stream. 0, the default stream, is there from the start. */
  gboolean (*open_stream) (HirBackend *backend, HirStreamUse use, guint *stream, GError **error);
  /* Both nullable, for back ends with streams of their own kind and a launch tracer: what the
   * device calls @stream, newly allocated, nullable; and the track that was made for it. */
  char *(*dup_stream_name) (HirBackend *backend, guint stream);
  void (*set_stream_track) (HirBackend *backend, guint stream, guint track);
  /* Both nullable: what the host calls until the matching end is a part of @event, an instruction's
   * HIR_EVENT_ISSUE; what it launches by tasks is theirs. Only while host calls are traced. */
  void (*begin_instruction) (HirBackend *backend, const HirEvent *event);
  void (*end_instruction) (HirBackend *backend);
  /* Ordered on @stream; the buffer goes back when its last reference does. */
  HirBuffer *(*allocate) (HirBackend *backend, guint stream, gsize size_bytes, GError **error);
  /* Every byte of @buffer, which nobody but the caller knows yet, becomes @byte; ordered on
   * @stream. @event: what the recorder calls it; nullable. */
  gboolean (*fill) (HirBackend *backend,
                    guint stream,
                    HirBuffer *buffer,
                    guint8 byte,
                    const HirEvent *event,
                    GError **error);
  /* Takes @task. FALSE where an earlier task has failed (its error), or, with a full queue, hangs.
   */
  gboolean (*enqueue) (HirBackend *backend, guint stream, HirTask *task, GError **error);
  /* Nullable, for back ends that are done with a task when the call returns: as enqueue(), but
   * @task stays the caller's, to be used again. */
  gboolean (*issue) (HirBackend *backend, guint stream, HirTask *task, GError **error);
  /* An event behind all that is queued on @stream now. */
  HirBackendEvent *(*record_event) (HirBackend *backend, guint stream);
  /* What is queued on @stream from now on runs after @event. Takes both. */
  gboolean (*wait_event) (
      HirBackend *backend, guint stream, HirBackendEvent *event, HirTask *task, GError **error);
  /* Nullable: record_event() on @before and wait_event() on @stream in one, without a name. */
  gboolean (*order) (HirBackend *backend, guint stream, guint before, GError **error);
  /* All nullable, for what is issued again and again, see run/evaluator-prepare.c. get_ready(): @task,
   * whose calls are whole, as issue() would take it, ready to go; NULL: it must go by issue(). The
   * values are borrowed, for as long as it lives: before each issue_ready() their offsets may have
   * been changed, and nothing else. @task is borrowed, too: it names what fails. */
  HirPreparedTask *(*get_ready) (HirBackend *backend, HirTask *task);
  HirPreparedResult (*issue_ready) (
      HirBackend *backend, guint stream, HirPreparedTask *ready, gint32 iteration, GError **error);
  void (*free_ready) (HirBackend *backend, HirPreparedTask *ready);
  /* Nullable: another reference, for who may have to wait for it again. */
  HirBackendEvent *(*ref_event) (HirBackend *backend, HirBackendEvent *event);
  /* Takes @event, which nobody waits for. */
  void (*drop_event) (HirBackend *backend, HirBackendEvent *event);
  /* Pieces of work that are done, and that run now. Any thread. */
  void (*get_progress) (HirBackend *backend, guint64 *n_done, guint *n_running);
  /* Nullable. Host thread: array of HirStreamStatus, one a stream, each as it is when it is looked
   * at. */
  GArray *(*look) (HirBackend *backend);
  /* Nullable. Host thread. TRUE: each stream ends the piece of work that it is at, and then stands before
   * the next until FALSE, or until it is cancelled. Nothing may be awaited meanwhile. */
  void (*hold) (HirBackend *backend, gboolean held);
  /* The host waits for all streams. Errors: of the first task that failed; HIR_ERROR_RUN for a
   * hang, naming what hangs; HIR_ERROR_CANCELLED. */
  gboolean (*synchronize) (HirBackend *backend, GError **error);
  /* @tensor, in host memory, as a value with the same layout that this back end's tasks can read:
   * a copy, or a reference where that is host memory. Before the program. */
  HirValue *(*upload) (HirBackend *backend, HirValue *tensor, GError **error);
  /* Elements of @tensor, row-major, into host memory. All streams must be idle. Any thread. */
  gboolean (*read) (HirBackend *backend, const HirValue *tensor, gpointer host, GError **error);
  /* Nullable, with ref_event(): copies elements between tensors of equal sizes, on the calling
   * thread. FALSE: the sizes differ. */
  gboolean (*copy) (const HirValue *out, const HirValue *in);
  /* Drops what is queued, from any thread. */
  void (*cancel) (HirBackend *backend);
  void (*free) (HirBackend *backend);
} HirBackendClass;

struct _HirBackend
{
  const HirBackendClass *klass;
};

/* A track of @recorder for stream @stream of @backend, named after @track->name and what the device
 * calls the stream: "GPU 1, stream 14 = Stream 2". */
guint hir_backend_add_track (HirBackend *backend,
                             guint stream,
                             HirRecorder *recorder,
                             const HirTrack *track);

/* The byte that hir_poison() writes. */
guint8 hir_poison_get_byte (HirDType dtype);

/* Cancels and frees; returns when no thread of it is left. */
void hir_backend_free (HirBackend *backend);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirBackend, hir_backend_free)

G_END_DECLS
