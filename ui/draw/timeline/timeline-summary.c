#include "draw/timeline/timeline-summary.h"

#include <math.h>
#include <string.h>

#define MARGIN 4.0

static void
add_rank (const HirTimelineRows *rows,
          int rank,
          gint64 start_ns,
          gint64 end_ns,
          guint n,
          float *computation,
          float *communication)
{
  for (guint i = 0; i < rows->all->len; i++)
    {
      const HirTimelineRow *row = &g_array_index (rows->all, HirTimelineRow, i);

      if (!row->is_header && row->rank == rank &&
          hir_track_is_of_device (hir_trace_get_track (rows->trace, row->track)))
        hir_timeline_index_add_cover (hir_timeline_indexes_get (rows->indexes, row->track),
                                      start_ns, end_ns, n, computation, communication);
    }
}

/* Uses the sums of the rank if the columns are not finer, otherwise each track. */
static void
get_rank (const HirTimelineRows *rows,
          int rank,
          gint64 start_ns,
          gint64 end_ns,
          guint n,
          float *computation,
          float *communication)
{
  const HirRankCover *sums =
      rows->is_whole ? hir_timeline_indexes_get_cover (rows->indexes, rank) : NULL;

  if (sums != NULL && (double) (end_ns - start_ns) / n >= hir_rank_cover_get_bin_ns (sums))
    {
      hir_rank_cover_get (sums, start_ns, end_ns, n, computation, communication);
      return;
    }
  for (guint c = 0; c < n; c++)
    computation[c] = communication[c] = 0;
  add_rank (rows, rank, start_ns, end_ns, n, computation, communication);
}

void
hir_timeline_summary_get_cover (const HirTimelineRows *rows,
                                int rank,
                                gint64 start_ns,
                                gint64 end_ns,
                                guint n,
                                float *computation,
                                float *communication)
{
  g_autofree float *own = g_new (float, 2 * (gsize) n);
  guint n_ranks = 0;

  for (guint c = 0; c < n; c++)
    computation[c] = communication[c] = 0;
  for (guint i = 0; i < rows->all->len; i++)
    {
      const HirTimelineRow *row = &g_array_index (rows->all, HirTimelineRow, i);

      if (!row->is_header || (rank != HIR_TIMELINE_ALL_RANKS && row->rank != rank))
        continue;
      get_rank (rows, row->rank, start_ns, end_ns, n, own, own + n);
      for (guint c = 0; c < n; c++)
        {
          computation[c] += MIN (own[c], 1);
          communication[c] += MIN (own[n + c], 1);
        }
      n_ranks++;
    }
  for (guint c = 0; c < n && n_ranks > 1; c++)
    {
      computation[c] /= (float) n_ranks;
      communication[c] /= (float) n_ranks;
    }
}

/* Reads the rank's tracks, for columns finer than its sums. */
static void
look_at_tracks (
    const HirTimelineRows *rows, int rank, gint64 start_ns, gint64 end_ns, guint n, HirLook *looks)
{
  g_autofree guint64 *keys = g_new0 (guint64, 2 * (gsize) n);

  for (guint i = 0; i < rows->all->len; i++)
    {
      const HirTimelineRow *row = &g_array_index (rows->all, HirTimelineRow, i);

      if (!row->is_header && row->rank == rank &&
          hir_track_is_of_device (hir_trace_get_track (rows->trace, row->track)))
        hir_timeline_index_add_looks (hir_timeline_indexes_get (rows->indexes, row->track),
                                      start_ns, end_ns, n, keys, keys + n);
    }
  for (guint c = 0; c < 2 * n; c++)
    {
      const HirTimelineColumn column = { .key = keys[c] };

      looks[c] = keys[c] == 0
                     ? 0
                     : hir_timeline_rows_get_look (rows, hir_timeline_column_get_kind (&column),
                                                   hir_timeline_column_get_name (&column));
    }
}

