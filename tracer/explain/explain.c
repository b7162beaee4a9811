/* Computes the explanation of a trace. */
#include "explain/explain-private.h"

#include "analysis/stats.h"
#include "diagnostic.h"

static const char *const kind_names[] = {
  [HIR_PATH_WORK] = "work", [HIR_PATH_TRANSFER] = "transfer", [HIR_PATH_WAIT] = "wait",
  [HIR_PATH_HOST] = "host", [HIR_PATH_HOST_GAP] = "host_gap", [HIR_PATH_LAUNCH] = "launch",
  [HIR_PATH_GAP] = "gap",   [HIR_PATH_START] = "start",
};
G_STATIC_ASSERT (G_N_ELEMENTS (kind_names) == HIR_N_PATH_KINDS);

static const char *const reason_names[] = {
  [HIR_REASON_START] = "start",         [HIR_REASON_STREAM] = "stream_order",
  [HIR_REASON_EVENT] = "event",         [HIR_REASON_POST] = "post",
  [HIR_REASON_LAUNCH] = "launch",       [HIR_REASON_HOST] = "host_order",
  [HIR_REASON_HOST_WAIT] = "host_wait", [HIR_REASON_COLLECTIVE] = "collective",
  [HIR_REASON_DEVICE] = "device",       [HIR_REASON_ASSUMED] = "assumed",
};
G_STATIC_ASSERT (G_N_ELEMENTS (reason_names) == HIR_N_REASONS);

const char *
hir_path_kind_get_name (HirPathKind kind)
{
  return kind_names[kind];
}

const char *
hir_path_reason_get_name (HirPathReason reason)
{
  return reason_names[reason];
}

/* The event that ends last in a repetition. */
typedef struct
{
  gint64 end_ns;
  guint track, at;
} Last;

