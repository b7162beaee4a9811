/* The evaluator of host programs: a state machine with a stack of frames. One call of step()
 * executes one instruction; running, stepping and breaking are the same path. It runs on one
 * thread, issues work to a back end and never waits for it. Semantics:
 * docs/host-ir.md#execution. */
#pragma once

#include "run/backend.h"
#include "run/communicator.h"
#include "run/model/model-log.h"

G_BEGIN_DECLS

typedef struct
{
  HirBackend *backend;   /* borrowed */
  HirRecorder *recorder; /* nullable; borrowed */
  HirModelLog *model; /* nullable: the wall clock. Borrowed. With a model the back end must have no
                         recorder */
  HirCommunicator *communicator; /* nullable: one device only. Borrowed; the back end's `stopped`
                                    must abort it */
  gint64 zero_ns;                /* what recorded times count from; of no use with a model */
  gint64 n_streams;              /* numberOfStreams, >= 1 */
  int rank;                      /* the device; the communicator's where there is one */
  const GArray *symbols;         /* nullable; borrowed: extents of a printed program, see env.h */
  guint64 max_steps;             /* instructions until it is given up (HIR_ERROR_LIMIT); 0: none */
  gboolean poison;               /* fill what is allocated with NaN (integers: 0xa5) */
  gboolean trace_issue;          /* record host spans too */
  /* What is in a transfer may be used, posted again and left at the end: who looks at the order
   * itself says what is missing. */
  gboolean allow_missing_waits;
  const char *plant_op; /* nullable: op name whose results get an error planted, for tests */
  double plant_scale;
} HirEvaluatorOptions;

/* Where a program stands. */
typedef struct
{
  const HirExpr *expr; /* the next instruction */
  gint32 iteration;    /* of the innermost loop; -1: outside one */
  guint depth;         /* of scopes: 0 = top level */
  int rank;
} HirProgramPoint;

/* Called on the evaluator's thread around each instruction; either may be NULL. A FALSE of before()
 * ends the run with its error. */
typedef struct
{
  gboolean (*before) (const HirProgramPoint *place, gpointer user_data, GError **error);
  void (*after) (const HirProgramPoint *place, gpointer user_data);
  gpointer user_data;
  /* It is enough to be called once an iteration of a loop, as a loop whose body is ready may be (see
   * run/evaluator-prepare.c). Where there is another hook, no loop is made ready. */
  gboolean is_coarse;
} HirEvaluatorHooks;

typedef enum
{
  HIR_STEP_FAILED = -1,
  HIR_STEP_DONE = 0, /* the program is at its end; all is issued, maybe not executed */
  HIR_STEP_MORE = 1,
} HirStep;

typedef struct _HirEvaluator HirEvaluator;

/* @program must be a host program; referenced. Errors: HIR_ERROR_UNSUPPORTED where it needs several
 * devices; HIR_ERROR_LIMIT. */
HirEvaluator *
hir_evaluator_new (HirContainer *program, const HirEvaluatorOptions *options, GError **error);
void hir_evaluator_free (HirEvaluator *evaluator);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirEvaluator, hir_evaluator_free)
void hir_evaluator_add_hooks (HirEvaluator *evaluator, const HirEvaluatorHooks *hooks);

/* Puts the program at its begin: values are forgotten, streams and what GetCurrentStream found are
 * kept (docs/host-ir.md#runs, docs/host-ir.md#streams). @inputs by position. @phase is what its
 * events are marked with. */
gboolean hir_evaluator_start (HirEvaluator *evaluator,
                              HirValue *const *inputs,
                              guint n,
                              HirPhase phase,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* FALSE at the end. */
gboolean hir_evaluator_peek (HirEvaluator *evaluator, HirProgramPoint *place);
/* One instruction; or a whole iteration of a loop, where nobody is to see what is between. */
HirStep hir_evaluator_step (HirEvaluator *evaluator, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Steps to the end, where nothing may be posted that was not waited for. Other ranks may be behind.
 */
gboolean hir_evaluator_end (HirEvaluator *evaluator, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Steps to the end and waits for all streams. */
gboolean hir_evaluator_finish (HirEvaluator *evaluator, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Borrowed, until the next step; NULL where @val is not known now. */
HirValue *hir_evaluator_lookup (HirEvaluator *evaluator, const HirVal *val);
/* Of a scalar expression; a new reference. */
HirValue *hir_evaluator_evaluate (HirEvaluator *evaluator, const HirScalar *scalar, GError **error);
/* What is known now; borrowed. */
HirEnv *hir_evaluator_get_env (HirEvaluator *evaluator);
/* "Stream 1", "Default stream". */
const char *hir_evaluator_get_current_stream_name (HirEvaluator *evaluator);
guint64 hir_evaluator_get_n_steps (const HirEvaluator *evaluator); /* since the start */
/* Iterations that were carried out as a whole, since it was made. */
guint64 hir_evaluator_get_n_walked (const HirEvaluator *evaluator);

G_END_DECLS
