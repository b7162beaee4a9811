/* Internal declarations of the CPU back end. */
#pragma once

#include "run/backend.h"

G_BEGIN_DECLS

struct _HirBackendEvent
{
  gatomicrefcount ref_count;
  guint stream; /* on which it was recorded */
  GMutex lock;
  GCond reached_cond;
  gboolean reached;
};

typedef enum
{
  HIR_CPU_TASK,
  HIR_CPU_RECORD,
  HIR_CPU_WAIT,
} HirCpuItemKind;

typedef struct
{
  HirCpuItemKind kind;
  HirTask *task;          /* TASK, WAIT */
  HirBackendEvent *event; /* RECORD, WAIT */
} HirCpuItem;

typedef struct _HirCpuBackend HirCpuBackend;

typedef struct
{
  HirCpuBackend *backend;
  guint index;
  GThread *thread;
  GMutex lock; /* guards the following fields */
  GCond work_cond, room_cond;
  GArray *queue; /* HirCpuItem: waiting */
  guint n_taken; /* number of items taken by the thread and not done */
  gboolean quit;
  /* The running task or started wait; NULL if there is none. It and its event live until this is
   * cleared. */
  const HirCpuItem *current;
  /* The next task, if the stream is paused before it; otherwise NULL. */
  const HirCpuItem *held_before;
} HirCpuStream;

struct _HirCpuBackend
{
  HirBackend base;
  HirBackendOptions options;
  HirComputations own; /* options.computations if that was NULL */
  char *hang_on;
  GPtrArray *streams; /* HirCpuStream*; only the host thread adds streams */
  gint stopped;       /* atomic: failed or cancelled; queued work is dropped */
  gint held;          /* atomic; changed under the lock */
  GMutex lock;        /* guards the following fields */
  GCond progress_cond, release_cond;
  guint64 n_issued, n_done;
  guint n_running; /* number of running tasks */
  GError *error;   /* first failure */
  gulong cancel_handler;
};

/* Implements HirBackendClass.look(). */
GArray *hir_cpu_look (HirBackend *backend);
/* Implements HirBackendClass.hold(). */
void hir_cpu_hold (HirBackend *backend, gboolean held);
/* Blocks the stream's thread before @item while the back end is paused. */
void hir_cpu_await_release (HirCpuStream *stream, const HirCpuItem *item);

G_END_DECLS
