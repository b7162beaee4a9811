/* Writes statistics as JSON or text. */
#pragma once

#include "analysis/stats.h"
#include "trace/text-out.h"

G_BEGIN_DECLS

/* Writes the JSON object of `stats --json`, one line per row, with a final newline. Unknown
 * values are null. */
void hir_stats_write_json (const HirStats *stats, const HirTrace *trace, HirTextOut *out);
/* Writes tables for a terminal, with at most @max_kernels rows of kernels. */
void hir_stats_write_text (const HirStats *stats,
                           const HirTrace *trace,
                           guint max_kernels,
                           HirTextOut *out);

G_END_DECLS
