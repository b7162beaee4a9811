/* Compares what ran with what the program expects. */
#include "join/join-findings.h"

#include "trace/duration.h"

void
hir_join_finding_free (gpointer finding)
{
  g_free (((HirJoinFinding *) finding)->text);
  g_free (finding);
}

static const HirJoinStep *
get_step (const HirJoinAlignment *alignment, guint step)
{
  return &g_array_index (alignment->expected->steps, HirJoinStep, step);
}

static const HirJoinUnit *
get_unit (const HirJoinAlignment *alignment, guint unit)
{
  return &g_array_index (alignment->thread->units, HirJoinUnit, unit);
}

typedef struct
{
  HirJoin *join;
  const HirJoinObserved *observed;
  const HirJoinAlignment *alignment;
  GHashTable *known; /* text -> HirJoinFinding*, for equal findings of several iterations */
} Finder;

/* Returns the finding, which is new or one with the same text. */
static HirJoinFinding *
add (Finder *finder, guint repetition, const HirJoinStep *step, guint unit, char *text)
{
  const HirJoinUnit *u = unit != HIR_JOIN_NONE ? get_unit (finder->alignment, unit) : NULL;
  g_autofree char *key =
      g_strdup_printf ("%p %s", step != NULL ? (gpointer) step->expr : NULL, text);
  HirJoinFinding *finding = g_hash_table_lookup (finder->known, key);

  if (finding != NULL)
    {
      finding->n++;
      g_free (text);
      return finding;
    }
  finding = g_new0 (HirJoinFinding, 1);
  *finding = (HirJoinFinding){ .rank = finder->observed->rank,
                               .repetition = repetition,
                               .expr = step != NULL ? step->expr : NULL,
                               .iteration = step != NULL ? step->iteration : -1,
                               .track = u != NULL ? u->host_track : HIR_JOIN_NONE,
                               .index = u != NULL ? u->host_event : 0,
                               .n = 1,
                               .text = text,
                               .other_rank = -1 };
  g_ptr_array_add (finder->join->findings, finding);
  g_hash_table_insert (finder->known, g_steal_pointer (&key), finding);
  return finding;
}

static char *
dup_step (const HirJoinStep *step)
{
  static const char *const what[HIR_N_JOIN_KINDS] = { "the work", "the event record", "the wait",
                                                      "the wait", "the preparation" };
  return g_strdup_printf ("%s of %s", what[step->kind], step->label);
}

static char *
dup_unit (const HirJoinUnit *unit)
{
  static const char *const what[HIR_N_JOIN_KINDS] = { "", "event record", "stream wait",
                                                      "wait for a communication", "" };

  if (unit->kind != HIR_JOIN_OP)
    return g_strdup (what[unit->kind]);
  return *unit->op != '\0'
             ? g_strdup_printf ("%s%s", unit->is_op && !unit->is_range ? "aten::" : "", unit->op)
             : g_strdup ("launch");
}

/* Adds the steps from @first to before @end that the trace lacks. */
static void
add_missing (Finder *finder, guint first, guint end, guint repetition, guint unit)
{
  /* Replays of CUDA graphs show no records and waits. */
  gboolean is_replay = get_unit (finder->alignment, unit)->replay > 0 ||
                       (unit > 0 && get_unit (finder->alignment, unit - 1)->replay > 0);

  for (guint q = first; q < end; q++)
    {
      const HirJoinStep *step = get_step (finder->alignment, q);
      g_autofree char *what = NULL;
      HirJoinFinding *finding;

      if (step->is_free || (is_replay && step->kind != HIR_JOIN_OP) ||
          !hir_join_thread_shows (finder->alignment->thread, (HirJoinKind) step->kind))
        continue;
      what = dup_step (step);
      finding = add (finder, repetition, step, unit, g_strdup_printf ("the trace lacks %s", what));
      finding->is_missing = TRUE;
      finding->is_work = step->kind == HIR_JOIN_OP;
    }
}

/* Adds work on a stream that belongs to another stream of the program. */
static void
check_stream (Finder *finder, guint u)
{
  const HirJoinAlignment *alignment = finder->alignment;
  const HirJoinStep *step = get_step (alignment, alignment->ties[u].step);
  guint stream = get_unit (alignment, u)->stream, expected;
  const HirTrace *trace = finder->join->trace;

  if (step->key == HIR_JOIN_NONE || stream == HIR_JOIN_NONE)
    return;
  expected = alignment->stream_of[step->key];
  if (expected == stream)
    return;
  if (expected == HIR_JOIN_NONE)
    (void) add (finder, alignment->ties[u].repetition, step, u,
                g_strdup_printf ("%s ran on %s, which another stream of the program uses",
                                 step->label, hir_trace_get_track (trace, stream)->name));
  else
    (void) add (finder, alignment->ties[u].repetition, step, u,
                g_strdup_printf ("%s ran on %s instead of %s", step->label,
                                 hir_trace_get_track (trace, stream)->name,
                                 hir_trace_get_track (trace, expected)->name));
}

/* Adds a range that names another instruction than the order does. */
static void
check_range (Finder *finder, guint u)
{
  const HirJoinTie *tie = &finder->alignment->ties[u];
  const HirJoinStep *step = get_step (finder->alignment, tie->step);
  const HirJoinUnit *unit = get_unit (finder->alignment, u);

  if (hir_join_contradicts (step, unit))
    (void) add (finder, tie->repetition, step, u,
                g_strdup_printf ("by its order this is %s, but its range is %s", step->label,
                                 unit->op));
}

