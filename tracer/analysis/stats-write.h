/* Statistics as JSON and as text to read. */
#pragma once

#include "analysis/stats.h"
#include "trace/text-out.h"

G_BEGIN_DECLS

/* The JSON object of `stats --json` on one line a row, with a newline at its end. What is not known
 * is null. */
void hir_stats_write_json (const HirStats *stats, const HirTrace *trace, HirTextOut *out);
/* Tables for a terminal; at most @max_kernels rows of kernels, and how many more there are. */
void hir_stats_write_text (const HirStats *stats,
                           const HirTrace *trace,
                           guint max_kernels,
                           HirTextOut *out);

G_END_DECLS
