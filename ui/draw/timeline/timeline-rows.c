#include "draw/timeline/timeline-rows.h"

#include "draw/timeline/timeline-arrange.h"
#include "trace/track-set.h"

#include <string.h>

#define HEADER_HEIGHT 20.0
#define FOLDED_HEIGHT 26.0
#define TRACK_HEIGHT 22.0
#define LANE_HEIGHT 14.0
#define COUNTER_HEIGHT 38.0
#define MAX_DEFAULT_LANES 24 /* deeper stacks are compressed until the user enlarges the track */
#define FOLDED_TRACK_HEIGHT 15.0
#define N_INKS 64

/* Returns where a rank is sorted. In a comparison of two traces (analysis/compare.h), a rank of B
 * follows the same rank of A. */
static gint64
get_place (const HirTrace *trace, int rank)
{
  const char *ranks_of_a = hir_trace_get_meta (trace, "ranks_of_a");
  gint64 n = ranks_of_a != NULL ? g_ascii_strtoll (ranks_of_a, NULL, 10) : 0;

  if (ranks_of_a == NULL)
    return rank;
  return rank < n ? 2 * (gint64) rank : 2 * (rank - n) + 1;
}

/* The default stream comes before the others. */
static gint64
get_number (const HirTrack *track)
{
  return track->stream == HIR_DEFAULT_STREAM ? G_MININT64 : track->stream;
}

/* Sorts by rank. Within a rank, the streams of each device come first, by number, and its links
 * below them. Then come the host threads, which can be many, and counters are the last tracks. */
static int
compare_rows (gconstpointer a, gconstpointer b, gpointer user_data)
{
  static const int part[] = {
    [HIR_TRACK_STREAM] = 0,
    [HIR_TRACK_LINK] = 0,
    [HIR_TRACK_HOST] = 1,
    [HIR_TRACK_COUNTER] = 2,
  };
  const HirTrace *trace = user_data;
  const HirTimelineRow *x = a, *y = b;
  const HirTrack *s = hir_trace_get_track (trace, x->track);
  const HirTrack *t = hir_trace_get_track (trace, y->track);

  if (s->rank != t->rank)
    return get_place (trace, s->rank) < get_place (trace, t->rank) ? -1 : 1;
  if (part[s->kind] != part[t->kind])
    return part[s->kind] - part[t->kind];
  if (s->device != t->device)
    return s->device < t->device ? -1 : 1;
  if (s->kind != t->kind)
    return s->kind == HIR_TRACK_LINK ? 1 : -1;
  if (s->stream != t->stream)
    return get_number (s) < get_number (t) ? -1 : 1;
  return x->track < y->track ? -1 : 1;
}

double
hir_timeline_rows_get_full_height (const HirTimelineRows *rows, guint track)
{
  guint n_lanes = MIN (hir_trace_get_n_lanes (rows->trace, track), HIR_TIMELINE_MAX_LANES);

  if (hir_trace_get_track (rows->trace, track)->kind == HIR_TRACK_COUNTER)
    return COUNTER_HEIGHT;
  return n_lanes == 1 ? TRACK_HEIGHT : n_lanes * LANE_HEIGHT + 6;
}

static void
add_row (HirTimelineRows *rows, HirTimelineRow row)
{
  if (!row.is_header && rows->heights[row.track] != 0)
    row.height = rows->heights[row.track];
  if (!row.is_header && (rows->flags[row.track] & HIR_TRACK_FOLDED) != 0)
    {
      row.is_folded = TRUE;
      row.n_lanes = 1;
      row.height = FOLDED_TRACK_HEIGHT;
    }
  row.y = rows->height;
  rows->height += row.height;
  g_array_append_val (rows->rows, row);
  if (row.is_header)
    g_hash_table_insert (rows->headers, GINT_TO_POINTER (row.rank),
                         GUINT_TO_POINTER (rows->rows->len));
  else
    rows->track_rows[row.track] = rows->rows->len;
}

static void
count_hidden (HirTimelineRows *rows, const HirTimelineRow *row)
{
  guint n = hir_timeline_rows_get_n_hidden (rows, row->rank);

  if (!row->is_header && (rows->flags[row->track] & HIR_TRACK_HIDDEN) != 0)
    g_hash_table_insert (rows->n_hidden, GINT_TO_POINTER (row->rank), GUINT_TO_POINTER (n + 1));
}