void
hir_join_add_findings (HirJoin *join,
                       const HirJoinObserved *observed,
                       const HirJoinAlignment *alignment)
{
  g_autoptr (GHashTable) known = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  Finder finder = { join, observed, alignment, known };
  guint n = alignment->expected->steps->len, last_unit = 0;
  guint last = HIR_JOIN_NONE, repetition = 0;

  for (guint u = 0; u < alignment->thread->units->len; u++)
    if (alignment->ties[u].step != HIR_JOIN_NONE)
      last_unit = u;
  for (guint u = 0; u <= last_unit && alignment->thread->units->len > 0; u++)
    {
      const HirJoinTie *tie = &alignment->ties[u];
      const HirJoinUnit *unit = get_unit (alignment, u);

      if (tie->step == HIR_JOIN_NONE && last != HIR_JOIN_NONE && last + 1 < n &&
          unit->kind != HIR_JOIN_PREPARE && unit->kind != HIR_JOIN_LOST)
        {
          const HirJoinStep *before = get_step (alignment, last);
          g_autofree char *what = dup_unit (unit);

          (void) add (&finder, repetition, before, u,
                      g_strdup_printf ("the program has no %s after %s", what, before->label));
        }
      if (tie->step == HIR_JOIN_NONE)
        continue;
      if (last != HIR_JOIN_NONE && tie->repetition != repetition)
        {
          add_missing (&finder, last + 1, n, repetition, u);
          last = HIR_JOIN_NONE;
          add_missing (&finder, 0, tie->step, tie->repetition, u);
        }
      else if (last != HIR_JOIN_NONE)
        add_missing (&finder, last + 1, tie->step, repetition, u);
      check_stream (&finder, u);
      check_range (&finder, u);
      last = tie->step;
      repetition = tie->repetition;
    }
}

/* An execution of an instruction on any rank. */
typedef struct
{
  guint64 instruction;
  gint32 iteration;
  guint repetition;
  gboolean is_work;
} Place;

static guint
hash_place (gconstpointer data)
{
  const Place *place = data;

  return (guint) (place->instruction ^ place->instruction >> 32) + 31u * (guint) place->iteration +
         977u * place->repetition + (guint) place->is_work;
}

static gboolean
are_equal_places (gconstpointer a, gconstpointer b)
{
  const Place *x = a, *y = b;

  return x->instruction == y->instruction && x->iteration == y->iteration &&
         x->repetition == y->repetition && x->is_work == y->is_work;
}

/* Finds an event of what @finding lacks on another rank, which may have another program. */
static void
find_other (HirJoinFinding *finding, GHashTable *places)
{
  const Place place = { finding->expr->node.id, finding->iteration, finding->repetition,
                        finding->is_work };
  const GPtrArray *events = g_hash_table_lookup (places, &place);

  for (guint i = 0; events != NULL && i < events->len && finding->other_rank < 0; i++)
    {
      const HirJoinedEvent *event = g_ptr_array_index (events, i);

      if (event->rank == finding->rank)
        continue;
      finding->other_rank = event->rank;
      finding->other_track = event->track;
      finding->other_index = event->index;
    }
}

void
hir_join_compare_ranks (HirJoin *join)
{
  g_autoptr (GHashTable) places = g_hash_table_new_full (hash_place, are_equal_places, g_free,
                                                         (GDestroyNotify) g_ptr_array_unref);

  for (guint i = 0; i < join->events->len && join->findings->len > 0; i++)
    {
      HirJoinedEvent *event = &g_array_index (join->events, HirJoinedEvent, i);
      Place place = { 0 };
      GPtrArray *events;

      if (event->expr == NULL)
        continue;
      place = (Place){ event->expr->node.id, event->iteration, event->repetition, !event->is_host };
      events = g_hash_table_lookup (places, &place);
      if (events == NULL)
        {
          events = g_ptr_array_new ();
          g_hash_table_insert (places, g_memdup2 (&place, sizeof place), events);
        }
      /* The first event of each rank. */
      if (events->len == 0 ||
          ((const HirJoinedEvent *) g_ptr_array_index (events, events->len - 1))->rank !=
              event->rank)
        g_ptr_array_add (events, event);
    }
  for (guint i = 0; i < join->findings->len; i++)
    {
      HirJoinFinding *finding = g_ptr_array_index (join->findings, i);

      if (finding->is_missing)
        find_other (finding, places);
    }
}

char *
hir_join_dup_difference (const HirTrace *trace,
                         const HirJoinObserved *observed,
                         const HirJoinAlignment *alignment)
{
  const HirJoinThread *thread = alignment->thread;
  guint n = alignment->expected->steps->len, next = 0;

  for (guint u = 0; u < thread->units->len; u++)
    {
      const HirJoinUnit *unit = get_unit (alignment, u);
      guint q = next;
      g_autofree char *what = NULL;
      g_autofree char *at = NULL;
      g_autofree char *step = NULL;

      if (unit->kind == HIR_JOIN_PREPARE)
        continue;
      while (q < n &&
             (get_step (alignment, q)->is_free ||
              !hir_join_thread_shows (thread, (HirJoinKind) get_step (alignment, q)->kind)))
        q++;
      if (q < n && hir_join_fit (get_step (alignment, q), unit) < HIR_JOIN_NEVER)
        {
          next = q + 1 < n ? q + 1 : 0;
          continue;
        }
      what = dup_unit (unit);
      /* A device event without call may be from before the first call. */
      at = unit->start_ns == G_MININT64 ? g_strdup ("the start")
                                        : hir_format_duration (unit->start_ns);
      step = q < n ? dup_step (get_step (alignment, q)) : g_strdup ("its end");
      return g_strdup_printf (
          "rank %d, at %s: the trace goes on with %s, but the program goes on with %s",
          observed->rank, at, what, step);
    }
  return g_strdup_printf ("rank %d: the trace ends before the program does", observed->rank);
}
