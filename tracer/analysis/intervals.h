/* Sets of time intervals [start, end), from which busy, exposed and overlap times are computed. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gint64 start_ns, end_ns; /* start < end */
} HirInterval;

/* A GArray of HirInterval. All functions except hir_intervals_add() require and return merged sets:
 * sorted and disjoint. */
typedef GArray HirIntervals;

HirIntervals *hir_intervals_new (void);
/* Adds an interval. Empty intervals are ignored. */
void hir_intervals_add (HirIntervals *set, gint64 start_ns, gint64 end_ns);
/* Sorts the intervals and joins those that touch or overlap. */
void hir_intervals_merge (HirIntervals *set);
/* Returns the sum of the lengths of a merged set. */
gint64 hir_intervals_get_total_ns (const HirIntervals *set);
/* Returns the union of two merged sets (transfer full), in linear time. */
HirIntervals *hir_intervals_dup_union (const HirIntervals *a, const HirIntervals *b);
/* Returns the part of @a outside of @b (transfer full), in linear time. Both must be merged. */
HirIntervals *hir_intervals_dup_difference (const HirIntervals *a, const HirIntervals *b);

G_END_DECLS
