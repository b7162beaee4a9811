/* Durations and times as text, in the unit that fits. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * hir_format_duration:
 * @ns: a duration or a time; may be negative
 *
 * Formats @ns with up to four significant digits, in ns, µs, ms or s: "364.1 µs", "2.58 ms".
 *
 * Returns: (transfer full): the text
 */
char *hir_format_duration (gint64 ns);

/* Like hir_format_duration(), but with three digits and a no-break space: "364 µs". For lists. */
char *hir_format_short_duration (gint64 ns);

/**
 * hir_format_range_end:
 * @ns: start or end of a range
 * @length_ns: length of the range
 *
 * Like hir_format_duration(), but with as many more decimals as a hundredth of the range needs.
 *
 * Returns: (transfer full): the text
 */
char *hir_format_range_end (gint64 ns, gint64 length_ns);

G_END_DECLS
