/* Steps and labels of a time axis. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns the smallest round step with at most @n_most steps in @range_ns: 1, 2, 2.5 or 5 times a
 * power of ten, in whole ns. Steps above 20 s are 30 s, or common numbers of minutes, hours or
 * days. */
gint64 hir_ticks_get_step (gint64 range_ns, double n_most);
/* Returns the first multiple of @step_ns at or after @time_ns. */
gint64 hir_ticks_get_first (gint64 time_ns, gint64 step_ns);
/* Returns a label such as "250 µs" (transfer full). The unit depends only on @step_ns and
 * @largest_ns, so all ticks of an axis have the same unit. Shows as many decimals as @step_ns
 * needs. */
char *hir_ticks_dup_label (gint64 time_ns, gint64 step_ns, gint64 largest_ns);
/* Returns the base of the labels: a round time at or before @start_ns from which they count, or 0.
 * Used if the times are at least 1000 times larger than the visible range, because all labels would
 * then start with the same digits. Small pans do not change the base. */
gint64 hir_ticks_get_base (gint64 start_ns, gint64 end_ns);
/* Returns the text before labels with a base, such as "12.345 678 s +" (transfer full). Exact. */
char *hir_ticks_dup_base (gint64 base_ns);
/* Returns a number such as "12.35 M", with four significant digits (transfer full). Numbers below
 * 0.001 or from 1e21 have three digits and no prefix. */
char *hir_number_dup_text (double value);

G_END_DECLS
