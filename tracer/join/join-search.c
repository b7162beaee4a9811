/* Rows of states, one per unit, forward and back. */
#include "join/join-search.h"

#define JUMP 5.0f         /* price of going on at any step */
#define JUMP_IF 0.3f      /* jumps are tried if the cheapest reading of a unit costs more */
#define START_INSIDE 0.6f /* price of starting inside of a repetition */
#define END_INSIDE 0.6f   /* price of ending there */
#define OTHER_STREAM 0.9f
#define MISSING_TORN 0.6f /* the trace begins among such ops */
#define WHOLE_BONUS 0.02f
#define MAX_STATES 4096   /* kept per unit */
#define MAX_FITS 20000000 /* kept; more are computed when they are needed */

static guint
get_next (const HirJoinSearch *search, guint position)
{
  return position + 1 < search->n ? position + 1 : 0;
}

/* Returns the position after @unit, which is step @q. The record and the wait of a Synchronize of
 * our recordings are one call. */
static guint
get_after (const HirJoinSearch *search, guint q, const HirJoinUnit *unit)
{
  guint next = get_next (search, q);
  gboolean is_pair = unit->kind == HIR_JOIN_LOST && unit->is_own &&
                     search->steps[q].kind == HIR_JOIN_RECORD &&
                     search->steps[next].kind == HIR_JOIN_WAIT &&
                     search->steps[next].instance == search->steps[q].instance;

  return is_pair ? get_next (search, next) : next;
}

/* Returns the fit without streams. */
static float
get_plain_fit (const HirJoinSearch *search,
               const HirJoinPosition *position,
               const HirJoinUnit *unit)
{
  return search->fits != NULL
             ? search->fits[(gsize) unit->signature * search->n_step_kinds + position->signature]
             : hir_join_fit (&search->steps[position - search->positions], unit);
}

static float
get_fit (const HirJoinSearch *search, guint step, const HirJoinUnit *unit)
{
  const HirJoinPosition *position = &search->positions[step];
  float fit = get_plain_fit (search, position, unit);

  /* A CUDA graph usually is one repetition. */
  if (unit->replay > 0 && unit->is_first == (step > search->first_op))
    fit += START_INSIDE;

  if (unit->stream == HIR_JOIN_NONE || position->stream == unit->stream || fit >= HIR_JOIN_NEVER)
    return fit;
  if (position->stream != HIR_JOIN_NONE)
    return fit + OTHER_STREAM;
  return position->is_free &&
                 g_hash_table_contains (search->alignment->owned, GUINT_TO_POINTER (unit->stream))
             ? fit + OTHER_STREAM
             : fit;
}

/* Returns the price of passing over step @q, perhaps after the one before. */
static float
get_missing (const HirJoinSearch *search, guint q, gboolean is_after_another)
{
  if (search->is_blind && search->steps[q].kind != HIR_JOIN_OP)
    return 0;
  if (search->is_torn)
    return MIN (search->positions[q].missing, MISSING_TORN);
  return is_after_another ? search->positions[q].missing_too : search->positions[q].missing;
}

static void
reach (HirJoinSearch *search, guint position)
{
  if (search->positions[position].reach_stamp == search->stamp)
    return;
  search->positions[position].reach_stamp = search->stamp;
  search->reached[search->n_reached++] = position;
}

/* Goes on from state @i past missing steps, until another state gets there at less cost. */
static void
pass (HirJoinSearch *search, guint i, float limit)
{
  guint q = hir_join_search_get_state (search, i)->position;
  float cost = hir_join_search_get_state (search, i)->cost;

  reach (search, q);
  for (guint k = 1; k < search->n; k++)
    {
      HirJoinPosition *position;

      cost += get_missing (search, q, k > 1);
      q = get_next (search, q);
      position = &search->positions[q];
      if (cost > limit || (position->pass_stamp == search->stamp && position->pass <= cost) ||
          (position->state_stamp == search->stamp &&
           hir_join_search_get_state (search, position->state)->cost + WHOLE_BONUS <= cost))
        return;
      position->pass_stamp = search->stamp;
      position->pass_from = i;
      position->pass = cost;
      reach (search, q);
    }
}

/* Finds the positions that the states of the row [@from, @to) reach within @limit. The best one
 * goes first, so that others soon stop. */
static void
reach_all (HirJoinSearch *search, guint from, guint to, guint best, float limit)
{
  search->stamp++;
  search->n_reached = 0;
  for (guint i = from; i < to; i++)
    {
      HirJoinPosition *position =
          &search->positions[hir_join_search_get_state (search, i)->position];

      position->state_stamp = search->stamp;
      position->state = i;
    }
  pass (search, best, limit);
  for (guint i = from; i < to; i++)
    if (i != best)
      pass (search, i, limit);
}

