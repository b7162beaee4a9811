#include <string.h>

#include "trace/trace-builder-private.h"

/* Copies @n bytes; NULL is copied as NULL. Returns FALSE if out of memory. */
static gboolean
copy_bytes (gpointer *to, gconstpointer from, gsize n)
{
  *to = NULL;
  if (from == NULL || n == 0)
    return TRUE;
  *to = g_try_malloc (n);
  if (*to == NULL)
    return FALSE;
  memcpy (*to, from, n);
  return TRUE;
}

static gboolean
copy_strings (HirStringTable *to, const HirStringTable *from)
{
  *to = *from;
  to->bytes_capacity = from->n_bytes;
  to->capacity = from->n;
  to->offsets = NULL;
  to->slots = NULL;
  return copy_bytes ((gpointer *) &to->bytes, from->bytes, from->n_bytes) &&
         copy_bytes ((gpointer *) &to->offsets, from->offsets, from->n * sizeof *from->offsets) &&
         copy_bytes ((gpointer *) &to->slots, from->slots, from->n_slots * sizeof *from->slots);
}

static gboolean
copy_ids (HirIdTable *to, const HirIdTable *from)
{
  *to = *from;
  to->capacity = from->n;
  to->slots = NULL;
  return copy_bytes ((gpointer *) &to->ids, from->ids, from->n * sizeof *from->ids) &&
         copy_bytes ((gpointer *) &to->slots, from->slots, from->n_slots * sizeof *from->slots);
}

static gboolean
copy_track (HirTrace *to, const HirTrackData *from)
{
  HirTrackData *track = g_new0 (HirTrackData, 1);

  track->info = from->info;
  track->info.name = g_strdup (from->info.name);
  track->n_lanes = from->n_lanes;
  g_ptr_array_add (to->tracks, track);
  return hir_columns_copy (&track->columns, &from->columns);
}

static gboolean
copy_trace (HirTrace *to, const HirTrace *from)
{
  GHashTableIter iter;
  gpointer key, value;

  hir_string_table_clear (&to->strings);
  hir_id_table_clear (&to->instructions);
  if (!copy_strings (&to->strings, &from->strings) ||
      !copy_ids (&to->instructions, &from->instructions))
    return FALSE;
  for (guint t = 0; t < from->tracks->len; t++)
    if (!copy_track (to, g_ptr_array_index (from->tracks, t)))
      return FALSE;
  g_array_append_vals (to->meetings, from->meetings->data, from->meetings->len);
  g_array_append_vals (to->edges, from->edges->data, from->edges->len);
  g_array_append_vals (to->flows, from->flows->data, from->flows->len);
  g_array_append_vals (to->baselines, from->baselines->data, from->baselines->len);
  g_array_append_vals (to->samples, from->samples->data, from->samples->len);
  for (guint i = 0; i < from->sources->len; i++)
    g_ptr_array_add (to->sources, hir_event_source_ref (from->sources->pdata[i]));
  for (guint i = 0; i < from->account->len; i++)
    g_ptr_array_add (to->account, g_strdup (from->account->pdata[i]));
  g_hash_table_iter_init (&iter, from->meta);
  while (g_hash_table_iter_next (&iter, &key, &value))
    g_hash_table_insert (to->meta, g_strdup (key), g_strdup (value));
  to->n_events = from->n_events;
  return TRUE;
}

HirTraceBuilder *
hir_trace_builder_copy (const HirTraceBuilder *builder)
{
  HirTraceBuilder *copy;

  if (builder->trace == NULL || builder->out_of_memory)
    return NULL;
  copy = hir_trace_builder_new ();
  memcpy (copy->counts, builder->counts, sizeof copy->counts);
  copy->is_copy = TRUE;
  if (builder->rules != NULL)
    copy->rules = hir_trace_rules_ref (builder->rules);
  if (copy->trace != NULL && copy_trace (copy->trace, builder->trace))
    return copy;
  hir_trace_builder_free (copy);
  return NULL;
}