static GArray *
dup_lasts (const HirExplainIndex *index)
{
  GArray *lasts = g_array_new (FALSE, TRUE, sizeof (Last));

  g_array_set_size (lasts, index->n_repetitions);
  for (guint i = 0; i < lasts->len; i++)
    g_array_index (lasts, Last, i).end_ns = G_MININT64;
  for (guint t = 0; t < hir_trace_get_n_tracks (index->trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (index->trace, t); i++)
      {
        HirEvent event;
        Last *last;

        if (!hir_explain_index_has (index, t, i, &event))
          continue;
        last = &g_array_index (lasts, Last,
                               hir_explain_index_get_repetition (index, t, event.start_ns));
        if (event.end_ns > last->end_ns)
          *last = (Last){ event.end_ns, t, i };
      }
  return lasts;
}

static void
repetition_clear (gpointer data)
{
  HirRepetition *repetition = data;

  g_array_unref (repetition->path);
  g_array_unref (repetition->losses);
  g_array_unref (repetition->waits);
}

static void
add_repetitions (HirExplain *explain, const HirExplainIndex *index, const GPtrArray *gpus)
{
  g_autoptr (GArray) lasts = dup_lasts (index);

  for (guint number = 0; number < lasts->len; number++)
    {
      const Last *last = &g_array_index (lasts, Last, number);
      HirRepetition repetition = { .start_ns = G_MAXINT64, .end_ns = last->end_ns };

      if (last->end_ns == G_MININT64)
        continue;
      repetition.last_rank = hir_trace_get_track (index->trace, last->track)->rank;
      repetition.path = g_array_new (FALSE, FALSE, sizeof (HirPathPart));
      repetition.losses = g_array_new (FALSE, FALSE, sizeof (HirLoss));
      repetition.waits = g_array_new (FALSE, FALSE, sizeof (HirLoss));
      for (guint r = 0; r < index->ranks->len; r++)
        {
          const HirExplainRank *rank = g_ptr_array_index (index->ranks, r);

          repetition.start_ns =
              MIN (repetition.start_ns, g_array_index (rank->firsts, gint64, number));
        }
      hir_path_find (index, number, last->track, last->at, &repetition);
      hir_losses_find (index, gpus, number, &repetition);
      g_array_append_val (explain->repetitions, repetition);
      hir_explain_index_set_percent (index, 60 + (int) (39 * (guint64) number / lasts->len));
    }
}

static guint
count_reason (const HirExplain *explain, HirPathReason reason)
{
  guint n = 0;

  for (guint i = 0; i < explain->repetitions->len; i++)
    {
      const GArray *path = g_array_index (explain->repetitions, HirRepetition, i).path;

      for (guint k = 0; k < path->len; k++)
        n += g_array_index (path, HirPathPart, k).reason == reason;
    }
  return n;
}

static gboolean
has_program (const HirTrace *trace)
{
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      {
        HirEvent event;

        hir_trace_get_event (trace, t, i, &event);
        if (event.instruction != 0)
          return TRUE;
      }
  return FALSE;
}

static void
add_note (HirExplain *explain, const char *text)
{
  g_ptr_array_add (explain->notes, g_strdup (text));
}

/* Notes where the times alone of kernels come from. */
static void
note_alone (HirExplain *explain, const GPtrArray *gpus)
{
  g_autoptr (GHashTable) unknown = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) measured = g_hash_table_new (NULL, NULL);
  guint n_unknown, n_measured;

  for (guint i = 0; i < gpus->len; i++)
    {
      const HirGpu *gpu = g_ptr_array_index (gpus, i);

      for (guint k = 0; k < gpu->works->len; k++)
        {
          const HirGpuWork *work = &g_array_index (gpu->works, HirGpuWork, k);

          if (!work->is_program || work->kind != HIR_EVENT_KERNEL)
            continue;
          if (work->of_baseline)
            g_hash_table_add (measured, GUINT_TO_POINTER (work->name));
          else if (!work->knows_alone)
            g_hash_table_add (unknown, GUINT_TO_POINTER (work->name));
        }
    }
  n_unknown = g_hash_table_size (unknown);
  n_measured = g_hash_table_size (measured);
  if (n_measured > 0)
    g_ptr_array_add (explain->notes,
                     g_strdup_printf ("the time alone of %u kernel%s was measured by --baseline",
                                      n_measured, n_measured == 1 ? "" : "s"));
  if (n_unknown > 0)
    g_ptr_array_add (explain->notes,
                     g_strdup_printf ("%u kernel%s never run%s with nothing beside %s: how much "
                                      "other work slows %s down is unknown; record with "
                                      "--baseline to measure it",
                                      n_unknown, n_unknown == 1 ? "" : "s",
                                      n_unknown == 1 ? "s" : "", n_unknown == 1 ? "it" : "them",
                                      n_unknown == 1 ? "it" : "them"));
}

/* Returns whether streams of a GPU work at the same time. */
static gboolean
has_overlap (const GPtrArray *gpus)
{
  for (guint i = 0; i < gpus->len; i++)
    {
      const HirGpu *gpu = g_ptr_array_index (gpus, i);
      gint64 end_ns = G_MININT64;

      for (guint k = 0; k < gpu->works->len; k++)
        {
          const HirGpuWork *work = &g_array_index (gpu->works, HirGpuWork, k);

          if (!work->is_program)
            continue;
          if (work->start_ns < end_ns && work->start_ns < work->end_ns)
            return TRUE;
          end_ns = MAX (end_ns, work->end_ns);
        }
    }
  return FALSE;
}

/* Notes which of several works that run at the same time a time belongs to. */
static void
note_overlap (HirExplain *explain, const HirExplainIndex *index, const GPtrArray *gpus)
{
  for (guint i = 0; i < gpus->len; i++)
    {
      const HirGpu *gpu = g_ptr_array_index (gpus, i);

      for (guint k = 0; k < gpu->works->len; k++)
        {
          const HirGpuWork *work = &g_array_index (gpu->works, HirGpuWork, k);

          if (!work->is_program || work->kind != HIR_EVENT_KERNEL ||
              work->owned_ns >= work->end_ns - work->start_ns)
            continue;
          add_note (
              explain,
              index->has_contention
                  ? "kernels overlap: each time belongs to the one that started first; stats "
                    "adds up whole kernels"
                  : "kernels overlap: each time belongs to what is on the critical path then; "
                    "stats adds up whole kernels");
          return;
        }
    }
}