/* Returns the least cost of getting to @q, which the row reaches. @from (out): from which state. */
static float
get_reach (const HirJoinSearch *search, guint q, guint *from)
{
  const HirJoinPosition *position = &search->positions[q];
  float cost = HIR_JOIN_NEVER;

  if (position->state_stamp == search->stamp)
    {
      cost = hir_join_search_get_state (search, position->state)->cost;
      *from = position->state;
    }
  if (position->pass_stamp == search->stamp && position->pass < cost)
    {
      cost = position->pass;
      *from = position->pass_from;
    }
  return cost;
}

/* Returns the steps that @unit fits. */
static const GArray *
get_matches (HirJoinSearch *search, const HirJoinUnit *unit)
{
  GArray *matches = search->matches[unit->signature];

  if (matches != NULL)
    return matches;
  matches = search->matches[unit->signature] = g_array_new (FALSE, FALSE, sizeof (guint));
  for (guint q = 0; q < search->n; q++)
    if (get_plain_fit (search, &search->positions[q], unit) < HIR_JOIN_NEVER)
      g_array_append_val (matches, q);
  return matches;
}

/* Returns the price of a jump from state @i to step @q: of equal jumps, the shortest one. */
static float
get_jump (const HirJoinSearch *search, guint i, guint q)
{
  guint apart = (q + search->n - hir_join_search_get_state (search, i)->position) % search->n;

  return JUMP + 0.01f * (float) apart / (float) search->n;
}

/* Adds a state to the next row, unless the row has a better one there. */
static void
take (HirJoinSearch *search, guint next, guint from, guint step, float cost)
{
  HirJoinPosition *position = &search->positions[next];
  HirJoinState state = { next, cost, from, step, 0 };

  if (position->next_stamp != search->stamp)
    {
      position->next_stamp = search->stamp;
      position->next = search->states->len++; /* hir_join_search_advance() made room */
      *hir_join_search_get_state (search, position->next) = state;
    }
  else if (cost < hir_join_search_get_state (search, position->next)->cost)
    *hir_join_search_get_state (search, position->next) = state;
}

static guint
find_best (const HirJoinSearch *search, guint first)
{
  guint best = first;

  for (guint i = first + 1; i < search->states->len; i++)
    if (hir_join_search_get_state (search, i)->cost <
        hir_join_search_get_state (search, best)->cost)
      best = i;
  return best;
}

static int
compare_costs (gconstpointer a, gconstpointer b)
{
  const HirJoinState *x = a, *y = b;

  if (x->cost != y->cost)
    return x->cost < y->cost ? -1 : 1;
  return x->position < y->position ? -1 : x->position > y->position;
}

/* Drops the states of the last row that cost much more than the best, and adds the row. */
static void
add_row (HirJoinSearch *search, guint first, guint best)
{
  HirJoinState *row = hir_join_search_get_state (search, first);
  float limit = hir_join_search_get_state (search, best)->cost + search->alignment->beam;
  guint n = search->states->len - first, kept = 0, place = 0;

  for (guint i = 0; i < n; i++)
    if (row[i].cost <= limit)
      {
        if (first + i == best)
          place = kept;
        row[kept++] = row[i];
      }
  if (kept > MAX_STATES)
    {
      qsort (row, kept, sizeof *row, compare_costs);
      kept = MAX_STATES;
      place = 0;
    }
  g_array_set_size (search->states, first + kept);
  search->rows[search->n_rows++] = (HirJoinRow){ first, first + place };
}

/* Adds the readings of @unit that jump from state @best. */
static void
jump (HirJoinSearch *search, const HirJoinUnit *unit, guint best)
{
  const GArray *matches = get_matches (search, unit);
  float least = hir_join_search_get_state (search, best)->cost;

  for (guint k = 0; k < matches->len; k++)
    {
      guint q = g_array_index (matches, guint, k);

      take (search, get_after (search, q, unit), best, q,
            least + get_jump (search, best, q) + get_fit (search, q, unit));
    }
}

/* Sets what can be missing before @unit. */
static void
set_unit (HirJoinSearch *search, const HirJoinUnit *unit)
{
  const GArray *units = search->alignment->thread->units;
  gboolean is_early = unit->start_ns == G_MININT64 && !search->alignment->thread->is_dense;

  search->is_blind = is_early || unit->replay > 0;
  search->is_torn =
      is_early && g_array_index (units, HirJoinUnit, units->len - 1).start_ns != G_MININT64;
}

