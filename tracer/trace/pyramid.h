/* Index of the end times of one track: finds events by time in O(log n). Takes under 1 byte per
 * event. Internal to trace/; use the lookups of trace.h elsewhere. */
#pragma once

#include "trace/columns.h"

G_BEGIN_DECLS

#define HIR_PYRAMID_BLOCK 32 /* events per cell of the lowest level */
#define HIR_PYRAMID_FAN 16   /* cells per cell of the next level */
#define HIR_PYRAMID_LEVELS 8 /* 32 * 16^7 > 2^32 events */

typedef struct
{
  guint n;
  gint64 *max_end; /* latest end in each cell */
} HirPyramidLevel;

typedef struct
{
  const HirColumns *columns; /* borrowed, sorted */
  HirPyramidLevel levels[HIR_PYRAMID_LEVELS];
  guint n_levels;
} HirPyramid;

/* Builds the index. @columns must outlive it. Returns FALSE if out of memory. */
gboolean hir_pyramid_init (HirPyramid *pyramid, const HirColumns *columns);
/* Frees the contents. */
void hir_pyramid_clear (HirPyramid *pyramid);
/* Adds @by_ns to all times. */
void hir_pyramid_shift (HirPyramid *pyramid, gint64 by_ns);
/* Returns the allocated memory. */
gsize hir_pyramid_get_size_bytes (const HirPyramid *pyramid);

/* Returns the first event of [lo, hi) that starts at or after @time, or hi. O(log n), as all
 * lookups here. */
guint hir_pyramid_lower_bound (const HirPyramid *pyramid, guint lo, guint hi, gint64 time);
/* Returns the first event of [lo, hi) that ends at or after @time, or hi. */
guint hir_pyramid_first_ending (const HirPyramid *pyramid, guint lo, guint hi, gint64 time);
/* Returns the last event of [lo, hi) that ends at or after @time, or hi. */
guint hir_pyramid_last_ending (const HirPyramid *pyramid, guint lo, guint hi, gint64 time);
/* Returns the latest end in [lo, hi), which must not be empty. */
gint64 hir_pyramid_max_end (const HirPyramid *pyramid, guint lo, guint hi);

G_END_DECLS
