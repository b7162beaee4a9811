/* Statistics of a trace, or of a part of its time: what each GPU did, how much communication was
 * hidden, which kernels took how long, how full each stream was.
 *
 * Classes of work: communication; memcpy; computation, which is all other kernels and memset. A
 * stream that waits does no work. Exposed communication is time in which a device communicates and
 * does not compute; exposed memcpy, in which it copies and does neither (TraceLens's definitions).
 * Overlap: the share of communication time in which it computes too (HolisticTraceAnalysis's).
 * Overlapping work of one class counts once. */
#pragma once

#include <gio/gio.h>

#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct
{
  /* Only work whose launch is in the trace (an issue span of that rank with its correlation). */
  gboolean launched_only;
  /* Set-up, warm-ups and checks too: else only what the recorded runs did. Traces of other profilers
   * have no such phases. */
  gboolean all_phases;
  /* Only what lies in [range_start_ns, range_end_ns), cut at its ends. */
  gboolean has_range;
  gint64 range_start_ns, range_end_ns;
  GCancellable *cancellable; /* nullable, borrowed */
  int *percent; /* nullable: how much is done, set atomically while it is computed */
} HirStatsOptions;

/* A device of a rank. */
typedef struct
{
  int rank, device;
  guint64 n_events;
  gint64 total_ns; /* first start to last end; with a range, its length */
  gint64 busy_ns, idle_ns;
  gint64 computation_ns;
  gint64 total_comm_ns, exposed_comm_ns;
  gint64 total_memcpy_ns, exposed_memcpy_ns;
  double comm_overlap_percent; /* NaN without communication */
} HirGpuStats;

/* All events of a name and class, over all devices. Durations are whole: not cut at a range's ends,
 * an event counts where it starts in the range. */
typedef struct
{
  const char *name;   /* the trace's */
  HirEventKind kind;
  guint64 count;
  gint64 sum_ns, min_ns, max_ns;
  double mean_ns;
  gint64 p50_ns, p99_ns; /* nearest rank: the smallest with at least that share at or below it */
  gint64 bytes, flops;   /* sums; 0: unknown */
} HirKernelStats;

/* Communications of an op and a team, or of a pair of ranks. Parts are counted: one a rank. */
typedef struct
{
  const char *op, *team; /* as in trace/collective.h; the trace's */
  guint n_members;
  guint64 count;
  gint64 bytes; /* nccl-tests' sizes, summed; 0: unknown */
  gint64 sum_ns, max_ns;
  double mean_ns;
  double algbw, busbw; /* GB/s: all bytes over all their time */
  /* Of those that several ranks of the trace have a part in: how far apart they start and end. */
  guint64 n_matched;
  double mean_start_skew_ns, mean_end_skew_ns;
  gint64 max_start_skew_ns, max_end_skew_ns;
} HirCollectiveStats;

/* A stream, or a link. */
typedef struct
{
  guint track;
  guint64 n_events;
  gint64 busy_ns;         /* without waits */
  gint64 waiting_ns;      /* in waits for other streams, and doing nothing else */
  double occupancy_percent; /* busy over its device's total; 0 where that is 0 */
} HirStreamStats;

/* From the end of the launch call to the start of the work it launched, over all devices. */
typedef struct
{
  guint64 count;
  double mean_ns;
  gint64 min_ns, p50_ns, p99_ns, max_ns;
} HirQueueStats;

typedef struct
{
  GArray *gpus;    /* HirGpuStats, by rank, then device */
  GArray *kernels; /* HirKernelStats, longest sum first; communication and copies too */
  GArray *collectives; /* HirCollectiveStats, longest sum first; of what the trace says more than a
                          name of */
  GArray *streams; /* HirStreamStats, by rank, device, then stream */
  HirQueueStats queue;
  guint64 n_counted;      /* device events that the numbers are of */
  guint64 n_not_launched; /* left out by launched_only */
  guint64 n_other_phases; /* left out: set-up, warm-up, check */
  guint64 n_outside;      /* left out by the range */
  guint64 n_before;       /* began before the range, and end in it: in the times, not in the tables by name */
  guint64 n_unmatched;    /* device events without a launch in the trace, left out or not */
  guint64 n_backwards;    /* started before their launch began: clocks disagree; not in `queue` */
} HirStats;

/* FALSE and HIR_ERROR_LIMIT where there is no memory for them: hir_stats_new() would end the program. */
gboolean hir_stats_check_room (const HirTrace *trace, GError **error);
/* Strings are @trace's: it must outlive the result. @options: nullable, all of it. NULL where it was
 * cancelled before its end, and only then. Any thread; time is n log n in the events. */
HirStats *hir_stats_new (const HirTrace *trace, const HirStatsOptions *options);
void hir_stats_free (HirStats *stats);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirStats, hir_stats_free)

G_END_DECLS
