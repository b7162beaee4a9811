#include "trace/trace-tie.h"

#include <string.h>

#include "trace/event-source.h"
#include "trace/trace-builder-private.h"

/* The arguments of an event in the trace that is copied, and those that are added. */
typedef struct
{
  guint64 source; /* HirEvent.source */
  HirTraceTie tie;
} Entry;

typedef struct
{
  HirEventSource base;
  GPtrArray *sources; /* HirEventSource* of the trace that is copied */
  GArray *entries;    /* Entry */
} TieSource;

static void
add_number (const char *key, double value, HirArgFunc func, gpointer user_data)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  g_ascii_formatd (text, sizeof text, "%.9g", value);
  func (key, strlen (key), text, strlen (text), user_data);
}

static gboolean
tie_source_each (
    HirEventSource *base, guint64 position, HirArgFunc func, gpointer user_data, GError **error)
{
  TieSource *source = (TieSource *) base;
  const Entry *entry;
  guint64 number;

  if (position == 0 || position > source->entries->len)
    return TRUE;
  entry = &g_array_index (source->entries, Entry, position - 1);
  number = entry->source >> HIR_EVENT_SOURCE_SHIFT;
  if (entry->source != 0 && number < source->sources->len)
    {
      HirEventSource *other = g_ptr_array_index (source->sources, number);

      if (!other->klass->each (other, entry->source & HIR_EVENT_SOURCE_MASK, func, user_data,
                               error))
        return FALSE;
    }
  add_number ("\"repetition\"", (double) entry->tie.repetition, func, user_data);
  add_number ("\"confidence\"", entry->tie.confidence, func, user_data);
  return TRUE;
}

static void
tie_source_free (HirEventSource *base)
{
  TieSource *source = (TieSource *) base;

  g_ptr_array_unref (source->sources);
  g_array_unref (source->entries);
  g_free (source);
}

static gsize
tie_source_get_size_bytes (const HirEventSource *base)
{
  return ((const TieSource *) base)->entries->len * sizeof (Entry);
}

static TieSource *
tie_source_new (const HirTrace *trace)
{
  static const HirEventSourceClass klass = { tie_source_each, tie_source_free,
                                             tie_source_get_size_bytes };
  TieSource *source = g_new0 (TieSource, 1);

  hir_event_source_init (&source->base, &klass);
  source->sources = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_event_source_unref);
  for (guint i = 0; i < trace->sources->len; i++)
    g_ptr_array_add (source->sources, hir_event_source_ref (trace->sources->pdata[i]));
  source->entries = g_array_new (FALSE, FALSE, sizeof (Entry));
  return source;
}

typedef struct
{
  HirTraceBuilder *builder;
  TieSource *source;
  guint64 first; /* HirEvent.source of the position 0 in it */
  HirTraceTieFunc func;
  gpointer user_data;
} Copier;

/* Adds the events of track @t. Strings are in the same order in both, so that the names stay. */
static gboolean
add_events (Copier *copier, const HirTrace *trace, guint t, GError **error)
{
  for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
    {
      HirEvent event;
      Entry entry;

      hir_trace_get_event (trace, t, i, &event);
      event.track = (guint16) t;
      entry = (Entry){ event.source, copier->func (t, i, &event, copier->user_data) };
      if (entry.tie.repetition >= 0)
        {
          g_array_append_val (copier->source->entries, entry);
          event.source = copier->first + copier->source->entries->len;
        }
      if (!hir_trace_builder_add (copier->builder, &event, error))
        return FALSE;
    }
  return TRUE;
}

static void
copy_tables (HirTraceBuilder *builder, const HirTrace *trace)
{
  GHashTableIter iter;
  gpointer key, value;

  for (guint32 i = 0; i < hir_trace_get_n_strings (trace); i++)
    (void) hir_trace_builder_intern (builder, hir_trace_get_string (trace, i));
  for (guint t = 0; t < hir_trace_get_n_tracks (trace); t++)
    (void) hir_trace_builder_add_track (builder, hir_trace_get_track (trace, t));
  for (guint i = 0; i < trace->sources->len; i++)
    g_ptr_array_add (builder->trace->sources, hir_event_source_ref (trace->sources->pdata[i]));
  for (guint i = 0; i < trace->meetings->len; i++)
    (void) hir_comm_records_add (builder->trace,
                                 &g_array_index (trace->meetings, HirCommRecordRow, i).record);
  for (guint i = 0; i < trace->edges->len; i++)
    (void) hir_edges_add (builder->trace, &g_array_index (trace->edges, HirEdgeRow, i).edge);
  g_array_append_vals (builder->trace->flows, trace->flows->data, trace->flows->len);
  g_array_append_vals (builder->trace->baselines, trace->baselines->data, trace->baselines->len);
  for (guint i = 0; trace->account->pdata[i] != NULL; i++)
    hir_trace_builder_add_account (builder, "%s", (const char *) trace->account->pdata[i]);
  g_hash_table_iter_init (&iter, trace->meta);
  while (g_hash_table_iter_next (&iter, &key, &value))
    hir_trace_builder_set_meta (builder, key, value);
}

HirTrace *
hir_trace_dup_tied (const HirTrace *trace,
                    const char *const *notes,
                    const char *run,
                    HirTraceTieFunc func,
                    gpointer user_data,
                    GError **error)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  Copier copier = { builder, NULL, 0, func, user_data };

  if (builder->trace != NULL)
    {
      copy_tables (builder, trace);
      hir_trace_builder_set_meta (builder, HIR_META_TIED, "1");
      if (run != NULL && hir_trace_get_meta (trace, "run") == NULL)
        hir_trace_builder_set_meta (builder, "run", run);
      for (guint i = 0; notes != NULL && notes[i] != NULL; i++)
        hir_trace_builder_add_account (builder, "%s", notes[i]);
      copier.source = tie_source_new (trace);
      copier.first = hir_trace_builder_add_source (builder, &copier.source->base);
    }
  for (guint t = 0; builder->trace != NULL && t < hir_trace_get_n_tracks (trace); t++)
    if (!add_events (&copier, trace, t, error))
      {
        hir_trace_builder_free (builder);
        return NULL;
      }
  return hir_trace_builder_try_finish (builder, error);
}
