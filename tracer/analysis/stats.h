/* Statistics of a trace or of a time range: activity of each GPU, hidden communication, kernel
 * times, stream occupancy.
 *
 * Work has three classes: communication; memcpy; and computation, which is all other kernels and
 * memset. A waiting stream does no work. Exposed communication is the time in which a device
 * communicates but does not compute; exposed memcpy is the time in which it copies but does
 * neither (as defined by TraceLens). Overlap is the share of communication time in which the
 * device also computes (as defined by HolisticTraceAnalysis). Overlapping work of one class
 * counts once. */
#pragma once

#include <gio/gio.h>

#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct
{
  /* Only work whose launch is in the trace: an issue span of the rank with the same correlation. */
  gboolean launched_only;
  /* Rows of `kernels` are instructions, as far as events have one. */
  gboolean by_instruction;
  /* Include setup, warm-ups and checks. Traces of other profilers have no such phases. */
  gboolean all_phases;
  /* Only the range [range_start_ns, range_end_ns): events that overlap it, cut at its ends. */
  gboolean has_range;
  gint64 range_start_ns, range_end_ns;
  const GArray *tracks;      /* nullable, borrowed: only these (trace/track-set.h) */
  GCancellable *cancellable; /* nullable, borrowed */
  int *percent;              /* nullable: progress, set atomically */
} HirStatsOptions;

/* A device of a rank. */
typedef struct
{
  int rank, device;
  guint64 n_events;
  gint64 total_ns; /* from first start to last end, or the length of the range */
  gint64 busy_ns, idle_ns;
  gint64 computation_ns;
  gint64 total_comm_ns, exposed_comm_ns;
  gint64 total_memcpy_ns, exposed_memcpy_ns;
  gint64 fused_ns;             /* part of computation_ns: kernels that also communicate */
  double comm_overlap_percent; /* NaN without communication */
} HirGpuStats;

/* All events with a name and kind, or of an instruction, on all devices. */
typedef struct
{
  const char *name;    /* owned by the trace; of an instruction, that of one of its events */
  guint64 instruction; /* 0: all events with the name */
  HirEventKind kind;
  guint64 count;
  gint64 sum_ns, min_ns, max_ns;
  double mean_ns;
  gint64 p50_ns, p99_ns; /* nearest-rank percentiles */
  gint64 bytes, flops;   /* sums of the whole events; 0: unknown */
} HirKernelStats;

/* Communications of one op and team or pair of ranks. Each rank counts separately. */
typedef struct
{
  const char *op, *team; /* as in trace/collective.h; owned by the trace */
  guint n_members;
  guint64 count;
  gint64 bytes;                /* sum of the sizes as defined by nccl-tests; 0: unknown */
  gint64 min_bytes, max_bytes; /* of these sizes */
  gint64 sum_ns, max_ns;
  double mean_ns;
  double algbw, busbw;         /* GB/s: all bytes divided by the sum of their transfer times
                                  (trace/collective.h), not cut by a range */
  double min_busbw, max_busbw; /* GB/s, of a single one; 0: unknown */
  /* Differences of start and end times between the ranks of matched communications. */
  guint64 n_matched;
  double mean_start_skew_ns, mean_end_skew_ns;
  gint64 max_start_skew_ns, max_end_skew_ns;
} HirCollectiveStats;

/* How late a rank starts the communications that it shares with other ranks. */
typedef struct
{
  int rank;
  guint64 count;         /* communications that another rank recorded, too */
  guint64 n_last;        /* of these, it started last */
  gint64 waited_ns;      /* time that other ranks waited for it, each counted */
  gint64 waiting_ns;     /* time that it waited for the last rank */
  double mean_start_ns;  /* from the first start to its own */
  double mean_end_ns;    /* from the first end to its own */
  gint64 clock_error_ns; /* of its clock against other ranks; -1: unknown */
} HirRankStats;

/* A communication of several ranks. */
typedef struct
{
  const char *op, *team;   /* owned by the trace */
  guint64 instruction;     /* 0: none */
  gint32 iteration;        /* -1: in no loop */
  gint64 start_ns, end_ns; /* first start, last end */
  gint64 start_skew_ns, end_skew_ns;
  gint64 waited_ns; /* time that all ranks waited for the last one */
  int last_rank;
  guint track, index; /* event of the last rank */
} HirMeetingStats;

/* The communications of one iteration of the loop. If the loop runs again, or without a loop, the
 * n-th execution of each communication belongs to round n. */
typedef struct
{
  gint32 iteration; /* -1: in no loop */
  guint round;
  guint n; /* communications */
  gint64 start_ns, end_ns;
  gint64 start_skew_ns, end_skew_ns; /* largest of its communications */
  guint track, index; /* event of the last rank of the one with the largest start skew */
  gint64 *late_ns;    /* per row of `ranks`: from first starts to its own, summed */
} HirIterationStats;

