#include "trace/edge.h"
#include "identity.h"
#include "trace/trace-private.h"

#define MAX_EDGES (4 * 1024 * 1024)

gboolean
hir_edges_add (HirTrace *trace, const HirEdge *edge)
{
  HirEdgeRow row = { *edge, HIR_NO_EVENT, HIR_NO_EVENT };

  if (trace->edges->len >= MAX_EDGES || edge->from_track >= trace->tracks->len ||
      edge->to_track >= trace->tracks->len)
    return FALSE;
  g_array_append_val (trace->edges, row);
  return TRUE;
}

guint
hir_edge_hash (gconstpointer edge)
{
  const HirEdge *of = edge;

  return (of->from_correlation * 31 + of->to_correlation) * 31 + of->from_track * 7919u +
         of->to_track;
}

gboolean
hir_edge_equal (gconstpointer a, gconstpointer b)
{
  const HirEdge *x = a, *y = b;

  return x->from_correlation == y->from_correlation && x->to_correlation == y->to_correlation &&
         x->from_track == y->from_track && x->to_track == y->to_track;
}

static guint64
make_key (guint track, guint32 correlation)
{
  return (guint64) track << 32 | correlation;
}

/* Finds the events that edges refer to, by track and correlation: the first one for keys in @first,
 * the last one for keys in @last. */
static void
find_events (const HirTrace *trace, GHashTable *first, GHashTable *last)
{
  for (guint t = 0; t < trace->tracks->len; t++)
    {
      const HirTrackData *track = g_ptr_array_index (trace->tracks, t);

      for (guint i = 0; i < track->columns.n; i++)
        {
          guint64 key =
              make_key (t, hir_column_value (&track->columns, HIR_COLUMN_CORRELATION, guint32, i));
          guint *index = g_hash_table_lookup (first, &key);

          if (index != NULL && *index == HIR_NO_EVENT)
            *index = i;
          index = g_hash_table_lookup (last, &key);
          if (index != NULL)
            *index = i;
        }
    }
}

static void
want (GHashTable *table, guint track, guint32 correlation)
{
  guint64 key = make_key (track, correlation);
  guint none = HIR_NO_EVENT;

  if (correlation != 0 && !g_hash_table_contains (table, &key))
    g_hash_table_insert (table, g_memdup2 (&key, sizeof key), g_memdup2 (&none, sizeof none));
}

static guint
get_wanted (GHashTable *table, guint track, guint32 correlation)
{
  guint64 key = make_key (track, correlation);
  const guint *index = g_hash_table_lookup (table, &key);

  return index != NULL ? *index : HIR_NO_EVENT;
}

/* Returns one end of an edge. @end, as stored in edges_by_event, is twice the row, plus 1 for the
 * target. */
static void
get_end (const HirTrace *trace, guint end, guint *track, guint *index)
{
  const HirEdgeRow *row = &g_array_index (trace->edges, HirEdgeRow, end / 2);

  *track = end % 2 == 0 ? row->edge.from_track : row->edge.to_track;
  *index = end % 2 == 0 ? row->from_index : row->to_index;
}

static int
compare_places (gconstpointer a, gconstpointer b, gpointer user_data)
{
  guint x = *(const guint *) a, y = *(const guint *) b;
  guint x_track, x_index, y_track, y_index;

  get_end (user_data, x, &x_track, &x_index);
  get_end (user_data, y, &y_track, &y_index);
  if (x_track != y_track)
    return x_track < y_track ? -1 : 1;
  if (x_index != y_index)
    return x_index < y_index ? -1 : 1;
  return x < y ? -1 : x > y;
}

void
hir_edges_finish (HirTrace *trace)
{
  g_autoptr (GHashTable) first =
      g_hash_table_new_full (hir_word_hash, g_int64_equal, g_free, g_free);
  g_autoptr (GHashTable) last =
      g_hash_table_new_full (hir_word_hash, g_int64_equal, g_free, g_free);

  for (guint i = 0; i < trace->edges->len; i++)
    {
      const HirEdge *edge = &g_array_index (trace->edges, HirEdgeRow, i).edge;

      want (last, edge->from_track, edge->from_correlation);
      want (first, edge->to_track, edge->to_correlation);
    }
  if (trace->edges->len > 0)
    find_events (trace, first, last);
  for (guint i = 0; i < trace->edges->len; i++)
    {
      HirEdgeRow *row = &g_array_index (trace->edges, HirEdgeRow, i);
      guint from = 2 * i, to = 2 * i + 1;

      row->from_index = get_wanted (last, row->edge.from_track, row->edge.from_correlation);
      row->to_index = get_wanted (first, row->edge.to_track, row->edge.to_correlation);
      if (row->from_index == HIR_NO_EVENT || row->to_index == HIR_NO_EVENT)
        continue;
      g_array_append_val (trace->edges_by_event, from);
      g_array_append_val (trace->edges_by_event, to);
    }
  g_array_sort_with_data (trace->edges_by_event, compare_places, trace);
}

guint
hir_trace_get_n_edges (const HirTrace *trace)
{
  return trace->edges->len;
}

gboolean
hir_trace_get_edge (const HirTrace *trace, guint i, HirEdge *edge, HirEdgeLink *link)
{
  const HirEdgeRow *row;

  g_return_val_if_fail (i < trace->edges->len, FALSE);
  row = &g_array_index (trace->edges, HirEdgeRow, i);
  *edge = row->edge;
  *link = (HirEdgeLink){ row->edge.from_track, row->from_index, row->edge.to_track, row->to_index };
  return row->from_index != HIR_NO_EVENT && row->to_index != HIR_NO_EVENT;
}

GArray *
hir_trace_dup_edge_links (const HirTrace *trace, guint track, guint index, guint max)
{
  GArray *links = g_array_new (FALSE, FALSE, sizeof (HirEdgeLink));
  guint low = 0, high = trace->edges_by_event->len;

  while (low < high)
    {
      guint middle = (low + high) / 2, at_track, at_index;

      get_end (trace, g_array_index (trace->edges_by_event, guint, middle), &at_track, &at_index);
      if (at_track < track || (at_track == track && at_index < index))
        low = middle + 1;
      else
        high = middle;
    }
  for (; low < trace->edges_by_event->len && links->len < max; low++)
    {
      guint end = g_array_index (trace->edges_by_event, guint, low), at_track, at_index;
      HirEdge edge;
      HirEdgeLink link;

      get_end (trace, end, &at_track, &at_index);
      if (at_track != track || at_index != index)
        break;
      hir_trace_get_edge (trace, end / 2, &edge, &link);
      g_array_append_val (links, link);
    }
  return links;
}
