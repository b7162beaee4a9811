/* What the files of a run's child share. */
#pragma once

#include "job/growing-trace.h"
#include "job/run-child.h"
#include "run/session/control.h"

G_BEGIN_DECLS

struct _HirRunChild
{
  HirRunChildCallbacks callbacks;
  gpointer user_data;
  GMainContext *context;

  GSubprocess *process;
  GCancellable *cancellable; /* of waiting for the process */
  int fd;                    /* -1: closed */
  int error_fd;              /* what the process writes to standard error; -1: none */
  GByteArray *out;           /* not sent yet */
  GSource *readable, *writable, *kill_timer, *hello_timer;
  HirControlReader *reader;
  HirGrowingTrace *trace;

  guint n_busy;       /* callbacks of ours that are under way: the memory must stay */
  gboolean is_freed;  /* by hir_run_child_free(), in a callback */
  gboolean has_hello; /* the other end is what we think it is */
  gboolean is_stopping;
  gboolean is_finished; /* finished() was called */
  gboolean has_exited;
  gboolean has_last_trace;
  gboolean is_kept;   /* the run is over, and its process answers questions for values */
  guint n_questions;  /* asked; the number of the last one */
  gboolean is_asking; /* an answer is to come */
  GVariant *question; /* nullable: to be asked after that */
  gboolean has_stood;
  guint n_debug_lines; /* sent; the number of the last one */
  HirRunOutcome outcome; /* from FINISHED; summary NULL before it */
  char *protocol_error;
  char *trace_error;
};

/* Sinks @payload. FALSE and HIR_ERROR_LIMIT where it is too large. The stream is open. */
gboolean hir_run_child_queue_frame (HirRunChild *self, HirControlType type, GVariant *payload, GError **error);
/* A SUMMARY came. */
void hir_run_child_take_summary (HirRunChild *self, GVariant *payload);
/* A DEBUGGED came. */
void hir_run_child_take_state (HirRunChild *self, GVariant *payload);
/* The process has gone: who asked is told. */
void hir_run_child_drop_questions (HirRunChild *self);

G_END_DECLS
