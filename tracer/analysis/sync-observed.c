/* Looks up the recorded spans of each pair. */
#include "analysis/sync-observed.h"

#include "trace/duration.h"

typedef struct
{
  guint64 instruction;
  gint32 iteration;
  int rank;
} Key;

typedef struct
{
  gint64 start_ns, end_ns;
} Span;

static guint
key_hash (gconstpointer data)
{
  const Key *key = data;

  return (guint) (key->instruction ^ key->instruction >> 32) * 31 + (guint) key->iteration * 7919 +
         (guint) key->rank;
}

static gboolean
key_equal (gconstpointer a, gconstpointer b)
{
  const Key *x = a, *y = b;

  return x->instruction == y->instruction && x->iteration == y->iteration && x->rank == y->rank;
}

static void
add_span (GHashTable *instances, const HirEvent *event, int rank)
{
  Key key = { event->instruction, event->iteration, rank };
  Span span = { event->start_ns, event->end_ns };
  GArray *spans = g_hash_table_lookup (instances, &key);

  if (spans == NULL)
    {
      spans = g_array_new (FALSE, FALSE, sizeof (Span));
      g_hash_table_insert (instances, g_memdup2 (&key, sizeof key), spans);
    }
  g_array_append_val (spans, span);
}

/* Collects the spans of device work by instruction, iteration and rank. An instance has one span
 * per repetition in order of time, or more if it has several kernels. */
static GHashTable *
collect (const HirTrace *trace)
{
  GHashTable *instances =
      g_hash_table_new_full (key_hash, key_equal, g_free, (GDestroyNotify) g_array_unref);

  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    {
      const HirTrack *track = hir_trace_get_track (trace, t);
      guint n = hir_track_is_of_device (track) ? hir_trace_get_track_n_events (trace, t) : 0;

      for (guint i = 0; i < n; i++)
        {
          HirEvent event;

          hir_trace_get_event (trace, t, i, &event);
          if (event.instruction != 0 && event.phase == HIR_PHASE_PROGRAM &&
              event.kind != HIR_EVENT_SYNC)
            add_span (instances, &event, track->rank);
        }
    }
  return instances;
}

static const GArray *
lookup (GHashTable *instances, const HirSyncStep *step)
{
  Key key = { 0, step->iteration, step->rank };

  if (step->expr == NULL)
    return NULL;
  key.instruction = step->expr->node.id;
  return g_hash_table_lookup (instances, &key);
}

static void
compare_pair (HirSyncMissing *missing, const GArray *first, const GArray *second)
{
  /* Spans can only be paired if both have the same number. */
  if (first == NULL || second == NULL || first->len != second->len)
    return;
  for (guint i = 0; i < first->len; i++)
    {
      const Span *a = &g_array_index (first, Span, i), *b = &g_array_index (second, Span, i);
      gint64 apart_ns = b->start_ns - a->end_ns;

      missing->nearest_ns = missing->seen == 0 ? apart_ns : MIN (missing->nearest_ns, apart_ns);
      missing->seen++;
      missing->overlapped += apart_ns < 0;
    }
}

guint
hir_sync_check_add_recording (HirSyncCheck *check, const HirTrace *trace)
{
  g_autoptr (GHashTable) instances = collect (trace);
  gboolean is_modelled = g_strcmp0 (hir_trace_get_meta (trace, "clock"), "model") == 0;
  guint n_known = 0;

  check->has_recording = TRUE;
  for (guint i = 0; i < check->missing->len; i++)
    {
      HirSyncMissing *missing = &g_array_index (check->missing, HirSyncMissing, i);

      missing->seen = missing->overlapped = 0;
      missing->is_modelled = is_modelled;
      missing->nearest_ns = 0;
      for (guint k = 0; k < missing->pairs->len; k++)
        {
          const HirSyncPair *pair = &g_array_index (missing->pairs, HirSyncPair, k);

          compare_pair (missing,
                        lookup (instances, hir_sync_trace_get_step (check->trace, pair->first)),
                        lookup (instances, hir_sync_trace_get_step (check->trace, pair->second)));
        }
    }
  for (guint i = 0; i < check->trace->steps->len; i++)
    n_known += lookup (instances, hir_sync_trace_get_step (check->trace, i)) != NULL;
  return n_known;
}

gboolean
hir_sync_missing_is_latent (const HirSyncMissing *missing)
{
  return missing->seen > 0 && missing->overlapped == 0;
}

char *
hir_sync_missing_dup_observation (const HirSyncMissing *missing)
{
  g_autofree char *apart = hir_format_duration (ABS (missing->nearest_ns));
  /* Real stream timing is not known from the modelled clock. */
  const char *where = missing->is_modelled ? "on the modelled clock" : "in the recording";

  if (missing->seen == 0)
    return NULL;
  if (missing->overlapped == 0 && missing->seen == 1)
    return g_strdup_printf ("%s apart %s: latent race", apart, where);
  if (missing->overlapped == 0)
    return g_strdup_printf ("at the nearest of %u times %s apart %s: latent race", missing->seen,
                            apart, where);
  return g_strdup_printf ("not in order %s, %u of %u times: the second started up to "
                          "%s before the first ended",
                          where, missing->overlapped, missing->seen, apart);
}
