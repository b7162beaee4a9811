#include "trace/comm-records.h"

#include <string.h>

#include "dtype.h"
#include "identity.h"
#include "trace/trace-private.h"

#define MAX_MEETINGS (4 * 1024 * 1024)

char *
hir_comm_record_dup_team_key (const gint64 *team, guint n_team)
{
  GString *key = g_string_new ("team");

  for (guint i = 0; i < n_team; i++)
    g_string_append_printf (key, " %" G_GINT64_FORMAT, team[i]);
  return g_string_free (key, FALSE);
}

char *
hir_comm_record_dup_pair_key (gint64 sender, gint64 receiver)
{
  return g_strdup_printf ("%" G_GINT64_FORMAT ">%" G_GINT64_FORMAT, sender, receiver);
}

gboolean
hir_comm_records_add (HirTrace *trace, const HirCommRecord *record)
{
  HirCommRecordRow row = { .record = *record, .index = HIR_NO_EVENT };

  if (trace->meetings->len >= MAX_MEETINGS || record->side >= HIR_N_COMM_SIDES)
    return FALSE;
  if (row.record.key >= trace->strings.n)
    row.record.key = 0;
  if (row.record.op >= trace->strings.n || row.record.dtype >= HIR_N_DTYPES)
    row.record.op = 0;
  g_array_append_val (trace->meetings, row);
  return TRUE;
}

static int
compare (guint64 a, guint64 b)
{
  return a < b ? -1 : a > b;
}

static int
compare_rows (gconstpointer a, gconstpointer b)
{
  const HirCommRecord *x = &((const HirCommRecordRow *) a)->record;
  const HirCommRecord *y = &((const HirCommRecordRow *) b)->record;
  int order = compare (x->key, y->key);

  if (order == 0)
    order = compare (x->sequence, y->sequence);
  if (order == 0)
    order = compare (x->side, y->side);
  if (order == 0)
    order = x->rank < y->rank ? -1 : x->rank > y->rank;
  return order != 0 ? order : compare (x->correlation, y->correlation);
}

/* Orders the messages of one event by the texts of their keys: numbers of strings depend on which
 * rank was recorded first. */
static int
compare_messages (const HirTrace *trace, const HirCommRecord *x, const HirCommRecord *y)
{
  int order = strcmp (hir_trace_get_string (trace, x->key), hir_trace_get_string (trace, y->key));

  if (order == 0)
    order = compare (x->sequence, y->sequence);
  return order != 0 ? order : compare (x->side, y->side);
}

static int
compare_event_refs (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const HirTrace *trace = user_data;
  const HirCommRecordRow *x =
      &g_array_index (trace->meetings, HirCommRecordRow, *(const guint *) a);
  const HirCommRecordRow *y =
      &g_array_index (trace->meetings, HirCommRecordRow, *(const guint *) b);
  int order = compare (x->track, y->track);

  if (order == 0)
    order = compare (x->index, y->index);
  if (order == 0)
    order = compare_messages (trace, &x->record, &y->record);
  return order != 0 ? order : compare (*(const guint *) a, *(const guint *) b);
}

static guint64
place_key (gint32 rank, guint32 correlation)
{
  return (guint64) (guint32) rank << 32 | correlation;
}

static int
compare_calls (gconstpointer a, gconstpointer b, gpointer user_data)
{
  const HirTrace *trace = user_data;
  const HirCommRecord *x =
      &g_array_index (trace->meetings, HirCommRecordRow, *(const guint *) a).record;
  const HirCommRecord *y =
      &g_array_index (trace->meetings, HirCommRecordRow, *(const guint *) b).record;
  int order = compare (place_key (x->rank, x->correlation), place_key (y->rank, y->correlation));

  if (order == 0)
    order = compare_messages (trace, x, y);
  return order != 0 ? order : compare (*(const guint *) a, *(const guint *) b);
}

/* The events of one communication on one rank. */
typedef struct
{
  guint track, index; /* the first communication event, otherwise the first copy */
  guint kind;
  gint64 start_ns, end_ns;
} Found;

static void
take_event (HirTrace *trace, guint t, guint i, guint kind, Found *found)
{
  gint64 start_ns, end_ns;

  hir_trace_get_interval (trace, t, i, &start_ns, &end_ns);
  if (found->index == HIR_NO_EVENT ||
      (found->kind != HIR_EVENT_COMMUNICATION && kind == HIR_EVENT_COMMUNICATION))
    {
      found->track = t;
      found->index = i;
      found->kind = kind;
    }
  found->start_ns = MIN (found->start_ns, start_ns);
  found->end_ns = MAX (found->end_ns, end_ns);
}