void
hir_join_search_advance (HirJoinSearch *search, const HirJoinUnit *unit)
{
  const HirJoinRow *row = &search->rows[search->n_rows - 1];
  guint from = row->first, to = search->states->len, best;
  float least = hir_join_search_get_state (search, row->best)->cost;
  float extra = hir_join_get_extra (unit);

  set_unit (search, unit);
  /* A row has at most one state per step. */
  g_array_set_size (search->states, to + search->n);
  search->states->len = to;
  reach_all (search, from, to, row->best, least + search->alignment->beam);
  for (guint i = from; i < to; i++)
    take (search, hir_join_search_get_state (search, i)->position, i, HIR_JOIN_NONE,
          hir_join_search_get_state (search, i)->cost + extra);
  for (guint k = 0; k < search->n_reached; k++)
    {
      guint q = search->reached[k], source = HIR_JOIN_NONE;
      float fit = get_fit (search, q, unit);

      if (fit < HIR_JOIN_NEVER)
        {
          float cost = get_reach (search, q, &source);

          take (search, get_after (search, q, unit), source, q, cost + fit);
        }
    }
  best = find_best (search, to);
  if (hir_join_search_get_state (search, best)->cost > least + JUMP_IF)
    {
      jump (search, unit, row->best);
      best = find_best (search, to);
    }
  add_row (search, to, best);
}

/* Returns the cost of @unit as step @q and of all that follows, HIR_JOIN_NEVER if the next row has
 * no such state. */
static float
get_rest (const HirJoinSearch *search, guint q, const HirJoinUnit *unit)
{
  const HirJoinPosition *next = &search->positions[get_after (search, q, unit)];

  return next->next_stamp == search->stamp
             ? MIN (get_fit (search, q, unit) +
                        hir_join_search_get_state (search, next->next)->rest,
                    HIR_JOIN_NEVER)
             : HIR_JOIN_NEVER;
}

/* Sets the cost from each position that the row reaches, which are runs of positions, to the end
 * of the window. */
static void
sum_rests (HirJoinSearch *search)
{
  const guint n_reached = search->n_reached;
  const gboolean is_all = n_reached == search->n;

  for (guint k = 0; k < n_reached; k++)
    {
      guint q = search->reached[k], steps = is_all ? 2 * search->n : search->n;
      float after = HIR_JOIN_NEVER;

      if (is_all ? k > 0 : search->positions[get_next (search, q)].reach_stamp == search->stamp)
        continue;
      for (; steps > 0 && search->positions[q].reach_stamp == search->stamp; steps--)
        {
          HirJoinPosition *position = &search->positions[q];

          position->rest = MIN (position->here, after + get_missing (search, q, FALSE));
          position->rest_too = MIN (position->here, after + get_missing (search, q, TRUE));
          after = position->rest_too;
          q = q > 0 ? q - 1 : search->n - 1;
        }
    }
}

float
hir_join_search_go_back (HirJoinSearch *search, const HirJoinUnit *unit, guint row, guint chosen)
{
  guint from = search->rows[row].first, to = search->rows[row + 1].first;
  guint end = row + 2 < search->n_rows ? search->rows[row + 2].first : search->states->len;
  guint best = search->rows[row].best;
  float least = hir_join_search_get_state (search, best)->cost, other = HIR_JOIN_NEVER;
  float price = hir_join_get_extra (unit);

  set_unit (search, unit);
  reach_all (search, from, to, best, least + search->alignment->beam);
  for (guint i = to; i < end; i++)
    {
      HirJoinPosition *position =
          &search->positions[hir_join_search_get_state (search, i)->position];

      position->next_stamp = search->stamp;
      position->next = i;
    }
  for (guint k = 0; k < search->n_reached; k++)
    search->positions[search->reached[k]].here = get_rest (search, search->reached[k], unit);
  sum_rests (search);
  for (guint k = 0; k < search->n_reached; k++)
    {
      guint q = search->reached[k], source;

      if (q != chosen)
        other = MIN (other, get_reach (search, q, &source) + search->positions[q].here);
    }
  for (guint i = from; i < to; i++)
    {
      HirJoinState *state = hir_join_search_get_state (search, i);
      const HirJoinPosition *position = &search->positions[state->position];
      float extra = position->next_stamp == search->stamp
                        ? price + hir_join_search_get_state (search, position->next)->rest
                        : HIR_JOIN_NEVER;

      state->rest = MIN (position->rest, extra);
      if (chosen != HIR_JOIN_NONE)
        other = MIN (other, state->cost + extra);
    }
  if (hir_join_search_get_state (search, search->rows[row + 1].best)->cost > least + JUMP_IF)
    {
      const GArray *matches = get_matches (search, unit);

      for (guint k = 0; k < matches->len; k++)
        {
          guint q = g_array_index (matches, guint, k);
          float rest = get_jump (search, best, q) + get_rest (search, q, unit);

          hir_join_search_get_state (search, best)->rest =
              MIN (hir_join_search_get_state (search, best)->rest, rest);
          if (q != chosen)
            other = MIN (other, least + rest);
        }
    }
  return other;
}

