/* Sets of times as sorted, disjoint intervals [start, end), and arithmetic on them: what "busy",
 * "exposed" and "overlap" are made of. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  gint64 start_ns, end_ns; /* start < end */
} HirInterval;

/* A GArray of HirInterval; the functions below but add() want it merged and give it merged. */
typedef GArray HirIntervals;

HirIntervals *hir_intervals_new (void);
/* An empty interval (an instant) adds nothing. */
void hir_intervals_add (HirIntervals *set, gint64 start_ns, gint64 end_ns);
/* Sorts, and joins what touches or overlaps. */
void hir_intervals_merge (HirIntervals *set);
gint64 hir_intervals_get_total_ns (const HirIntervals *set);
/* New sets, to be freed with g_array_unref(); linear in the intervals of both. */
HirIntervals *hir_intervals_dup_union (const HirIntervals *a, const HirIntervals *b);
/* @a without @b. */
HirIntervals *hir_intervals_dup_difference (const HirIntervals *a, const HirIntervals *b);

G_END_DECLS