void
hir_timeline_summary_get_looks (const HirTimelineRows *rows,
                                int rank,
                                gint64 start_ns,
                                gint64 end_ns,
                                guint n,
                                HirLook *computation,
                                HirLook *communication)
{
  g_autofree HirLook *own = g_new (HirLook, 2 * (gsize) n);

  memset (computation, 0, n);
  memset (communication, 0, n);
  for (guint i = 0; i < rows->all->len; i++)
    {
      const HirTimelineRow *row = &g_array_index (rows->all, HirTimelineRow, i);
      const HirRankCover *sums;

      if (!row->is_header || (rank != HIR_TIMELINE_ALL_RANKS && row->rank != rank))
        continue;
      sums = rows->is_whole ? hir_timeline_indexes_get_cover (rows->indexes, row->rank) : NULL;
      if (sums != NULL && (double) (end_ns - start_ns) / n >= hir_rank_cover_get_bin_ns (sums))
        hir_rank_cover_get_looks (sums, start_ns, end_ns, n, own, own + n);
      else
        look_at_tracks (rows, row->rank, start_ns, end_ns, n, own);
      /* Ranks mostly do the same work, so the first active one gives the appearance. */
      for (guint c = 0; c < n; c++)
        {
          computation[c] = computation[c] != 0 ? computation[c] : own[c];
          communication[c] = communication[c] != 0 ? communication[c] : own[n + c];
        }
    }
  for (guint c = 0; c < n; c++)
    {
      computation[c] =
          computation[c] != 0 ? computation[c] : hir_event_get_look (HIR_EVENT_KERNEL, NULL);
      communication[c] = communication[c] != 0 ? communication[c]
                                               : hir_event_get_look (HIR_EVENT_COMMUNICATION, NULL);
    }
}

void
hir_timeline_summary_get_band (
    const HirTimelineRow *row, gboolean is_communication, double y, double *top, double *height)
{
  double each = (row->height - 2 * MARGIN) / 2;

  *top = y + MARGIN + (is_communication ? each + 0.5 : 0);
  *height = each - 0.5;
}

/* Returns whether all indexes of the rank exist, for views that must not block. */
static gboolean
is_made (const HirTimelineRows *rows, int rank)
{
  gboolean all = hir_timeline_indexes_peek_cover (rows->indexes, rank) != NULL;

  for (guint t = 0; all && t < hir_trace_get_n_tracks (rows->trace); t++)
    all = hir_trace_get_track (rows->trace, t)->rank != rank ||
          !hir_track_is_of_device (hir_trace_get_track (rows->trace, t)) ||
          hir_timeline_indexes_peek (rows->indexes, t) != NULL;
  return all;
}

/* The opacity of a column grows with its busy share; even a small share is visible. */
static void
draw_cover (const HirTimelineScene *scene,
            HirDisplayList *list,
            const float *cover,
            const HirLook *looks,
            guint n,
            HirRect band)
{
  const HirColor *palette = scene->rows->palettes[scene->theme->dark];
  g_autofree HirColor *colors = g_new (HirColor, n);

  for (guint c = 0; c < n; c++)
    colors[c] = cover[c] > 0
                    ? hir_color_mix (scene->theme->panel, palette[looks[c]], 0.35 + 0.65 * cover[c])
                    : 0;
  hir_display_list_add_columns (list, band, colors, n);
}

void
hir_timeline_summary_draw (const HirTimelineScene *scene,
                           HirDisplayList *list,
                           const HirTimelineRow *row,
                           double y)
{
  double plot = floor (scene->width - scene->header_width);
  g_autofree float *cover = NULL;
  g_autofree HirLook *looks = NULL;
  guint n;

  if (plot < 1 || (scene->hurries && !is_made (scene->rows, row->rank)))
    return;
  n = (guint) plot;
  cover = g_new (float, 2 * (gsize) n);
  hir_timeline_summary_get_cover (scene->rows, row->rank, scene->start_ns, scene->end_ns, n, cover,
                                  cover + n);
  looks = g_new (HirLook, 2 * (gsize) n);
  hir_timeline_summary_get_looks (scene->rows, row->rank, scene->start_ns, scene->end_ns, n, looks,
                                  looks + n);
  for (guint lane = 0; lane < 2; lane++)
    {
      double top, height;

      hir_timeline_summary_get_band (row, lane == 1, y, &top, &height);
      if (!scene->exact)
        {
          height = round (top + height) - round (top);
          top = round (top);
        }
      draw_cover (scene, list, cover + lane * n, looks + lane * n, n,
                  hir_rect (scene->header_width, top, plot, height));
    }
}
