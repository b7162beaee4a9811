#include "draw/report/stats-heat.h"

#include "trace/duration.h"

gint64
hir_stats_heat_get_largest (const HirStats *stats)
{
  gint64 largest_ns = 0;

  for (guint i = 0; i < stats->iterations->len; i++)
    for (guint rank = 0; rank < stats->ranks->len; rank++)
      largest_ns =
          MAX (largest_ns, g_array_index (stats->iterations, HirIterationStats, i).late_ns[rank]);
  return largest_ns;
}

/* Returns the iteration at column @i of @n. */
static guint
get_iteration (const HirStats *stats, guint i, guint n)
{
  return (guint) ((guint64) i * stats->iterations->len / n);
}

void
hir_stats_heat_draw (const HirStatsScene *scene, HirDisplayList *list, int row, HirRect rect)
{
  const HirStats *stats = scene->stats;
  gint64 largest_ns = hir_stats_heat_get_largest (stats);
  guint n = MIN (stats->iterations->len, (guint) MAX (rect.width, 1));
  g_autofree HirColor *colors = g_new (HirColor, n);

  for (guint i = 0; i < n; i++)
    {
      guint from = get_iteration (stats, i, n),
            to = MAX (get_iteration (stats, i + 1, n), from + 1);
      gint64 late_ns = 0;

      /* Every delay stays visible. */
      for (guint at = from; at < to; at++)
        late_ns =
            MAX (late_ns, g_array_index (stats->iterations, HirIterationStats, at).late_ns[row]);
      colors[i] = hir_color_mix (scene->theme->line, scene->theme->removed,
                                 largest_ns > 0 ? (double) late_ns / (double) largest_ns : 0);
    }
  hir_display_list_add_columns (list, rect, colors, n);
}

int
hir_stats_scene_get_iteration (const HirStatsScene *scene, double x)
{
  double left = HIR_STATS_EDGE + HIR_STATS_HEAT_NAME, width = scene->width - HIR_STATS_EDGE - left;
  guint n = scene->stats->iterations->len;

  if (x < left || x >= left + width || n == 0)
    return -1;
  return (int) MIN ((guint) ((x - left) / width * n), n - 1);
}

char *
hir_stats_scene_dup_late (const HirStatsScene *scene, int row, int iteration)
{
  const HirIterationStats *column =
      &g_array_index (scene->stats->iterations, HirIterationStats, iteration);
  const HirRankStats *rank = &g_array_index (scene->stats->ranks, HirRankStats, row);
  g_autofree char *late = hir_format_duration (column->late_ns[row]);
  g_autofree char *where = column->iteration >= 0
                               ? g_strdup_printf ("iteration %d", column->iteration)
                               : g_strdup_printf ("communication %u", column->round + 1);

  return g_strdup_printf ("Rank %d, %s: %s after the first rank, over %u communication%s",
                          rank->rank, where, late, column->n, column->n == 1 ? "" : "s");
}
