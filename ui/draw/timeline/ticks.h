/* Computes round ticks of a time axis, and formats times and numbers. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns the smallest step of 1, 2, 2.5 or 5 times a power of ten (whole ns, at least 1) that
 * gives at most @n_most steps in @range_ns. Above 20 s, steps are common fractions and multiples of
 * minutes, hours and days. */
gint64 hir_ticks_get_step (gint64 range_ns, double n_most);
/* Returns the first multiple of @step_ns at or after @time_ns. */
gint64 hir_ticks_get_first (gint64 time_ns, gint64 step_ns);
/* Returns a label such as "250 µs" (transfer full). All ticks of an axis have one unit, selected by
 * @largest_ns, and as many decimals as @step_ns needs. */
char *hir_ticks_dup_label (gint64 time_ns, gint64 step_ns, gint64 largest_ns);
/* Returns a round time at or before @start_ns to which labels are relative, or 0 if absolute labels
 * are short enough. Used if times are long compared with the visible range, so that all labels
 * would start alike. Stays the same during small movements. */
gint64 hir_ticks_get_base (gint64 start_ns, gint64 end_ns);
/* Returns the exact text before labels that are relative to @base_ns, for example "12.345 678 s +"
 * (transfer full). */
char *hir_ticks_dup_base (gint64 base_ns);
/* Returns a time with four significant digits and a suitable unit, for example "364.1 µs" or "2.58
 * ms" (transfer full). */
char *hir_time_dup_text (gint64 time_ns);
/* Like hir_time_dup_text(), for an end of a range of length @length_ns: with enough digits to
 * resolve a hundredth of it. */
char *hir_time_dup_end (gint64 time_ns, gint64 length_ns);
/* Returns a number with four significant digits, for example "12.35 M" (transfer full). */
char *hir_number_dup_text (double value);

G_END_DECLS