void
hir_join_search_end (HirJoinSearch *search)
{
  HirJoinRow *row = &search->rows[search->n_rows - 1];
  float least = HIR_JOIN_NEVER;

  for (guint i = row->first; i < search->states->len; i++)
    {
      HirJoinState *state = hir_join_search_get_state (search, i);
      float left = 0;

      if (state->position > 0)
        for (guint q = state->position; q < search->n && left < END_INSIDE; q++)
          left += search->positions[q].missing;
      state->rest = MIN (left, END_INSIDE);
      if (state->cost + state->rest >= least)
        continue;
      least = state->cost + state->rest;
      row->best = i;
    }
}

guint
hir_join_search_get_best (const HirJoinSearch *search)
{
  return search->rows[search->n_rows - 1].best;
}

/* Starts at any step; at the first one for nothing. */
static void
start (HirJoinSearch *search)
{
  for (guint p = 0; p < MIN (search->n, MAX_STATES); p++)
    {
      HirJoinState state = { p, p == 0 ? 0 : START_INSIDE, HIR_JOIN_NONE, HIR_JOIN_NONE, 0 };

      g_array_append_val (search->states, state);
    }
  search->rows[search->n_rows++] = (HirJoinRow){ 0, 0 };
}

static void
fill_fits (HirJoinSearch *search)
{
  const HirJoinExpected *expected = search->alignment->expected;
  const HirJoinThread *thread = search->alignment->thread;

  for (guint k = 0; k < thread->signatures->len; k++)
    for (guint s = 0; s < expected->signatures->len; s++)
      search->fits[(gsize) k * search->n_step_kinds + s] =
          hir_join_fit (&search->steps[g_array_index (expected->signatures, guint, s)],
                        hir_join_search_get_unit (search,
                                                  g_array_index (thread->signatures, guint, k)));
}

static void
fill_positions (HirJoinSearch *search)
{
  const HirJoinAlignment *alignment = search->alignment;

  for (guint q = 0; q < search->n; q++)
    {
      const HirJoinStep *step = &search->steps[q];
      HirJoinPosition *position = &search->positions[q];
      /* A kind that the trace never shows is not missing. */

      position->signature = step->signature;
      position->is_free = step->key != HIR_JOIN_NONE;
      position->stream = position->is_free ? alignment->stream_of[step->key] : HIR_JOIN_NONE;
      position->missing = position->missing_too =
          hir_join_thread_shows (alignment->thread, (HirJoinKind) step->kind) ? step->missing : 0;
      /* Of equal readings, the one that lacks whole instructions. */
      if (q > 0 && search->steps[q - 1].instance == step->instance &&
          position->missing > WHOLE_BONUS)
        position->missing_too -= WHOLE_BONUS;
    }
}

void
hir_join_search_init (HirJoinSearch *search, HirJoinAlignment *alignment, guint n_units)
{
  const HirJoinExpected *expected = alignment->expected;
  guint n_unit_kinds = alignment->thread->signatures->len;

  *search = (HirJoinSearch){ .alignment = alignment,
                             .steps = (const HirJoinStep *) (gconstpointer) expected->steps->data,
                             .n = expected->steps->len,
                             .n_step_kinds = expected->signatures->len,
                             .states = g_array_new (FALSE, FALSE, sizeof (HirJoinState)) };
  if ((guint64) search->n_step_kinds * n_unit_kinds <= MAX_FITS)
    search->fits = g_new (float, (gsize) search->n_step_kinds *n_unit_kinds);
  search->positions = g_new0 (HirJoinPosition, search->n);
  search->matches = g_new0 (GArray *, n_unit_kinds);
  search->reached = g_new (guint, search->n);
  search->rows = g_new (HirJoinRow, MIN (n_units, HIR_JOIN_WINDOW + HIR_JOIN_LOOKAHEAD) + 2);
  if (search->fits != NULL)
    fill_fits (search);
  fill_positions (search);
  while (search->first_op + 1 < search->n && (search->steps[search->first_op].is_free ||
                                              search->steps[search->first_op].kind != HIR_JOIN_OP))
    search->first_op++;
  start (search);
}

void
hir_join_search_clear (HirJoinSearch *search)
{
  for (guint k = 0; k < search->alignment->thread->signatures->len; k++)
    if (search->matches[k] != NULL)
      g_array_unref (search->matches[k]);
  g_free (search->fits);
  g_free (search->positions);
  g_free (search->matches);
  g_array_unref (search->states);
  g_free (search->reached);
  g_free (search->rows);
}
