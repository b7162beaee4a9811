/* Tables of a trace that are not events: tracks, ranks, flows, communication records. */
#include "query/query-private.h"
#include "trace/edge.h"
#include "trace/flow.h"

/* --- tracks and ranks --------------------------------------------------------------------- */

enum
{
  ID,
  KIND,
  RANK,
  DEVICE,
  STREAM,
  NAME,
  N_TRACKS,
  N_DEVICES,
  N_EVENTS,
  N_LANES,
  FIRST,
  LAST,
  PROGRAM,
};

static const HirQueryColumn track_columns[] = {
  { "id", "INTEGER", ID, "number, as events.track" },
  { "kind", "TEXT", KIND, "stream, host, link or counter" },
  { "rank", "INTEGER", RANK, "rank" },
  { "device", "INTEGER", DEVICE, "device" },
  { "stream", "INTEGER", STREAM, "number in its name, or on its device; -1: host, or all" },
  { "name", "TEXT", NAME, "name" },
  { "n_events", "INTEGER", N_EVENTS, "number of events" },
  { "n_lanes", "INTEGER", N_LANES, "rows that overlapping events need" },
  { "first_ns", "INTEGER", FIRST, "first start; NULL: no events" },
  { "last_ns", "INTEGER", LAST, "last start; NULL: no events" },
  { NULL, NULL, 0, NULL },
};

static const char *
get_kind_name (HirTrackKind kind)
{
  static const char *const names[HIR_N_TRACK_KINDS] = { "stream", "host", "link", "counter" };

  return names[kind];
}

static guint
count_tracks (HirQuery *query)
{
  return hir_trace_get_n_tracks (query->trace);
}

static void
put_start (HirQuery *query, guint track, gboolean is_last, HirQueryValue *value)
{
  const HirColumns *columns = hir_trace_get_columns (query->trace, track);

  if (columns->n > 0)
    hir_query_value_set_integer (value,
                                 hir_columns_get_start (columns, is_last ? columns->n - 1 : 0));
}

static void
get_track_value (HirQuery *query, guint row, int column, HirQueryValue *value)
{
  const HirTrack *info = hir_trace_get_track (query->trace, row);

  switch (column)
    {
    case ID:
      hir_query_value_set_integer (value, row);
      break;
    case KIND:
      hir_query_value_set_text (value, get_kind_name (info->kind));
      break;
    case RANK:
      hir_query_value_set_integer (value, info->rank);
      break;
    case DEVICE:
      hir_query_value_set_integer (value, info->device);
      break;
    case STREAM:
      hir_query_value_set_integer (value, info->stream);
      break;
    case NAME:
      hir_query_value_set_text (value, info->name);
      break;
    case N_EVENTS:
      hir_query_value_set_integer (value, hir_trace_get_track_n_events (query->trace, row));
      break;
    case N_LANES:
      hir_query_value_set_integer (value, hir_trace_get_n_lanes (query->trace, row));
      break;
    case FIRST:
    case LAST:
      put_start (query, row, column == LAST, value);
      break;
    default:
      break;
    }
}

static const HirQueryColumn rank_columns[] = {
  { "rank", "INTEGER", RANK, "rank" },
  { "program", "INTEGER", PROGRAM, "passes.program that it ran; NULL: unknown" },
  { "n_devices", "INTEGER", N_DEVICES, "number of devices with work" },
  { "n_tracks", "INTEGER", N_TRACKS, "number of tracks" },
  { "n_events", "INTEGER", N_EVENTS, "number of events and samples" },
  { "first_ns", "INTEGER", FIRST, "first start; NULL: no events" },
  { "last_ns", "INTEGER", LAST, "last start; NULL: no events" },
  { NULL, NULL, 0, NULL },
};

/* The ranks are neighbors in the order of the tracks. */
static guint
count_ranks (HirQuery *query)
{
  if (query->ranks == NULL)
    {
      query->ranks = g_array_new (FALSE, FALSE, sizeof (int));
      for (guint i = 0; i < hir_trace_get_n_tracks (query->trace); i++)
        {
          int rank = hir_trace_get_track (query->trace, query->order[i])->rank;
          guint n = query->ranks->len;

          if (n == 0 || g_array_index (query->ranks, int, n - 1) != rank)
            g_array_append_val (query->ranks, rank);
        }
    }
  return query->ranks->len;
}

