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

G_END_DECLS
