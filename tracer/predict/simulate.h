/* Simulates a plan: computes when its hosts, streams and channels do what. */
#pragma once

#include "predict/measure.h"

G_BEGIN_DECLS

typedef struct
{
  const HirMeasured *measure;
  guint repetition;      /* whose start skew of the ranks applies */
  gboolean interference; /* communication and kernels of a GPU slow each other down */
} HirSimulationOptions;

/* Receives an event with its times. */
typedef void (*HirSimulatedFunc) (const HirEvent *event,
                                  const HirPlanPart *part,
                                  gpointer user_data);

/**
 * hir_simulate:
 * @plan: a plan with durations
 * @func: (nullable): receives all events, also those of issues; part is NULL for issues and waits
 * @total_ns: (out): from the first start to the last end of an event
 *
 * Computes the times of a run of @plan. Any thread.
 *
 * Returns: FALSE and sets HIR_ERROR_UNSUPPORTED if ranks wait for each other
 */
gboolean hir_simulate (const HirPlan *plan,
                       const HirSimulationOptions *options,
                       HirSimulatedFunc func,
                       gpointer user_data,
                       gint64 *total_ns,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
