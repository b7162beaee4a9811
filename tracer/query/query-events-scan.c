/* Scans events by track, by time, or by an index. */
#include <math.h>
#include <string.h>

#include "query/query-events-private.h"

/* Reads the track at the place of the cursor. */
static void
look_at_track (HirQueryEventCursor *cursor)
{
  const HirTrace *trace = cursor->base.query->trace;

  cursor->track = cursor->base.query->order[cursor->place];
  cursor->info = hir_trace_get_track (trace, cursor->track);
  cursor->columns = hir_trace_get_columns (trace, cursor->track);
  cursor->is_used = (cursor->base.table->tracks & 1u << cursor->info->kind) != 0 &&
                    (!cursor->has_rank || cursor->info->rank == cursor->rank);
}

static gboolean
is_row (const HirQueryEventCursor *cursor)
{
  guint flags = hir_column_value (cursor->columns, HIR_COLUMN_FLAGS, guint8, cursor->index);

  return (cursor->base.table->kinds & 1u << (flags & HIR_FLAG_KIND)) != 0;
}

/* Returns the number of events that start before @start_ns. */
static guint
count_starts (const HirColumns *columns, gint64 start_ns)
{
  guint low = 0, high = columns->n;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (hir_columns_get_start (columns, middle) < start_ns)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

/* Starts at the track of the cursor, or at the next one with events. */
static void
enter_track (HirQueryEventCursor *cursor)
{
  const HirQuery *query = cursor->base.query;

  for (; cursor->at <= cursor->last; cursor->at++)
    {
      guint at = cursor->is_descending ? cursor->last - cursor->at : cursor->at;

      cursor->place = cursor->is_by_track ? query->places[at] : at;
      look_at_track (cursor);
      if (!cursor->is_used)
        continue;
      cursor->index = cursor->start_from_ns != G_MININT64
                          ? count_starts (cursor->columns, cursor->start_from_ns)
                          : 0;
      if (cursor->end_from_ns > G_MININT64)
        cursor->index = MAX (cursor->index, hir_trace_find_first (query->trace, cursor->track,
                                                                  cursor->end_from_ns - 1));
      cursor->end = cursor->start_until_ns < G_MAXINT64
                        ? count_starts (cursor->columns, cursor->start_until_ns + 1)
                        : cursor->columns->n;
      if (cursor->index < cursor->end)
        return;
    }
  cursor->is_at_end = TRUE;
}

/* Goes to the event of the present entry of an index. Returns whether it is a row. */
static gboolean
enter_entry (HirQueryEventCursor *cursor)
{
  guint entry = cursor->is_descending ? cursor->end_entry - 1 - cursor->entry : cursor->entry;
  guint place = cursor->place;

  hir_query_locate (cursor->base.query, (guint32) cursor->entries[entry], &cursor->place,
                    &cursor->index);
  if (cursor->place != place || cursor->columns == NULL)
    look_at_track (cursor);
  return cursor->is_used && is_row (cursor);
}

/* Moves to the first row at or after the event of the cursor. */
static void
settle (HirQueryEventCursor *cursor)
{
  cursor->is_looked_up = FALSE;
  while (!cursor->is_at_end)
    {
      if (cursor->entries != NULL)
        {
          if (cursor->entry >= cursor->end_entry)
            cursor->is_at_end = TRUE;
          else if (enter_entry (cursor))
            return;
          else
            cursor->entry++;
        }
      else if (cursor->index >= cursor->end)
        {
          cursor->at++;
          enter_track (cursor);
        }
      else if (is_row (cursor))
        return;
      else
        cursor->index++;
    }
}

/* Converts the argument of an equality to a number of @bits. FALSE: no row can be equal. */
static gboolean
read_number (sqlite3_value *value, guint64 largest, guint64 *number)
{
  gint64 integer;

  if (sqlite3_value_numeric_type (value) == SQLITE_FLOAT)
    {
      double real = sqlite3_value_double (value);

      if (real != floor (real) || real < 0 || real > (double) largest)
        return FALSE;
      *number = (guint64) real;
      return TRUE;
    }
  if (sqlite3_value_type (value) != SQLITE_INTEGER)
    return FALSE;
  integer = sqlite3_value_int64 (value);
  *number = (guint64) integer;
  return integer >= 0 && *number <= largest;
}

/* Gets a bound of a time, rounded to a coarser one. FALSE: NULL, which no row exceeds. */
static gboolean
read_bound (sqlite3_value *value, gboolean is_lower, gint64 *bound)
{
  double real;

  switch (sqlite3_value_numeric_type (value))
    {
    case SQLITE_NULL:
      return FALSE;

    case SQLITE_INTEGER:
      *bound = sqlite3_value_int64 (value);
      return TRUE;

    case SQLITE_FLOAT:
      real = sqlite3_value_double (value);
      if (real > -9e18 && real < 9e18)
        *bound = (gint64) (is_lower ? floor (real) : ceil (real));
      return TRUE;

    default:
      return TRUE;
    }
}

/* Scans the range of an index with @number. */
static int
scan_index (HirQueryEventCursor *cursor, HirQueryIndexKind kind, guint32 number)
{
  const HirQueryIndex *index = hir_query_get_index (cursor->base.query, kind);

  if (index == NULL)
    return SQLITE_NOMEM;
  cursor->entries = index->entries;
  hir_query_index_find (index, number, &cursor->entry, &cursor->end_entry);
  return SQLITE_OK;
}

static void
go_to (HirQueryEventCursor *cursor, guint track, guint index)
{
  cursor->place = cursor->at = cursor->last = cursor->base.query->places[track];
  cursor->index = index;
  cursor->end = index + 1;
  look_at_track (cursor);
  cursor->is_at_end = !cursor->is_used;
}

/* Uses one equality that an index answers. */
static int
use_key (HirQueryEventCursor *cursor, char letter, sqlite3_value *value)
{
  HirQuery *query = cursor->base.query;
  guint64 number = 0;
  guint32 found = 0;
  guint track, index;
  gboolean is_text = letter == HIR_QUERY_USE_NAME || letter == HIR_QUERY_USE_INSTRUCTION;
  const char *text = is_text && sqlite3_value_type (value) != SQLITE_BLOB
                         ? (const char *) sqlite3_value_text (value)
                         : NULL;

  cursor->is_at_end = TRUE;
  if (is_text ? text == NULL
              : !read_number (value,
                              letter == HIR_QUERY_USE_ID || letter == HIR_QUERY_USE_LAUNCH
                                  ? G_MAXINT64
                                  : G_MAXUINT32,
                              &number))
    return SQLITE_OK;
  if (letter == HIR_QUERY_USE_ID || letter == HIR_QUERY_USE_LAUNCH)
    {
      if (!hir_query_split_id (query, (gint64) number, &track, &index))
        return SQLITE_OK;
      if (letter == HIR_QUERY_USE_ID)
        {
          go_to (cursor, track, index);
          return SQLITE_OK;
        }
      number = query->first[query->places[track]] + index;
    }
  if (letter == HIR_QUERY_USE_NAME_ID && number >= hir_trace_get_n_strings (query->trace))
    return SQLITE_OK;
  if (letter == HIR_QUERY_USE_NAME_ID)
    text = hir_trace_get_string (query->trace, (guint32) number);
  if ((text != NULL && letter != HIR_QUERY_USE_INSTRUCTION &&
       !hir_query_find_name (query, text, &found)) ||
      (letter == HIR_QUERY_USE_INSTRUCTION && !hir_query_find_instruction (query, text, &found)))
    return SQLITE_OK;
  cursor->is_at_end = FALSE;
  return scan_index (cursor,
                     letter == HIR_QUERY_USE_LAUNCH        ? HIR_QUERY_BY_LAUNCH
                     : letter == HIR_QUERY_USE_CORRELATION ? HIR_QUERY_BY_CORRELATION
                     : letter == HIR_QUERY_USE_INSTRUCTION ? HIR_QUERY_BY_INSTRUCTION
                                                           : HIR_QUERY_BY_NAME,
                     text != NULL ? found : (guint32) number);
}

/* Uses a constraint that limits a scan of tracks. */
static void
use_limit (HirQueryEventCursor *cursor, char letter, sqlite3_value *value)
{
  guint64 number;

  switch (letter)
    {
    case HIR_QUERY_USE_TRACK:
      if (read_number (value, G_MAXUINT32, &number) &&
          number < hir_trace_get_n_tracks (cursor->base.query->trace))
        {
          cursor->at = cursor->last =
              cursor->is_by_track ? (guint) number : cursor->base.query->places[number];
          cursor->is_descending = FALSE;
        }
      else
        cursor->is_at_end = TRUE;
      break;

    case HIR_QUERY_USE_RANK:
      cursor->has_rank = TRUE;
      if (read_number (value, G_MAXINT32, &number))
        cursor->rank = (gint64) number;
      else if (sqlite3_value_numeric_type (value) == SQLITE_INTEGER)
        cursor->rank = sqlite3_value_int64 (value);
      else
        cursor->is_at_end = TRUE;
      break;

    case HIR_QUERY_USE_START_FROM:
      cursor->is_at_end |= !read_bound (value, TRUE, &cursor->start_from_ns);
      break;

    case HIR_QUERY_USE_START_UNTIL:
      cursor->is_at_end |= !read_bound (value, FALSE, &cursor->start_until_ns);
      break;

    case HIR_QUERY_USE_END_FROM:
      cursor->is_at_end |= !read_bound (value, TRUE, &cursor->end_from_ns);
      break;

    default:
      break;
    }
}

int
hir_query_scan_events (
    sqlite3_vtab_cursor *base, int number, const char *letters, int n, sqlite3_value **values)
{
  HirQueryEventCursor *cursor = (HirQueryEventCursor *) base;
  HirQuery *query = cursor->base.query;
  HirQueryEventCursor start = { .base = cursor->base };
  guint n_tracks = hir_trace_get_n_tracks (query->trace);
  int code = SQLITE_OK;

  start.start_from_ns = start.end_from_ns = G_MININT64;
  start.start_until_ns = G_MAXINT64;
  start.is_at_end = n_tracks == 0;
  start.last = n_tracks - 1;
  start.is_by_track = (number & ~HIR_QUERY_PLAN_DESCENDING) == HIR_QUERY_PLAN_BY_TRACK;
  start.is_descending = (number & HIR_QUERY_PLAN_DESCENDING) != 0;
  *cursor = start;
  if (n_tracks == 0)
    return SQLITE_OK;
  if ((number & ~HIR_QUERY_PLAN_DESCENDING) == HIR_QUERY_PLAN_BY_NAME)
    {
      code = scan_index (cursor, HIR_QUERY_BY_NAME, 0);
      cursor->entry = 0;
      cursor->end_entry = query->indexes[HIR_QUERY_BY_NAME].n;
    }
  else if (n == 1 && strchr ("ilcnmx", letters[0]) != NULL)
    code = use_key (cursor, letters[0], values[0]);
  else
    {
      for (int i = 0; i < n; i++)
        use_limit (cursor, letters[i], values[i]);
      if (!cursor->is_at_end)
        enter_track (cursor);
    }
  if (code == SQLITE_OK)
    settle (cursor);
  return code;
}

int
hir_query_next_event (sqlite3_vtab_cursor *base)
{
  HirQueryEventCursor *cursor = (HirQueryEventCursor *) base;

  if (cursor->entries != NULL)
    cursor->entry++;
  else
    cursor->index++;
  settle (cursor);
  return SQLITE_OK;
}
