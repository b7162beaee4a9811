/* Internal declarations of the evaluator. */
#pragma once

#include "run/evaluator-undo.h"
#include "run/evaluator.h"
#include "run/host-unit.h"
#include "run/written.h"

G_BEGIN_DECLS

typedef struct _HirInstructionCache HirInstructionCache;
typedef struct _HirPreparedBody HirPreparedBody;

typedef struct
{
  const HirScope *scope;
  HirInstructionCache *caches; /* one per Expr of the scope; borrowed */
  GPtrArray *dependents;       /* of a loop: values that its index invalidates; borrowed */
  guint next;                  /* index of the next Expr */
  guint8 has_run_once;         /* of a loop: the first iteration has finished */
  guint8 is_never_prepared;
  const HirExpr *owner; /* the loop or IF; NULL at the top level */
  gint64 i, stop, step; /* of a loop */
  /* Of a loop: the prepared body for later iterations; NULL if they run instruction by instruction.
   */
  HirPreparedBody *prepared;
} HirFrame;

/* A stream of the back end. */
typedef struct
{
  guint index; /* in the back end */
  guint16 track;
  char *name;
  char *sync_label; /* "Synchronize Stream 1" */
} HirStreamSlot;

/* A channel: the internal stream of a team's collectives, or of messages. */
typedef struct
{
  guint index; /* in the back end */
  guint16 track;
} HirChannel;

struct _HirEvaluator
{
  HirContainer *program;
  HirEvaluatorOptions options;
  char *plant_op;
  HirEnv *env;
  GArray *frames;             /* HirFrame */
  HirInstructionCache *cache; /* of the current instruction; NULL between steps */
  GHashTable *caches;         /* const HirScope* -> caches, see evaluator-cache.c */
  GArray *hooks;              /* HirEvaluatorHooks */
  HirPhase phase;
  guint64 n_steps;
  guint64 n_walked; /* see hir_evaluator_get_n_walked() */
  guint n_walking;  /* number of instructions of the prepared iteration in progress */
  guint host_track;
  guint32 correlation; /* of the last issued task */
  /* Data of the current instruction for its host span. */
  gint64 issue_start_ns, issue_end_ns;
  guint32 issue_correlation;
  gboolean is_in_turn;       /* in options.turns */
  gboolean is_issue_begun;   /* begin_instruction() of the back end was called */
  GPtrArray *slots;          /* HirStreamSlot*; [0] is the default stream */
  GHashTable *stream_by_key; /* gint64* -> slot index + 1 */
  guint16 near_keys[64];     /* the same for small keys; 0: none */
  GHashTable *stream_by_val; /* const HirStream* -> slot index + 1 */
  guint current;             /* slot */
  guint64 n_bound;           /* number of changes of loop indices and of starts */
  /* result of the last lookup of an indexed stream, valid for one n_bound */
  const HirStream *last_stream;
  guint64 last_bound;
  int last_slot;
  GHashTable *freed;        /* const HirVal* -> const HirExpr*: its last Deallocate */
  GHashTable *post_counts;  /* char* side and key -> number of posts (trace/comm-records.h) */
  GHashTable *labels;       /* const HirExpr* -> char* */
  GHashTable *plans;        /* const HirHostUnit* -> HirUnitPlan* */
  GHashTable *pieces;       /* see stream-piece.h */
  GHashTable *dependents;   /* const HirExpr* (a loop) -> GPtrArray of HirVal* */
  GHashTable *copies;       /* const HirExpr* (a communication) -> HirExpr*: the Set of its copy */
  GHashTable *channels;     /* "comm {0 1}" -> HirChannel */
  GPtrArray *pending;       /* HirPending*: posts without a Wait so far */
  GPtrArray *spare_pending; /* HirPending* for reuse */
  GArray *missing_waits;    /* HirMissingWait */
  HirCommPost *group;       /* nullable: messages since the StartCoalescing below */
  const HirExpr *group_start;
  gboolean ended;            /* end() of the communicator was called */
  gboolean error_is_located; /* the error of this step names instruction and rank itself */
  gboolean has_bad_value;    /* the last error is not due to the order of instructions */
  guint n_posts;             /* posts to the communicator since the start */
  /* Nullable, of a debugger: the undo entry of the current step, and the values that steps write
   * (HirValue*). */
  HirUndoEntry *undo;
  GPtrArray *writes;
  HirWritten *written;  /* nullable, of a debugger */
  gboolean is_debugged; /* waits have names even if nothing is recorded */
  guint32 epoch;        /* of record/replay-filter.h; 0: events have no stamp */
};

