/* Which ops of a fusion go together: nvFuser's segmenter of 2025 with a should-merge predicate,
 * step by step as in docs/host-ir.md#segmentfusion, because the order of its list shows in the
 * printed program. The same results as the original's repeated scans, with less work: edges are
 * re-linked instead of remade, and the final phase goes through the list once. */
#pragma once

#include <gio/gio.h>

#include "container.h"

G_BEGIN_DECLS

/* One segment. Arrays are owned. */
typedef struct
{
  GPtrArray *exprs;   /* HirExpr*, in order of hir_fusion_dup_exprs() */
  GPtrArray *inputs;  /* HirVal*: inputs of the fusion, then tensors of other segments */
  GPtrArray *outputs; /* HirTensor*: outputs of the fusion, then tensors that others read */
  HirExpr *first;     /* the Expr that decides which devices are involved */
  gboolean standalone;
} HirSegment;

/* The segments of @fusion in run order. NULL and @error: HIR_ERROR_INVALID_IR where the segments
 * wait for each other (refusal 20 of docs/host-ir.md#refusals), HIR_ERROR_CANCELLED. Newly
 * allocated array of HirSegment*. */
GPtrArray *hir_segment_fusion (HirContainer *fusion,
                               GCancellable *cancellable,
                               GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
