#include "draw/timeline-rows.h"

#include <string.h>

#define HEADER_HEIGHT 20.0
#define FOLDED_HEIGHT 26.0
#define TRACK_HEIGHT 22.0
#define LANE_HEIGHT 14.0

/* Host threads first, then streams by number, then links: as in the order of causes. */
static int
compare_rows (gconstpointer a, gconstpointer b, gpointer user_data)
{
  static const int order[] = {
    [HIR_TRACK_HOST] = 0,
    [HIR_TRACK_STREAM] = 1,
    [HIR_TRACK_LINK] = 2,
  };
  const HirTrace *trace = user_data;
  const HirTimelineRow *x = a, *y = b;
  const HirTrack *s = hir_trace_get_track (trace, x->track);
  const HirTrack *t = hir_trace_get_track (trace, y->track);

  if (s->rank != t->rank)
    return s->rank < t->rank ? -1 : 1;
  if (s->device != t->device)
    return s->device < t->device ? -1 : 1;
  if (order[s->kind] != order[t->kind])
    return order[s->kind] - order[t->kind];
  if (s->stream != t->stream)
    return s->stream < t->stream ? -1 : 1;
  return x->track < y->track ? -1 : 1;
}

/* First fit: the lowest lane whose last event has ended. Returns how many lanes it took. */
static guint
assign_lanes (const HirTrace *trace, guint track, guint8 *lanes)
{
  gint64 ends[HIR_TIMELINE_MAX_LANES];
  guint n = hir_trace_get_track_n_events (trace, track), n_lanes = 0;

  for (guint i = 0; i < n; i++)
    {
      HirEvent event;
      guint lane = 0;

      hir_trace_get_event (trace, track, i, &event);
      while (lane < n_lanes && ends[lane] > event.start_ns)
        lane++;
      /* More at once than there are lanes: they share the last one. */
      if (lane == HIR_TIMELINE_MAX_LANES)
        lane--;
      else if (lane == n_lanes)
        ends[n_lanes++] = G_MININT64;
      ends[lane] = MAX (ends[lane], event.end_ns);
      lanes[i] = (guint8) lane;
    }
  return n_lanes;
}

static gboolean
matches (const HirTrack *track, const char *glob)
{
  g_autofree char *full = NULL;

  if (glob == NULL)
    return TRUE;
  full = g_strdup_printf ("%d/%s", track->rank, track->name);
  return g_pattern_match_simple (glob, track->name) || g_pattern_match_simple (glob, full);
}

static void
show (HirTimelineRows *rows)
{
  g_array_set_size (rows->rows, 0);
  rows->height = 0;
  for (guint i = 0; i < rows->all->len; i++)
    {
      HirTimelineRow row = g_array_index (rows->all, HirTimelineRow, i);

      if (!row.is_header && hir_timeline_rows_get_collapsed (rows, row.rank))
        continue;
      if (row.is_header && hir_timeline_rows_get_collapsed (rows, row.rank))
        row.height = FOLDED_HEIGHT;
      row.y = rows->height;
      rows->height += row.height;
      g_array_append_val (rows->rows, row);
    }
}

static void
add_headers (HirTimelineRows *rows, GArray *tracks)
{
  for (guint i = 0; i < tracks->len; i++)
    {
      HirTimelineRow *row = &g_array_index (tracks, HirTimelineRow, i);

      if (i == 0 || row->rank != g_array_index (tracks, HirTimelineRow, i - 1).rank)
        {
          HirTimelineRow header = { .is_header = TRUE,
                                    .rank = row->rank,
                                    .device = hir_trace_get_track (rows->trace, row->track)->device,
                                    .height = HEADER_HEIGHT };

          g_array_append_val (rows->all, header);
        }
      g_array_append_val (rows->all, *row);
    }
}

