#include "draw/timeline/rank-cover.h"

#include <math.h>

#define MIN_BINS 1024
#define MAX_BINS 131072
#define EVENTS_A_BIN 8
#define PIECES_A_LOOK 65536
#define BINS_A_LOOK 16 /* bins read per column; more are sampled */
#define INSTANT 1e-6   /* length of an instant in bins; visible but negligible */

struct _HirRankCover
{
  gint64 start_ns;
  double bin_ns;
  guint n;
  double *sums[2]; /* ns of computation and communication before the start of each of n + 1 bins */
  HirLook *looks[2]; /* per bin: appearance of the longest event, as in timeline-index.h */
};

/* State during construction. */
typedef struct
{
  HirRankCover *cover;
  const HirTrace *trace;
  float *longest[2];    /* per bin: longest event, in ns */
  HirLook *of_names[2]; /* 0 if not computed yet */
  guint64 n_pieces;
} Making;

static HirLook
get_look (Making *making, guint which, const HirEventBrief *event)
{
  HirLook *look = &making->of_names[which][event->name];

  if (event->kind != HIR_EVENT_KERNEL && event->kind != HIR_EVENT_COMMUNICATION)
    return hir_event_get_look ((HirEventKind) event->kind, NULL);
  if (*look == 0)
    *look = hir_event_get_look ((HirEventKind) event->kind,
                                hir_trace_get_string (making->trace, event->name));
  return *look;
}

/* @ns: the part in the bin; @event_ns: the whole event, so that events which all fill a bin do not
 * alternate. */
static inline void
add_piece (Making *making, guint which, guint bin, double ns, float event_ns, HirLook look)
{
  making->n_pieces++;
  making->cover->sums[which][bin + 1] += ns;
  if (event_ns <= making->longest[which][bin])
    return;
  making->longest[which][bin] = event_ns;
  making->cover->looks[which][bin] = look;
}

/* Adds the event to its bins. sums[bin + 1] holds the work in the bin until the prefix sums are
 * computed. */
static void
take_event (Making *making, const HirEventBrief *event)
{
  HirRankCover *cover = making->cover;
  double x0 = (double) (event->start_ns - cover->start_ns) / cover->bin_ns;
  double x1 = (double) (event->end_ns - cover->start_ns) / cover->bin_ns;
  guint from = (guint) CLAMP (x0, 0, cover->n - 1), to = (guint) CLAMP (x1, 0, cover->n - 1);
  guint which = event->kind == HIR_EVENT_COMMUNICATION;
  float all = (float) MAX (event->end_ns - event->start_ns, 1);
  HirLook look;

  if (event->kind == HIR_EVENT_SYNC || event->kind == HIR_EVENT_ISSUE ||
      event->kind == HIR_EVENT_HOST)
    return;
  look = get_look (making, which, event);
  if (from == to)
    {
      add_piece (making, which, from, MAX (x1 - x0, INSTANT) * cover->bin_ns, all, look);
      return;
    }
  add_piece (making, which, from, (from + 1 - x0) * cover->bin_ns, all, look);
  for (guint i = from + 1; i < to; i++)
    add_piece (making, which, i, cover->bin_ns, all, look);
  add_piece (making, which, to, (x1 - to) * cover->bin_ns, all, look);
}

static gboolean
take_track (Making *making, guint track, GCancellable *cancellable)
{
  guint n = hir_trace_get_track_n_events (making->trace, track), some;
  guint64 next_look = 0;
  HirEventBrief events[64];

  for (guint i = 0; i < n; i += some)
    {
      /* A long event counts like many short ones. */
      if (making->n_pieces >= next_look)
        {
          if (g_cancellable_is_cancelled (cancellable))
            return FALSE;
          next_look = making->n_pieces + PIECES_A_LOOK;
        }
      some = MIN (G_N_ELEMENTS (events), n - i);
      hir_trace_get_briefs (making->trace, track, i, some, events);
      making->n_pieces += some;
      for (guint k = 0; k < some; k++)
        take_event (making, &events[k]);
    }
  return TRUE;
}

