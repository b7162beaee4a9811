/* Tables of events, as modules of SQLite. */
#include "query/query-events-private.h"

#define WHERE                                                                                      \
  { "id", "INTEGER", HIR_QUERY_COLUMN_ID, "number of the event, for arg() and joins" },            \
      { "track", "INTEGER", HIR_QUERY_COLUMN_TRACK, "tracks.id" },                                 \
      { "track_name", "TEXT", HIR_QUERY_COLUMN_TRACK_NAME, "tracks.name" },                        \
      { "rank", "INTEGER", HIR_QUERY_COLUMN_RANK, "rank" },                                        \
      { "device", "INTEGER", HIR_QUERY_COLUMN_DEVICE, "device" },                                  \
  {                                                                                                \
    "stream", "INTEGER", HIR_QUERY_COLUMN_STREAM,                                                  \
        "number in its name, or on its device; 1000 and more: see track_name; -1: host, or all"    \
  }
#define WHEN                                                                                       \
  { "start_ns", "INTEGER", HIR_QUERY_COLUMN_START, "start" },                                      \
      { "end_ns", "INTEGER", HIR_QUERY_COLUMN_END, "end" },                                        \
  {                                                                                                \
    "dur_ns", "INTEGER", HIR_QUERY_COLUMN_DURATION, "end_ns - start_ns"                            \
  }
#define WHAT                                                                                       \
  { "name", "TEXT", HIR_QUERY_COLUMN_NAME, "name" },                                               \
      { "name_id", "INTEGER", HIR_QUERY_COLUMN_NAME_ID,                                            \
        "number of the name; equal names have equal numbers" },                                    \
      { "phase", "TEXT", HIR_QUERY_COLUMN_PHASE, "program, setup, warmup or check" },              \
      { "lane", "INTEGER", HIR_QUERY_COLUMN_LANE,                                                  \
        "row within the track; depth of a nested host event" },                                    \
      { "correlation", "INTEGER", HIR_QUERY_COLUMN_CORRELATION,                                    \
        "number that a launch shares with its work" },                                             \
      { "iteration", "INTEGER", HIR_QUERY_COLUMN_ITERATION,                                        \
        "of the innermost loop; NULL: outside a loop" },                                           \
  {                                                                                                \
    "instruction", "TEXT", HIR_QUERY_COLUMN_INSTRUCTION, "instructions.id; NULL: none"             \
  }
#define WORK                                                                                       \
  { "launch_id", "INTEGER", HIR_QUERY_COLUMN_LAUNCH, "id of the call or issue that launched it" }, \
      { "queue_ns", "INTEGER", HIR_QUERY_COLUMN_QUEUE,                                             \
        "delay from the end of the launch to the start; at least 0" },                             \
  {                                                                                                \
    "is_left_out", "INTEGER", HIR_QUERY_COLUMN_IS_LEFT_OUT,                                        \
        "1: its times are impossible; stats leave it out"                                          \
  }
#define SIZE                                                                                       \
  {                                                                                                \
    "size_bytes", "INTEGER", HIR_QUERY_COLUMN_BYTES,                                               \
        "bytes moved, or read and written; NULL: unknown"                                          \
  }
#define KIND_OF_EVENT                                                                              \
  {                                                                                                \
    "kind", "TEXT", HIR_QUERY_COLUMN_KIND,                                                         \
        "kernel, memcpy, memset, communication, sync, issue or host"                               \
  }
#define FLOPS_OF_EVENT                                                                             \
  {                                                                                                \
    "flops", "INTEGER", HIR_QUERY_COLUMN_FLOPS, "operations; NULL: unknown"                        \
  }

#define FUSED                                                                                      \
  {                                                                                                \
    "is_fused", "INTEGER", HIR_QUERY_COLUMN_IS_FUSED, "1: a kernel that also communicates"         \
  }

