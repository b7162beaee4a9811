/* Turns a segment into a HostUnit: a private copy of its ops, and the PostOnStream that runs them.
 */
#pragma once

#include "clone.h"
#include "segment/segmenter.h"

G_BEGIN_DECLS

/* Creates the PostOnStream of @segment and its HostUnit, without adding it to @host; @cloner copies
 * into @host. @error: HIR_ERROR_REFUSED if an input has a loop domain that the unit cannot see
 * (refusal 23 of docs/host-ir.md#refusals). */
HirExpr *hir_segment_to_post_on_stream (const HirSegment *segment,
                                        HirContainer *host,
                                        HirCloner *cloner,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Creates the LaunchKernel of @segment (2026) and its HostUnit, likewise. */
HirExpr *hir_segment_to_launch_kernel (const HirSegment *segment,
                                       HirContainer *host,
                                       HirCloner *cloner,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns TRUE if device @rank takes part in a segment: it is on the mesh of an operand of the
 * first Expr. A tensor without a mesh belongs to device 0 (docs/host-ir.md#segmentfusion). */
gboolean hir_segment_involves (const HirSegment *segment, gint64 rank);
/* Creates an empty host program for the segments of @fusion, made by pass @pass. Numbers continue
 * after those of the fusion, including tensors hidden in HostUnits; shared constants keep theirs.
 */
HirContainer *hir_segment_host_new (HirContainer *fusion, const char *pass);

G_END_DECLS
