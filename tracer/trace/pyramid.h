/* Index of the end times of one track: finds the events at a time in O(log n). Takes under 1 byte per event.
 * Internal to trace/; other rooms use the lookups of trace.h. */
#pragma once

#include "trace/columns.h"

G_BEGIN_DECLS

#define HIR_PYRAMID_BLOCK 32 /* events that a cell of the lowest level stands for */
#define HIR_PYRAMID_FAN 16   /* cells that a cell of the next level stands for */
#define HIR_PYRAMID_LEVELS 8 /* 32 * 16^7 > 2^32 events */

typedef struct
{
  guint n;
  gint64 *max_end;  /* latest end in the cell */
} HirPyramidLevel;

typedef struct
{
  const HirColumns *columns; /* borrowed, sorted */
  HirPyramidLevel levels[HIR_PYRAMID_LEVELS];
  guint n_levels;
} HirPyramid;

/* FALSE where memory can't be had. @columns must outlive it. */
gboolean hir_pyramid_init (HirPyramid *pyramid, const HirColumns *columns);
void hir_pyramid_clear (HirPyramid *pyramid);
/* All events are moved by @by_ns. */
void hir_pyramid_shift (HirPyramid *pyramid, gint64 by_ns);
gsize hir_pyramid_get_size_bytes (const HirPyramid *pyramid);

/* All O(log n). First event of [lo, hi) that starts at or after @time; hi where none. */
guint hir_pyramid_lower_bound (const HirPyramid *pyramid, guint lo, guint hi, gint64 time);
/* First, last event of [lo, hi) that ends at or after @time; hi where none. */
guint hir_pyramid_first_ending (const HirPyramid *pyramid, guint lo, guint hi, gint64 time);
guint hir_pyramid_last_ending (const HirPyramid *pyramid, guint lo, guint hi, gint64 time);
/* Latest end in [lo, hi), which is not empty. */
gint64 hir_pyramid_max_end (const HirPyramid *pyramid, guint lo, guint hi);

G_END_DECLS
