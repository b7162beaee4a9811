/* The search for the alignment of least cost. The state is the next expected step. Each unit is a
 * step (perhaps after missing ones), or is not of the program. States that cost much more than the
 * best are dropped, so the time is nearly linear. */
#pragma once

#include "join/join-private.h"

G_BEGIN_DECLS

#define HIR_JOIN_WINDOW 16384   /* units whose states are in memory at once */
#define HIR_JOIN_LOOKAHEAD 1024 /* units that follow, which decide between states at the end */

typedef struct
{
  guint position; /* next expected step, 0 to n - 1 */
  float cost;     /* of the best reading so far */
  guint from;     /* state before the unit; HIR_JOIN_NONE: none */
  guint step;     /* HIR_JOIN_NONE: the unit is not of the program */
  float rest;     /* cost of the best reading of what follows */
} HirJoinState;

/* A step of the program, and what the current row has there. A part that depends on the row is
 * valid if its stamp is that of the search. */
typedef struct
{
  guint signature;
  guint stream;     /* HIR_JOIN_NONE: unknown, or any */
  gboolean is_free; /* of a stream that has no track yet */
  float missing; /* price of passing over it; the second one after passing over its predecessor */
  float missing_too;
  guint state_stamp, state; /* the state of the row at this position */
  guint next_stamp, next;   /* the state of the next row */
  guint pass_stamp, pass_from;
  float pass; /* cost of getting here past missing steps */
  guint reach_stamp;
  float here;           /* going back: cost of the unit as this step, and of all that follows */
  float rest, rest_too; /* going back: cost from here, as for missing */
} HirJoinPosition;

/* The states after a unit. */
typedef struct
{
  guint first, best;
} HirJoinRow;

typedef struct
{
  HirJoinAlignment *alignment;
  const HirJoinStep *steps;
  HirJoinPosition *positions;
  guint n;            /* steps */
  guint first_op;     /* that cannot be missing */
  gboolean is_torn;   /* the unit is from before the first call */
  float *fits;        /* nullable: per signature of a unit and of a step */
  guint n_step_kinds; /* signatures of steps */
  GArray **matches;   /* per signature of a unit: guint, the steps that fit; NULL until needed */
  GArray *states;     /* HirJoinState */
  guint *reached;     /* positions that the row reaches */
  guint n_reached;
  HirJoinRow *rows; /* row 0 is before the first unit of the window */
  guint n_rows;
  guint stamp;
  gboolean is_blind; /* no call is missing before the unit, which is from before the first one or of
                      * a CUDA graph */
} HirJoinSearch;

/* Prepares the search for windows of up to @n_units units. hir_join_search_clear() frees it. */
void hir_join_search_init (HirJoinSearch *search, HirJoinAlignment *alignment, guint n_units);
void hir_join_search_clear (HirJoinSearch *search);
/* Adds the row after @unit. */
void hir_join_search_advance (HirJoinSearch *search, const HirJoinUnit *unit);
/* Ends the search: a repetition that is not complete costs something. */
void hir_join_search_end (HirJoinSearch *search);
/* Returns the best state of the last row. */
guint hir_join_search_get_best (const HirJoinSearch *search);
/* Goes back over @unit, which follows row @row: sets the rests of its states. Returns the least
 * total cost of readings that take the unit for another step than @chosen. */
float
hir_join_search_go_back (HirJoinSearch *search, const HirJoinUnit *unit, guint row, guint chosen);

static inline HirJoinState *
hir_join_search_get_state (const HirJoinSearch *search, guint i)
{
  return &g_array_index (search->states, HirJoinState, i);
}

static inline const HirJoinUnit *
hir_join_search_get_unit (const HirJoinSearch *search, guint i)
{
  return &g_array_index (search->alignment->thread->units, HirJoinUnit, i);
}

G_END_DECLS
