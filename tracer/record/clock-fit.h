/* Estimates the offset between the clocks of two processes from the times of round-trip
 * messages, as NTP does. Pure arithmetic; times are in ns. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* A message was sent at @sent_ns and answered at @received_ns, on the local clock. The remote clock
 * was at @remote_ns in between. */
typedef struct
{
  gint64 sent_ns, remote_ns, received_ns;
} HirRoundTrip;

/* The offset of the remote clock at one time. */
typedef struct
{
  gint64 at_ns;     /* local time: mean of the midpoints of the used round trips */
  gint64 offset_ns; /* remote minus local */
  gint64 error_ns;  /* maximum error of offset_ns */
  guint n_kept;     /* number of used round trips */
} HirClockOffset;

/* Estimates the offset. The longest tenth of the round trips is discarded. Each other one bounds
 * the offset: remote_ns - midpoint, plus or minus half of the round trip. The estimate is the
 * mean, clamped to the intersection of all bounds; its error is the distance to the farther end
 * of the intersection. If the intersection is empty (a clock was set or drifts), the error is
 * half of the longest used round trip. Returns FALSE if there is no valid round trip. */
gboolean hir_clock_offset_estimate (const HirRoundTrip *trips, guint n, HirClockOffset *offset);

/* Offsets at two times, with linear interpolation and extrapolation. */
typedef struct
{
  gboolean same_clock; /* one machine: no conversion */
  HirClockOffset begin, end;
} HirClockFit;

/* Converts a remote time to the local clock. */
gint64 hir_clock_fit_to_local (const HirClockFit *fit, gint64 remote_ns);
/* Returns the larger error of the two offsets; 0 on the same clock. If the drift is constant, it
 * also bounds the error of times between them. */
gint64 hir_clock_fit_get_error_ns (const HirClockFit *fit);
/* Returns the change of the offset between the two times. */
gint64 hir_clock_fit_get_drift_ns (const HirClockFit *fit);
/* Describes the fit (transfer full): "same clock" or "+50.000000 ms ± 12.0 µs, drift -3.0 µs in 1.2
 * s". */
char *hir_clock_fit_format (const HirClockFit *fit);

G_END_DECLS
