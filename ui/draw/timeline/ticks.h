/* Round numbers on a time axis, and times as people write them. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* The smallest step of 1, 2, 2.5 or 5 times a power of ten (whole ns, at least 1) with at most
 * @n_most steps in @range_ns; beyond 20 s of half a minute, minutes, hours, days that people count
 * in. */
gint64 hir_ticks_get_step (gint64 range_ns, double n_most);
/* The first multiple of @step_ns at or after @time_ns. */
gint64 hir_ticks_get_first (gint64 time_ns, gint64 step_ns);
/* "250 µs": all ticks of one axis have one unit, chosen by @largest_ns, and as many decimals as
 * @step_ns needs. */
char *hir_ticks_dup_label (gint64 time_ns, gint64 step_ns, gint64 largest_ns);
/* Where times are long beside what is seen of them, labels would all begin alike: the round time
 * from which they count then, at or before @start_ns and less than ten times as far from @end_ns as
 * that is; else 0. It stays the same while one pans a little. */
gint64 hir_ticks_get_base (gint64 start_ns, gint64 end_ns);
/* "12.345 678 s +": what stands before the labels that count from there. Exact. */
char *hir_ticks_dup_base (gint64 base_ns);
/* "12.35 M": a number of any size with four digits that count. */
char *hir_number_dup_text (double value);

G_END_DECLS
