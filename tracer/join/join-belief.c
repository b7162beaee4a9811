/* Which repetitions of an alignment are believable. A program that is a part of another one aligns
 * at little cost, so what was issued between its steps counts, too. */
#include "join/join-private.h"

#define ENOUGH 8     /* ops that are no coincidence */
#define MEAN_FIT 0.6 /* worse fits of the ops of a repetition are not believed */
#define GOOD_FIT 0.3

typedef struct
{
  guint first_step, last_step; /* steps that are tied */
  guint first_unit, last_unit;
  guint n_tied, n_needed, n_foreign; /* ops */
  guint n_lost;                      /* ops whose calls are known to be lost */
  double fit;                        /* cost of the fits of the ops */
  double cost;                       /* of all that is missing, additional or does not fit */
  gboolean is_replay, is_damaged, is_complete, is_believed;
  gboolean is_lost; /* no unit is left of it */
} Round;

static const HirJoinStep *
get_step (const HirJoinAlignment *alignment, guint step)
{
  return &g_array_index (alignment->expected->steps, HirJoinStep, step);
}

/* Returns what it costs that a step is missing: nothing if the trace never shows its kind, as the
 * replay of a CUDA graph shows no record or wait. */
static float
get_price (const HirJoinAlignment *alignment, const Round *round, guint step)
{
  const HirJoinStep *s = get_step (alignment, step);

  if (round->is_replay && s->kind != HIR_JOIN_OP)
    return 0;
  return hir_join_thread_shows (alignment->thread, (HirJoinKind) s->kind) ? s->missing : 0;
}

static GArray *
collect (const HirJoinAlignment *alignment)
{
  GArray *rounds = g_array_new (FALSE, TRUE, sizeof (Round));

  g_array_set_size (rounds, alignment->n_repetitions);
  for (guint r = 0; r < rounds->len; r++)
    g_array_index (rounds, Round, r).is_lost = TRUE;
  for (guint u = 0; u < alignment->thread->units->len; u++)
    {
      const HirJoinUnit *unit = &g_array_index (alignment->thread->units, HirJoinUnit, u);
      const HirJoinTie *tie = &alignment->ties[u];
      Round *round;

      if (tie->step == HIR_JOIN_NONE || tie->repetition >= rounds->len)
        continue;
      round = &g_array_index (rounds, Round, tie->repetition);
      if (unit->kind == HIR_JOIN_LOST)
        {
          round->n_lost += get_step (alignment, tie->step)->kind == HIR_JOIN_OP;
          round->cost -= (double) get_price (alignment, round, tie->step);
          continue;
        }
      if (round->is_lost)
        {
          round->is_lost = FALSE;
          round->first_step = tie->step;
          round->first_unit = u;
          round->is_replay = unit->replay > 0;
        }
      round->last_step = tie->step;
      round->last_unit = u;
      round->cost += (double) (hir_join_fit (get_step (alignment, tie->step), unit) -
                               get_price (alignment, round, tie->step));
      if (unit->kind != HIR_JOIN_OP)
        continue;
      round->n_tied++;
      round->fit += hir_join_fit (get_step (alignment, tie->step), unit);
    }
  return rounds;
}

/* Counts the ops that a round needs, and those between its units that are not of the program. The
 * trace may begin or end inside of the first and the last one. */
static void
measure (const HirJoinAlignment *alignment, GArray *rounds, guint r)
{
  Round *round = &g_array_index (rounds, Round, r);
  guint first = r == 0 ? round->first_step : 0;
  guint end = r + 1 == rounds->len ? round->last_step + 1 : alignment->expected->steps->len;

  for (guint q = first; q < end; q++)
    {
      round->n_needed +=
          get_step (alignment, q)->kind == HIR_JOIN_OP && !get_step (alignment, q)->is_free;
      round->cost += (double) get_price (alignment, round, q);
    }
  for (guint u = round->first_unit; u <= round->last_unit && !round->is_lost; u++)
    {
      const HirJoinUnit *unit = &g_array_index (alignment->thread->units, HirJoinUnit, u);

      /* A lost call may be of anything. */
      if (alignment->ties[u].step != HIR_JOIN_NONE || unit->kind == HIR_JOIN_LOST)
        continue;
      round->n_foreign += unit->kind == HIR_JOIN_OP;
      round->cost += (double) hir_join_get_extra (unit);
    }
  round->is_damaged = round->n_tied < round->n_needed || round->n_foreign > 0;
  round->is_believed =
      round->n_tied > 0 && 2 * (round->n_tied + round->n_lost) >= round->n_needed &&
      round->n_foreign <= round->n_tied && round->fit <= MEAN_FIT * (double) round->n_tied;
}

