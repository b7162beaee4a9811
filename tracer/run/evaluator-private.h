/* Shared by the evaluator's files. */
#pragma once

#include "run/evaluator.h"
#include "run/evaluator-undo.h"
#include "run/host-unit.h"

G_BEGIN_DECLS

typedef struct _HirInstructionCache HirInstructionCache;
typedef struct _HirPreparedBody HirPreparedBody;

typedef struct
{
  const HirScope *scope;
  HirInstructionCache *sites;        /* one an Expr of it; borrowed */
  GPtrArray *dependents; /* of a loop: what its index invalidates; borrowed */
  guint next;           /* index of the next Expr in it */
  guint8 is_again;      /* of a loop: its first iteration is over */
  guint8 is_never_ready;
  const HirExpr *owner; /* the loop or if; NULL: the top level */
  gint64 i, stop, step; /* of a loop */
  /* Of a loop: its body as it is carried out from the second iteration on; NULL: as any other. */
  HirPreparedBody *ready;
} HirFrame;

/* A stream of the back end. */
typedef struct
{
  guint index; /* the back end's */
  guint16 track;
  char *name;
  char *sync_label; /* "Synchronize Stream 1" */
} HirStreamSlot;

/* An internal stream: of a team's collectives, or of messages. */
typedef struct
{
  guint index; /* the back end's */
  guint16 track;
} HirChannel;

struct _HirEvaluator
{
  HirContainer *program;
  HirEvaluatorOptions options;
  char *plant_op;
  HirEnv *env;
  GArray *frames; /* HirFrame */
  HirInstructionCache *site;  /* of the instruction that is executed; NULL between steps */
  GHashTable *sites; /* const HirScope* -> HirInstructionCaches, see evaluator-cache.c */
  GArray *hooks;  /* HirEvaluatorHooks */
  HirPhase phase;
  guint64 n_steps;
  guint64 n_walked; /* see hir_evaluator_get_n_walked() */
  guint n_walking;  /* instructions of the iteration that is being walked */
  guint host_track;
  guint32 correlation; /* of the last work that was issued */
  /* What issuing an instruction leaves for its host span. */
  gint64 issue_start_ns, issue_end_ns;
  guint32 issue_correlation;
  gboolean issue_is_told; /* the back end's begin_instruction() was called */
  GPtrArray *slots;          /* HirStreamSlot*; [0] is the default stream */
  GHashTable *stream_by_key; /* gint64* -> slot index + 1 */
  guint16 near_keys[64];     /* the same of the keys below: the ones that there are */
  GHashTable *stream_by_val; /* const HirStream* -> slot index + 1 */
  guint current;             /* slot */
  guint64 n_bound;           /* changes of loop indices, and starts */
  const HirStream *last_stream; /* with an index, with that n_bound, it was this slot */
  guint64 last_bound;
  int last_slot;
  GHashTable *n_met;         /* char* side and key -> how many were posted (trace/comm-records.h) */
  GHashTable *labels;        /* const HirExpr* -> char* */
  GHashTable *plans;         /* const HirHostUnit* -> HirUnitPlan* */
  GHashTable *pieces;        /* see stream-piece.h */
  GHashTable *dependents;    /* const HirExpr* (a loop) -> GPtrArray of HirVal* */
  GHashTable *channels;      /* "comm {0 1}" -> HirChannel */
  GPtrArray *pending;        /* what was posted and not waited for */
  GPtrArray *spare_pending;  /* of those, to be used again */
  HirCommPost *group;        /* nullable: messages since a StartCoalescing, and that */
  const HirExpr *group_start;
  gboolean ended; /* the communicator knows that nothing more is posted */
  gboolean error_is_located; /* the error of this step names instruction and rank itself */
  guint n_posts;  /* to the communicator, since the start */
  /* Nullable, of a debugger: what the step that runs now does, so that it can be undone, and what
   * it writes (HirValue*). */
  HirUndoEntry *undo;
  GPtrArray *writes;
  gboolean is_debugged; /* waits are named even where nobody records them */
  guint32 epoch;        /* of record/replay-filter.h; 0: nothing is stamped */
};

/* What was posted and not waited for. */
typedef struct
{
  guint n_refs; /* an undo entry may keep one */
  const HirExpr *expr;
  char *label; /* a GRefString */
  gint32 iteration;
  HirBackendEvent *event; /* nullable: this rank has no part in it */
  GPtrArray *reads;       /* HirValue* */
  GPtrArray *writes;
  HirModelMark *mark; /* nullable: when it is done, on the modelled clock */
} HirPending;

HirPending *hir_pending_ref (HirPending *pending);
void hir_pending_unref (HirEvaluator *evaluator, HirPending *pending);
/* The caller's; who undoes the Wait finds it once more. */
HirBackendEvent *hir_pending_take_event (HirEvaluator *evaluator, HirPending *pending);

/* Marks the error of this step as one that names instruction and rank itself, as those of back ends
 * and communicators do. Returns FALSE. */
static inline gboolean
hir_evaluator_fail_located (HirEvaluator *evaluator)
{
  evaluator->error_is_located = TRUE;
  return FALSE;
}

