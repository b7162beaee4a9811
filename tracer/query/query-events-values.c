/* Values of the columns of events. */
#include "query/query-events-private.h"
#include "trace/event-names.h"
#include "trace/left-out.h"
#include "trace/trace-rules.h"

static const char *
get_class (HirEventKind kind, gboolean is_of_device)
{
  if (!is_of_device)
    return NULL;
  switch (kind)
    {
    case HIR_EVENT_KERNEL:
    case HIR_EVENT_MEMSET:
      return "computation";

    case HIR_EVENT_MEMCPY:
      return "memcpy";

    case HIR_EVENT_COMMUNICATION:
      return "communication";

    default:
      return NULL;
    }
}

static void
put_text (sqlite3_context *context, const char *text)
{
  sqlite3_result_text (context, text, -1, SQLITE_STATIC);
}

/* Puts a number, or NULL if it is @unknown. */
static void
put_known (sqlite3_context *context, gint64 value, gint64 unknown)
{
  if (value != unknown)
    sqlite3_result_int64 (context, value);
}

/* Puts a column of the communication; NULL if the trace has no details. */
static void
put_collective (HirQueryEventCursor *cursor, sqlite3_context *context, int column)
{
  const HirCollective *collective = &cursor->collective;

  if (!cursor->is_looked_up)
    cursor->has_collective = hir_trace_lookup_collective (cursor->base.query->trace, cursor->track,
                                                          cursor->index, &cursor->collective);
  cursor->is_looked_up = TRUE;
  if (!cursor->has_collective)
    return;
  switch (column)
    {
    case HIR_QUERY_COLUMN_OP:
      put_text (context, collective->op);
      break;
    case HIR_QUERY_COLUMN_TEAM:
      put_text (context, collective->team);
      break;
    case HIR_QUERY_COLUMN_TEAM_SIZE:
      put_known (context, collective->n_members, 0);
      break;
    case HIR_QUERY_COLUMN_SEQUENCE:
      put_known (context, collective->sequence, HIR_COMM_RECORD_UNNUMBERED);
      break;
    case HIR_QUERY_COLUMN_DTYPE:
      put_text (context, collective->dtype);
      break;
    case HIR_QUERY_COLUMN_ROOT:
      put_known (context, collective->root, -1);
      break;
    case HIR_QUERY_COLUMN_PEER:
      put_known (context, collective->peer, -1);
      break;
    case HIR_QUERY_COLUMN_MESSAGE_BYTES:
      put_known (context, collective->message_bytes, 0);
      break;
    case HIR_QUERY_COLUMN_TRANSFER:
      put_known (context, collective->transfer_ns, 0);
      break;
    case HIR_QUERY_COLUMN_ALGBW:
    case HIR_QUERY_COLUMN_BUSBW:
      /* The bus bandwidth of a single rank is 0, which is a known value. */
      if (collective->algbw > 0)
        sqlite3_result_double (context, column == HIR_QUERY_COLUMN_ALGBW ? collective->algbw
                                                                         : collective->busbw);
      break;
    default:
      break;
    }
}

/* Puts a column that follows from the launch; NULL if it is not in the trace. */
static void
put_launch (const HirQueryEventCursor *cursor, sqlite3_context *context, int column)
{
  const HirLaunch *launch =
      hir_query_lookup_launch (cursor->base.query, cursor->track, cursor->index);
  gint64 start_ns = hir_columns_get_start (cursor->columns, cursor->index);

  if (launch == NULL)
    return;
  if (column == HIR_QUERY_COLUMN_LAUNCH)
    sqlite3_result_int64 (context, hir_query_make_id (launch->track, launch->index));
  else if (start_ns >= launch->start_ns) /* otherwise the clocks disagree */
    sqlite3_result_int64 (context, MAX (start_ns - launch->end_ns, 0));
}

static void
put_of_track (const HirTrack *info, sqlite3_context *context, int column)
{
  sqlite3_result_int64 (context, column == HIR_QUERY_COLUMN_RANK     ? info->rank
                                 : column == HIR_QUERY_COLUMN_DEVICE ? info->device
                                                                     : info->stream);
}

