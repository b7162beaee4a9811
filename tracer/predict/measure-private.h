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
  guint n_unknown; /* nodes without an event, except waits */
} HirTies;

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

G_END_DECLS
