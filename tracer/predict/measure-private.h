/* Internal declarations of the measurement. */
#pragma once

#include "explain/explain-private.h"
#include "predict/measure.h"

G_BEGIN_DECLS

/* An event of the recording that belongs to a node of the plan. */
typedef struct
{
  guint node, repetition;
  guint track, index;
  gint64 start_ns, end_ns;
} HirTied;

/* The events of a plan. */
typedef struct
{
  GArray *events;  /* HirTied, by node, repetition and start */
  guint *firsts;   /* per node: its first event; one more than nodes */
  gint64 *issued;  /* per repetition and issue: start and end; -1: not recorded */
  guint n_issues;  /* events of issues */
  guint n_unknown; /* nodes without an event, except waits */
} HirTies;

/* State of a measurement. */
typedef struct
{
  const HirExplainIndex *index;
  HirPlan *plan;
  HirTies *ties;
  HirMeasured *measure;
  GPtrArray *gpus;   /* nullable */
  GPtrArray *ends;   /* per GPU: gint64, the last end of the works so far */
  GHashTable *works; /* guint64 of track and index -> HirGpuWork */
  GHashTable *alone; /* guint64, instruction -> GArray of double: kernels, and other work with
                      * nothing beside it */
} HirMeasuring;

/* Finds the events of the nodes and issues of @plan. */
HirTies *hir_ties_new (const HirExplainIndex *index, const HirPlan *plan);
void hir_ties_free (HirTies *ties);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTies, hir_ties_free)
/* Returns the events of @node in @repetition, and sets @n to their number; NULL if there are none.
 */
const HirTied *hir_ties_get (const HirTies *ties, guint node, guint repetition, guint *n);
/* Returns the start of an issue, and sets @end_ns; -1 if it is not recorded. */
gint64 hir_ties_get_issue (
    const HirTies *ties, const HirPlan *plan, guint repetition, guint issue, gint64 *end_ns);

/* Returns the median of @values (double), which it sorts; @otherwise if there are none. */
double hir_measure_get_median (GArray *values, double otherwise);
/* Identifies the subject of a sample: an instruction, and the number of the part. */
guint64 hir_measure_get_key (const HirPlanNode *node, guint part);
/* Adds the parts of all works, and sets their durations and the gaps between them. */
void hir_measure_works (HirMeasuring *m);

G_END_DECLS
