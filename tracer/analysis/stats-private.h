/* Internal declarations of the statistics. */
#pragma once

#include "analysis/intervals.h"
#include "analysis/stats.h"

G_BEGIN_DECLS

/* Index of the launch calls by rank and correlation. */
typedef struct _HirLaunches HirLaunches;

typedef struct
{
  guint64 key; /* rank and correlation */
  gint64 start_ns, end_ns;
} HirLaunch;

/* Progress of the computation. */
typedef struct
{
  const HirStatsOptions *options;
  guint64 n_done, n_all;
} HirStatsProgress;

/* Counts an event. Returns FALSE if cancelled, which is checked only once per 32,768 events. */
gboolean hir_stats_progress_step (HirStatsProgress *progress);

/* Creates the index. It is incomplete if cancelled. */
HirLaunches *hir_launches_new (const HirTrace *trace, HirStatsProgress *progress);
void hir_launches_free (HirLaunches *launches);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirLaunches, hir_launches_free)
/* Returns the launch of work that starts at @start_ns, or NULL. If the correlation occurs several
 * times (32 bits wrap), returns the last launch that started before. */
const HirLaunch *
hir_launches_lookup (const HirLaunches *launches, int rank, guint32 correlation, gint64 start_ns);

/* Sums by name and kind. */
typedef struct _HirKernelTable HirKernelTable;

HirKernelTable *hir_kernel_table_new (void);
void hir_kernel_table_free (HirKernelTable *table);
/* Adds an event. */
void hir_kernel_table_add (HirKernelTable *table, const HirEvent *event);
/* Frees the table and returns its rows: GArray of HirKernelStats. */
GArray *hir_kernel_table_finish (HirKernelTable *table, const HirTrace *trace);

/* Returns a GArray of HirCollectiveStats, incomplete if cancelled. */
GArray *hir_stats_dup_collectives (const HirTrace *trace, const HirStatsOptions *options);

/* Sorts @values (gint64). */
void hir_stats_sort_ns (GArray *values);
/* Returns the nearest-rank percentile of sorted, non-empty @values; @percent is in (0, 100]. */
gint64 hir_stats_get_percentile (const GArray *values, double percent);

G_END_DECLS
