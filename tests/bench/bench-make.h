/* Reproducible inputs and clocks for the benchmarks. */
#pragma once

#include "trace/trace.h"

/* Returns the CPU time of all threads of this process in seconds. */
double bench_cpu_s (void);
double bench_wall_s (void);
/* Returns the @fraction quantile of @values (double), which it sorts. */
double bench_quantile (GArray *values, double fraction);
/* Creates a folder for the inputs (transfer full). bench_remove_folder() deletes it. */
char *bench_make_folder (void);
void bench_remove_folder (const char *folder);

/* Creates event @i: kernels, copies and communications of 1 to 9 µs with gaps, with
 * correlations; every fourth track is a host thread. @names has 40 interned names. */
#define BENCH_N_NAMES 40
const char *bench_name (guint i);
void bench_event (guint64 i, guint n_tracks, const guint32 *names, HirEvent *event);
void bench_track (guint t, guint n_tracks, HirTrack *track, char *name, gsize size);
/* Creates a trace of @n_events such events in memory. */
HirTrace *bench_trace_new (guint64 n_events, guint n_tracks);

/* Writes a trace of about @n_bytes in Kineto's format: launches, kernels with all arguments,
 * flows and operators, about 300 bytes per event, as in real traces. Returns the number of
 * events. */
guint64 bench_write_kineto (const char *path, gsize n_bytes);