static void
put_program (const HirQuery *query, int rank, HirQueryValue *value)
{
  for (guint i = 0; i < query->n_programs; i++)
    {
      const GArray *ranks = query->programs[i].ranks;
      gboolean is_here = ranks == NULL && query->programs[i].views != NULL;

      for (guint k = 0; ranks != NULL && k < ranks->len; k++)
        is_here |= g_array_index (ranks, int, k) == rank;
      if (is_here)
        {
          hir_query_value_set_integer (value, i);
          return;
        }
    }
}

static void
put_sum (HirQuery *query, int rank, int column, HirQueryValue *value)
{
  gint64 n = 0, device = G_MININT64;

  for (guint i = 0; i < hir_trace_get_n_tracks (query->trace); i++)
    {
      guint track = query->order[i];
      const HirTrack *info = hir_trace_get_track (query->trace, track);
      HirQueryValue start = { .type = SQLITE_NULL };

      if (info->rank != rank)
        continue;
      put_start (query, track, column == LAST, &start);
      if (column == N_TRACKS)
        n++;
      else if (column == N_EVENTS)
        n += hir_trace_get_track_n_events (query->trace, track);
      else if (column == N_DEVICES)
        n += hir_track_is_of_device (info) && info->device != device;
      else if (start.type != SQLITE_NULL)
        {
          if (value->type != SQLITE_NULL)
            start.integer = column == FIRST ? MIN (value->integer, start.integer)
                                            : MAX (value->integer, start.integer);
          *value = start;
        }
      if (hir_track_is_of_device (info))
        device = info->device;
    }
  if (column != FIRST && column != LAST)
    hir_query_value_set_integer (value, n);
}

static void
get_rank_value (HirQuery *query, guint row, int column, HirQueryValue *value)
{
  int rank = g_array_index (query->ranks, int, row);

  if (column == RANK)
    hir_query_value_set_integer (value, rank);
  else if (column == PROGRAM)
    put_program (query, rank, value);
  else
    put_sum (query, rank, column, value);
}

/* --- flows and communication records ------------------------------------------------------ */

enum
{
  FLOW_KIND,
  FROM_ID,
  TO_ID,
};

static const HirQueryColumn flow_columns[] = {
  { "kind", "TEXT", FLOW_KIND, "flow: of the trace's file; dependency: between streams" },
  { "from_id", "INTEGER", FROM_ID, "events.id" },
  { "to_id", "INTEGER", TO_ID, "events.id" },
  { NULL, NULL, 0, NULL },
};

static guint
count_flows (HirQuery *query)
{
  if (query->flows == NULL)
    {
      g_autoptr (GArray) steps = hir_trace_dup_flow_steps (query->trace, NULL);

      query->flows = g_array_new (FALSE, FALSE, sizeof (HirQueryFlow));
      for (guint i = 0; i < steps->len; i++)
        {
          const HirFlowStep *step = &g_array_index (steps, HirFlowStep, i);
          HirQueryFlow flow = { "flow", step->from_track, step->from_index, step->to_track,
                                step->to_index };

          g_array_append_val (query->flows, flow);
        }
      for (guint i = 0; i < hir_trace_get_n_edges (query->trace); i++)
        {
          HirEdge edge;
          HirEdgeLink link;

          if (hir_trace_get_edge (query->trace, i, &edge, &link))
            {
              HirQueryFlow flow = { "dependency", link.from_track, link.from_index, link.to_track,
                                    link.to_index };

              g_array_append_val (query->flows, flow);
            }
        }
    }
  return query->flows->len;
}

