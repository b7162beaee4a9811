/* Evaluator of host programs: a state machine with a stack of frames. One step executes one
 * instruction; a run, single steps and breakpoints use the same path. It runs on one thread, issues
 * work to a back end and never waits for it. Semantics: docs/host-ir.md#execution. */
#pragma once

#include "run/backend.h"
#include "run/communicator.h"
#include "run/model/model-log.h"
#include "run/turns.h"

G_BEGIN_DECLS

typedef struct
{
  HirBackend *backend;   /* borrowed */
  HirRecorder *recorder; /* nullable; borrowed */
  /* borrowed; NULL for the wall clock. With a model, the back end must have no recorder */
  HirModelLog *model;
  /* borrowed; NULL if there is one device. The back end's stopped() must abort it */
  HirCommunicator *communicator;
  /* nullable; borrowed: turns of the ranks of this process in HIR_PHASE_BASELINE */
  HirTurns *turns;
  gint64 zero_ns;        /* time 0 of recorded events; unused with a model */
  gint64 n_streams;      /* numberOfStreams, >= 1 */
  int rank;              /* the device, and the communicator's rank */
  const GArray *symbols; /* nullable; borrowed: extents of a printed program, see env.h */
  guint64 max_steps;     /* limit of instructions (HIR_ERROR_LIMIT); 0: none */
  gboolean poison;       /* fill new memory with NaN (integers: 0xa5) */
  gboolean trace_issue;  /* record host spans too */
  /* Keep missing Waits (hir_evaluator_get_missing_waits()) and continue, instead of failing. */
  gboolean allow_missing_waits;
  const char *plant_op; /* nullable: op whose results get an injected error, for tests */
  double plant_scale;
} HirEvaluatorOptions;

/* Position of a program. */
typedef struct
{
  const HirExpr *expr; /* the next instruction */
  gint32 iteration;    /* of the innermost loop; -1 outside of loops */
  guint depth;         /* nesting depth of the scope; 0 = top level */
  int rank;
} HirProgramPoint;

/* Hooks around each instruction, called on the evaluator's thread; either may be NULL. If before()
 * returns FALSE, the run ends with its error. */
typedef struct
{
  gboolean (*before) (const HirProgramPoint *point, gpointer user_data, GError **error);
  void (*after) (const HirProgramPoint *point, gpointer user_data);
  gpointer user_data;
  /* The hooks may be called once per iteration instead of once per instruction, if the loop runs
   * from its prepared body (run/evaluator-prepare.c). Other hooks disable prepared bodies. */
  gboolean is_coarse;
} HirEvaluatorHooks;

/* A communication that was not waited for. */
typedef struct
{
  const HirExpr *posted;
  gint32 iteration; /* of the first such post */
  /* Its memory was used before a Wait; FALSE: it was posted again, or the program ended. */
  gboolean is_used;
  HirPos pos;
  char *message; /* the error of a run */
  guint n;       /* number of times */
} HirMissingWait;

typedef enum
{
  HIR_STEP_FAILED = -1,
  /* the program has ended; everything is issued, but may not have been executed */
  HIR_STEP_DONE = 0,
  HIR_STEP_MORE = 1,
} HirStep;

typedef struct _HirEvaluator HirEvaluator;

/* Creates an evaluator of @program, a host program (referenced). Errors: HIR_ERROR_UNSUPPORTED if
 * it needs several devices; HIR_ERROR_LIMIT. */
HirEvaluator *
hir_evaluator_new (HirContainer *program, const HirEvaluatorOptions *options, GError **error);
void hir_evaluator_free (HirEvaluator *evaluator);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirEvaluator, hir_evaluator_free)
/* Adds a copy of @hooks. */
void hir_evaluator_add_hooks (HirEvaluator *evaluator, const HirEvaluatorHooks *hooks);

/* Resets the program to its start: values are removed, streams and the results of GetCurrentStream
 * are kept (docs/host-ir.md#runs, docs/host-ir.md#streams). @inputs are by position. Events are
 * marked with @phase. In HIR_PHASE_BASELINE, each instruction runs alone (evaluator-alone.c). */
gboolean hir_evaluator_start (HirEvaluator *evaluator,
                              HirValue *const *inputs,
                              guint n,
                              HirPhase phase,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Sets @point to the next instruction. Returns FALSE at the end of the program. */
gboolean hir_evaluator_peek (HirEvaluator *evaluator, HirProgramPoint *point);
/* Executes one instruction, or one iteration of a loop with a prepared body. */
HirStep hir_evaluator_step (HirEvaluator *evaluator, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Steps to the end of the program and checks that everything posted was waited for and that no
 * output of this rank was freed. Other ranks may still be running. */
gboolean hir_evaluator_end (HirEvaluator *evaluator, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Steps to the end of the program and waits for all streams. */
gboolean hir_evaluator_finish (HirEvaluator *evaluator, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Returns the value of @val (borrowed until the next step), or NULL if it is not known. */
HirValue *hir_evaluator_lookup (HirEvaluator *evaluator, const HirVal *val);
/* Returns TRUE if the last error, a HIR_ERROR_RUN, is due to the order of instructions: a tensor
 * without a value is used, or something is waited for or ended that was not started. */
gboolean hir_evaluator_failed_by_order (const HirEvaluator *evaluator);
/* Returns the Deallocate after which @val has no value, or NULL. */
const HirExpr *hir_evaluator_lookup_free (HirEvaluator *evaluator, const HirVal *val);
/* Evaluates a scalar expression. Returns a new reference. */
HirValue *hir_evaluator_evaluate (HirEvaluator *evaluator, const HirScalar *scalar, GError **error);
/* Returns whether the data of @expr is not computed: the instruction is shown and timed only. */
gboolean hir_evaluator_is_opaque (const HirExpr *expr);
/* Starts the label of the local copy of a communication: "copy for Allreduce T8". */
#define HIR_COPY_LABEL "copy for "

/* Returns the label of events of @expr (transfer full): "Set T3", "T6_matmul". That of a HostUnit
 * continues with "_" and the shape of its fusion in a trace. */
char *hir_evaluator_dup_expr_label (const HirExpr *expr);
/* Returns the environment (borrowed). */
HirEnv *hir_evaluator_get_env (HirEvaluator *evaluator);
/* Returns the name of the current stream: "Stream 1", "Default stream". */
const char *hir_evaluator_get_current_stream_name (HirEvaluator *evaluator);
/* Returns the missing Waits since the evaluator was created, an array of HirMissingWait (borrowed);
 * empty unless they are allowed. Each communication and instruction has one entry. */
const GArray *hir_evaluator_get_missing_waits (const HirEvaluator *evaluator);
/* number of executed instructions since the start */
guint64 hir_evaluator_get_n_steps (const HirEvaluator *evaluator);
/* Returns the number of iterations that ran from a prepared body since the evaluator was created.
 */
guint64 hir_evaluator_get_n_walked (const HirEvaluator *evaluator);

G_END_DECLS
