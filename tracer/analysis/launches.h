/* Index of the launches of a trace: which call or issue span gave each piece of work to its stream.
 */
#pragma once

#include "analysis/stats.h"

G_BEGIN_DECLS

/* Progress of the computation. */
typedef struct
{
  const HirStatsOptions *options;
  guint64 n_done, n_all;
} HirStatsProgress;

/* Counts an event. Returns FALSE if cancelled, which is checked only once per 32,768 events. */
gboolean hir_stats_progress_step (HirStatsProgress *progress);

/* Index of the launch calls by rank and correlation. */
typedef struct _HirLaunches HirLaunches;

typedef struct
{
  guint64 key; /* rank and correlation */
  gint64 start_ns, end_ns;
  guint track, index; /* the event */
} HirLaunch;

/* Creates the index. It is incomplete if cancelled. @progress is nullable. */
HirLaunches *hir_launches_new (const HirTrace *trace, HirStatsProgress *progress);
void hir_launches_free (HirLaunches *launches);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirLaunches, hir_launches_free)
/* Returns the launch of work that starts at @start_ns, or NULL: the launch call of this work if the
 * trace has it, otherwise the issue of the instruction. If the correlation occurs several times (32
 * bits wrap), returns the last launch that started before. */
const HirLaunch *
hir_launches_lookup (const HirLaunches *launches, int rank, guint32 correlation, gint64 start_ns);
/* Returns the last issue span or call of @correlation that starts at or before @start_ns, or NULL.
 * Unlike hir_launches_lookup(), it ignores launch calls within issue spans. */
const HirLaunch *hir_launches_lookup_issue (const HirLaunches *launches,
                                            int rank,
                                            guint32 correlation,
                                            gint64 start_ns);

G_END_DECLS
