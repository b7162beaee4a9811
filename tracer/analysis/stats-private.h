/* Between the files of stats. */
#pragma once

#include "analysis/intervals.h"
#include "analysis/stats.h"

G_BEGIN_DECLS

/* Launch calls, to be looked up by what they launched. */
typedef struct _HirLaunches HirLaunches;

typedef struct
{
  guint64 key; /* rank and correlation */
  gint64 start_ns, end_ns;
} HirLaunch;

/* How far the events are counted. */
typedef struct
{
  const HirStatsOptions *options;
  guint64 n_done, n_all;
} HirStatsProgress;

/* One more event is counted. FALSE where it is cancelled, which is looked at now and then only. */
gboolean hir_stats_progress_step (HirStatsProgress *progress);

/* Not all of them where it is cancelled. */
HirLaunches *hir_launches_new (const HirTrace *trace, HirStatsProgress *progress);
void hir_launches_free (HirLaunches *launches);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirLaunches, hir_launches_free)
/* The launch of work that starts at @start_ns: where a number comes again (32 bits wrap), the last
 * that began before; NULL where there is none. */
const HirLaunch *hir_launches_lookup (const HirLaunches *launches,
                                      int rank,
                                      guint32 correlation,
                                      gint64 start_ns);

/* Sums by name and class. */
typedef struct _HirKernelTable HirKernelTable;

HirKernelTable *hir_kernel_table_new (void);
void hir_kernel_table_free (HirKernelTable *table);
void hir_kernel_table_add (HirKernelTable *table, const HirEvent *event);
/* Frees the table; GArray of HirKernelStats. */
GArray *hir_kernel_table_finish (HirKernelTable *table, const HirTrace *trace);

/* GArray of HirCollectiveStats; not all where it is cancelled. */
GArray *hir_stats_dup_collectives (const HirTrace *trace, const HirStatsOptions *options);

/* Sorts @values (gint64). */
void hir_stats_sort_ns (GArray *values);
/* Nearest rank of sorted @values, which are not empty; @percent in (0, 100]. */
gint64 hir_stats_get_percentile (const GArray *values, double percent);

G_END_DECLS
