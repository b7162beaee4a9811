/* Round numbers on a time axis, and times as people write them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The smallest step of 1, 2, 2.5 or 5 times a power of ten (whole ns, at least 1) with at most
 * @n_most steps in @range_ns. */
gint64 hir_ticks_get_step (gint64 range_ns, double n_most);
/* The first multiple of @step_ns at or after @time_ns. */
gint64 hir_ticks_get_first (gint64 time_ns, gint64 step_ns);
/* "250 µs": all ticks of one axis have one unit, chosen by @largest_ns, and as many decimals as
 * @step_ns needs. */
char *hir_ticks_dup_label (gint64 time_ns, gint64 step_ns, gint64 largest_ns);
/* A duration or time with four digits that count and the unit that suits it: "364.1 µs", "2.58 ms".
 */
char *hir_time_dup_text (gint64 time_ns);
/* "12.35 M": a number of any size with four digits that count. */
char *hir_number_dup_text (double value);

G_END_DECLS