/* A post without a Wait so far. */
typedef struct
{
  guint n_refs; /* undo entries may hold references */
  const HirExpr *expr;
  char *label; /* a GRefString */
  gint32 iteration;
  HirBackendEvent *event; /* NULL if this rank does not take part */
  GPtrArray *reads;       /* HirValue* */
  GPtrArray *writes;
  HirModelMark *mark; /* nullable: its end on the modelled clock */
} HirPending;

HirPending *hir_pending_ref (HirPending *pending);
void hir_pending_unref (HirEvaluator *evaluator, HirPending *pending);
/* Returns the event (owned by the caller). Undoing the Wait makes it available again. */
HirBackendEvent *hir_pending_take_event (HirEvaluator *evaluator, HirPending *pending);

/* Marks the error of this step as one that names instruction and rank itself, like those of back
 * ends and communicators. Returns FALSE. */
static inline gboolean
hir_evaluator_fail_located (HirEvaluator *evaluator)
{
  evaluator->error_is_located = TRUE;
  return FALSE;
}

/* evaluator-undo.c: records that the next submitted task writes @value. */
void hir_evaluator_note_write (HirEvaluator *evaluator, const HirValue *value);
/* Records that @buffer is new, so its contents need not be saved. */
void hir_evaluator_note_fresh (HirEvaluator *evaluator, const HirBuffer *buffer);
/* Makes @task save the recorded values before it writes them. */
void hir_evaluator_note_writer (HirEvaluator *evaluator, HirTask *task);

/* Per-instruction cache. Later executions only fill in indices and addresses. Fields that are not
 * computed yet are zero. */
struct _HirInstructionCache
{
  const HirExpr *expr;
  gboolean launches, calls_device;
  guint32 name; /* number of its label in the recorder */
  gboolean has_name;
  gboolean is_checked; /* check_preallocated() accepted it */
  gboolean has_axes;
  guint32 device_axes; /* bit mask of axes of the output of size 1 that the op does not have */
  /* Only with back ends that implement issue(), see HirBackendClass. */
  HirTask *task;     /* nullable */
  HirOpCall *call;   /* of the task; nullable */
  HirCommPost *post; /* of a collective; nullable */
  gboolean has_part; /* the next three fields are set */
  gboolean is_member, reads, writes;
  HirChannel *channel; /* nullable; of the evaluator's `channels` */
};

/* evaluator-cache.c: returns the caches of @scope (borrowed until the evaluator is freed). */
HirInstructionCache *hir_evaluator_get_caches (HirEvaluator *evaluator, const HirScope *scope);
void hir_evaluator_init_caches (HirEvaluator *evaluator);
void hir_evaluator_clear_caches (HirEvaluator *evaluator);
/* Returns TRUE if the back end implements issue() and no undo entry is active, so that tasks can be
 * reused. */
gboolean hir_evaluator_can_reuse (const HirEvaluator *evaluator);
/* Returns the reusable task of the current instruction, to be filled in and passed to issue().
 * Owned by the instruction cache. */
HirTask *hir_evaluator_reuse_task (HirEvaluator *evaluator, const HirExpr *expr);

/* evaluator-alone.c: called before and after an instruction of HIR_PHASE_BASELINE. Wait for the
 * turn of this rank, and for its streams. */
gboolean hir_evaluator_begin_alone (HirEvaluator *evaluator, const HirExpr *expr, GError **error);
gboolean hir_evaluator_end_alone (HirEvaluator *evaluator, const HirExpr *expr, GError **error);

/* evaluator-streams.c */
gboolean hir_evaluator_init_streams (HirEvaluator *evaluator, GError **error);
void hir_evaluator_clear_streams (HirEvaluator *evaluator);
gboolean hir_evaluator_run_stream_op (HirEvaluator *evaluator, const HirExpr *expr, GError **error);
/* Returns the slot of a key, or of a stream without an index, or -1 if it was not used before. */
int hir_evaluator_peek_key (HirEvaluator *evaluator, gint64 key);
int hir_evaluator_peek_stream (HirEvaluator *evaluator, const HirStream *stream);

