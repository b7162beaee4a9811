/* The picture of statistics: tables of devices, communications, kernels, streams and the queue, and
 * the account, one below the other. The list is in pixels of the view, (0, 0) its top left corner.
 * Costs the rows in sight, not those there are. */
#pragma once

#include "analysis/stats.h"
#include "draw/display-list.h"
#include "draw/theme.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_STATS_DEVICES,
  HIR_STATS_COLLECTIVES,
  HIR_STATS_KERNELS,
  HIR_STATS_STREAMS,
  HIR_STATS_QUEUE,
  HIR_STATS_NOTES,
  HIR_N_STATS_SECTIONS,
} HirStatsSection;

/* Everything is borrowed for the time of the call. */
typedef struct
{
  const HirTrace *trace;
  const HirStats *stats;
  const char *const *notes; /* hir_stats_scene_dup_notes() */
  const GArray *order;      /* hir_stats_scene_dup_order() */
  guint sort_column;        /* of the kernels */
  gboolean is_descending;
  int hovered_kernel, selected_kernel; /* places in @order; -1: none */
  const HirTheme *theme;
  HirMeasure *measure;
  double width, height;
  double scroll_y;
} HirStatsScene;

typedef struct
{
  HirStatsSection section;
  int row; /* from above; -1: the heads of the columns */
  guint column;
} HirStatsHit;

/* The account as lines: what was left out of the numbers, then what was repaired or left out when
 * the trace was read. NULL-terminated. */
char **hir_stats_scene_dup_notes (const HirStats *stats, const HirTrace *trace);
/* Kernels (guint, rows of stats->kernels) sorted by @column, equal ones by sum. Column 0 is the
 * name, then as they stand from the left. */
GArray *hir_stats_scene_dup_order (const HirStats *stats, guint column, gboolean is_descending);

/* Of all of it, at any width. */
double hir_stats_scene_get_height (const HirStatsScene *scene);
/* From the top of all of it to the top of the @i-th kernel, and a row's height. */
double
hir_stats_scene_get_kernel_y (const HirStatsScene *scene, guint i, double *row_height);
void hir_stats_scene_draw (const HirStatsScene *scene, HirDisplayList *list);
/* FALSE between the tables. */
gboolean hir_stats_scene_hit (const HirStatsScene *scene, double x, double y, HirStatsHit *hit);

/* What stands in a cell, in full; of row -1, the head. "" where there is none. */
char *hir_stats_scene_dup_cell (const HirStatsScene *scene,
                                HirStatsSection section,
                                int row,
                                guint column);
/* 0..1: what part a cell is of its whole, drawn as a bar below it: a kernel's sum of all sums, a stream's and
 * a device's busy time of the device's total, communication that is hidden. Negative where it is no part. */
double hir_stats_scene_get_share (const HirStatsScene *scene, HirStatsSection section, int row, guint column);
guint hir_stats_scene_get_n_rows (const HirStatsScene *scene, HirStatsSection section);
guint hir_stats_section_get_n_columns (HirStatsSection section);
/* "Kernels by name" */
const char *hir_stats_section_get_title (HirStatsSection section);
/* What the numbers below a head are, for a tooltip. NULL where the head says it. */
const char *hir_stats_section_get_help (HirStatsSection section, guint column);

G_END_DECLS
