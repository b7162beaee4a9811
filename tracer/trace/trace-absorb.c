#include "diagnostic.h"
#include "trace/trace-builder-private.h"
#include "trace/track-ids.h"

/* Maps the strings, ids, tracks and sources of the part to those of the whole. */
typedef struct
{
  guint32 *strings, *instructions;
  guint first_track, first_source;
  gint64 shift_ns;
} Map;

static gboolean
make_map (HirTrace *trace, const HirTrace *part, Map *map)
{
  map->strings = g_try_new (guint32, MAX (part->strings.n, 1));
  map->instructions = g_try_new (guint32, MAX (part->instructions.n, 1));
  map->first_track = trace->tracks->len;
  map->first_source = trace->sources->len;
  if (map->strings == NULL || map->instructions == NULL)
    return FALSE;
  for (guint32 i = 0; i < part->strings.n; i++)
    if (!hir_string_table_intern (&trace->strings, hir_string_table_get (&part->strings, i),
                                  &map->strings[i]))
      return FALSE;
  for (guint32 i = 0; i < part->instructions.n; i++)
    if (!hir_id_table_intern (&trace->instructions, part->instructions.ids[i],
                              &map->instructions[i]))
      return FALSE;
  return TRUE;
}

static void
map_column (guint32 *column, guint n, const guint32 *map)
{
  for (guint i = 0; column != NULL && i < n; i++)
    column[i] = map[column[i]];
}

static void
map_columns (HirColumns *columns, const Map *map)
{
  gint64 *starts = columns->data[HIR_COLUMN_START];
  guint64 *sources = columns->data[HIR_COLUMN_SOURCE];

  map_column (columns->data[HIR_COLUMN_NAME], columns->n, map->strings);
  map_column (columns->data[HIR_COLUMN_INSTRUCTION], columns->n, map->instructions);
  for (guint i = 0; i < columns->n; i++)
    starts[i] += map->shift_ns;
  for (guint i = 0; sources != NULL && i < columns->n; i++)
    if (sources[i] != 0)
      sources[i] += (guint64) map->first_source << HIR_EVENT_SOURCE_SHIFT;
}

static void
move_tables (HirTraceBuilder *builder, HirTrace *part, const Map *map)
{
  HirTrace *trace = builder->trace;
  GHashTableIter iter;
  gpointer key, value;

  for (guint i = 0; i < part->meetings->len; i++)
    {
      HirCommRecord record = g_array_index (part->meetings, HirCommRecordRow, i).record;

      record.key = map->strings[record.key];
      record.op = map->strings[record.op];
      hir_trace_builder_add_comm_record (builder, &record);
    }
  for (guint i = 0; i < part->edges->len; i++)
    {
      HirEdge edge = g_array_index (part->edges, HirEdgeRow, i).edge;

      edge.from_track = (guint16) (edge.from_track + map->first_track);
      edge.to_track = (guint16) (edge.to_track + map->first_track);
      hir_trace_builder_add_edge (builder, &edge);
    }
  for (guint i = 0; i < part->flows->len; i++)
    {
      HirFlowPoint point = g_array_index (part->flows, HirFlowPoint, i);

      point.track = (guint16) (point.track + map->first_track);
      point.category = map->strings[point.category];
      point.name = map->strings[point.name];
      point.time_ns += map->shift_ns;
      hir_trace_builder_add_flow_point (builder, &point);
    }
  for (guint i = 0; i < part->values->len; i++)
    {
      const HirTraceValue *row = &g_array_index (part->values, HirTraceValue, i);

      hir_trace_builder_add_value (builder, row->tensor_id, row->rank, row->data);
    }
  for (guint i = 0; i < part->baselines->len; i++)
    {
      HirBaseline baseline = g_array_index (part->baselines, HirBaseline, i);

      baseline.name = map->strings[baseline.name];
      hir_trace_builder_add_baseline (builder, &baseline);
    }
  for (guint i = 0; i < part->samples->len; i++)
    {
      HirBaselineSample sample = g_array_index (part->samples, HirBaselineSample, i);

      sample.track = (guint16) (sample.track + map->first_track);
      sample.name = map->strings[sample.name];
      sample.start_ns += map->shift_ns;
      sample.end_ns += map->shift_ns;
      g_array_append_val (trace->samples, sample);
    }
  g_ptr_array_extend_and_steal (trace->sources, g_steal_pointer (&part->sources));
  g_ptr_array_extend_and_steal (trace->account, g_steal_pointer (&part->account));
  part->sources = g_ptr_array_new ();
  part->account = g_ptr_array_new ();
  g_hash_table_iter_init (&iter, part->meta);
  while (g_hash_table_iter_next (&iter, &key, &value))
    if (g_str_equal (key, HIR_META_TRACK_IDS))
      hir_track_ids_add (builder, value, map->first_track);
    else if (!g_hash_table_contains (trace->meta, key))
      hir_trace_builder_set_meta (builder, key, value);
}