static void
add_notes (HirExplain *explain, const HirExplainIndex *index)
{
  guint n_assumed = count_reason (explain, HIR_REASON_ASSUMED);

  if (!has_program (explain->trace))
    add_note (explain, "the trace has no program: work is named by its kernels and streams, and "
                       "dependencies between streams are known only from their waits; "
                       "\"hirscope join\" ties a trace to its program");
  if (!index->has_issues)
    add_note (explain, "the trace has no host events: time before a launch is a gap; record with "
                       "--trace full");
  if (n_assumed > 0)
    g_ptr_array_add (explain->notes,
                     g_strdup_printf ("%u part%s of the path follow%s the work that ended last "
                                      "before, because the trace states no dependency",
                                      n_assumed, n_assumed == 1 ? "" : "s",
                                      n_assumed == 1 ? "s" : ""));
}

static void
add_first_notes (HirExplain *explain, const GPtrArray *gpus)
{
  char *caveat = hir_trace_dup_caveat (explain->trace);

  if (caveat != NULL)
    g_ptr_array_insert (explain->notes, (int) explain->n_first_notes++, caveat);
  if (g_strcmp0 (hir_trace_get_meta (explain->trace, "clock"), "model") == 0 && has_overlap (gpus))
    g_ptr_array_insert (explain->notes, (int) explain->n_first_notes++,
                        g_strdup (HIR_STATS_OVERLAP_NOTE));
}

HirExplain *
hir_explain_new (HirTrace *trace, GError **error)
{
  return hir_explain_new_with_progress (trace, NULL, NULL, error);
}

HirExplain *
hir_explain_new_with_progress (HirTrace *trace,
                               GCancellable *cancellable,
                               int *percent,
                               GError **error)
{
  g_autoptr (HirExplainIndex) index = hir_explain_index_new (trace, cancellable, percent);
  g_autoptr (GPtrArray) gpus = NULL;
  g_autoptr (HirExplain) explain = g_new0 (HirExplain, 1);

  hir_explain_index_set_percent (index, 30);
  gpus = hir_gpus_new (index, FALSE);
  hir_explain_index_set_percent (index, 60);
  explain->trace = hir_trace_ref (trace);
  explain->repetitions = g_array_new (FALSE, FALSE, sizeof (HirRepetition));
  g_array_set_clear_func (explain->repetitions, repetition_clear);
  explain->notes = g_ptr_array_new_with_free_func (g_free);
  explain->devices = g_ptr_array_new ();
  add_repetitions (explain, index, gpus);
  if (g_cancellable_set_error_if_cancelled (cancellable, NULL))
    {
      hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "cancelled");
      return NULL;
    }
  if (explain->repetitions->len == 0)
    {
      hir_set_error (
          error, HIR_ERROR_INPUT, NULL,
          "the trace has no work of a device to explain; record a run with -o, or give a "
          "trace of a GPU");
      return NULL;
    }
  g_ptr_array_unref (explain->devices);
  explain->devices = hir_device_spans_new (index, gpus, explain->repetitions);
  add_notes (explain, index);
  note_alone (explain, gpus);
  note_overlap (explain, index, gpus);
  add_first_notes (explain, gpus);
  if (index->has_issues)
    add_note (explain, HIR_STATS_TOTAL_NOTE);
  explain->short_names = hir_losses_dup_names (explain);
  return g_steal_pointer (&explain);
}

void
hir_explain_free (HirExplain *explain)
{
  g_array_unref (explain->repetitions);
  g_ptr_array_unref (explain->devices);
  g_ptr_array_unref (explain->notes);
  g_clear_pointer (&explain->gains, g_array_unref);
  g_clear_pointer (&explain->short_names, g_hash_table_unref);
  hir_trace_unref (explain->trace);
  g_free (explain);
}