/* evaluator-comm.c */
void hir_evaluator_init_comm (HirEvaluator *evaluator);
/* Forgets all posts. */
void hir_evaluator_reset_comm (HirEvaluator *evaluator);
void hir_evaluator_clear_comm (HirEvaluator *evaluator);
gboolean hir_evaluator_run_comm (HirEvaluator *evaluator, const HirExpr *expr, GError **error);
/* Checks at the end of the program that everything was waited for, then ends the communicator's
 * run. */
gboolean hir_evaluator_end_comm (HirEvaluator *evaluator, GError **error);

/* evaluator-pending.c */
void hir_evaluator_init_pending (HirEvaluator *evaluator);
/* Forgets all pending posts. */
void hir_evaluator_reset_pending (HirEvaluator *evaluator);
void hir_evaluator_clear_pending (HirEvaluator *evaluator);
/* Returns the index of the pending post of @expr, or -1. */
int hir_evaluator_find_pending (HirEvaluator *evaluator, const HirExpr *expr);
/* Fails if @expr is pending: a second post would make the first one unreachable. */
gboolean
hir_evaluator_check_posted_once (HirEvaluator *evaluator, const HirExpr *expr, GError **error);
/* Checks the buffers of @post against all pending communications, then adds @post to them. Returns
 * NULL and sets @error if a buffer is in use. */
HirPending *
hir_evaluator_enter_post (HirEvaluator *evaluator, const HirCommPost *post, GError **error);
/* Adds a communication in which this rank does not take part but for which it waits. @label is a
 * GRefString. Returns TRUE. */
gboolean hir_evaluator_add_pending (HirEvaluator *evaluator, const HirExpr *expr, char *label);
/* Fails if a communication was not waited for, at the end of the program. */
gboolean hir_evaluator_check_all_waited (HirEvaluator *evaluator, GError **error);
/* Fails if @value, which @expr uses (@use: "reads"), is in a transfer. */
gboolean hir_evaluator_check_use (HirEvaluator *evaluator,
                                  const HirExpr *expr,
                                  const HirValue *value,
                                  const char *use,
                                  gboolean is_write,
                                  GError **error);
/* Runs an instruction whose data is not computed, in a dry run. */
gboolean hir_evaluator_run_opaque (HirEvaluator *evaluator, const HirExpr *expr, GError **error);
/* evaluator-compute.c: tensor ops and PostOnStream */
gboolean hir_evaluator_run_compute (HirEvaluator *evaluator, const HirExpr *expr, GError **error);
gboolean hir_evaluator_run_post (HirEvaluator *evaluator, const HirExpr *expr, GError **error);
/* Copies @in to @out on the current stream, for the communication @expr. @is_free: takes no time on
 * the modelled clock. */
gboolean hir_evaluator_submit_copy (HirEvaluator *evaluator,
                                    const HirExpr *expr,
                                    HirValue *in,
                                    HirValue *out,
                                    gboolean is_free,
                                    GError **error);
/* Fills a new buffer on the current stream. @expr is the instruction, or NULL for the check. */
gboolean hir_evaluator_fill (
    HirEvaluator *evaluator, HirBuffer *buffer, guint8 byte, const HirExpr *expr, GError **error);
/* Allocates memory for @tensor on the current stream and binds it. */
HirValue *hir_evaluator_allocate (HirEvaluator *evaluator, const HirTensor *tensor, GError **error);

/* evaluator-trace.c */
HirStreamSlot *hir_evaluator_get_current_slot (HirEvaluator *evaluator);
/* Adds @change to the number of posts under @counter. Returns the previous number. */
guint hir_evaluator_count_posts (HirEvaluator *evaluator, const char *counter, int change);
/* Returns the label of @expr (borrowed GRefString). */
char *hir_evaluator_get_label (HirEvaluator *evaluator, const HirExpr *expr);
/* Returns the index of the innermost loop, or -1 outside of loops. */
gint32 hir_evaluator_get_iteration (HirEvaluator *evaluator);
void hir_evaluator_begin_issue (HirEvaluator *evaluator, const HirExpr *expr);
void hir_evaluator_end_issue (HirEvaluator *evaluator, const HirExpr *expr, gint32 iteration);
/* Fills in the event of a fill of @buffer, except its times. The modelled clock does not time
 * fills. */
