/* Predicts how long a recorded run would take if something were different: the program is executed
 * again without computing, and its work takes as long as in the recording (docs/predict.md). */
#pragma once

#include "explain/explain.h"
#include "predict/simulate.h"
#include "program/document-recording.h"
#include "run/comm/comm-transport.h"

G_BEGIN_DECLS

/* Work whose duration changes. */
typedef struct
{
  char *name;    /* of the instruction, "T6_matmul", or of its op, "matmul" */
  double factor; /* 0 or more */
} HirPredictScale;

typedef struct
{
  gint64 n_streams;           /* 0: as recorded */
  double comm_scale;          /* durations of transfers; 1: as recorded */
  gboolean no_interference;   /* communication and kernels do not slow each other down */
  GArray *scales;             /* nullable: HirPredictScale */
  GArray *drop_lines;         /* nullable: guint, lines of the printed program */
  char **set;                 /* nullable: "Pass.option=value" */
  HirCommTransport transport; /* HIR_COMM_TRANSPORT_DEFAULT: as recorded */
} HirPredictOptions;

typedef struct
{
  gint64 measured_ns;
  gint64 unchanged_ns; /* simulated without changes */
  gint64 predicted_ns; /* simulated with the changes */
} HirPredicted;

typedef struct
{
  GArray *repetitions;   /* HirPredicted */
  GPtrArray *changes;    /* char*: what is different */
  GPtrArray *notes;      /* char*: what is assumed or missing */
  HirProgram *program;   /* the changed program; owned */
  HirRecorder *recorder; /* owned, like plan; NULL after hir_prediction_save() */
  HirPlan *plan;         /* the changed plan */
  HirMeasured *measure;  /* owned */
  gint64 n_streams;
  gboolean interference;
} HirPrediction;

/**
 * hir_predict_new:
 * @opened: a recording; must outlive the result
 * @options: what is different
 *
 * Predicts each repetition of a recording. Blocks; any thread.
 *
 * Returns: (transfer full): NULL and sets HIR_ERROR_INPUT if the recording has no program or an
 *   option is invalid, or the error of lowering or of the dry run
 */
HirPrediction *hir_predict_new (const HirOpened *opened,
                                const HirPredictOptions *options,
                                GCancellable *cancellable,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_prediction_free (HirPrediction *prediction);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirPrediction, hir_prediction_free)

/* Returns the time of @of over all repetitions (G_STRUCT_OFFSET of HirPredicted): the median; of an
 * even number, the mean of the two in the middle. */
gint64 hir_prediction_get_median (const HirPrediction *prediction, gsize of);

/* Returns the first measured repetition, from which the predicted one differs: its events, from
 * time 0, and their tracks. Returns NULL and sets HIR_ERROR_LIMIT if out of memory. */
HirTrace *hir_prediction_dup_measured (const HirPrediction *prediction,
                                       const HirTrace *trace,
                                       GError **error);
/* Writes a recording of the predicted first repetition to @path. May be called once. */
gboolean hir_prediction_save (HirPrediction *prediction,
                              const HirOpened *opened,
                              const char *path,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
