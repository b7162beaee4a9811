/* Puts the parts of a join together: unrolls the program, reads the trace, aligns each thread of
 * each rank, and fills in the result. */
#include "join/join-extents.h"
#include "join/join-findings.h"
#include "join/join-private.h"
#include "join/join-shape.h"

#define SURE_MARGIN 1.0f
#define LIKELY_MARGIN 0.5f

typedef struct
{
  HirJoin *join;
  HirJoinProgram program;
  HirJoinShape shape;
  HirSyncTrace *sync;
} Joiner;

/* Returns the ranks whose devices worked, ascending. */
static GArray *
list_ranks (const HirTrace *trace)
{
  GArray *ranks = g_array_new (FALSE, FALSE, sizeof (int));
  int last = -1;

  for (;;)
    {
      int next = G_MAXINT;

      for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
        {
          const HirTrack *track = hir_trace_get_track (trace, t);

          if (hir_track_is_of_device (track) && track->rank > last && track->rank < next &&
              hir_trace_get_track_n_events (trace, t) > 0)
            next = track->rank;
        }
      if (next == G_MAXINT)
        return ranks;
      g_array_append_val (ranks, next);
      last = next;
    }
}

/* Returns the rank of the program that rank @rank of the trace ran, or -1. A program of one rank
 * runs on any. */
static int
get_program_rank (const Joiner *joiner, int rank)
{
  if (joiner->program.n_ranks == 1)
    return joiner->program.rank;
  return rank >= 0 && (guint) rank < joiner->program.n_ranks ? rank : -1;
}

static HirJoinThread *
find_main_thread (const HirJoinObserved *observed)
{
  HirJoinThread *best = NULL;

  for (guint i = 0; i < observed->threads->len; i++)
    {
      HirJoinThread *thread = g_ptr_array_index (observed->threads, i);

      if (best == NULL || thread->n_ops > best->n_ops)
        best = thread;
    }
  return best;
}

static double
get_confidence (const HirJoinAlignment *alignment, const HirJoinTie *tie)
{
  const HirJoinUnit *unit =
      &g_array_index (alignment->thread->units, HirJoinUnit, tie - alignment->ties);

  if (tie->margin < LIKELY_MARGIN || alignment->turns || unit->is_branched ||
      hir_join_contradicts (&g_array_index (alignment->expected->steps, HirJoinStep, tie->step),
                            unit))
    return HIR_JOIN_GUESSED;
  /* The order of the nodes of a graph is that of its capture. */
  if (unit->replay > 0)
    return HIR_JOIN_BY_ORDER;
  return tie->margin < SURE_MARGIN || tie->is_near_damage || tie->repetition >= alignment->unproven
             ? HIR_JOIN_BY_ORDER
             : HIR_JOIN_CERTAIN;
}

static void
fill_tie (HirJoinedEvent *event, const HirJoinAlignment *alignment, guint unit)
{
  const guint *places = alignment->thread->places;
  const HirJoinTie *tie = &alignment->ties[places != NULL ? places[unit] : unit];
  const HirJoinStep *step;

  if (tie->is_replay)
    {
      event->is_replay = TRUE;
      event->repetition = tie->repetition;
      event->reason = "the trace has a CUDA graph as a whole; only its repetition is guessed";
      return;
    }
  if (tie->step == HIR_JOIN_NONE)
    {
      event->reason = alignment->n_repetitions > 0 ? "no instruction of the program fits here"
                                                   : "the program did not run on this thread";
      return;
    }
  step = &g_array_index (alignment->expected->steps, HirJoinStep, tie->step);
  event->expr = step->expr;
  event->iteration = step->iteration;
  event->repetition = tie->repetition;
  event->confidence = get_confidence (alignment, tie);
}

static void
add_works (Joiner *joiner, const HirJoinObserved *observed, GPtrArray *alignments)
{
  for (guint i = 0; i < observed->works->len; i++)
    {
      const HirJoinWork *work = &g_array_index (observed->works, HirJoinWork, i);
      HirJoinedEvent event = { .track = work->track,
                               .index = work->index,
                               .rank = observed->rank,
                               .is_host = work->kind == HIR_EVENT_SYNC,
                               .iteration = -1 };

      if (work->unit == HIR_JOIN_NONE)
        event.reason = "it is neither launched nor ordered by a host thread";
      else if (alignments->len > work->thread)
        fill_tie (&event, g_ptr_array_index (alignments, work->thread), work->unit);
      else
        event.reason = "the program has no such rank";
      g_array_append_val (joiner->join->events, event);
    }
}

