/* Indexes of events, built when a query first needs them. */
#include <string.h>

#include "identity.h"
#include "query/query-private.h"
#include "trace/headroom.h"

void
hir_query_locate (const HirQuery *query, guint32 position, guint *place, guint *index)
{
  guint low = 0, high = hir_trace_get_n_tracks (query->trace);

  if (position < query->first[*place] || position >= query->first[*place + 1])
    {
      while (high - low > 1)
        {
          guint middle = low + (high - low) / 2;

          if (query->first[middle] <= position)
            low = middle;
          else
            high = middle;
        }
      *place = low;
    }
  *index = position - query->first[*place];
}

gboolean
hir_query_split_id (const HirQuery *query, gint64 id, guint *track, guint *index)
{
  guint64 bits = (guint64) id;

  if (id < 0 || bits >> 32 >= hir_trace_get_n_tracks (query->trace))
    return FALSE;
  *track = (guint) (bits >> 32);
  *index = (guint) (bits & G_MAXUINT32);
  return *index < hir_trace_get_track_n_events (query->trace, *track);
}

const HirLaunch *
hir_query_lookup_launch (HirQuery *query, guint track, guint index)
{
  const HirTrack *info = hir_trace_get_track (query->trace, track);
  const HirColumns *columns = hir_trace_get_columns (query->trace, track);
  guint32 correlation = hir_column_value (columns, HIR_COLUMN_CORRELATION, guint32, index);

  if (correlation == 0 || !hir_track_is_of_device (info))
    return NULL;
  if (query->launches == NULL)
    query->launches = hir_launches_new (query->trace, NULL);
  return hir_launches_lookup (query->launches, info->rank, correlation,
                              hir_columns_get_start (columns, index));
}

static int
compare_names (gconstpointer a, gconstpointer b, gpointer trace)
{
  return strcmp (hir_trace_get_string (trace, *(const guint32 *) a),
                 hir_trace_get_string (trace, *(const guint32 *) b));
}

/* Orders the strings of the trace as SQLite does. */
static void
ensure_names (HirQuery *query)
{
  guint32 n = hir_trace_get_n_strings (query->trace);

  if (query->names != NULL)
    return;
  query->names = g_new (guint32, n);
  query->name_orders = g_new (guint32, n);
  for (guint32 i = 0; i < n; i++)
    query->names[i] = i;
  g_qsort_with_data (query->names, (gint) n, sizeof *query->names, compare_names,
                     (gpointer) query->trace);
  for (guint32 i = 0; i < n; i++)
    query->name_orders[query->names[i]] = i;
}

gboolean
hir_query_find_name (HirQuery *query, const char *text, guint32 *number)
{
  guint32 low = 0, high = hir_trace_get_n_strings (query->trace);

  ensure_names (query);
  while (low < high)
    {
      guint32 middle = low + (high - low) / 2;
      int order = strcmp (hir_trace_get_string (query->trace, query->names[middle]), text);

      if (order == 0)
        {
          *number = middle;
          return TRUE;
        }
      if (order < 0)
        low = middle + 1;
      else
        high = middle;
    }
  return FALSE;
}

/* Gets the number by which an index sorts an event. Returns FALSE if the event is not in it. */
static gboolean
get_number (HirQuery *query, HirQueryIndexKind kind, guint track, guint index, guint32 *number)
{
  const HirColumns *columns = hir_trace_get_columns (query->trace, track);
  const HirLaunch *launch;

  switch (kind)
    {
    case HIR_QUERY_BY_NAME:
      *number = query->name_orders[hir_column_value (columns, HIR_COLUMN_NAME, guint32, index)];
      return TRUE;

    case HIR_QUERY_BY_CORRELATION:
      *number = hir_column_value (columns, HIR_COLUMN_CORRELATION, guint32, index);
      return *number != 0;

    case HIR_QUERY_BY_INSTRUCTION:
      *number = hir_column_value (columns, HIR_COLUMN_INSTRUCTION, guint32, index);
      return *number != 0;

    case HIR_QUERY_BY_LAUNCH:
      launch = hir_query_lookup_launch (query, track, index);
      if (launch == NULL)
        return FALSE;
      *number = query->first[query->places[launch->track]] + launch->index;
      return TRUE;

    case HIR_QUERY_N_INDEXES:
    default:
      return FALSE;
    }
}

