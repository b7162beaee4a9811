/* Internal declarations of the tables of events: plans, scans, values. */
#pragma once

#include "query/query-private.h"

G_BEGIN_DECLS

/* A constraint that a scan uses, as one letter of its plan; followed by its argument. */
enum
{
  HIR_QUERY_USE_ID = 'i',
  HIR_QUERY_USE_TRACK = 't',
  HIR_QUERY_USE_RANK = 'r',
  HIR_QUERY_USE_START_FROM = 'a',  /* start >= argument */
  HIR_QUERY_USE_START_UNTIL = 'b', /* start <= argument */
  HIR_QUERY_USE_END_FROM = 'e',    /* end >= argument */
  HIR_QUERY_USE_NAME = 'n',
  HIR_QUERY_USE_NAME_ID = 'm',
  HIR_QUERY_USE_CORRELATION = 'c',
  HIR_QUERY_USE_LAUNCH = 'l',
  HIR_QUERY_USE_INSTRUCTION = 'x',
};

/* Numbers of plans. */
enum
{
  HIR_QUERY_PLAN_BY_RANK, /* tracks in the order of HirQuery.order */
  HIR_QUERY_PLAN_BY_TRACK,
  HIR_QUERY_PLAN_BY_NAME,
  HIR_QUERY_PLAN_DESCENDING = 4, /* flag: the other way around; events of a track stay ascending,
                                    except HIR_QUERY_PLAN_BY_NAME */
};

enum
{
  HIR_QUERY_COLUMN_ID,
  HIR_QUERY_COLUMN_TRACK,
  HIR_QUERY_COLUMN_TRACK_NAME,
  HIR_QUERY_COLUMN_START,
  HIR_QUERY_COLUMN_END,
  HIR_QUERY_COLUMN_DURATION,
  HIR_QUERY_COLUMN_NAME,
  HIR_QUERY_COLUMN_NAME_ID,
  HIR_QUERY_COLUMN_KIND,
  HIR_QUERY_COLUMN_CLASS,
  HIR_QUERY_COLUMN_PHASE,
  HIR_QUERY_COLUMN_RANK,
  HIR_QUERY_COLUMN_DEVICE,
  HIR_QUERY_COLUMN_STREAM,
  HIR_QUERY_COLUMN_LANE,
  HIR_QUERY_COLUMN_CORRELATION,
  HIR_QUERY_COLUMN_ITERATION,
  HIR_QUERY_COLUMN_INSTRUCTION,
  HIR_QUERY_COLUMN_BYTES,
  HIR_QUERY_COLUMN_FLOPS,
  HIR_QUERY_COLUMN_LAUNCH,
  HIR_QUERY_COLUMN_QUEUE,
  HIR_QUERY_COLUMN_IS_FUSED,
  HIR_QUERY_COLUMN_IS_LEFT_OUT,
  HIR_QUERY_COLUMN_VALUE,
  HIR_QUERY_COLUMN_OP, /* this and the next: of the communication */
  HIR_QUERY_COLUMN_TEAM,
  HIR_QUERY_COLUMN_TEAM_SIZE,
  HIR_QUERY_COLUMN_SEQUENCE,
  HIR_QUERY_COLUMN_DTYPE,
  HIR_QUERY_COLUMN_ROOT,
  HIR_QUERY_COLUMN_PEER,
  HIR_QUERY_COLUMN_MESSAGE_BYTES,
  HIR_QUERY_COLUMN_TRANSFER,
  HIR_QUERY_COLUMN_ALGBW,
  HIR_QUERY_COLUMN_BUSBW,
};

typedef struct
{
  HirQueryCursor base;
  guint place, index; /* the event; place: see HirQuery.order */
  gboolean is_at_end;
  /* Of the track at the place; see look_at_track(). */
  guint track;
  const HirTrack *info;
  const HirColumns *columns;
  gboolean is_used; /* the track can have rows */
  /* Of a scan of tracks: the present one, the last one, and the end of the present one. */
  guint at, last, end;
  gboolean is_by_track; /* at and last are numbers of tracks, otherwise places */
  gboolean is_descending;
  gboolean has_rank;
  gint64 rank;
  gint64 start_from_ns, start_until_ns, end_from_ns;
  /* Of a scan by index; NULL otherwise. */
  const guint64 *entries;
  guint entry, end_entry;
  /* The communication of the event. */
  HirCollective collective;
  gboolean has_collective, is_looked_up;
} HirQueryEventCursor;

/* Chooses a plan; see sqlite3_module. */
int hir_query_plan_events (sqlite3_vtab *table, sqlite3_index_info *info);
/* Starts the plan @number with @letters and their @n arguments; see sqlite3_module. */
int hir_query_scan_events (
    sqlite3_vtab_cursor *cursor, int number, const char *letters, int n, sqlite3_value **values);
/* Moves to the next row; see sqlite3_module. */
int hir_query_next_event (sqlite3_vtab_cursor *cursor);
/* Gets the value of column @n of the present row; see sqlite3_module. */
int hir_query_get_event_value (sqlite3_vtab_cursor *cursor, sqlite3_context *context, int n);

G_END_DECLS
