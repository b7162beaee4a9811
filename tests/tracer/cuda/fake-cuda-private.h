/* Inside of the driver for tests. */
#pragma once

#include "fake-cuda.h"

G_BEGIN_DECLS

#define FAKE_EXPORT __attribute__ ((visibility ("default")))
#define FAKE_MAX_DEVICES 16

struct CUctx_st
{
  guint device;
  GMutex lock; /* n_used_bytes */
  gsize n_used_bytes;
  HirCuStream default_stream;
};

/* A piece of work on a stream. */
typedef struct
{
  FakeActivity activity;
  char *name;
  void (*run) (gpointer data);
  gpointer data;
  GDestroyNotify destroy;
} FakeWork;

struct CUstream_st
{
  HirCuContext context;
  guint32 id;
  GThread *thread; /* NULL: works at once */
  GAsyncQueue *queue;
  GMutex lock; /* n_queued */
  GCond idle;
  guint n_queued;
};

struct CUevent_st
{
  HirCuContext context; /* where it was made: streams of others can't record it */
  guint32 id;
  GMutex lock;
  GCond reached_cond;
  guint64 recorded, reached; /* how often */
  guint64 sync;              /* FakeActivity.event_sync of the last record */
};

typedef struct
{
  guint8 *start;
  gsize bytes;
} FakeRange;

typedef struct
{
  guint n_devices;
  gboolean is_queued;
  gboolean is_shared;
  gsize memory_bytes;
  char *hang_on;
  char *failures;
  HirCuContext contexts[FAKE_MAX_DEVICES];
  GPtrArray *streams; /* HirCuStream, of all contexts; under lock */
  GMutex lock;
  GPtrArray *old_events; /* destroyed ones; under lock */
  GHashTable *n_calls;   /* symbol -> count, of those that are to fail; under lock */
  HirCuResult sticky;
  const FakeObserver *observer;
  GArray *registered;   /* FakeRange: of the host's memory; under lock */
  GHashTable *openings; /* "pid fd" -> FakeRange*: other processes' memory; under lock */
  guint n_correlations, n_streams, n_events;
  guint64 n_syncs;
} FakeCuda;

FakeCuda *fake_cuda_get (void);
/* What @call is to give by FAKE_CUDA_FAIL; counts it. */
HirCuResult fake_cuda_enter (const char *call);
HirCuContext fake_cuda_get_current (void);
/* NULL: the current context's default stream. */
HirCuStream fake_stream_get (HirCuStream stream);
HirCuStream fake_stream_new (HirCuContext context);
void fake_stream_free (HirCuStream stream);
/* Tells the observer of the call, then does or queues the work. Takes @work. */
void fake_stream_push (HirCuStream stream, FakeWork *work);
/* Until all is done that is queued now. */
void fake_stream_drain (HirCuStream stream);
gboolean fake_stream_is_idle (HirCuStream stream);
gint64 fake_now_ns (void);

G_END_DECLS