void hir_evaluator_describe_fill (HirEvaluator *evaluator,
                                  HirEvent *event,
                                  const HirBuffer *buffer,
                                  const HirExpr *expr);
/* Fills in the event of @task and, on the modelled clock, records it. */
void hir_evaluator_trace_task (
    HirEvaluator *evaluator, HirTask *task, HirEventKind kind, gint64 bytes, gint64 flops);
/* Returns a task that names a wait of a stream; it is recorded only if the stream really waits.
 * Returns NULL if waits have no names. @mark: awaited moment of the model (nullable). @label: a
 * GRefString. */
HirTask *hir_evaluator_new_wait (HirEvaluator *evaluator,
                                 const HirExpr *expr,
                                 char *label,
                                 HirModelMark *mark);
/* Fills in the event of @post on channel @stream, whose track is @track. Returns its end on the
 * modelled clock; NULL on the wall clock. */
HirModelMark *hir_evaluator_trace_communication (
    HirEvaluator *evaluator, HirTask *task, const HirCommPost *post, guint16 track, guint stream);

/* evaluator-prepare.c: prepares the body of the loop of @frame, which is at the start of an
 * iteration and has run one. Returns NULL if the body cannot be prepared. */
HirPreparedBody *hir_prepared_body_new (HirEvaluator *evaluator, HirFrame *frame);
void hir_prepared_body_free (HirEvaluator *evaluator, HirPreparedBody *body);

/* evaluator-prepared.c: runs the iteration at whose start @frame is. Returns FALSE, having done
 * nothing, if it must run instruction by instruction. Otherwise sets *@cause to the error
 * (nullable) and *@point to the failed instruction. */
gboolean hir_evaluator_run_prepared (HirEvaluator *evaluator,
                                     HirFrame *frame,
                                     HirProgramPoint *point,
                                     GError **cause);

/* Declarations shared by evaluator-prepare.c and evaluator-prepared.c. */
typedef enum
{
  HIR_PREPARED_SET_STREAM,
  HIR_PREPARED_SYNCHRONIZE,
  HIR_PREPARED_SELECT,
  HIR_PREPARED_COMPUTE,
  HIR_PREPARED_POST,
  HIR_PREPARED_WAIT,
} HirPreparedKind;

typedef struct
{
  HirPreparedKind kind;
  const HirExpr *expr;
  HirInstructionCache *cache;
  guint stream;    /* SET_STREAM, SYNCHRONIZE: index in the body's streams */
  HirValue *slice; /* SELECT: owned by the environment, like all values */
  const HirValue *whole;
  gint64 stride;                 /* elements per index */
  HirPreparedTask *task;         /* COMPUTE; NULL: evaluated as usual */
  HirCommunicator *communicator; /* POST */
  HirCommPersistent *repeat;
  HirCommPost post;
  HirTask *carrier; /* issues @post; NULL in a team of one */
  HirTask *copier;  /* nullable: copies @copied to the output before */
  const HirValue *copied;
  guint channel; /* POST, WAIT */
} HirPreparedOp;

/* A stream that the body uses. */
typedef struct
{
  const HirStream *stream;
  gint64 modulus; /* of the loop index; 0: the stream has no index */
  int slot;       /* in this iteration; -1 if not known yet */
} HirPreparedStream;

struct _HirPreparedBody
{
  HirPreparedOp *ops;
  guint n_ops, n_instructions;
  GArray *streams; /* HirPreparedStream */
  HirValue *index; /* loop index in the environment */
};

/* evaluator-loops.c: returns TRUE if @scalar contains @index. */
gboolean hir_loop_scalar_depends (const HirScalar *scalar, const HirScalar *index);
/* Returns the tensors that a new loop index invalidates (docs/host-ir.md#control-flow), as an array
 * of HirVal*. */
GPtrArray *hir_loop_dup_dependents (HirContainer *program, const HirExpr *loop);

/* evaluator-frames.c: pushes a frame for @scope and returns it (borrowed). */
HirFrame *
hir_evaluator_push_frame (HirEvaluator *evaluator, const HirScope *scope, const HirExpr *owner);
/* Removes the frames from @first on and frees their prepared bodies. */
void hir_evaluator_drop_frames (HirEvaluator *evaluator, guint first);
/* Binds the loop index of @frame and unbinds all values that depend on it. */
void hir_evaluator_bind_index (HirEvaluator *evaluator, HirFrame *frame);

G_END_DECLS