/* Sorts by the upper 32 bits; equal ones keep their order. @other has room for @n. */
static guint64 *
sort_entries (guint64 *entries, guint64 *other, guint n)
{
  for (guint shift = 32; shift < 64; shift += 8)
    {
      guint counts[256] = { 0 }, at = 0;
      guint64 *from = entries;

      for (guint i = 0; i < n; i++)
        counts[entries[i] >> shift & 0xff]++;
      if (n == 0 || counts[entries[0] >> shift & 0xff] == n)
        continue;
      for (guint i = 0; i < 256; i++)
        {
          guint count = counts[i];

          counts[i] = at;
          at += count;
        }
      for (guint i = 0; i < n; i++)
        other[counts[from[i] >> shift & 0xff]++] = from[i];
      entries = other;
      other = from;
    }
  return entries;
}

static guint
collect (HirQuery *query, HirQueryIndexKind kind, guint64 *entries)
{
  guint n = 0;

  for (guint place = 0; place < hir_trace_get_n_tracks (query->trace); place++)
    for (guint i = 0; i < query->first[place + 1] - query->first[place]; i++)
      {
        guint32 number;

        if (get_number (query, kind, query->order[place], i, &number))
          entries[n++] = (guint64) number << 32 | (query->first[place] + i);
      }
  return n;
}

const HirQueryIndex *
hir_query_get_index (HirQuery *query, HirQueryIndexKind kind)
{
  HirQueryIndex *index = &query->indexes[kind];
  gsize n = (gsize) hir_trace_get_n_events (query->trace);
  guint64 *entries, *other, *sorted;

  if (index->is_built)
    return index;
  if (!hir_has_room (2 * n * sizeof *entries))
    return NULL;
  if (kind == HIR_QUERY_BY_NAME)
    ensure_names (query);
  entries = g_new (guint64, MAX (n, 1));
  other = g_new (guint64, MAX (n, 1));
  index->n = collect (query, kind, entries);
  sorted = sort_entries (entries, other, index->n);
  g_free (sorted == entries ? other : entries);
  index->entries = sorted;
  index->is_built = TRUE;
  return index;
}

static guint
count_before (const HirQueryIndex *index, guint64 entry)
{
  guint low = 0, high = index->n;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (index->entries[middle] < entry)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

void
hir_query_index_find (const HirQueryIndex *index, guint32 number, guint *first, guint *end)
{
  *first = count_before (index, (guint64) number << 32);
  *end = number == G_MAXUINT32 ? index->n : count_before (index, ((guint64) number + 1) << 32);
}

/* Writes the ids of all instructions, which events refer to by number. */
static void
ensure_instructions (HirQuery *query)
{
  guint n_tracks = hir_trace_get_n_tracks (query->trace), largest = 0;

  if (query->instructions != NULL)
    return;
  for (guint pass = 0; pass < 2; pass++)
    {
      for (guint t = 0; t < n_tracks; t++)
        {
          const HirColumns *columns = hir_trace_get_columns (query->trace, t);
          const guint32 *numbers = columns->data[HIR_COLUMN_INSTRUCTION];

          for (guint i = 0; numbers != NULL && i < columns->n; i++)
            {
              HirEvent event;

              largest = MAX (largest, numbers[i]);
              if (pass == 0 || query->instructions[numbers[i]][0] != '\0')
                continue;
              hir_trace_get_event (query->trace, t, i, &event);
              hir_id_to_hex (event.instruction, query->instructions[numbers[i]]);
            }
        }
      if (pass == 0)
        query->instructions = g_malloc0_n (largest + 1, sizeof *query->instructions);
    }
  query->n_instructions = largest + 1;
}

const char *
hir_query_get_instruction (HirQuery *query, guint32 number)
{
  ensure_instructions (query);
  return query->instructions[number];
}

gboolean
hir_query_find_instruction (HirQuery *query, const char *hex, guint32 *number)
{
  ensure_instructions (query);
  for (*number = 1; *number < query->n_instructions; ++*number)
    if (strcmp (query->instructions[*number], hex) == 0)
      return TRUE;
  return FALSE;
}
