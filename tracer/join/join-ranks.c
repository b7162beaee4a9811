/* Compares the repetitions of ranks that communicate: each of them runs every repetition. A
 * collective cannot end on one rank before it starts on all, so it tells which repetitions of two
 * ranks are the same. */
#include "join/join-private.h"

/* A collective on a device. */
typedef struct
{
  guint step, repetition;
  gint64 start_ns, end_ns;
} Collective;

static gboolean
communicates (const HirJoinRank *rank)
{
  for (guint q = 0; rank->busiest != NULL && q < rank->expected->steps->len; q++)
    if (g_array_index (rank->expected->steps, HirJoinStep, q).class == HIR_JOIN_COMM)
      return rank->busiest->n_repetitions > 0;
  return FALSE;
}

static int
compare_collectives (gconstpointer a, gconstpointer b)
{
  const Collective *x = a, *y = b;

  if (x->start_ns != y->start_ns)
    return x->start_ns < y->start_ns ? -1 : 1;
  return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

/* Lists the collectives of a rank by their starts. */
static GArray *
list_collectives (const HirTrace *trace, const HirJoinRank *rank)
{
  const HirJoinAlignment *alignment = rank->busiest;
  const guint *places = alignment->thread->places;
  GArray *list = g_array_new (FALSE, FALSE, sizeof (Collective));

  for (guint i = 0; i < rank->observed->works->len; i++)
    {
      const HirJoinWork *work = &g_array_index (rank->observed->works, HirJoinWork, i);
      const HirJoinTie *tie;
      Collective found;

      if (work->unit == HIR_JOIN_NONE || work->kind == HIR_EVENT_SYNC ||
          g_ptr_array_index (rank->alignments, work->thread) != alignment)
        continue;
      tie = &alignment->ties[places != NULL ? places[work->unit] : work->unit];
      if (tie->step == HIR_JOIN_NONE ||
          g_array_index (rank->expected->steps, HirJoinStep, tie->step).expr->kind !=
              HIR_EXPR_COMMUNICATION)
        continue;
      found = (Collective){ tie->step, tie->repetition, 0, 0 };
      hir_trace_get_interval (trace, work->track, work->index, &found.start_ns, &found.end_ns);
      g_array_append_val (list, found);
    }
  g_array_sort (list, compare_collectives);
  return list;
}

/* Returns whether steps of two ranks are the same execution of an instruction. */
static gboolean
is_same (const HirJoinRank *rank, guint step, const HirJoinRank *other, guint other_step)
{
  const HirJoinStep *x = &g_array_index (rank->expected->steps, HirJoinStep, step);
  const HirJoinStep *y = &g_array_index (other->expected->steps, HirJoinStep, other_step);

  return x->expr->node.id == y->expr->node.id && x->iteration == y->iteration;
}

/* Sets the repetition of @other for each of @rank whose collectives ran at the same time. Returns
 * FALSE if these do not agree. */
static gboolean
match (const HirTrace *trace, const HirJoinRank *rank, const HirJoinRank *other, guint *numbers)
{
  g_autoptr (GArray) list = list_collectives (trace, rank);
  g_autoptr (GArray) others = list_collectives (trace, other);
  guint first = 0;

  for (guint i = 0; i < list->len; i++)
    {
      const Collective *x = &g_array_index (list, Collective, i);
      guint found = HIR_JOIN_NONE;

      while (first < others->len && g_array_index (others, Collective, first).end_ns < x->start_ns)
        first++;
      for (guint k = first; k < others->len; k++)
        {
          const Collective *y = &g_array_index (others, Collective, k);

          if (y->start_ns > x->end_ns)
            break;
          if (y->end_ns < x->start_ns || !is_same (rank, x->step, other, y->step))
            continue;
          if (found != HIR_JOIN_NONE && found != y->repetition)
            return FALSE;
          found = y->repetition;
        }
      if (found == HIR_JOIN_NONE)
        continue;
      if (numbers[x->repetition] != HIR_JOIN_NONE && numbers[x->repetition] != found)
        return FALSE;
      numbers[x->repetition] = found;
    }
  return TRUE;
}

/* Finds the repetition of @other for each one of @rank. Returns NULL if the collectives do not tell
 * them, or contradict what is proven. */
static guint *
dup_numbers (const HirTrace *trace, const HirJoinRank *rank, const HirJoinRank *other)
{
  guint n = rank->busiest->n_repetitions;
  g_autofree guint *numbers = g_new (guint, n);

  for (guint r = 0; r < n; r++)
    numbers[r] = HIR_JOIN_NONE;
  if (!match (trace, rank, other, numbers))
    return NULL;
  /* Repetitions whose numbers are proven follow on one another. */
  for (guint r = 1; r < MIN (n, rank->busiest->unproven); r++)
    if (numbers[r] == HIR_JOIN_NONE && numbers[r - 1] != HIR_JOIN_NONE)
      numbers[r] = numbers[r - 1] + 1;
  for (guint r = MIN (n, rank->busiest->unproven); r-- > 1;)
    if (numbers[r - 1] == HIR_JOIN_NONE && numbers[r] != HIR_JOIN_NONE && numbers[r] > 0)
      numbers[r - 1] = numbers[r] - 1;
  for (guint r = 0; r < n; r++)
    if (numbers[r] == HIR_JOIN_NONE || (r > 0 && numbers[r] <= numbers[r - 1]) ||
        (r > 0 && r < rank->busiest->unproven && numbers[r] != numbers[r - 1] + 1))
      return NULL;
  return g_steal_pointer (&numbers);
}

/* Gives the repetitions of @alignment other numbers, of which none that changes is proven. */
static void
renumber (HirJoinAlignment *alignment, const guint *numbers)
{
  guint n = alignment->n_repetitions;

  for (guint r = 0; r < n; r++)
    if (numbers[r] != r || r >= alignment->unproven)
      {
        alignment->unproven = MIN (alignment->unproven, numbers[r]);
        break;
      }
  for (guint u = 0; u < alignment->thread->units->len; u++)
    if (alignment->ties[u].step != HIR_JOIN_NONE)
      alignment->ties[u].repetition = numbers[alignment->ties[u].repetition];
  alignment->n_repetitions = numbers[n - 1] + 1;
}

/* Numbers the repetitions of @rank by those of @most. */
static void
compare (const HirTrace *trace, HirJoinRank *rank, const HirJoinRank *most, GPtrArray *notes)
{
  g_autofree guint *numbers = dup_numbers (trace, rank, most);

  g_ptr_array_add (notes,
                   g_strdup_printf ("rank %d has %u repetitions, but rank %d has %u; %s",
                                    rank->observed->rank, rank->busiest->n_repetitions,
                                    most->observed->rank, most->busiest->n_repetitions,
                                    numbers != NULL
                                        ? "their numbers follow from the collectives"
                                        : "no collective tells which are missing, so that no "
                                          "number is certain"));
  if (numbers != NULL)
    renumber (rank->busiest, numbers);
  else
    rank->busiest->unproven = 0;
}

void
hir_join_number_ranks (const HirTrace *trace, GPtrArray *ranks, GPtrArray *notes)
{
  const HirJoinRank *most = NULL;

  for (guint i = 0; i < ranks->len; i++)
    {
      const HirJoinRank *rank = g_ptr_array_index (ranks, i);

      if (communicates (rank) &&
          (most == NULL || rank->busiest->n_repetitions > most->busiest->n_repetitions ||
           (rank->busiest->n_repetitions == most->busiest->n_repetitions &&
            rank->busiest->unproven > most->busiest->unproven)))
        most = rank;
    }
  for (guint i = 0; i < ranks->len; i++)
    {
      HirJoinRank *rank = g_ptr_array_index (ranks, i);

      if (communicates (rank) && rank->busiest->n_repetitions < most->busiest->n_repetitions)
        compare (trace, rank, most, notes);
    }
}
