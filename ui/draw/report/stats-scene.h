/* Draws statistics: tables of devices, communications, kernels, streams and the queue, and the
 * account below. The list is in pixels of the view, with (0, 0) at its top left. The cost depends
 * only on the visible rows. */
#pragma once

#include "analysis/stats.h"
#include "draw/display-list.h"
#include "draw/theme.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_STATS_DEVICES,
  HIR_STATS_COLLECTIVES,
  HIR_STATS_RANKS,
  HIR_STATS_HEAT, /* how late each rank is in each iteration */
  HIR_STATS_KERNELS,
  HIR_STATS_STREAMS,
  HIR_STATS_QUEUE,
  HIR_STATS_NOTES,
  HIR_N_STATS_SECTIONS,
} HirStatsSection;

/* All fields are borrowed during a call. */
typedef struct
{
  const HirTrace *trace;
  const HirStats *stats;
  const char *const *notes; /* from hir_stats_scene_dup_notes() */
  const GArray *order;      /* from hir_stats_scene_dup_order() */
  GHashTable *names;        /* nullable: from hir_stats_dup_kernel_names(), with at most
                             * hir_stats_scene_get_name_chars() characters */
  guint sort_column;        /* sort column of the kernels */
  gboolean is_descending;
  int hovered_kernel, selected_kernel; /* indices in @order; -1 if none */
  const HirTheme *theme;
  HirMeasure *measure;
  double width, height;
  double scroll_y;
} HirStatsScene;

typedef struct
{
  HirStatsSection section;
  int row; /* from the top; -1 for the headings */
  guint column;
} HirStatsHit;

/* Returns the account as lines (NULL-terminated, transfer full): data excluded from the numbers,
 * then data repaired or omitted during loading. */
char **hir_stats_scene_dup_notes (const HirStats *stats, const HirTrace *trace);
/* Returns the kernels (guint, rows of stats->kernels) sorted by @column, then by sum. Column 0 is
 * the name. */
GArray *hir_stats_scene_dup_order (const HirStats *stats, guint column, gboolean is_descending);

/* Returns how many characters of an average name fit in the column of kernel names. */
guint hir_stats_scene_get_name_chars (const HirStatsScene *scene);
/* Returns the height of all tables, which does not depend on the width. */
double hir_stats_scene_get_height (const HirStatsScene *scene);
/* Returns the distance from the top to the @i-th kernel, and the height of a row. */
double hir_stats_scene_get_kernel_y (const HirStatsScene *scene, guint i, double *row_height);
void hir_stats_scene_draw (const HirStatsScene *scene, HirDisplayList *list);
/* Returns FALSE for points between the tables. */
gboolean hir_stats_scene_hit (const HirStatsScene *scene, double x, double y, HirStatsHit *hit);

/* Returns the full text of a cell, or of the heading for row -1; "" if there is none. */
char *hir_stats_scene_dup_cell (const HirStatsScene *scene,
                                HirStatsSection section,
                                int row,
                                guint column);
/* Returns the share of a cell in its total (0 to 1), drawn as a bar below it: a kernel's sum, the
 * busy time of a stream or device, hidden communication. Negative if the cell has no share. */
double hir_stats_scene_get_share (const HirStatsScene *scene,
                                  HirStatsSection section,
                                  int row,
                                  guint column);
#define HIR_STATS_EDGE 12.0 /* margin at the left and right */
/* Returns the iteration (row of stats->iterations) at @x of the heat strips, or -1. */
int hir_stats_scene_get_iteration (const HirStatsScene *scene, double x);
/* Describes how late the rank in @row of the heat strips is in @iteration. Free with g_free(). */
char *hir_stats_scene_dup_late (const HirStatsScene *scene, int row, int iteration);
guint hir_stats_scene_get_n_rows (const HirStatsScene *scene, HirStatsSection section);
guint hir_stats_section_get_n_columns (HirStatsSection section);
/* Returns the title of a section, for example "Kernels by name". */
const char *hir_stats_section_get_title (HirStatsSection section);
/* Returns the tooltip of a heading, or NULL if none is needed. */
const char *hir_stats_section_get_help (HirStatsSection section, guint column);

G_END_DECLS