/* A stream or a link. */
typedef struct
{
  guint track;
  guint64 n_events;
  gint64 busy_ns;           /* without waits */
  gint64 waiting_ns;        /* waiting for other streams, without other work */
  double occupancy_percent; /* busy time relative to the total of its device; 0 if that is 0 */
} HirStreamStats;

/* Delay from the end of a launch call to the start of its work, on all devices. */
typedef struct
{
  guint64 count;
  double mean_ns;
  gint64 min_ns, p50_ns, p99_ns, max_ns;
} HirQueueStats;

typedef struct
{
  GArray *gpus;        /* HirGpuStats, by rank, then device */
  GArray *kernels;     /* HirKernelStats, longest sum first; includes communication and copies */
  GArray *collectives; /* HirCollectiveStats, longest sum first; only communications with details in
                          the trace */
  GArray *ranks;       /* HirRankStats, by rank; only ranks that communicate with recorded ones */
  GArray *meetings;    /* HirMeetingStats, longest waited_ns first; at most 1000 */
  GArray *iterations;  /* HirIterationStats, in order of time */
  GArray *streams;     /* HirStreamStats, by rank, device, then stream */
  HirQueueStats queue;
  gboolean has_range;     /* that of the options */
  guint64 n_counted;      /* device events included in the numbers */
  guint64 n_not_launched; /* excluded by launched_only */
  guint64 n_other_phases; /* excluded: setup, warm-up, check */
  guint64 n_outside;      /* excluded by the range */
  guint64 n_other_tracks; /* excluded: not on the tracks of the options */
  guint64 n_left_out;     /* with impossible times (trace/left-out.h); only without a range */
  guint64 n_cut;          /* counted events that the range cuts */
  guint64 n_before;       /* of these, started before the range */
  guint64 n_unmatched;    /* device events without a launch in the trace, excluded or not */
  guint64 n_backwards;    /* started before their launch, so clocks disagree; not in `queue` */
} HirStats;

/* Checks that there is enough memory for hir_stats_new(), which would otherwise abort. Returns
 * FALSE with HIR_ERROR_LIMIT if not. */
gboolean hir_stats_check_room (const HirTrace *trace, GError **error);
/**
 * hir_stats_new:
 * @trace: must outlive the result
 * @options: (nullable): NULL: the whole trace
 *
 * Computes the statistics, in O(n log n) for n events. Any thread.
 *
 * Returns: (transfer full): NULL if cancelled
 */
HirStats *hir_stats_new (const HirTrace *trace, const HirStatsOptions *options);
/* How to read the overlap of a trace with modelled times, also for the explanation. */
#define HIR_STATS_OVERLAP_NOTE                                                                     \
  "modelled clock: streams do not slow each other down, so that overlap costs nothing; on a GPU "  \
  "it does"
/* How the totals of statistics and explanation differ. */
#define HIR_STATS_TOTAL_NOTE                                                                       \
  "totals differ: explain counts each repetition, from the first instruction of a host to the "    \
  "last end; stats counts each device, from its first to its last work, over all repetitions"
/* Which events of a range all tables count. */
#define HIR_STATS_RANGE_NOTE                                                                       \
  "events that overlap the range count, with the part of their time inside it; sizes, bandwidths " \
  "and queue delays are those of the whole event"
/* Returns the names of the kernels (char* -> char*) as a table with @max_chars per name shows them:
 * different names differ, although those of templates may have kilobytes. */
GHashTable *hir_stats_dup_kernel_names (const HirStats *stats, guint max_chars);
/* What the numbers of HirKernelStats count. */
#define HIR_STATS_KERNELS_NOTE "durations of all ranks and repetitions"
/* Returns the size of the communications, or the least and the largest: "32-256 MiB"; NULL
 * if unknown. Free with g_free(). */
char *hir_collective_stats_dup_sizes (const HirCollectiveStats *row);
/* Returns the least and the largest bus bandwidth of one of them, "38.7-251", in GB/s; NULL if
 * unknown. Free with g_free(). */
char *hir_collective_stats_dup_busbw_range (const HirCollectiveStats *row);
/* How the bandwidths of HirCollectiveStats are computed. */
#define HIR_STATS_BANDWIDTH_NOTE                                                                   \
  "bandwidths in GB/s, by nccl-tests' formulas: all bytes divided by all transfer time, the "      \
  "shortest of the ranks, which leaves out the wait for the last one"
/* Returns the sentences on how to read @stats (transfer full), and those of the account of @trace.
 */
char **hir_stats_dup_notes (const HirStats *stats, const HirTrace *trace);
/* Frees @stats. */
void hir_stats_free (HirStats *stats);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirStats, hir_stats_free)

G_END_DECLS
