/* Offset estimation. */
#include "record/clock-fit.h"

#include <math.h>
#include <stdlib.h>

static gint64
length_of (const HirRoundTrip *trip)
{
  return trip->received_ns - trip->sent_ns;
}

static int
compare_lengths (gconstpointer a, gconstpointer b)
{
  gint64 x = length_of (a), y = length_of (b);

  return x < y ? -1 : x > y;
}

/* Returns the valid round trips, shortest first. */
static GArray *
sort_trips (const HirRoundTrip *trips, guint n)
{
  GArray *sorted = g_array_sized_new (FALSE, FALSE, sizeof (HirRoundTrip), n);

  for (guint i = 0; i < n; i++)
    if (length_of (&trips[i]) >= 0)
      g_array_append_val (sorted, trips[i]);
  g_array_sort (sorted, compare_lengths);
  return sorted;
}

gboolean
hir_clock_offset_estimate (const HirRoundTrip *trips, guint n, HirClockOffset *offset)
{
  g_autoptr (GArray) sorted = sort_trips (trips, n);
  gint64 low = G_MININT64, high = G_MAXINT64, sum = 0, sum_at = 0, first, first_at;
  const HirRoundTrip *trip;
  guint kept = sorted->len - sorted->len / 10;

  if (sorted->len == 0)
    return FALSE;
  /* Sum differences, because the times themselves may overflow. */
  trip = &g_array_index (sorted, HirRoundTrip, 0);
  first_at = trip->sent_ns + length_of (trip) / 2;
  first = trip->remote_ns - first_at;
  for (guint i = 0; i < kept; i++)
    {
      gint64 half, at, mid;

      trip = &g_array_index (sorted, HirRoundTrip, i);
      half = (length_of (trip) + 1) / 2;
      at = trip->sent_ns + length_of (trip) / 2;
      mid = trip->remote_ns - at;
      low = MAX (low, mid - half);
      high = MIN (high, mid + half);
      sum += mid - first;
      sum_at += at - first_at;
    }
  offset->n_kept = kept;
  offset->at_ns = first_at + sum_at / (gint64) kept;
  offset->offset_ns = first + sum / (gint64) kept;
  if (low <= high)
    {
      offset->offset_ns = CLAMP (offset->offset_ns, low, high);
      offset->error_ns = MAX (offset->offset_ns - low, high - offset->offset_ns);
    }
  else
    offset->error_ns = (length_of (trip) + 1) / 2; /* the longest one that is used */
  return TRUE;
}

/* Returns the remote time of an offset. */
static gint64
remote_at (const HirClockOffset *offset)
{
  return offset->at_ns + offset->offset_ns;
}

gint64
hir_clock_fit_to_local (const HirClockFit *fit, gint64 remote_ns)
{
  gint64 span, since = remote_ns - remote_at (&fit->begin);
  double drift;

  if (fit->same_clock)
    return remote_ns;
  span = remote_at (&fit->end) - remote_at (&fit->begin);
  if (span <= 0)
    return remote_ns - fit->begin.offset_ns;
  drift = (double) hir_clock_fit_get_drift_ns (fit) * ((double) since / (double) span);
  return remote_ns - fit->begin.offset_ns - (gint64) llround (drift);
}

gint64
hir_clock_fit_get_error_ns (const HirClockFit *fit)
{
  return fit->same_clock ? 0 : MAX (fit->begin.error_ns, fit->end.error_ns);
}

gint64
hir_clock_fit_get_drift_ns (const HirClockFit *fit)
{
  return fit->same_clock ? 0 : fit->end.offset_ns - fit->begin.offset_ns;
}

char *
hir_clock_fit_format (const HirClockFit *fit)
{
  if (fit->same_clock)
    return g_strdup ("same clock");
  return g_strdup_printf ("%+.6f ms ± %.1f µs, drift %+.1f µs in %.3g s",
                          (double) fit->begin.offset_ns / 1e6,
                          (double) hir_clock_fit_get_error_ns (fit) / 1e3,
                          (double) hir_clock_fit_get_drift_ns (fit) / 1e3,
                          (double) (fit->end.at_ns - fit->begin.at_ns) / 1e9);
}