/* Adds the host events of units: ops, launches, records and waits. */
static void
add_host_events (Joiner *joiner, int rank, const HirJoinAlignment *alignment)
{
  guint last = G_MAXUINT;

  for (guint u = 0; u < alignment->thread->units->len; u++)
    {
      const HirJoinUnit *unit = &g_array_index (alignment->thread->units, HirJoinUnit, u);
      HirJoinedEvent event = { .track = unit->host_track,
                               .index = unit->host_event,
                               .rank = rank,
                               .is_host = TRUE,
                               .iteration = -1 };

      /* A Synchronize of our own recordings is two units. */
      if (unit->host_track == HIR_JOIN_NONE || unit->host_event == last)
        continue;
      last = unit->host_event;
      fill_tie (&event, alignment, unit->place);
      g_array_append_val (joiner->join->events, event);
    }
}

/* Returns the alignments of all threads of a rank. */
static GPtrArray *
align_threads (const HirJoinObserved *observed, const HirJoinExpected *expected)
{
  GPtrArray *alignments = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_join_alignment_free);
  /* A few repetitions tell the streams. */
  guint n_units = (guint) CLAMP ((gsize) expected->steps->len * 6, 4000, 20000);

  for (guint i = 0; i < observed->threads->len; i++)
    {
      HirJoinAlignment *alignment =
          hir_join_alignment_new (expected, g_ptr_array_index (observed->threads, i));

      hir_join_order_replays (expected, g_ptr_array_index (observed->threads, i), 0, G_MAXUINT);
      alignment->sample = hir_join_find_sample (expected, alignment->thread, n_units);
      hir_join_align_streams (alignment, n_units, TRUE);
      hir_join_alignment_run (alignment, 0, TRUE);
      (void) hir_join_believe (alignment);
      hir_join_prove (alignment);
      (void) hir_join_number_replays (alignment);
      g_ptr_array_add (alignments, alignment);
    }
  return alignments;
}

static HirJoinAlignment *
find_main (const GPtrArray *alignments)
{
  HirJoinAlignment *best = NULL;

  for (guint i = 0; i < alignments->len; i++)
    {
      HirJoinAlignment *alignment = g_ptr_array_index (alignments, i);

      if (best == NULL || alignment->n_repetitions > best->n_repetitions ||
          (alignment->n_repetitions == best->n_repetitions &&
           alignment->thread->n_ops > best->thread->n_ops))
        best = alignment;
    }
  return best;
}

static void
add_note (Joiner *joiner, char *note)
{
  g_ptr_array_add (joiner->join->notes, note);
}

static void
free_rank (gpointer data)
{
  HirJoinRank *rank = data;

  g_ptr_array_unref (rank->alignments);
  g_clear_pointer (&rank->expected, hir_join_expected_free);
  hir_join_observed_free (rank->observed);
  g_free (rank);
}

/* Aligns the threads of a rank. Takes @observed. */
static HirJoinRank *
align_rank (Joiner *joiner, HirJoinObserved *observed)
{
  HirJoinRank *rank = g_new0 (HirJoinRank, 1);
  int number = get_program_rank (joiner, observed->rank);

  rank->observed = observed;
  if (number >= 0)
    rank->expected = hir_join_expected_new (joiner->sync, number, joiner->shape.has_sizes);
  rank->alignments =
      rank->expected != NULL
          ? align_threads (observed, rank->expected)
          : g_ptr_array_new_with_free_func ((GDestroyNotify) hir_join_alignment_free);
  rank->busiest = find_main (rank->alignments);
  return rank;
}

static void
add_rank (Joiner *joiner, const HirJoinRank *rank)
{
  HirJoin *join = joiner->join;
  const HirJoinAlignment *busiest = rank->busiest;

  add_works (joiner, rank->observed, rank->alignments);
  for (guint i = 0; i < rank->alignments->len; i++)
    add_host_events (joiner, rank->observed->rank, g_ptr_array_index (rank->alignments, i));
  hir_join_note_rank (rank, join->notes);
  if (busiest == NULL)
    return;
  if (busiest->n_repetitions > 0)
    {
      join->cost = MAX (join->cost, busiest->cost / busiest->n_repetitions);
      hir_join_add_findings (join, rank->observed, busiest);
    }
  else if (join->difference == NULL)
    join->difference = hir_join_dup_difference (join->trace, rank->observed, busiest);
  join->n_repetitions = MAX (join->n_repetitions, busiest->n_repetitions);
}

