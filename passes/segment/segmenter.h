/* Partitions a fusion into segments. Implements nvFuser's segmenter of 2025 with a should-merge
 * predicate, step by step as in docs/host-ir.md#segmentfusion, because the order of its list is
 * visible in the printed program. The results are the same as those of the repeated scans in
 * nvFuser, with less work: edges are relinked instead of recreated, and the final phase scans the
 * list once. */
#pragma once

#include <gio/gio.h>

#include "container.h"

G_BEGIN_DECLS

/* One segment; owns its arrays. */
typedef struct
{
  GPtrArray *exprs;   /* HirExpr*, in the order of hir_fusion_dup_exprs() */
  GPtrArray *inputs;  /* HirVal*: inputs of the fusion, then tensors of other segments */
  GPtrArray *outputs; /* HirTensor*: outputs of the fusion, then tensors that other segments read */
  HirExpr *first;     /* Expr that determines which devices take part */
  gboolean standalone;
  guint group; /* position in the list of groups, which nvFuser of 2026 prints */
} HirSegment;

/* How a pipeline segments a fusion. */
typedef struct
{
  /* Returns TRUE if @expr is a segment of its own. */
  gboolean (*is_standalone) (const HirExpr *expr);
  /* TRUE for the rules of 2026: the result of a SegmenterSet is read only in later segments, and
   * segments run as soon as their inputs are available, first come, first served. */
  gboolean is_2026;
} HirSegmentRules;

/* The rules of 2025. */
extern const HirSegmentRules hir_segment_rules_2025;

/* Returns the segments of @fusion in run order, as a new array of HirSegment*. @error:
 * HIR_ERROR_INVALID_IR if segments depend on each other (refusal 20 of docs/host-ir.md#refusals),
 * HIR_ERROR_CANCELLED. */
GPtrArray *hir_segment_fusion (HirContainer *fusion,
                               const HirSegmentRules *rules,
                               GCancellable *cancellable,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