/* Finds the events of the communications in @places by rank and correlation. */
static void
find_events (HirTrace *trace, GHashTable *places)
{
  for (guint t = 0; t < trace->tracks->len; t++)
    {
      const HirTrackData *track = g_ptr_array_index (trace->tracks, t);

      if (!hir_track_is_of_device (&track->info))
        continue;
      for (guint i = 0; i < track->columns.n; i++)
        {
          guint kind = hir_column_value (&track->columns, HIR_COLUMN_FLAGS, guint8, i) & 0xf;
          guint64 key;
          Found *found;

          /* Transfers by copy engines appear as copies. */
          if (kind != HIR_EVENT_COMMUNICATION && kind != HIR_EVENT_MEMCPY)
            continue;
          key = place_key (track->info.rank,
                           hir_column_value (&track->columns, HIR_COLUMN_CORRELATION, guint32, i));
          found = g_hash_table_lookup (places, &key);
          if (found != NULL)
            take_event (trace, t, i, kind, found);
        }
    }
}

static GHashTable *
new_places (const HirTrace *trace)
{
  GHashTable *places = g_hash_table_new_full (hir_word_hash, g_int64_equal, g_free, g_free);

  for (guint i = 0; i < trace->meetings->len; i++)
    {
      const HirCommRecord *record = &g_array_index (trace->meetings, HirCommRecordRow, i).record;
      guint64 key = place_key (record->rank, record->correlation);
      Found none = { 0, HIR_NO_EVENT, 0, G_MAXINT64, G_MININT64 };

      g_hash_table_insert (places, g_memdup2 (&key, sizeof key), g_memdup2 (&none, sizeof none));
    }
  return places;
}

void
hir_comm_records_finish (HirTrace *trace)
{
  g_autoptr (GHashTable) places = NULL;
  guint n = trace->meetings->len;

  if (n == 0)
    return;
  places = new_places (trace);
  find_events (trace, places);
  for (guint i = 0; i < n; i++)
    {
      HirCommRecordRow *row = &g_array_index (trace->meetings, HirCommRecordRow, i);
      guint64 key = place_key (row->record.rank, row->record.correlation);
      const Found *found = g_hash_table_lookup (places, &key);

      row->track = found->track;
      row->index = found->index;
      row->start_ns = found->start_ns;
      row->end_ns = found->end_ns;
    }
  hir_comm_records_sort (trace);
}

void
hir_comm_records_sort (HirTrace *trace)
{
  g_array_sort (trace->meetings, compare_rows);
  g_array_set_size (trace->meetings_by_event, 0);
  g_array_set_size (trace->meetings_by_call, 0);
  for (guint i = 0; i < trace->meetings->len; i++)
    {
      g_array_append_val (trace->meetings_by_event, i);
      g_array_append_val (trace->meetings_by_call, i);
    }
  g_array_sort_with_data (trace->meetings_by_event, compare_event_refs, trace);
  g_array_sort_with_data (trace->meetings_by_call, compare_calls, trace);
}

guint
hir_trace_get_n_comm_records (const HirTrace *trace)
{
  return trace->meetings->len;
}

const HirCommRecord *
hir_trace_get_comm_record (const HirTrace *trace, guint i)
{
  g_return_val_if_fail (i < trace->meetings->len, NULL);
  return &g_array_index (trace->meetings, HirCommRecordRow, i).record;
}

gboolean
hir_trace_get_comm_record_event (const HirTrace *trace, guint i, guint *track, guint *index)
{
  const HirCommRecordRow *row;

  g_return_val_if_fail (i < trace->meetings->len, FALSE);
  row = &g_array_index (trace->meetings, HirCommRecordRow, i);
  *track = row->track;
  *index = row->index;
  return row->index != HIR_NO_EVENT;
}

