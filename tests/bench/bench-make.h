/* What the benchmarks share: inputs that they make themselves, the same each time, and clocks. */
#pragma once

#include "trace/trace.h"

/* CPU time of this process, all its threads; seconds. */
double bench_cpu_s (void);
double bench_wall_s (void);
/* The value below which @fraction of @values (double, sorted here) lie. */
double bench_quantile (GArray *values, double fraction);
/* A folder for the inputs, removed by bench_remove_folder(). Free it. */
char *bench_make_folder (void);
void bench_remove_folder (const char *folder);

/* Event @i of @n_tracks tracks: kernels, copies and communications of 1 to 9 us with gaps, a host
 * thread for every fourth track, correlations; @names: 40 interned names. */
#define BENCH_N_NAMES 40
const char *bench_name (guint i);
void bench_event (guint64 i, guint n_tracks, const guint32 *names, HirEvent *event);
void bench_track (guint t, guint n_tracks, HirTrack *track, char *name, gsize size);
/* @n_events of those in memory. */
HirTrace *bench_trace_new (guint64 n_events, guint n_tracks);

/* A trace as Kineto writes it, of about @n_bytes: launches, kernels with all their arguments, flows,
 * operators; some 300 bytes an event, as real ones have. Gives the number of events in it. */
guint64 bench_write_kineto (const char *path, gsize n_bytes);