HirTimelineRows *
hir_timeline_rows_new (HirTrace *trace, const char *glob)
{
  HirTimelineRows *rows = g_new0 (HirTimelineRows, 1);
  g_autoptr (GArray) tracks = g_array_new (FALSE, FALSE, sizeof (HirTimelineRow));
  guint n_tracks = hir_trace_get_n_tracks (trace);

  rows->trace = hir_trace_ref (trace);
  rows->rows = g_array_new (FALSE, FALSE, sizeof (HirTimelineRow));
  rows->all = g_array_new (FALSE, FALSE, sizeof (HirTimelineRow));
  rows->lanes = g_new0 (guint8 *, n_tracks + 1);
  rows->collapsed = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < n_tracks; i++)
    {
      const HirTrack *track = hir_trace_get_track (trace, i);
      HirTimelineRow row = { .track = i, .rank = track->rank, .n_lanes = 1 };
      guint n = hir_trace_get_track_n_events (trace, i);

      if (!matches (track, glob))
        continue;
      rows->lanes[i] = g_try_malloc (n);
      if (rows->lanes[i] != NULL)
        row.n_lanes = MAX (assign_lanes (trace, i, rows->lanes[i]), 1);
      if (row.n_lanes == 1)
        g_clear_pointer (&rows->lanes[i], g_free);
      row.height = row.n_lanes == 1 ? TRACK_HEIGHT : row.n_lanes * LANE_HEIGHT + 6;
      g_array_append_val (tracks, row);
    }
  g_array_sort_with_data (tracks, compare_rows, trace);
  add_headers (rows, tracks);
  show (rows);
  return rows;
}

void
hir_timeline_rows_free (HirTimelineRows *rows)
{
  if (rows == NULL)
    return;
  for (guint i = 0; i < hir_trace_get_n_tracks (rows->trace); i++)
    g_free (rows->lanes[i]);
  g_free (rows->lanes);
  g_array_unref (rows->rows);
  g_array_unref (rows->all);
  g_hash_table_unref (rows->collapsed);
  hir_trace_unref (rows->trace);
  g_free (rows);
}

void
hir_timeline_rows_set_collapsed (HirTimelineRows *rows, int rank, gboolean collapsed)
{
  if (collapsed)
    g_hash_table_add (rows->collapsed, GINT_TO_POINTER (rank));
  else
    g_hash_table_remove (rows->collapsed, GINT_TO_POINTER (rank));
  show (rows);
}

void
hir_timeline_rows_set_all_collapsed (HirTimelineRows *rows, gboolean collapsed)
{
  g_hash_table_remove_all (rows->collapsed);
  for (guint i = 0; collapsed && i < rows->all->len; i++)
    g_hash_table_add (rows->collapsed,
                      GINT_TO_POINTER (g_array_index (rows->all, HirTimelineRow, i).rank));
  show (rows);
}

guint
hir_timeline_rows_get_n_ranks (const HirTimelineRows *rows)
{
  guint n = 0;

  for (guint i = 0; i < rows->all->len; i++)
    n += g_array_index (rows->all, HirTimelineRow, i).is_header;
  return n;
}

gboolean
hir_timeline_rows_get_collapsed (const HirTimelineRows *rows, int rank)
{
  return g_hash_table_contains (rows->collapsed, GINT_TO_POINTER (rank));
}

const HirTimelineRow *
hir_timeline_rows_get_at (const HirTimelineRows *rows, double y)
{
  guint low = 0, high = rows->rows->len;

  if (y < 0 || y >= rows->height)
    return NULL;
  while (high - low > 1)
    {
      guint middle = (low + high) / 2;

      if (g_array_index (rows->rows, HirTimelineRow, middle).y <= y)
        low = middle;
      else
        high = middle;
    }
  return &g_array_index (rows->rows, HirTimelineRow, low);
}

const HirTimelineRow *
hir_timeline_rows_get_track (const HirTimelineRows *rows, guint track)
{
  for (guint i = 0; i < rows->rows->len; i++)
    {
      const HirTimelineRow *row = &g_array_index (rows->rows, HirTimelineRow, i);

      if (!row->is_header && row->track == track)
        return row;
    }
  return NULL;
}

const HirTimelineRow *
hir_timeline_rows_get_header (const HirTimelineRows *rows, int rank)
{
  for (guint i = 0; i < rows->rows->len; i++)
    {
      const HirTimelineRow *row = &g_array_index (rows->rows, HirTimelineRow, i);

      if (row->is_header && row->rank == rank)
        return row;
    }
  return NULL;
}

guint
hir_timeline_rows_get_lane (const HirTimelineRows *rows, guint track, guint index)
{
  return rows->lanes[track] != NULL ? rows->lanes[track][index] : 0;
}
