/* Replays the modelled clock of a finished run, optionally without some of its waits.
 *
 * HirModelLog records the clock entries of one rank during a run: issues, launches, waits, posts. A
 * tape takes them over. Playing all tapes reproduces the run's times; skipping waits gives the
 * times of a program without these waits. No tensor is computed. */
#pragma once

#include "run/model/model-log.h"

G_BEGIN_DECLS

/* The clock entries of one rank. Immutable; any thread may read them. */
typedef struct _HirModelTape HirModelTape;

/**
 * hir_model_tape_take:
 * @log: a log whose group was created by hir_model_group_new_deferred()
 *
 * Moves all entries of @log into a new tape and leaves @log empty. Call after the host thread of
 * @log has ended.
 *
 * Returns: (transfer full): the tape; free with hir_model_tape_free()
 */
HirModelTape *hir_model_tape_take (HirModelLog *log);
void hir_model_tape_free (HirModelTape *tape);

typedef enum
{
  HIR_MODEL_STEP_ISSUE,  /* the host issues an instruction */
  HIR_MODEL_STEP_ISSUED, /* end of the issue; only with an event */
  HIR_MODEL_STEP_RUN,    /* a task on a stream */
  HIR_MODEL_STEP_RECORD, /* a mark at the end of the work of a stream */
  HIR_MODEL_STEP_WAIT,   /* a stream waits for a mark */
  HIR_MODEL_STEP_POST,   /* a transfer on a channel, after the work of a stream */
} HirModelStepKind;

/* One entry of a tape. */
typedef struct
{
  HirModelStepKind kind;
  guint stream, channel;
  gboolean launches;               /* ISSUE */
  guint64 instruction;             /* ISSUE: node id */
  const HirEvent *event;           /* nullable; its times are not set */
  const HirModelMark *mark;        /* RECORD, WAIT, POST: identifies a point in time */
  const HirModelMeeting *meetings; /* POST */
  guint n_meetings;
} HirModelStep;

/* Receives a step, whose contents are borrowed for the duration of the call. */
typedef void (*HirModelStepFunc) (const HirModelStep *step, gpointer user_data);

/* Calls @func with each step of @tape, in the order of the host. Starts and ends of counts, and
 * waits of the host, are left out. */
void hir_model_tape_foreach (const HirModelTape *tape, HirModelStepFunc func, gpointer user_data);

#define HIR_MODEL_NO_WAIT G_MAXUINT

/**
 * HirModelLeave:
 * @tape: index in the array passed to hir_model_tapes_play()
 * @instruction: node id
 * @wait: number of the stream wait on this tape, from 0; HIR_MODEL_NO_WAIT if no stream waits
 *
 * Decides whether to skip one execution of @instruction, including its issue time. Called in
 * program order, only for executions that start no work and make at most one stream wait.
 *
 * Returns: TRUE to skip the execution
 */
typedef gboolean (*HirModelLeave) (guint tape, guint64 instruction, guint wait, gpointer user_data);

typedef struct
{
  gint64 total_ns;   /* from program start until the streams of all ranks are idle */
  gint64 overlap_ns; /* "concurrency": time with two or more operations running on a rank, mean */
} HirModelTimes;

/**
 * hir_model_tapes_play:
 * @tapes: (array length=n): the tapes of all ranks of one run
 * @leave: (nullable): selects executions to skip
 * @times: (out): total time and overlap
 *
 * Computes the modelled times of a run. May be called from any thread.
 *
 * Returns: FALSE if ranks block each other and some entries have no time; @times is then incomplete
 */
gboolean hir_model_tapes_play (HirModelTape *const *tapes,
                               guint n,
                               HirModelLeave leave,
                               gpointer user_data,
                               HirModelTimes *times);

G_END_DECLS
