/* Sizes and layouts as bytes, between this process and its layout worker: two processes of one
 * binary on one machine, so the numbers are in the machine's own order. Reading checks everything:
 * counts against the length, indices against the counts, positions for being finite. */
#pragma once

#include "draw/graph/layout.h"

G_BEGIN_DECLS

/* A copy, in the byte order of this machine: both ends are one program. */
GBytes *hir_sizes_to_bytes (const HirSizes *sizes);
/* Errors: HIR_ERROR_INPUT where the bytes are no graph of sizes. */
HirSizes *hir_sizes_new_from_bytes (GBytes *bytes, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* As above. */
GBytes *hir_layout_to_bytes (const HirLayout *layout);
/* Errors: HIR_ERROR_INPUT, also where the counts are not those of @sizes. Lanes are not carried. */
HirLayout *hir_layout_new_from_bytes (GBytes *bytes,
                                      const HirSizes *sizes,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