/* Returns TRUE if the rounds together explain most of what was issued, with less than one
 * difference per op. */
static gboolean
explains (const HirJoinAlignment *alignment, const GArray *rounds)
{
  guint tied = 0, needed = 0, foreign = 0;
  double cost = 0;

  for (guint r = 0; r < rounds->len; r++)
    {
      const Round *round = &g_array_index (rounds, Round, r);

      if (round->is_lost)
        continue;
      tied += round->n_tied;
      needed += MAX (round->n_needed, round->n_tied);
      foreign += round->n_foreign;
      cost += round->cost;
    }
  return tied >= MIN ((alignment->expected->n_ops + 1) / 2, ENOUGH) && 2 * tied >= needed &&
         foreign <= tied && cost <= tied;
}

/* A complete repetition next to one that is believed is no coincidence, whatever ran meanwhile. */
static void
believe_complete (GArray *rounds)
{
  for (guint r = 0; r < rounds->len; r++)
    {
      Round *round = &g_array_index (rounds, Round, r);

      round->is_complete = round->n_tied > 0 && round->n_tied >= round->n_needed &&
                           round->fit <= GOOD_FIT * (double) round->n_tied;
    }
  for (guint r = 1; r < rounds->len; r++)
    {
      const Round *last = &g_array_index (rounds, Round, r - 1);
      Round *round = &g_array_index (rounds, Round, r);

      round->is_believed |= last->is_believed && round->is_complete;
    }
  for (guint r = rounds->len; r-- > 1;)
    {
      const Round *next = &g_array_index (rounds, Round, r);
      Round *round = &g_array_index (rounds, Round, r - 1);

      round->is_believed |= next->is_believed && round->is_complete;
    }
}

/* Returns whether the numbers of lost calls are all that is left of the ops of @round. */
static gboolean
is_of_numbers (const Round *round)
{
  return round->n_tied == 0 && round->n_lost > 0 && 2 * round->n_lost >= round->n_needed &&
         round->n_foreign <= round->n_lost;
}

/* Numbers the rounds that are believed, and those between them of which the trace lacks all ops,
 * but not the numbers of their calls. Sets HIR_JOIN_NONE for others. */
static void
number (HirJoinAlignment *alignment, const GArray *rounds, guint *numbers)
{
  guint n = 0, n_lost = 0;
  gboolean is_doubtful = FALSE;

  alignment->n_lost = 0;
  alignment->unproven = HIR_JOIN_NONE;
  for (guint r = 0; r < rounds->len; r++)
    {
      const Round *round = &g_array_index (rounds, Round, r);

      numbers[r] = HIR_JOIN_NONE;
      if (!round->is_believed)
        {
          if (n > 0 && is_of_numbers (round))
            numbers[r] = n + n_lost++;
          else
            is_doubtful |= n > 0;
          continue;
        }
      n += n_lost;
      alignment->n_lost += n_lost;
      if (is_doubtful)
        alignment->unproven = MIN (alignment->unproven, n);
      numbers[r] = n++;
      n_lost = 0;
      is_doubtful = FALSE;
    }
  alignment->n_repetitions = n;
  for (guint r = 0; r < rounds->len; r++)
    if (numbers[r] != HIR_JOIN_NONE && numbers[r] >= n)
      numbers[r] = HIR_JOIN_NONE;
}

guint
hir_join_believe (HirJoinAlignment *alignment)
{
  g_autoptr (GArray) rounds = collect (alignment);
  g_autofree guint *numbers = g_new (guint, rounds->len + 1);

  for (guint r = 0; r < rounds->len; r++)
    measure (alignment, rounds, r);
  believe_complete (rounds);
  if (!explains (alignment, rounds))
    for (guint r = 0; r < rounds->len; r++)
      g_array_index (rounds, Round, r).is_believed = FALSE;
  number (alignment, rounds, numbers);
  for (guint u = 0; u < alignment->thread->units->len; u++)
    {
      HirJoinTie *tie = &alignment->ties[u];

      /* A lost call only held the place of a step, which the trace lacks. */
      if (g_array_index (alignment->thread->units, HirJoinUnit, u).kind == HIR_JOIN_LOST)
        tie->step = HIR_JOIN_NONE;
      if (tie->step == HIR_JOIN_NONE)
        continue;
      tie->is_near_damage = g_array_index (rounds, Round, tie->repetition).is_damaged;
      if (numbers[tie->repetition] == HIR_JOIN_NONE)
        tie->step = HIR_JOIN_NONE;
      else
        tie->repetition = numbers[tie->repetition];
    }
  return alignment->n_repetitions;
}