void
hir_timeline_rows_update (HirTimelineRows *rows)
{
  g_array_set_size (rows->rows, 0);
  g_hash_table_remove_all (rows->headers);
  g_hash_table_remove_all (rows->n_hidden);
  memset (rows->track_rows, 0, hir_trace_get_n_tracks (rows->trace) * sizeof *rows->track_rows);
  rows->height = 0;
  for (guint i = 0; i < rows->all->len; i++)
    {
      HirTimelineRow row = g_array_index (rows->all, HirTimelineRow, i);

      row.is_pinned = TRUE;
      count_hidden (rows, &row);
      if (!row.is_header &&
          (rows->flags[row.track] & (HIR_TRACK_PINNED | HIR_TRACK_HIDDEN)) == HIR_TRACK_PINNED)
        add_row (rows, row);
    }
  rows->pinned_height = rows->height;
  for (guint i = 0; i < rows->all->len; i++)
    {
      HirTimelineRow row = g_array_index (rows->all, HirTimelineRow, i);
      gboolean is_collapsed = hir_timeline_rows_get_collapsed (rows, row.rank);

      if (!row.is_header &&
          (is_collapsed || (rows->flags[row.track] & (HIR_TRACK_PINNED | HIR_TRACK_HIDDEN)) != 0))
        continue;
      if (row.is_header && is_collapsed)
        row.height = FOLDED_HEIGHT;
      add_row (rows, row);
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

static HirTimelineRows *
new_rows (HirTimelineIndexes *indexes, const GArray *set)
{
  HirTrace *trace = hir_timeline_indexes_get_trace (indexes);
  HirTimelineRows *rows = g_new0 (HirTimelineRows, 1);
  g_autoptr (GArray) tracks = g_array_new (FALSE, FALSE, sizeof (HirTimelineRow));
  guint n_tracks = hir_trace_get_n_tracks (trace);

  rows->trace = hir_trace_ref (trace);
  rows->rows = g_array_new (FALSE, FALSE, sizeof (HirTimelineRow));
  rows->all = g_array_new (FALSE, FALSE, sizeof (HirTimelineRow));
  rows->indexes = hir_timeline_indexes_ref (indexes);
  rows->is_whole = set == NULL;
  rows->looks = g_new0 (HirLook *, HIR_N_EVENT_KINDS);
  for (guint look = 0; look < HIR_N_LOOKS; look++)
    for (guint dark = 0; dark < 2; dark++)
      rows->palettes[dark][look] = hir_theme_get_look_color (hir_theme_get (dark), (HirLook) look);
  rows->n_names = hir_trace_get_n_strings (trace);
  rows->inks = g_new0 (HirColor, 2 * N_INKS);
  rows->collapsed = g_hash_table_new (NULL, NULL);
  rows->flags = g_new0 (guint8, n_tracks + 1);
  rows->heights = g_new0 (guint16, n_tracks + 1);
  rows->track_rows = g_new0 (guint, n_tracks + 1);
  rows->headers = g_hash_table_new (NULL, NULL);
  rows->n_hidden = g_hash_table_new (NULL, NULL);
  for (guint i = 0; i < n_tracks; i++)
    {
      const HirTrack *track = hir_trace_get_track (trace, i);
      HirTimelineRow row = { .track = i, .rank = track->rank };

      if (!hir_track_set_has (set, i))
        continue;
      row.n_lanes = MIN (hir_trace_get_n_lanes (trace, i), HIR_TIMELINE_MAX_LANES);
      row.height =
          MIN (hir_timeline_rows_get_full_height (rows, i), MAX_DEFAULT_LANES * LANE_HEIGHT + 6);
      if (track->kind == HIR_TRACK_COUNTER)
        row.n_lanes = 1;
      g_array_append_val (tracks, row);
    }
  g_array_sort_with_data (tracks, compare_rows, trace);
  add_headers (rows, tracks);
  hir_timeline_rows_update (rows);
  return rows;
}

HirTimelineRows *
hir_timeline_rows_new (HirTrace *trace, const GArray *set)
{
  g_autoptr (HirTimelineIndexes) indexes = hir_timeline_indexes_new (trace);

  return new_rows (indexes, set);
}

HirTimelineRows *
hir_timeline_rows_new_of (HirTimelineIndexes *indexes)
{
  return new_rows (indexes, NULL);
}

void
hir_timeline_rows_free (HirTimelineRows *rows)
{
  if (rows == NULL)
    return;
  for (guint i = 0; i < HIR_N_EVENT_KINDS; i++)
    g_free (rows->looks[i]);
  hir_timeline_indexes_unref (rows->indexes);
  g_free (rows->looks);
  g_free (rows->inks);
  g_array_unref (rows->rows);
  g_array_unref (rows->all);
  g_hash_table_unref (rows->collapsed);
  g_hash_table_unref (rows->headers);
  g_hash_table_unref (rows->n_hidden);
  g_free (rows->track_rows);
  g_free (rows->flags);
  g_free (rows->heights);
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
  hir_timeline_rows_update (rows);
}

void
hir_timeline_rows_set_all_collapsed (HirTimelineRows *rows, gboolean collapsed)
{
  g_hash_table_remove_all (rows->collapsed);
  for (guint i = 0; collapsed && i < rows->all->len; i++)
    g_hash_table_add (rows->collapsed,
                      GINT_TO_POINTER (g_array_index (rows->all, HirTimelineRow, i).rank));
  hir_timeline_rows_update (rows);
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

static const HirTimelineRow *
get_row (const HirTimelineRows *rows, guint row_index)
{
  return row_index > 0 ? &g_array_index (rows->rows, HirTimelineRow, row_index - 1) : NULL;
}

const HirTimelineRow *
hir_timeline_rows_get_track (const HirTimelineRows *rows, guint track)
{
  return track < hir_trace_get_n_tracks (rows->trace) ? get_row (rows, rows->track_rows[track])
                                                      : NULL;
}

const HirTimelineRow *
hir_timeline_rows_get_header (const HirTimelineRows *rows, int rank)
{
  return get_row (rows,
                  GPOINTER_TO_UINT (g_hash_table_lookup (rows->headers, GINT_TO_POINTER (rank))));
}

guint
hir_timeline_rows_get_lane (const HirTimelineRows *rows, guint track, guint index)
{
  if ((rows->flags[track] & HIR_TRACK_FOLDED) != 0)
    return 0;
  return MIN (hir_trace_get_lane (rows->trace, track, index), HIR_TIMELINE_MAX_LANES - 1);
}

HirLook
hir_timeline_rows_make_look (const HirTimelineRows *rows, HirEventKind kind, guint32 name)
{
  gboolean has_own = kind == HIR_EVENT_KERNEL || kind == HIR_EVENT_COMMUNICATION;
  gboolean is_known = name < rows->n_names;
  HirLook look =
      hir_event_get_look (kind,
                          has_own && is_known ? hir_trace_get_string (rows->trace, name) : NULL);

  if (is_known && rows->looks[kind] == NULL)
    rows->looks[kind] = g_new0 (HirLook, rows->n_names);
  if (is_known)
    rows->looks[kind][name] = look;
  return look;
}

HirColor
hir_timeline_rows_get_ink (const HirTimelineRows *rows, HirColor background)
{
  HirColor *memo = &rows->inks[2 * ((background * 0x9e3779b1u) >> 26)];

  if (memo[0] != background)
    {
      memo[0] = background;
      memo[1] = hir_theme_get_ink (background);
    }
  return memo[1];
}

guint
hir_timeline_rows_get_n_hidden (const HirTimelineRows *rows, int rank)
{
  GHashTableIter iter;
  gpointer of_rank;
  guint n = 0;

  if (rank != HIR_TIMELINE_ANY_RANK)
    return GPOINTER_TO_UINT (g_hash_table_lookup (rows->n_hidden, GINT_TO_POINTER (rank)));
  g_hash_table_iter_init (&iter, rows->n_hidden);
  while (g_hash_table_iter_next (&iter, NULL, &of_rank))
    n += GPOINTER_TO_UINT (of_rank);
  return n;
}
