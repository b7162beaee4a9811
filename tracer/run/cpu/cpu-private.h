/* Shared by the files of the CPU back end. */
#pragma once

#include "run/backend.h"

G_BEGIN_DECLS

struct _HirBackendEvent
{
  gatomicrefcount ref_count;
  guint stream; /* that it was recorded on */
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
  GMutex lock; /* guards what follows */
  GCond work_cond, room_cond;
  GArray *queue; /* HirCpuItem, not yet taken */
  guint n_taken; /* taken by the thread, not done */
  gboolean quit;
  /* A task that runs or a wait that began; NULL: neither. It and its event stay until this is
   * cleared. */
  const HirCpuItem *current;
  /* The next one, before which it is held; NULL: it is not. */
  const HirCpuItem *held_before;
} HirCpuStream;

struct _HirCpuBackend
{
  HirBackend base;
  HirBackendOptions options;
  char *hang_on;
  GPtrArray *streams; /* HirCpuStream*; only the host thread adds */
  gint stopped;       /* atomic: failed or cancelled; what is queued is dropped */
  gint held;          /* atomic; changed with the lock */
  GMutex lock;        /* guards what follows */
  GCond progress_cond, release_cond;
  guint64 n_issued, n_done;
  guint n_running; /* tasks */
  GError *error;   /* the first failure */
  gulong cancel_handler;
};

/* Of the table, see run/backend.h. */
GArray *hir_cpu_look (HirBackend *backend);
void hir_cpu_hold (HirBackend *backend, gboolean held);
/* The stream's thread, before @item: returns where nothing is held. */
void hir_cpu_await_release (HirCpuStream *stream, const HirCpuItem *item);

G_END_DECLS