static void
get_flow_value (HirQuery *query, guint row, int column, HirQueryValue *value)
{
  const HirQueryFlow *flow = &g_array_index (query->flows, HirQueryFlow, row);

  if (column == FLOW_KIND)
    hir_query_value_set_text (value, flow->kind);
  else if (column == FROM_ID)
    hir_query_value_set_integer (value, hir_query_make_id (flow->from_track, flow->from_index));
  else
    hir_query_value_set_integer (value, hir_query_make_id (flow->to_track, flow->to_index));
}

enum
{
  RECORD,
  EVENT_ID,
  TEAM,
  SEQUENCE,
  SIDE,
  OF_RANK,
  BYTES,
  EVENT_OP,
  EVENT_TEAM,
  EVENT_TEAM_SIZE,
};

static const HirQueryColumn record_columns[] = {
  { "id", "INTEGER", RECORD, "number" },
  { "event_id", "INTEGER", EVENT_ID, "events.id; NULL: not in the trace" },
  { "team", "TEXT", TEAM, "members, or sender>receiver" },
  { "sequence", "INTEGER", SEQUENCE, "number within the team; NULL: unknown" },
  { "side", "TEXT", SIDE, "team, send or recv" },
  { "rank", "INTEGER", OF_RANK, "rank" },
  { "size_bytes", "INTEGER", BYTES, "bytes that the rank transfers; NULL: unknown" },
  { "event_op", "TEXT", EVENT_OP, "collectives.op of the event" },
  { "event_team", "TEXT", EVENT_TEAM, "collectives.team of the event; of a group, its first pair" },
  { "event_team_size", "INTEGER", EVENT_TEAM_SIZE, "collectives.team_size of the event" },
  { NULL, NULL, 0, NULL },
};

static guint
count_records (HirQuery *query)
{
  return hir_trace_get_n_comm_records (query->trace);
}

static void
put_event_of_record (HirQuery *query, guint row, int column, HirQueryValue *value)
{
  HirCollective collective;
  guint track, index;

  if (!hir_trace_get_comm_record_event (query->trace, row, &track, &index))
    return;
  if (column == EVENT_ID)
    hir_query_value_set_integer (value, hir_query_make_id (track, index));
  else if (!hir_trace_lookup_collective (query->trace, track, index, &collective))
    return;
  else if (column == EVENT_OP)
    hir_query_value_set_text (value, collective.op);
  else if (column == EVENT_TEAM)
    hir_query_value_set_text (value, collective.team);
  else if (collective.n_members > 0)
    hir_query_value_set_integer (value, collective.n_members);
}

static void
get_record_value (HirQuery *query, guint row, int column, HirQueryValue *value)
{
  static const char *const sides[HIR_N_COMM_SIDES] = { "team", "send", "recv" };
  const HirCommRecord *record = hir_trace_get_comm_record (query->trace, row);

  switch (column)
    {
    case RECORD:
      hir_query_value_set_integer (value, row);
      break;
    case TEAM:
      hir_query_value_set_text (value, hir_trace_get_string (query->trace, record->key));
      break;
    case SEQUENCE:
      if (record->sequence != HIR_COMM_RECORD_UNNUMBERED)
        hir_query_value_set_integer (value, record->sequence);
      break;
    case SIDE:
      hir_query_value_set_text (value, sides[record->side]);
      break;
    case OF_RANK:
      hir_query_value_set_integer (value, record->rank);
      break;
    case BYTES:
      if (record->bytes != 0)
        hir_query_value_set_integer (value, record->bytes);
      break;
    default:
      put_event_of_record (query, row, column, value);
      break;
    }
}

static const HirQueryTable row_tables[] = {
  { "comm_records", "parts of events in collectives and messages; equal team and sequence: matched",
    record_columns, 0, 0, count_records, get_record_value },
  { "flows", "connections between events, without launches (launch_id)", flow_columns, 0, 0,
    count_flows, get_flow_value },
  { "tracks", "streams, host threads, links and counters", track_columns, 0, 0, count_tracks,
    get_track_value },
  { "ranks", "ranks", rank_columns, 0, 0, count_ranks, get_rank_value },
  { NULL, NULL, NULL, 0, 0, NULL, NULL },
};

const HirQueryTable *
hir_query_get_row_tables (void)
{
  return row_tables;
}