/* evaluator-undo.c: @value is written by what is submitted next. */
void hir_evaluator_note_write (HirEvaluator *evaluator, const HirValue *value);
/* @buffer is new: there is nothing in it to be kept. */
void hir_evaluator_note_fresh (HirEvaluator *evaluator, const HirBuffer *buffer);
/* @task is the writer of what was noted. */
void hir_evaluator_note_writer (HirEvaluator *evaluator, HirTask *task);

/* What is kept of an instruction from one execution to the next, so that the next one only fills in
 * indices and addresses. What is not worked out yet is zero. */
struct _HirInstructionCache
{
  const HirExpr *expr;
  gboolean launches, calls_device;
  guint32 name; /* its label, as the recorder knows it */
  gboolean has_name;
  gboolean is_checked; /* check_preallocated() has let it pass */
  gboolean has_axes;
  guint32 device_axes; /* a bit an axis of the output: of size 1, and the op knows nothing of it */
  /* Only with a back end that gives tasks back, see HirBackendClass.issue. */
  HirTask *task;     /* nullable */
  HirOpCall *call;   /* the task's; nullable */
  HirCommPost *post; /* of a collective; nullable */
  gboolean has_part; /* what follows is known */
  gboolean is_member, reads, writes;
  HirChannel *channel; /* nullable; of the evaluator's `channels` */
};

/* evaluator-cache.c: those of @scope; borrowed, until the evaluator is freed. */
HirInstructionCache *hir_evaluator_get_caches (HirEvaluator *evaluator, const HirScope *scope);
void hir_evaluator_init_caches (HirEvaluator *evaluator);
void hir_evaluator_clear_caches (HirEvaluator *evaluator);
/* TRUE where the back end gives tasks back, and no debugger hangs something on them. */
gboolean hir_evaluator_can_reuse (const HirEvaluator *evaluator);
/* Then, the task of the instruction that is executed, to be filled in and given to the back end's
 * issue(). Stays the site's. */
HirTask *hir_evaluator_reuse_task (HirEvaluator *evaluator, const HirExpr *expr);

/* evaluator-streams.c */
gboolean hir_evaluator_init_streams (HirEvaluator *evaluator, GError **error);
void hir_evaluator_clear_streams (HirEvaluator *evaluator);
gboolean hir_evaluator_run_stream_op (HirEvaluator *evaluator, const HirExpr *expr, GError **error);
/* The slot of the key, or of a stream without an index, where it was used before; else -1. */
int hir_evaluator_peek_key (HirEvaluator *evaluator, gint64 key);
int hir_evaluator_peek_stream (HirEvaluator *evaluator, const HirStream *stream);

/* evaluator-comm.c */
void hir_evaluator_init_comm (HirEvaluator *evaluator);
/* What was posted is forgotten. */
void hir_evaluator_reset_comm (HirEvaluator *evaluator);
void hir_evaluator_clear_comm (HirEvaluator *evaluator);
gboolean hir_evaluator_run_comm (HirEvaluator *evaluator, const HirExpr *expr, GError **error);
/* The program is at its end: all must be waited for. Tells the communicator. */
gboolean hir_evaluator_end_comm (HirEvaluator *evaluator, GError **error);

/* evaluator-pending.c */
void hir_evaluator_init_pending (HirEvaluator *evaluator);
/* All of it is forgotten. */
void hir_evaluator_reset_pending (HirEvaluator *evaluator);
void hir_evaluator_clear_pending (HirEvaluator *evaluator);
/* The place of @expr's among those that are pending; -1. */
int hir_evaluator_find_pending (HirEvaluator *evaluator, const HirExpr *expr);
/* What is posted must not be posted again before it is waited for: the first would be lost. */
gboolean
hir_evaluator_check_posted_once (HirEvaluator *evaluator, const HirExpr *expr, GError **error);
/* What @post reads and writes, against what is pending already; then it is pending too. */
HirPending *
hir_evaluator_enter_post (HirEvaluator *evaluator, const HirCommPost *post, GError **error);
/* What this rank has no part in, and yet waits for. @label: a GRefString. TRUE. */
gboolean hir_evaluator_add_pending (HirEvaluator *evaluator, const HirExpr *expr, char *label);
char *hir_evaluator_dup_pending_where (HirEvaluator *evaluator, const HirPending *pending);
/* @expr, which @use ("reads") @value, must not do so while that is in a transfer. */
gboolean hir_evaluator_check_use (HirEvaluator *evaluator,
                                  const HirExpr *expr,
                                  const HirValue *value,
                                  const char *use,
                                  gboolean is_write,
                                  GError **error);

/* evaluator-compute.c: tensor ops and PostOnStream */
gboolean hir_evaluator_run_compute (HirEvaluator *evaluator, const HirExpr *expr, GError **error);
gboolean hir_evaluator_run_post (HirEvaluator *evaluator, const HirExpr *expr, GError **error);
/* Bytes of a new buffer, on the current stream. @expr: whose doing it is; NULL: the check's. */
gboolean hir_evaluator_fill (
    HirEvaluator *evaluator, HirBuffer *buffer, guint8 byte, const HirExpr *expr, GError **error);