static int
compare_events (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const HirJoinedEvent *x = a, *y = b;
  gint64 x_ns, y_ns, end_ns;

  if (x->is_host != y->is_host)
    return x->is_host ? 1 : -1;
  if (x->rank != y->rank)
    return x->rank < y->rank ? -1 : 1;
  hir_trace_get_interval (user_data, x->track, x->index, &x_ns, &end_ns);
  hir_trace_get_interval (user_data, y->track, y->index, &y_ns, &end_ns);
  if (x_ns != y_ns)
    return x_ns < y_ns ? -1 : 1;
  if (x->track != y->track)
    return x->track < y->track ? -1 : 1;
  return x->index < y->index ? -1 : x->index > y->index;
}

static void
finish (HirJoin *join)
{
  g_array_sort_with_data (join->events, compare_events, join->trace);
  for (guint i = 0; i < join->events->len; i++)
    {
      const HirJoinedEvent *event = &g_array_index (join->events, HirJoinedEvent, i);

      join->n_device += !event->is_host;
      join->n_tied += !event->is_host && event->confidence > 0;
      join->n_replays += !event->is_host && event->is_replay;
    }
  /* Repetitions can consist of calls alone. */
  if (join->n_tied + join->n_replays == 0 && join->difference == NULL)
    join->difference = g_strdup (
        join->n_repetitions > 0 ? "the trace lacks all work of devices that the program launches"
                                : "no thread of the trace issued what the program issues");
}

/* Finds sizes and streams from the rank that shows most. */
static gboolean
find_shape (Joiner *joiner, GPtrArray *ranks, GError **error)
{
  HirJoinThread *best = NULL;
  int best_rank = -1;

  for (guint i = 0; i < ranks->len; i++)
    {
      const HirJoinObserved *observed = g_ptr_array_index (ranks, i);
      int rank = get_program_rank (joiner, observed->rank);
      HirJoinThread *thread = find_main_thread (observed);

      if (rank < 0 || thread == NULL || thread->n_ops <= (best != NULL ? best->n_ops : 0))
        continue;
      best = thread;
      best_rank = rank;
    }
  if (best != NULL)
    return hir_join_shape_find (&joiner->shape, &joiner->program, best_rank, best, error);
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "the trace has no work of a device that the program could have launched");
  return FALSE;
}

/* Fails if the program ran, but a size that decides what it issues is not known. */
static gboolean
check_ambiguity (const Joiner *joiner, GError **error)
{
  g_autofree char *list = NULL;
  GPtrArray *ambiguous = joiner->shape.ambiguous;

  if (ambiguous->len == 0 || joiner->join->n_tied == 0)
    return TRUE;
  g_ptr_array_add (ambiguous, NULL);
  list = g_strjoinv (", ", (char **) ambiguous->pdata);
  hir_set_error (
      error, HIR_ERROR_INPUT, NULL,
      "neither the trace nor --input gives the size of %s; give the shapes of the inputs "
      "with --input",
      list);
  return FALSE;
}

static HirJoin *
join_new (HirTrace *trace)
{
  HirJoin *join = g_atomic_rc_box_new0 (HirJoin);

  join->trace = hir_trace_ref (trace);
  join->events = g_array_new (FALSE, FALSE, sizeof (HirJoinedEvent));
  join->notes = g_ptr_array_new_with_free_func (g_free);
  join->findings = g_ptr_array_new_with_free_func (hir_join_finding_free);
  return join;
}

/* Joins with the sizes of @inputs (nullable; "?" where they are unknown). */
static gboolean
join_with (Joiner *joiner, const char *const *inputs, gint64 n_streams, GError **error)
{
  HirJoin *join = joiner->join;
  g_autoptr (GArray) numbers = list_ranks (join->trace);
  g_autoptr (GPtrArray) ranks =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_join_observed_free);
  g_autoptr (GPtrArray) aligned = g_ptr_array_new_with_free_func (free_rank);

  joiner->shape.inputs = g_strdupv ((char **) inputs);
  joiner->shape.n_streams = n_streams;
  for (guint i = 0; i < numbers->len; i++)
    g_ptr_array_add (ranks, hir_join_observed_new (join->trace, g_array_index (numbers, int, i)));
  if (!find_shape (joiner, ranks, error))
    return FALSE;
  join->n_streams = joiner->shape.n_streams;
  join->inputs = g_strdupv (joiner->shape.inputs);
  joiner->sync = hir_join_program_run (&joiner->program, &joiner->shape, error);
  if (joiner->sync == NULL)
    return FALSE;
  while (ranks->len > 0)
    g_ptr_array_add (aligned, align_rank (joiner, g_ptr_array_steal_index (ranks, 0)));
  hir_join_number_ranks (join->trace, aligned, join->notes);
  for (guint i = 0; i < aligned->len; i++)
    add_rank (joiner, g_ptr_array_index (aligned, i));
  finish (join);
  hir_join_compare_ranks (join);
  for (guint i = 0; i < joiner->shape.notes->len && join->n_tied > 0; i++)
    add_note (joiner, g_strdup (g_ptr_array_index (joiner->shape.notes, i)));
  return TRUE;
}