/* Returns the first index in meetings_by_event for the event. */
static guint
find_event (const HirTrace *trace, guint track, guint index)
{
  guint low = 0, high = trace->meetings_by_event->len;

  while (low < high)
    {
      guint middle = (low + high) / 2;
      guint at = g_array_index (trace->meetings_by_event, guint, middle);
      const HirCommRecordRow *row = &g_array_index (trace->meetings, HirCommRecordRow, at);

      if (row->track < track || (row->track == track && row->index < index))
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

GPtrArray *
hir_trace_dup_event_records (const HirTrace *trace, guint track, guint index)
{
  GPtrArray *records = g_ptr_array_new ();

  for (guint i = find_event (trace, track, index); i < trace->meetings_by_event->len; i++)
    {
      guint at = g_array_index (trace->meetings_by_event, guint, i);
      HirCommRecordRow *row = &g_array_index (trace->meetings, HirCommRecordRow, at);

      if (row->track != track || row->index != index)
        break;
      g_ptr_array_add (records, &row->record);
    }
  return records;
}

/* Finds the records [*from, *to) that match record @at. */
static void
find_group (const HirTrace *trace, guint at, guint *from, guint *to)
{
  const HirCommRecordRow *rows = (const HirCommRecordRow *) trace->meetings->data;
  const HirCommRecord *own = &rows[at].record;

  for (*from = at; *from > 0 && hir_comm_record_matches (&rows[*from - 1].record, own);)
    *from -= 1;
  for (*to = at + 1;
       *to < trace->meetings->len && hir_comm_record_matches (&rows[*to].record, own);)
    *to += 1;
}

gint64
hir_comm_records_get_transfer_ns (const HirTrace *trace, guint at)
{
  const HirCommRecordRow *rows = (const HirCommRecordRow *) trace->meetings->data;
  gint64 last_ns = G_MININT64, shortest_ns = G_MAXINT64;
  guint from, to;

  find_group (trace, at, &from, &to);
  for (guint i = from; i < to; i++)
    if (rows[i].index != HIR_NO_EVENT)
      last_ns = MAX (last_ns, rows[i].start_ns);
  for (guint i = from; i < to; i++)
    if (rows[i].index != HIR_NO_EVENT && rows[i].end_ns >= rows[i].start_ns &&
        (rows[i].record.side != HIR_COMM_SIDE_SEND || rows[i].end_ns > last_ns))
      shortest_ns = MIN (shortest_ns, rows[i].end_ns - rows[i].start_ns);
  return shortest_ns == G_MAXINT64 ? 0 : shortest_ns;
}

static void
add_links (const HirTrace *trace, guint at, guint max, GArray *links)
{
  const HirCommRecordRow *rows = (const HirCommRecordRow *) trace->meetings->data, *last = NULL;
  guint from, to;

  find_group (trace, at, &from, &to);
  for (guint i = from; i < to && links->len < max; i++)
    {
      const HirCommRecordRow *row = &rows[i];
      gboolean is_message = row->record.side == HIR_COMM_SIDE_RECV;

      if (row->index == HIR_NO_EVENT)
        continue;
      if (last != NULL && (is_message ? last->record.side == HIR_COMM_SIDE_SEND
                                      : last->record.side == HIR_COMM_SIDE_TEAM &&
                                            row->record.side == HIR_COMM_SIDE_TEAM))
        {
          HirCommLink link = { last->track, last->index, row->track, row->index, is_message };

          g_array_append_val (links, link);
        }
      last = row;
    }
}

GArray *
hir_trace_dup_comm_links (const HirTrace *trace, guint track, guint index, guint max)
{
  GArray *links = g_array_new (FALSE, FALSE, sizeof (HirCommLink));

  for (guint i = find_event (trace, track, index); i < trace->meetings_by_event->len; i++)
    {
      guint at = g_array_index (trace->meetings_by_event, guint, i);
      const HirCommRecordRow *row = &g_array_index (trace->meetings, HirCommRecordRow, at);

      if (row->track != track || row->index != index)
        break;
      add_links (trace, at, max, links);
    }
  return links;
}

static void
add_ref (GArray *places, guint track, guint index)
{
  HirEventRef ref = { track, index };

  for (guint i = 0; i < places->len; i++)
    {
      const HirEventRef *other = &g_array_index (places, HirEventRef, i);

      if (other->track == track && other->index == index)
        return;
    }
  g_array_append_val (places, ref);
}

GArray *
hir_trace_dup_partners (const HirTrace *trace, guint track, guint index, guint max)
{
  g_autoptr (GArray) links = hir_trace_dup_comm_links (trace, track, index, max);
  GArray *places = g_array_new (FALSE, FALSE, sizeof (HirEventRef));

  for (guint i = 0; i < links->len; i++)
    {
      const HirCommLink *link = &g_array_index (links, HirCommLink, i);

      if (link->from_track != track || link->from_index != index)
        add_ref (places, link->from_track, link->from_index);
      if (link->to_track != track || link->to_index != index)
        add_ref (places, link->to_track, link->to_index);
    }
  return places;
}