/* Memory for @tensor on the current stream, bound. */
HirValue *hir_evaluator_allocate (HirEvaluator *evaluator, const HirTensor *tensor, GError **error);

/* evaluator-trace.c */
HirStreamSlot *hir_evaluator_get_current_slot (HirEvaluator *evaluator);
/* Adds @change to what was posted under @counter; gives how many there were before. */
guint hir_evaluator_count_met (HirEvaluator *evaluator, const char *counter, int change);
/* The same as a GRefString; borrowed. */
char *hir_evaluator_get_label (HirEvaluator *evaluator, const HirExpr *expr);
/* The innermost loop's index; -1 outside one. */
gint32 hir_evaluator_get_iteration (HirEvaluator *evaluator);
void hir_evaluator_begin_issue (HirEvaluator *evaluator, const HirExpr *expr);
void hir_evaluator_end_issue (HirEvaluator *evaluator, const HirExpr *expr, gint32 iteration);
/* What a fill of @buffer is called, all but the times; the modelled clock has none. */
void hir_evaluator_describe_fill (HirEvaluator *evaluator,
                                  HirEvent *event,
                                  const HirBuffer *buffer,
                                  const HirExpr *expr);
/* Fills the task's event in and, on the modelled clock, records it. */
void hir_evaluator_trace_task (
    HirEvaluator *evaluator, HirTask *task, HirEventKind kind, gint64 bytes, gint64 flops);
/* What a stream's wait is called, recorded only where it really waits; NULL where nobody records it.
 * @mark: of the model, which it waits for; NULL without one. @label: a GRefString. */
HirTask *hir_evaluator_new_wait (
    HirEvaluator *evaluator, const HirExpr *expr, char *label, HirModelMark *mark);
/* @post on the communicator's channel @stream, whose track is @track. When it ends, on the modelled
 * clock; NULL on the wall clock. */
HirModelMark *hir_evaluator_trace_communication (
    HirEvaluator *evaluator, HirTask *task, const HirCommPost *post, guint16 track, guint stream);

/* evaluator-prepare.c. The body of the loop @frame, which is at the begin of an iteration and has been
 * carried out once: NULL where it can't be made ready. */
HirPreparedBody *hir_prepared_body_new (HirEvaluator *evaluator, HirFrame *frame);
void hir_prepared_body_free (HirEvaluator *evaluator, HirPreparedBody *body);

/* evaluator-prepared.c. The iteration at whose begin @frame is; FALSE: it must go step by step, and
 * nothing was done. Else *@place: the last instruction that was carried out, and *@cause: its error;
 * NULL. */
gboolean hir_evaluator_run_prepared (HirEvaluator *evaluator,
                             HirFrame *frame,
                             HirProgramPoint *place,
                             GError **cause);

/* What the two share. */
typedef enum
{
  HIR_READY_SET_STREAM,
  HIR_READY_SYNCHRONIZE,
  HIR_READY_SELECT,
  HIR_READY_COMPUTE,
  HIR_READY_POST,
  HIR_READY_WAIT,
} HirPreparedKind;

typedef struct
{
  HirPreparedKind kind;
  const HirExpr *expr;
  HirInstructionCache *site;
  guint stream; /* SET_STREAM, SYNCHRONIZE: which of the body's */
  HirValue *slice; /* SELECT: borrowed, as all values: the environment's */
  const HirValue *whole;
  gint64 stride; /* elements an index */
  HirPreparedTask *task; /* COMPUTE; NULL: step by step */
  HirCommunicator *communicator; /* POST */
  HirCommPersistent *repeat;
  HirCommPost post;
  HirTask *carrier; /* issues that */
  guint channel; /* POST, WAIT */
} HirPreparedOp;

/* A stream that the body names. */
typedef struct
{
  const HirStream *stream;
  gint64 modulus; /* of the loop's index; 0: it has no index */
  int slot;       /* in this iteration; -1: not known yet */
} HirPreparedStream;

struct _HirPreparedBody
{
  HirPreparedOp *ops;
  guint n_ops, n_instructions;
  GArray *streams; /* HirPreparedStream */
  HirValue *index; /* the loop's, in the environment */
};

/* evaluator-loops.c: what a new loop index invalidates (docs/host-ir.md#control-flow): array of
 * HirVal*, tensors */
gboolean hir_loop_scalar_depends (const HirScalar *scalar, const HirScalar *index);
GPtrArray *hir_loop_dup_dependents (HirContainer *program, const HirExpr *loop);

/* evaluator-frames.c: the frame of @scope, which is new. */
HirFrame *
hir_evaluator_push_frame (HirEvaluator *evaluator, const HirScope *scope, const HirExpr *owner);
/* Frames of this and above are left: what they have ready is freed. */
void hir_evaluator_drop_frames (HirEvaluator *evaluator, guint first);
void hir_evaluator_bind_index (HirEvaluator *evaluator, HirFrame *frame);

G_END_DECLS
