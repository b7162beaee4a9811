/* Interface of a back end, which executes tensor ops on streams: the CPU, or a GPU. The host thread
 * issues work in program order and does not block unless documented. Tasks of one stream run in
 * issue order; events order streams. */
#pragma once

#include <gio/gio.h>

#include "record/clock.h"
#include "record/recorder.h"
#include "run/op-call.h"

G_BEGIN_DECLS

/* A task on a stream: one op, or the ops of a HostUnit as one kernel. A wait has a task without
 * calls, which names it in the trace. */
typedef struct
{
  GPtrArray *calls;    /* HirOpCall*, owned, run in order; NULL: none */
  const HirExpr *expr; /* the instruction; borrowed */
  char *label;         /* "T5_matmul"; a GRefString */
  HirEvent event;      /* all but the times */
  gconstpointer last;  /* for the back end, which caches by task; NULL in a new task */
  /* Optional. Runs after the calls, on the stream's thread; may block. Its error must name
   * instruction and rank. */
  gboolean (*run) (gpointer work, GError **error);
  /* Optional. Replaces run() in back ends with native streams. Called on the host thread in the
   * order of the stream; puts the work on @native_stream (a CUstream). Blocks at most until the
   * host threads of the other ranks reach the same point. */
  gboolean (*issue) (gpointer work, gpointer native_stream, GError **error);
  gpointer work;
  void (*free_work) (gpointer work);
  /* Optional. Called first, on the stream's thread, by back ends that implement ref_event(). */
  void (*before) (gpointer before_data);
  gpointer before_data;
  void (*free_before) (gpointer before_data);
} HirTask;

/* Creates a task of @expr (nullable). @label is a GRefString; the task takes a reference. */
HirTask *hir_task_new (const HirExpr *expr, char *label);
void hir_task_free (HirTask *task);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTask, hir_task_free)

/* Receives the launches of a back end, so that a recorder of device activity can attribute it to
 * instructions. Called on the launching thread. Calls nest. */
typedef struct
{
  /* Launches until the matching pop() belong to @event, which is copied. */
  void (*push) (gpointer tracer, const HirEvent *event);
  void (*pop) (gpointer tracer);
  /* Returns the name of a stream in the device's records ("GPU 1, stream 14"), newly allocated
   * (nullable). @context and @stream are device handles. */
  char *(*dup_stream_name) (gpointer tracer, int device, gpointer context, gpointer stream);
  /* Assigns the work of a stream of @rank to @track. Called before the first launch. */
  void (*set_stream_track) (
      gpointer tracer, gpointer context, gpointer stream, guint track, int rank);
} HirLaunchTracer;

/* Ops that compute on the CPU, of all ranks of a process. They always end, however long they take:
 * while one runs, a wait is not a hang. Any thread. */
typedef struct
{
  gint n_started, n_ended; /* atomic */
} HirComputations;

/* Returns TRUE if an op is running, or if the number of ended ones is not @n_ended, which is set to
 * it. */
gboolean hir_computations_have_progressed (HirComputations *computations, gint *n_ended);

typedef struct
{
  HirRecorder *recorder;         /* NULL: nothing is recorded */
  gint64 zero_ns;                /* hir_clock_now_ns() at time 0 of the trace */
  gint64 timeout_us;             /* a longer time without a finished task is a hang; 0: no limit */
  HirComputations *computations; /* nullable: shared by the ranks that may wait for each other */
  GCancellable *cancellable;     /* nullable */
  int rank;                      /* for messages */
  const HirLaunchTracer *launch_tracer; /* nullable */
  gpointer tracer;                      /* its first argument */
  /* Optional. Called once, from any thread, with the error that stops all streams. */
  void (*stopped) (const GError *error, gpointer user_data);
  gpointer user_data;
  /* Test hooks: a random delay before each task, up to max_delay_us; a task whose op has the name
   * hang_on never ends unless cancelled. */
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
  HIR_READY_NOT, /* the task no longer matches its prepared form; nothing was issued */
  HIR_READY_DONE,
} HirPreparedResult;

typedef enum
{
  HIR_STREAM_IDLE, /* nothing is queued */
  HIR_STREAM_RUNNING,
  HIR_STREAM_WAITING, /* for an event that has not been reached */
  HIR_STREAM_HELD,    /* paused before its next task by hold() */
} HirStreamState;

/* Status of a stream. */
typedef struct
{
  guint stream;
  HirStreamState doing;
  char *label;         /* nullable: label of the running task or of the wait */
  const HirExpr *expr; /* nullable: instruction of that task */
  gint32 iteration;
  guint waits_for; /* if WAITING: stream of the event */
  guint n_queued;  /* number of tasks and waits behind it */
} HirStreamStatus;

/* Purpose of a stream; back ends may give channels another priority. */
typedef enum
{
  HIR_STREAM_COMPUTE,
  HIR_STREAM_CHANNEL, /* of a communicator */
} HirStreamUse;

