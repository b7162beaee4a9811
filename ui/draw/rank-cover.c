#include "draw/rank-cover.h"

#include <math.h>

#define MIN_BINS 1024
#define MAX_BINS 131072
#define EVENTS_A_BIN 8
#define INSTANT 1e-6 /* of a bin: it is seen, and adds nothing that counts */

struct _HirRankCover
{
  gint64 start_ns;
  double bin_ns;
  guint n;
  double *sums[2]; /* ns of computation, communication before the beginning of each of n + 1 bins */
};

static gboolean
counts (const HirTrace *trace, guint track, int rank)
{
  const HirTrack *t = hir_trace_get_track (trace, track);

  return t->rank == rank && t->kind != HIR_TRACK_HOST;
}

/* Into bins, which are one place later than their sums will be. */
static void
take_event (HirRankCover *cover, const HirEventBrief *event)
{
  double x0 = (double) (event->start_ns - cover->start_ns) / cover->bin_ns;
  double x1 = (double) (event->end_ns - cover->start_ns) / cover->bin_ns;
  guint from = (guint) CLAMP (x0, 0, cover->n - 1), to = (guint) CLAMP (x1, 0, cover->n - 1);
  double *bins = cover->sums[event->kind == HIR_EVENT_COMMUNICATION] + 1;

  if (event->kind == HIR_EVENT_SYNC || event->kind == HIR_EVENT_ISSUE ||
      event->kind == HIR_EVENT_HOST)
    return;
  if (from == to)
    {
      bins[from] += MAX (x1 - x0, INSTANT) * cover->bin_ns;
      return;
    }
  bins[from] += (from + 1 - x0) * cover->bin_ns;
  for (guint i = from + 1; i < to; i++)
    bins[i] += cover->bin_ns;
  bins[to] += (x1 - to) * cover->bin_ns;
}

static void
take_track (HirRankCover *cover, const HirTrace *trace, guint track)
{
  guint n = hir_trace_get_track_n_events (trace, track), some;
  HirEventBrief events[64];

  for (guint i = 0; i < n; i += some)
    {
      some = MIN (G_N_ELEMENTS (events), n - i);
      hir_trace_get_briefs (trace, track, i, some, events);
      for (guint k = 0; k < some; k++)
        take_event (cover, &events[k]);
    }
}

HirRankCover *
hir_rank_cover_new (const HirTrace *trace, int rank)
{
  HirRankCover *cover = g_new0 (HirRankCover, 1);
  guint n_tracks = hir_trace_get_n_tracks (trace);
  guint64 n_events = 0;
  gint64 end_ns;

  for (guint t = 0; t < n_tracks; t++)
    n_events += counts (trace, t, rank) ? hir_trace_get_track_n_events (trace, t) : 0;
  hir_trace_get_span (trace, &cover->start_ns, &end_ns);
  cover->n = (guint) CLAMP (n_events / EVENTS_A_BIN, MIN_BINS, MAX_BINS);
  cover->bin_ns = MAX ((double) (end_ns - cover->start_ns), 1) / cover->n;
  for (guint i = 0; i < 2; i++)
    cover->sums[i] = g_new0 (double, cover->n + 1);
  for (guint t = 0; t < n_tracks; t++)
    if (counts (trace, t, rank))
      take_track (cover, trace, t);
  for (guint i = 0; i < 2; i++)
    for (guint b = 1; b <= cover->n; b++)
      cover->sums[i][b] += cover->sums[i][b - 1];
  return cover;
}

void
hir_rank_cover_free (HirRankCover *cover)
{
  if (cover == NULL)
    return;
  for (guint i = 0; i < 2; i++)
    g_free (cover->sums[i]);
  g_free (cover);
}

double
hir_rank_cover_get_bin_ns (const HirRankCover *cover)
{
  return cover->bin_ns;
}

/* Work before @x, in bins. */
static double
get_sum (const HirRankCover *cover, guint which, double x)
{
  const double *sums = cover->sums[which];
  guint at;

  if (x <= 0)
    return 0;
  if (x >= cover->n)
    return sums[cover->n];
  at = (guint) x;
  return sums[at] + (x - at) * (sums[at + 1] - sums[at]);
}

void
hir_rank_cover_get (const HirRankCover *cover,
                    gint64 start_ns,
                    gint64 end_ns,
                    guint n,
                    float *computation,
                    float *communication)
{
  double column_ns = (double) (end_ns - start_ns) / n;
  double first = (double) (start_ns - cover->start_ns) / cover->bin_ns;
  double step = column_ns / cover->bin_ns;

  for (guint which = 0; which < 2; which++)
    {
      float *shares = which == 0 ? computation : communication;
      double before = get_sum (cover, which, first);

      for (guint c = 0; c < n; c++)
        {
          double after = get_sum (cover, which, first + (c + 1) * step);

          shares[c] = (float) CLAMP ((after - before) / column_ns, 0, 1);
          before = after;
        }
    }
}