/* Puts a column that few queries read. */
static void
put_other (HirQueryEventCursor *cursor, sqlite3_context *context, int column)
{
  const HirTrace *trace = cursor->base.query->trace;
  const HirColumns *columns = cursor->columns;
  guint i = cursor->index;
  guint number, kind;

  switch (column)
    {
    case HIR_QUERY_COLUMN_LANE:
      sqlite3_result_int64 (context, hir_column_value (columns, HIR_COLUMN_LANE, guint8, i));
      break;
    case HIR_QUERY_COLUMN_CORRELATION:
      put_known (context, hir_column_value (columns, HIR_COLUMN_CORRELATION, guint32, i), 0);
      break;
    case HIR_QUERY_COLUMN_ITERATION:
      put_known (context, (gint64) hir_column_value (columns, HIR_COLUMN_ITERATION, guint32, i) - 1,
                 -1);
      break;
    case HIR_QUERY_COLUMN_INSTRUCTION:
      number = hir_column_value (columns, HIR_COLUMN_INSTRUCTION, guint32, i);
      if (number != 0)
        put_text (context, hir_query_get_instruction (cursor->base.query, number));
      break;
    case HIR_QUERY_COLUMN_BYTES:
      put_known (context, hir_columns_get_bytes (columns, i), 0);
      break;
    case HIR_QUERY_COLUMN_FLOPS:
      put_known (context, hir_columns_get_amount (columns, HIR_COLUMN_FLOPS, i), 0);
      break;
    case HIR_QUERY_COLUMN_IS_FUSED:
      number = hir_column_value (columns, HIR_COLUMN_NAME, guint32, i);
      kind = hir_column_value (columns, HIR_COLUMN_FLAGS, guint8, i) & HIR_FLAG_KIND;
      sqlite3_result_int (context, kind == HIR_EVENT_KERNEL && hir_trace_is_fused (trace, number));
      break;
    case HIR_QUERY_COLUMN_IS_LEFT_OUT:
      sqlite3_result_int (context, hir_trace_is_left_out (trace, cursor->track, i));
      break;
    case HIR_QUERY_COLUMN_VALUE:
      {
        HirEvent event;

        hir_trace_get_event (trace, cursor->track, i, &event);
        sqlite3_result_double (context, hir_event_get_value (&event));
        break;
      }
    default:
      put_collective (cursor, context, column);
      break;
    }
}

int
hir_query_get_event_value (sqlite3_vtab_cursor *base, sqlite3_context *context, int n)
{
  HirQueryEventCursor *cursor = (HirQueryEventCursor *) base;
  const HirColumns *columns = cursor->columns;
  guint i = cursor->index;
  guint flags = hir_column_value (columns, HIR_COLUMN_FLAGS, guint8, i);
  guint32 name = hir_column_value (columns, HIR_COLUMN_NAME, guint32, i);
  int column = cursor->base.table->columns[n].id;

  switch (column)
    {
    case HIR_QUERY_COLUMN_ID:
      sqlite3_result_int64 (context, hir_query_make_id (cursor->track, i));
      break;
    case HIR_QUERY_COLUMN_TRACK:
      sqlite3_result_int64 (context, cursor->track);
      break;
    case HIR_QUERY_COLUMN_TRACK_NAME:
      put_text (context, cursor->info->name);
      break;
    case HIR_QUERY_COLUMN_START:
      sqlite3_result_int64 (context, hir_columns_get_start (columns, i));
      break;
    case HIR_QUERY_COLUMN_END:
      sqlite3_result_int64 (context, hir_columns_get_end (columns, i));
      break;
    case HIR_QUERY_COLUMN_DURATION:
      sqlite3_result_int64 (context, hir_columns_get_duration (columns, i));
      break;
    case HIR_QUERY_COLUMN_NAME:
      put_text (context, hir_trace_get_string (cursor->base.query->trace, name));
      break;
    case HIR_QUERY_COLUMN_NAME_ID:
      sqlite3_result_int64 (context, name);
      break;
    case HIR_QUERY_COLUMN_KIND:
      put_text (context, hir_event_kind_get_name (flags & HIR_FLAG_KIND));
      break;
    case HIR_QUERY_COLUMN_CLASS:
      put_text (context, get_class (flags & HIR_FLAG_KIND, hir_track_is_of_device (cursor->info)));
      break;
    case HIR_QUERY_COLUMN_PHASE:
      put_text (context, hir_phase_get_name (flags >> 4 & 0x7));
      break;
    case HIR_QUERY_COLUMN_RANK:
    case HIR_QUERY_COLUMN_DEVICE:
    case HIR_QUERY_COLUMN_STREAM:
      put_of_track (cursor->info, context, column);
      break;
    case HIR_QUERY_COLUMN_LAUNCH:
    case HIR_QUERY_COLUMN_QUEUE:
      put_launch (cursor, context, column);
      break;
    default:
      put_other (cursor, context, column);
      break;
    }
  return SQLITE_OK;
}