typedef struct
{
  /* Opens a stream and returns its index. Stream 0, the default stream, always exists. */
  gboolean (*open_stream) (HirBackend *backend, HirStreamUse use, guint *stream, GError **error);
  /* Optional; for back ends with native streams and a launch tracer. dup_stream_name() returns the
   * device's name of @stream, newly allocated (nullable); set_stream_track() sets the track of
   * @stream. */
  char *(*dup_stream_name) (HirBackend *backend, guint stream);
  void (*set_stream_track) (HirBackend *backend, guint stream, guint track);
  /* Optional. Driver calls between begin_instruction() and end_instruction() belong to @event, the
   * HIR_EVENT_ISSUE of an instruction; launches of tasks belong to these tasks. Called only if host
   * calls are traced. */
  void (*begin_instruction) (HirBackend *backend, const HirEvent *event);
  void (*end_instruction) (HirBackend *backend);
  /* Allocates a buffer, ordered on @stream. The buffer is returned to the pool with its last
   * reference. */
  HirBuffer *(*allocate) (HirBackend *backend, guint stream, gsize size_bytes, GError **error);
  /* Sets every byte of @buffer to @byte, ordered on @stream. Only the caller may know @buffer.
   * @event (nullable) describes the fill to the recorder. */
  gboolean (*fill) (HirBackend *backend,
                    guint stream,
                    HirBuffer *buffer,
                    guint8 byte,
                    const HirEvent *event,
                    GError **error);
  /* Queues @task (takes ownership). Returns FALSE with the error of an earlier failed task, or with
   * a hang if the queue is full. */
  gboolean (*enqueue) (HirBackend *backend, guint stream, HirTask *task, GError **error);
  /* Optional; for back ends that need a task only during the call. Like enqueue(), but the caller
   * keeps @task and may reuse it. */
  gboolean (*issue) (HirBackend *backend, guint stream, HirTask *task, GError **error);
  /* Records an event after all work that is queued on @stream. */
  HirBackendEvent *(*record_event) (HirBackend *backend, guint stream);
  /* Tasks queued on @stream after this call run after @event. Takes ownership of @event and @task
   * (nullable), the name of the wait. */
  gboolean (*wait_event) (
      HirBackend *backend, guint stream, HirBackendEvent *event, HirTask *task, GError **error);
  /* Optional. Like record_event() on @before and wait_event() on @stream, without a name. */
  gboolean (*order) (HirBackend *backend, guint stream, guint before, GError **error);
  /* Optional; for tasks that loops repeat, see run/evaluator-prepare.c. get_ready() returns @task,
   * whose calls are complete, in a form that is cheap to issue, or NULL if it must go through
   * issue(). It borrows @task, which names failures, and the values of its calls. Between two calls
   * of issue_ready() only the offsets of these values may change. */
  HirPreparedTask *(*get_ready) (HirBackend *backend, HirTask *task);
  HirPreparedResult (*issue_ready) (
      HirBackend *backend, guint stream, HirPreparedTask *ready, gint32 iteration, GError **error);
  void (*free_ready) (HirBackend *backend, HirPreparedTask *ready);
  /* Optional. Returns another reference to @event, for a second wait. */
  HirBackendEvent *(*ref_event) (HirBackend *backend, HirBackendEvent *event);
  /* Frees @event, for which no stream waits. */
  void (*drop_event) (HirBackend *backend, HirBackendEvent *event);
  /* Counts finished and running tasks. Any thread. */
  void (*get_progress) (HirBackend *backend, guint64 *n_done, guint *n_running);
  /* Optional. Returns the status of each stream as an array of HirStreamStatus. Call on the host
   * thread. Streams keep running, so entries are not from one instant. */
  GArray *(*look) (HirBackend *backend);
  /* Optional. If @held, each stream finishes its current task and then pauses until hold(FALSE) or
   * cancel(). Call on the host thread; do not wait for streams meanwhile. */
  void (*hold) (HirBackend *backend, gboolean held);
  /* Waits for all streams. Errors: that of the first failed task; HIR_ERROR_RUN for a hang, naming
   * the hanging tasks; HIR_ERROR_CANCELLED. */
  gboolean (*synchronize) (HirBackend *backend, GError **error);
  /* Returns @tensor, in host memory, as a value with the same layout that tasks of this back end
   * can read: a copy, or a reference if tasks read host memory. Call before the program runs. */
  HirValue *(*upload) (HirBackend *backend, HirValue *tensor, GError **error);
  /* Copies the elements of @tensor to host memory, row-major. All streams must be idle. Any thread.
   */
  gboolean (*read) (HirBackend *backend, const HirValue *tensor, gpointer host, GError **error);
  /* Optional, with ref_event(): copies elements between tensors of equal sizes, on the calling
   * thread. Returns FALSE if the sizes differ. */
  gboolean (*copy) (const HirValue *out, const HirValue *in);
  /* Drops all queued work. Any thread. */
  void (*cancel) (HirBackend *backend);
  void (*free) (HirBackend *backend);
} HirBackendClass;

struct _HirBackend
{
  const HirBackendClass *klass;
};

/* Adds a track to @recorder for stream @stream of @backend. Its name is @track->name after the
 * device's name of the stream: "GPU 1, stream 14 = Stream 2". */
guint hir_backend_add_track (HirBackend *backend,
                             guint stream,
                             HirRecorder *recorder,
                             const HirTrack *track);

/* Returns the byte that hir_poison() writes. */
guint8 hir_poison_get_byte (HirDType dtype);

/* Cancels all work, waits for the threads of @backend to end and frees it. */
void hir_backend_free (HirBackend *backend);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirBackend, hir_backend_free)

G_END_DECLS