static const HirQueryColumn event_columns[] = {
  WHERE,
  WHEN,
  WHAT,
  KIND_OF_EVENT,
  { "class", "TEXT", HIR_QUERY_COLUMN_CLASS,
    "computation, communication or memcpy; NULL: no work of a device" },
  SIZE,
  FLOPS_OF_EVENT,
  WORK,
  FUSED,
  { NULL, NULL, 0, NULL },
};
static const HirQueryColumn kernel_columns[] = {
  WHERE, WHEN, WHAT, SIZE, FLOPS_OF_EVENT, WORK, FUSED, { NULL, NULL, 0, NULL },
};
static const HirQueryColumn copy_columns[] = {
  WHERE, WHEN, WHAT, KIND_OF_EVENT, SIZE, WORK, { NULL, NULL, 0, NULL },
};
static const HirQueryColumn host_columns[] = {
  WHERE, WHEN, WHAT, KIND_OF_EVENT, { NULL, NULL, 0, NULL },
};
static const HirQueryColumn collective_columns[] = {
  WHERE,
  WHEN,
  WHAT,
  SIZE,
  WORK,
  { "op", "TEXT", HIR_QUERY_COLUMN_OP,
    "operation, as Kineto names it; NULL: the trace has no details" },
  { "team", "TEXT", HIR_QUERY_COLUMN_TEAM, "members, or sender>receiver" },
  { "team_size", "INTEGER", HIR_QUERY_COLUMN_TEAM_SIZE, "number of members; NULL: unknown" },
  { "sequence", "INTEGER", HIR_QUERY_COLUMN_SEQUENCE,
    "number within the team, from 0; NULL: unknown" },
  { "dtype", "TEXT", HIR_QUERY_COLUMN_DTYPE, "type of the elements" },
  { "root", "INTEGER", HIR_QUERY_COLUMN_ROOT, "device; NULL: no root" },
  { "peer", "INTEGER", HIR_QUERY_COLUMN_PEER, "other rank of a message; NULL: none" },
  { "message_bytes", "INTEGER", HIR_QUERY_COLUMN_MESSAGE_BYTES,
    "size as nccl-tests counts it; NULL: unknown" },
  { "transfer_ns", "INTEGER", HIR_QUERY_COLUMN_TRANSFER,
    "shortest time of its ranks: the last one to start does not wait" },
  { "algbw_gb_s", "REAL", HIR_QUERY_COLUMN_ALGBW, "message_bytes per transfer_ns; NULL: unknown" },
  { "busbw_gb_s", "REAL", HIR_QUERY_COLUMN_BUSBW, "bus bandwidth of nccl-tests; NULL: unknown" },
  { NULL, NULL, 0, NULL },
};
static const HirQueryColumn counter_columns[] = {
  WHERE,
  { "at_ns", "INTEGER", HIR_QUERY_COLUMN_START, "time of the sample; it holds until the next one" },
  { "name", "TEXT", HIR_QUERY_COLUMN_NAME, "name of the counter" },
  { "name_id", "INTEGER", HIR_QUERY_COLUMN_NAME_ID, "number of the name" },
  { "value", "REAL", HIR_QUERY_COLUMN_VALUE, "value" },
  { NULL, NULL, 0, NULL },
};

#define OF(kind) (1u << HIR_EVENT_##kind)
#define ON(kind) (1u << HIR_TRACK_##kind)
#define ON_DEVICE (ON (STREAM) | ON (LINK))

static const HirQueryTable event_tables[] = {
  { "events", "everything but samples of counters", event_columns, ~OF (COUNTER),
    ON_DEVICE | ON (HOST), NULL, NULL },
  { "kernels", "computation on devices", kernel_columns, OF (KERNEL), ON_DEVICE, NULL, NULL },
  { "copies", "copies and fills on devices", copy_columns, OF (MEMCPY) | OF (MEMSET), ON_DEVICE,
    NULL, NULL },
  { "host_ops", "issues and launch calls, operators and annotations of host threads", host_columns,
    OF (ISSUE) | OF (HOST), ON (HOST), NULL, NULL },
  { "collectives", "collectives and messages on devices", collective_columns, OF (COMMUNICATION),
    ON_DEVICE, NULL, NULL },
  { "counters", "samples of counters", counter_columns, OF (COUNTER), ON (COUNTER), NULL, NULL },
  { NULL, NULL, NULL, 0, 0, NULL, NULL },
};

const HirQueryTable *
hir_query_get_event_tables (void)
{
  return event_tables;
}

static int
eof (sqlite3_vtab_cursor *base)
{
  return ((HirQueryEventCursor *) base)->is_at_end;
}

static int
get_rowid (sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
  const HirQueryEventCursor *cursor = (HirQueryEventCursor *) base;

  *id = hir_query_make_id (cursor->track, cursor->index);
  return SQLITE_OK;
}

static int
open_cursor (sqlite3_vtab *table, sqlite3_vtab_cursor **made)
{
  return hir_query_open_cursor (table, sizeof (HirQueryEventCursor), made);
}

static const sqlite3_module module = {
  .xConnect = hir_query_connect, /* without xCreate: exists in every connection */
  .xBestIndex = hir_query_plan_events,
  .xDisconnect = hir_query_disconnect,
  .xOpen = open_cursor,
  .xClose = hir_query_close_cursor,
  .xFilter = hir_query_scan_events,
  .xNext = hir_query_next_event,
  .xEof = eof,
  .xColumn = hir_query_get_event_value,
  .xRowid = get_rowid,
};

int
hir_query_register_events (HirQuery *query)
{
  return hir_query_register_tables (query, event_tables, &module);
}
