/* Internal declarations of the simulation. */
#pragma once

#include "predict/simulate.h"

G_BEGIN_DECLS

#define HIR_SIMULATION_DONE_NS 1e-6 /* work with less left has ended */

typedef struct
{
  double start_ns, end_ns;
} HirSimulatedSpan;

/* State of a node. */
typedef struct
{
  guint n_open;        /* predecessors that have not ended */
  guint part;          /* the next or running part */
  guint first_span;    /* in spans: one per part */
  double ready_ns;     /* when the part can start */
  double left_ns;      /* what is left of the running part */
  double rate;         /* its speed: 0 to 1 */
  double lost_ns;      /* what communications have slowed it down so far */
  double end_ns;       /* when the stream is free of it */
  double wait_from_ns; /* WAIT: start; negative: it does not wait */
  guint64 order;       /* number of its start; kernels that started before go first */
  gboolean has_ended;
} HirSimulatedState;

typedef struct
{
  const HirPlan *plan;
  const HirSimulationOptions *options;
  HirSimulatedState *states;
  HirSimulatedSpan *issues;
  GArray *spans;        /* HirSimulatedSpan, per part of a node */
  guint *n_arrived;     /* per meeting */
  guint *firsts, *next; /* nodes that follow a node: firsts[node + 1] to firsts[node + 2] of next */
  GArray *heap;         /* guint: nodes whose next part gets ready, earliest first */
  GArray *blocked;      /* guint: nodes that wait for the device */
  GArray *running;      /* guint */
  GArray *resolved;     /* guint: nodes whose followers are not informed yet */
  double now_ns;
  guint64 n_started;
  guint n_done;
} HirSimulation;

/* Returns the next or running part of @node. */
static inline const HirPlanPart *
hir_simulation_get_part (const HirSimulation *s, guint node)
{
  return hir_plan_get_part (hir_plan_get_node (s->plan, node), s->states[node].part);
}

/* Returns whether the next part of @node finds the multiprocessors that it needs. */
gboolean hir_simulation_can_start (const HirSimulation *s, guint node);
/* Returns whether the kernel of @node makes no progress until an older kernel ends. */
gboolean hir_simulation_is_behind (const HirSimulation *s, guint node);
/* Returns how much longer communications can slow down the running kernel of @node. */
double hir_simulation_get_slack (const HirSimulation *s, guint node);
/* Returns the speed of the running part of @node: 0 to 1. */
double hir_simulation_get_rate (const HirSimulation *s, guint node);

G_END_DECLS
