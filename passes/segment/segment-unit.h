/* A segment as a HostUnit: a private copy of its ops, and the PostOnStream that runs it. */
#pragma once

#include "clone.h"
#include "segment/segmenter.h"

G_BEGIN_DECLS

/* The PostOnStream, put nowhere yet; @cloner copies into the host program. Errors:
 * HIR_ERROR_REFUSED where an input of the unit has a loop domain that the unit cannot see (refusal
 * 23 of docs/host-ir.md#refusals). */
HirExpr *hir_segment_to_post_on_stream (const HirSegment *segment,
                                        HirContainer *host,
                                        HirCloner *cloner,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