static gboolean
take_tracks (HirRankCover *cover,
             const HirTrace *trace,
             const GArray *tracks,
             GCancellable *cancellable)
{
  Making making = { .cover = cover, .trace = trace };
  gboolean done = TRUE;

  for (guint i = 0; i < 2; i++)
    {
      making.longest[i] = g_new0 (float, cover->n);
      making.of_names[i] = g_new0 (HirLook, hir_trace_get_n_strings (trace));
    }
  for (guint i = 0; i < tracks->len && done; i++)
    done = take_track (&making, g_array_index (tracks, guint, i), cancellable);
  for (guint i = 0; i < 2; i++)
    {
      g_free (making.longest[i]);
      g_free (making.of_names[i]);
    }
  return done;
}

/* Returns those of @tracks that belong to a device. */
static GArray *
dup_tracks (const HirTrace *trace, const guint *tracks, guint n_tracks)
{
  GArray *some = g_array_new (FALSE, FALSE, sizeof (guint));

  for (guint i = 0; i < n_tracks; i++)
    if (hir_track_is_of_device (hir_trace_get_track (trace, tracks[i])))
      g_array_append_val (some, tracks[i]);
  return some;
}

HirRankCover *
hir_rank_cover_new (const HirTrace *trace,
                    const guint *tracks,
                    guint n_tracks,
                    GCancellable *cancellable)
{
  HirRankCover *cover = g_new0 (HirRankCover, 1);
  g_autoptr (GArray) some = dup_tracks (trace, tracks, n_tracks);
  guint64 n_events = 0;
  gint64 end_ns;

  for (guint i = 0; i < some->len; i++)
    n_events += hir_trace_get_track_n_events (trace, g_array_index (some, guint, i));
  hir_trace_get_span (trace, &cover->start_ns, &end_ns);
  cover->n = (guint) CLAMP (n_events / EVENTS_A_BIN, MIN_BINS, MAX_BINS);
  cover->bin_ns = MAX ((double) (end_ns - cover->start_ns), 1) / cover->n;
  for (guint i = 0; i < 2; i++)
    {
      cover->sums[i] = g_new0 (double, cover->n + 1);
      cover->looks[i] = g_new0 (HirLook, cover->n);
    }
  if (!take_tracks (cover, trace, some, cancellable))
    {
      hir_rank_cover_free (cover);
      return NULL;
    }
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
    {
      g_free (cover->sums[i]);
      g_free (cover->looks[i]);
    }
  g_free (cover);
}

gsize
hir_rank_cover_get_size_bytes (const HirRankCover *cover)
{
  return sizeof *cover + 2 * ((cover->n + 1) * sizeof (double) + cover->n * sizeof (HirLook));
}

double
hir_rank_cover_get_bin_ns (const HirRankCover *cover)
{
  return cover->bin_ns;
}

/* Returns the work before @x in ns; @x is in bins. */
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

/* Returns the appearance of bins [from, to), sampled in steps of @step. */
static HirLook
find_look (const HirRankCover *cover, guint which, guint from, guint to, guint step)
{
  const double *sums = cover->sums[which];
  double most = 0;
  HirLook look = 0;

  for (guint b = from; b < to; b += step)
    if (sums[b + 1] - sums[b] > most)
      {
        most = sums[b + 1] - sums[b];
        look = cover->looks[which][b];
      }
  return look == 0 && step > 1 ? find_look (cover, which, from, to, 1) : look;
}

void
hir_rank_cover_get_looks (const HirRankCover *cover,
                          gint64 start_ns,
                          gint64 end_ns,
                          guint n,
                          HirLook *computation,
                          HirLook *communication)
{
  double first = (double) (start_ns - cover->start_ns) / cover->bin_ns;
  double step = (double) (end_ns - start_ns) / n / cover->bin_ns;

  for (guint c = 0; c < n; c++)
    {
      double x0 = first + c * step, x1 = x0 + step;
      guint from = (guint) CLAMP (floor (x0), 0, cover->n);
      guint to = (guint) CLAMP (ceil (x1), 0, cover->n);

      computation[c] = find_look (cover, 0, from, to, 1 + (to - from) / BINS_A_LOOK);
      communication[c] = find_look (cover, 1, from, to, 1 + (to - from) / BINS_A_LOOK);
    }
}
