/* Which repetitions have a number that is proven. If a trace lacks a whole repetition, all later
 * ones get a lower number. The numbers of calls show whether one can be missing between two ties;
 * without these, the time does. */
#include "join/join-private.h"

/* Two ties that follow on one another. */
typedef struct
{
  guint from, to; /* units */
  gint64 missing; /* calls that the trace can lack between them, or ns */
} Gap;

typedef struct
{
  const HirJoinAlignment *alignment;
  gboolean has_numbers;
  GArray *gaps;   /* Gap */
  guint *n_calls; /* per step: calls that the steps before it make */
  gint64 least;   /* calls or ns that a whole repetition takes at least */
} Prover;

static const HirJoinUnit *
get_unit (const Prover *prover, guint u)
{
  return &g_array_index (prover->alignment->thread->units, HirJoinUnit, u);
}

/* Returns whether @u is a tie that has a place among the calls. */
static gboolean
is_mark (const Prover *prover, guint u)
{
  const HirJoinUnit *unit = get_unit (prover, u);

  return prover->alignment->ties[u].step != HIR_JOIN_NONE && unit->kind != HIR_JOIN_PREPARE &&
         (unit->first_number != 0 || !prover->has_numbers);
}

/* Numbers are of use only if all work that is tied has one. */
static gboolean
has_numbers (const Prover *prover)
{
  for (guint u = 0; u < prover->alignment->thread->units->len; u++)
    if (prover->alignment->ties[u].step != HIR_JOIN_NONE &&
        get_unit (prover, u)->kind == HIR_JOIN_OP && get_unit (prover, u)->first_number == 0)
      return FALSE;
  return TRUE;
}

static void
count_calls (Prover *prover)
{
  const GArray *steps = prover->alignment->expected->steps;
  const HirJoinThread *thread = prover->alignment->thread;
  HirJoinUnit lost = { .kind = HIR_JOIN_LOST, .op = "" };

  for (guint u = 0; u < thread->units->len && !lost.is_own; u++)
    lost.is_own = get_unit (prover, u)->is_own;
  prover->n_calls = g_new0 (guint, steps->len + 1);
  for (guint q = 0; q < steps->len; q++)
    {
      const HirJoinStep *step = &g_array_index (steps, HirJoinStep, q);

      prover->n_calls[q + 1] =
          prover->n_calls[q] + (hir_join_fit (step, &lost) < HIR_JOIN_NEVER &&
                                hir_join_thread_shows (thread, (HirJoinKind) step->kind));
    }
}

static void
collect_gaps (Prover *prover)
{
  const HirJoinThread *thread = prover->alignment->thread;
  guint from = HIR_JOIN_NONE;
  guint32 number = 0;
  gint64 missing = 0, time_ns = 0;

  for (guint u = 0; u < thread->units->len; u++)
    {
      const HirJoinUnit *unit = get_unit (prover, u);

      if (!prover->has_numbers)
        {
          if (unit->kind == HIR_JOIN_LOST)
            continue;
          missing = MAX (missing, unit->start_ns == G_MININT64 || time_ns == G_MININT64
                                      ? 0
                                      : unit->start_ns - time_ns);
          time_ns = unit->start_ns;
        }
      else if (thread->is_dense)
        missing += unit->kind == HIR_JOIN_LOST;
      else if (unit->first_number > 0)
        {
          missing += unit->first_number > number ? unit->first_number - number - 1 : 0;
          number = MAX (number, unit->last_number);
        }
      if (!is_mark (prover, u))
        continue;
      if (from != HIR_JOIN_NONE)
        {
          const Gap gap = { from, u, missing };

          g_array_append_val (prover->gaps, gap);
        }
      from = u;
      missing = 0;
    }
}

/* Returns the distance between two units, in calls or ns. */
static gint64
get_distance (const Prover *prover, guint from, guint to)
{
  const HirJoinUnit *first = get_unit (prover, from), *last = get_unit (prover, to);

  if (prover->has_numbers)
    return (gint64) last->last_number - first->first_number + 1;
  return first->start_ns == G_MININT64 ? 0 : last->start_ns - first->start_ns;
}

/* Finds what a complete repetition takes at least. Its largest gap could itself be that of a
 * repetition, so it does not count. */
static void
find_least (Prover *prover)
{
  const HirJoinAlignment *alignment = prover->alignment;
  gint64 least = G_MAXINT64, largest = 0;
  guint first = HIR_JOIN_NONE, repetition = HIR_JOIN_NONE, n_ops = 0;

  for (guint i = 0; i < prover->gaps->len; i++)
    {
      const Gap *gap = &g_array_index (prover->gaps, Gap, i);

      if (alignment->ties[gap->from].repetition != repetition)
        {
          first = gap->from;
          repetition = alignment->ties[first].repetition;
          n_ops = get_unit (prover, first)->kind == HIR_JOIN_OP;
          largest = 0;
        }
      if (alignment->ties[gap->to].repetition == repetition)
        {
          n_ops += get_unit (prover, gap->to)->kind == HIR_JOIN_OP;
          largest = MAX (largest, gap->missing);
        }
      if (n_ops < alignment->expected->n_ops)
        continue;
      if (i + 1 == prover->gaps->len && alignment->ties[gap->to].repetition == repetition)
        least = MIN (least, get_distance (prover, first, gap->to) - largest);
      else if (alignment->ties[gap->to].repetition != repetition)
        least = MIN (least, get_distance (prover, first, gap->from) - largest);
    }
  prover->least = least < G_MAXINT64 ? least : 0;
  if (prover->has_numbers)
    prover->least = MAX (prover->least, prover->n_calls[alignment->expected->steps->len]);
}

/* Returns whether as many repetitions are missing in @gap as were counted. */
static gboolean
is_proven (const Prover *prover, const Gap *gap)
{
  const HirJoinAlignment *alignment = prover->alignment;
  const HirJoinTie *from = &alignment->ties[gap->from], *to = &alignment->ties[gap->to];
  guint n = alignment->expected->steps->len;
  gint64 n_needed;

  if (gap->missing < prover->least && to->repetition <= from->repetition + 1)
    return TRUE;
  if (!prover->has_numbers || !alignment->thread->is_dense)
    return FALSE;
  n_needed = (gint64) (to->repetition - from->repetition) * prover->n_calls[n] +
             prover->n_calls[to->step] - prover->n_calls[from->step + 1];
  return gap->missing == n_needed;
}

void
hir_join_prove (HirJoinAlignment *alignment)
{
  Prover prover = { .alignment = alignment };

  if (alignment->n_repetitions == 0)
    return;
  prover.has_numbers = has_numbers (&prover);
  prover.gaps = g_array_new (FALSE, FALSE, sizeof (Gap));
  count_calls (&prover);
  collect_gaps (&prover);
  find_least (&prover);
  for (guint i = 0; i < prover.gaps->len; i++)
    {
      const Gap *gap = &g_array_index (prover.gaps, Gap, i);

      if (!is_proven (&prover, gap))
        {
          guint from = alignment->ties[gap->from].repetition;
          guint to = alignment->ties[gap->to].repetition;

          /* A hole inside of what looks like one repetition can be from one to the next. */
          alignment->unproven = MIN (alignment->unproven, from == to ? from : from + 1);
        }
    }
  g_array_unref (prover.gaps);
  g_free (prover.n_calls);
}