/* Forgets a join, but not the program and the trace. */
static void
reset (Joiner *joiner)
{
  HirJoin *join = joiner->join;

  hir_join_shape_clear (&joiner->shape);
  joiner->shape = (HirJoinShape){ 0 };
  g_clear_pointer (&joiner->sync, hir_sync_trace_free);
  g_array_set_size (join->events, 0);
  g_ptr_array_set_size (join->notes, 0);
  g_ptr_array_set_size (join->findings, 0);
  g_clear_pointer (&join->difference, g_free);
  g_clear_pointer (&join->inputs, g_strfreev);
  join->n_device = join->n_tied = join->n_replays = join->n_repetitions = 0;
  join->cost = 0;
}

/* Joins, and fills in the sizes that the events then tell. */
static gboolean
run (Joiner *joiner, const char *const *inputs, gint64 n_streams, GError **error)
{
  HirJoin *join = joiner->join;
  g_auto (GStrv) given = NULL, recorded = NULL, rest = NULL;

  if (!join_with (joiner, inputs, n_streams, error))
    return FALSE;
  if (joiner->shape.has_sizes || join->n_tied == 0)
    return check_ambiguity (joiner, error);
  given = hir_join_shape_dup_inputs (inputs, joiner->program.fusion);
  recorded = hir_join_dup_recorded_inputs (join, joiner->program.fusion, (const char **) given);
  if ((joiner->shape.ambiguous->len > 0 ||
       hir_join_sizes_differ ((const char *const *) join->inputs,
                              (const char *const *) recorded)) &&
      !g_strv_equal ((const char *const *) given, (const char *const *) recorded))
    {
      reset (joiner);
      if (!join_with (joiner, (const char *const *) recorded, n_streams, error))
        return FALSE;
    }
  rest = hir_join_dup_recorded_inputs (join, joiner->program.fusion,
                                       (const char *const *) join->inputs);
  g_strfreev (join->inputs);
  join->inputs = g_steal_pointer (&rest);
  hir_join_note_sizes (join, joiner->program.fusion, (const char *const *) given);
  return check_ambiguity (joiner, error);
}

HirJoin *
hir_join_new (HirProgram *program,
              HirTrace *trace,
              const HirJoinOptions *options,
              GCancellable *cancellable,
              GError **error)
{
  g_autoptr (GPtrArray) hosts = hir_program_dup_rank_hosts (program, cancellable, error);
  g_autoptr (HirJoin) join = NULL;
  Joiner joiner = { 0 };
  gboolean done;

  if (hosts == NULL)
    return NULL;
  join = join_new (trace);
  join->hosts = g_ptr_array_ref (hosts);
  joiner.join = join;
  joiner.program = (HirJoinProgram){ program->fusion != NULL ? program->fusion : program->printed,
                                     (HirContainer *const *) hosts->pdata, hosts->len,
                                     (int) program->request->rank, cancellable };
  if (joiner.program.fusion == NULL)
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                     "a recording without its script cannot be joined; give the script");
      return NULL;
    }
  done = run (&joiner, (const char *const *) program->request->inputs, options->n_streams, error);
  hir_join_shape_clear (&joiner.shape);
  g_clear_pointer (&joiner.sync, hir_sync_trace_free);
  return done ? g_steal_pointer (&join) : NULL;
}

void
hir_join_drop_events (HirJoin *join)
{
  g_clear_pointer (&join->trace, hir_trace_unref);
  g_array_set_size (join->events, 0);
}

HirJoin *
hir_join_ref (HirJoin *join)
{
  return g_atomic_rc_box_acquire (join);
}

static void
join_clear (gpointer data)
{
  HirJoin *join = data;

  g_clear_pointer (&join->trace, hir_trace_unref);
  g_clear_pointer (&join->hosts, g_ptr_array_unref);
  g_array_unref (join->events);
  g_strfreev (join->inputs);
  g_ptr_array_unref (join->notes);
  g_ptr_array_unref (join->findings);
  g_free (join->difference);
}

void
hir_join_unref (HirJoin *join)
{
  g_atomic_rc_box_release_full (join, join_clear);
}
