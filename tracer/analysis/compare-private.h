/* Internal declarations of the comparison. */
#pragma once

#include "analysis/compare.h"

G_BEGIN_DECLS

/* Returns whether @event of a stream or link is work of the program. */
static inline gboolean
hir_comparison_counts (const HirEvent *event)
{
  return event->phase == HIR_PHASE_PROGRAM &&
         (event->kind == HIR_EVENT_KERNEL || event->kind == HIR_EVENT_MEMCPY ||
          event->kind == HIR_EVENT_MEMSET || event->kind == HIR_EVENT_COMMUNICATION);
}

/**
 * hir_comparison_average:
 * @trace: the trace of @side, 0 or 1
 * @cancellable: (nullable): after a cancellation, the result is incomplete
 *
 * Makes the statistics of a side those of one repetition, and sets its span, number of repetitions
 * and whether they are separate.
 */
void hir_comparison_average (HirComparison *comparison,
                             guint side,
                             const HirTrace *trace,
                             GCancellable *cancellable);

G_END_DECLS