static void
move_tracks (HirTrace *trace, HirTrace *part, const Map *map)
{
  for (guint t = 0; t < part->tracks->len; t++)
    map_columns (&((HirTrackData *) g_ptr_array_index (part->tracks, t))->columns, map);
  g_ptr_array_extend_and_steal (trace->tracks, g_steal_pointer (&part->tracks));
  part->tracks = g_ptr_array_new ();
  trace->n_events += part->n_events;
}

static gboolean
can_absorb (const HirTraceBuilder *builder, const HirTraceBuilder *part, GError **error)
{
  guint n_tracks = 0;

  if (builder->trace != NULL && part->trace != NULL)
    n_tracks = builder->trace->tracks->len + part->trace->tracks->len;
  if (builder->out_of_memory || part->out_of_memory)
    hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                   "out of memory after %" G_GUINT64_FORMAT " events; load fewer files",
                   hir_trace_builder_get_n_events (builder));
  else if (n_tracks > HIR_MAX_TRACKS)
    hir_set_error (error, HIR_ERROR_LIMIT, NULL,
                   "the files have %u tracks in total, more than the limit of %d; load fewer "
                   "files",
                   n_tracks, HIR_MAX_TRACKS);
  else
    return TRUE;
  return FALSE;
}

gboolean
hir_trace_builder_absorb (HirTraceBuilder *builder,
                          HirTraceBuilder *part,
                          gint64 shift_ns,
                          GError **error)
{
  Map map = { .shift_ns = shift_ns };
  gboolean done = can_absorb (builder, part, error);

  if (done && !make_map (builder->trace, part->trace, &map))
    {
      builder->out_of_memory = TRUE;
      done = can_absorb (builder, part, error);
    }
  if (done)
    {
      move_tracks (builder->trace, part->trace, &map);
      move_tables (builder, part->trace, &map);
      for (guint i = 0; i < HIR_N_COUNTS; i++)
        builder->counts[i] += part->counts[i];
    }
  g_free (map.strings);
  g_free (map.instructions);
  hir_trace_builder_free (part);
  return done;
}

void
hir_trace_builder_set_rank (HirTraceBuilder *builder, int rank)
{
  if (builder->trace == NULL)
    return;
  for (guint t = 0; t < builder->trace->tracks->len; t++)
    {
      HirTrackData *track = g_ptr_array_index (builder->trace->tracks, t);

      if (track->info.rank == -1)
        track->info.rank = rank;
    }
  for (guint i = 0; i < builder->trace->meetings->len; i++)
    {
      HirCommRecordRow *row = &g_array_index (builder->trace->meetings, HirCommRecordRow, i);

      if (row->record.rank == -1)
        row->record.rank = rank;
    }
}

void
hir_trace_builder_get_ranks (const HirTraceBuilder *builder, int *first, int *n)
{
  int lowest = G_MAXINT, highest = 0;

  for (guint t = 0; builder->trace != NULL && t < builder->trace->tracks->len; t++)
    {
      const HirTrackData *track = g_ptr_array_index (builder->trace->tracks, t);

      lowest = MIN (lowest, MAX (track->info.rank, 0));
      highest = MAX (highest, track->info.rank);
    }
  *first = MIN (lowest, highest);
  *n = highest - *first + 1;
}

void
hir_trace_builder_move_ranks (HirTraceBuilder *builder, int by)
{
  if (builder->trace == NULL || by == 0)
    return;
  for (guint t = 0; t < builder->trace->tracks->len; t++)
    ((HirTrackData *) g_ptr_array_index (builder->trace->tracks, t))->info.rank += by;
  for (guint i = 0; i < builder->trace->meetings->len; i++)
    g_array_index (builder->trace->meetings, HirCommRecordRow, i).record.rank += by;
}

gint64
hir_trace_builder_start_at_zero (HirTraceBuilder *builder)
{
  GPtrArray *tracks = builder->trace != NULL ? builder->trace->tracks : NULL;
  gint64 first_ns = G_MAXINT64;

  for (guint t = 0; tracks != NULL && t < tracks->len; t++)
    {
      const HirColumns *columns = &((HirTrackData *) g_ptr_array_index (tracks, t))->columns;

      for (guint i = 0; i < columns->n; i++)
        first_ns = MIN (first_ns, hir_columns_get_start (columns, i));
    }
  if (first_ns == G_MAXINT64 || first_ns == 0 || first_ns < -HIR_MAX_TIME_NS / 2)
    return 0;
  for (guint t = 0; t < tracks->len; t++)
    {
      HirColumns *columns = &((HirTrackData *) g_ptr_array_index (tracks, t))->columns;
      gint64 *starts = columns->data[HIR_COLUMN_START];

      for (guint i = 0; i < columns->n; i++)
        starts[i] -= first_ns;
    }
  hir_flows_shift (builder->trace, HIR_ALL_RANKS, -first_ns);
  return first_ns;
}
