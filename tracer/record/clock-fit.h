/* What another process's clock shows in terms of this one's, from messages that went there and
 * back (as NTP does): pure arithmetic. All times int64 ns. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A message left here at @sent_ns and its answer came at @received_ns, both of the local clock; the
 * other clock showed @remote_ns in between. */
typedef struct
{
  gint64 sent_ns, remote_ns, received_ns;
} HirRoundTrip;

/* How far the remote clock is ahead at one time. */
typedef struct
{
  gint64 at_ns;     /* local clock, the middle of the round trips that were kept */
  gint64 offset_ns; /* remote minus local */
  gint64 error_ns;  /* the true offset is within this of it: >= 0 */
  guint n_kept;
} HirClockOffset;

/* The worst tenth of the round trips (the longest) goes; each of the others says that the offset is
 * remote_ns - middle, to half a round trip. The offset is the mean of those, kept within what all
 * of them allow; the error is how far what they all allow reaches from it. Where they allow nothing
 * together (a clock was set, or they drift) the error is half the longest round trip that was kept.
 * FALSE where @n is 0, or every answer came before it was asked. */
gboolean hir_clock_offset_estimate (const HirRoundTrip *trips, guint n, HirClockOffset *offset);

/* Between two such times the offset goes linearly, and so on outside of them. */
typedef struct
{
  gboolean same_clock; /* nothing to do: one machine */
  HirClockOffset begin, end;
} HirClockFit;

/* A time of the remote clock on the local one. */
gint64 hir_clock_fit_to_local (const HirClockFit *fit, gint64 remote_ns);
/* The larger error of the two; 0 on the same clock. Times between them are within it, as long as
 * the drift is even. */
gint64 hir_clock_fit_get_error_ns (const HirClockFit *fit);
/* How much the offset changed between the two. */
gint64 hir_clock_fit_get_drift_ns (const HirClockFit *fit);
/* "same clock" or "+50.000 ms ± 12 us, drift -3 us in 1.2 s". Newly allocated. */
char *hir_clock_fit_format (const HirClockFit *fit);

G_END_DECLS
