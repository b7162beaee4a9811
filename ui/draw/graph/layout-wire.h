/* Serializes sizes and layouts for the pipe to the layout worker. Both processes run the same
 * binary on one machine, so numbers are in native byte order. The parser validates counts, indices
 * and positions. */
#pragma once

#include "draw/graph/layout.h"

G_BEGIN_DECLS

/* Returns @sizes as bytes. */
GBytes *hir_sizes_to_bytes (const HirSizes *sizes);
/* Errors: HIR_ERROR_INPUT if the bytes are not valid sizes. */
HirSizes *hir_sizes_new_from_bytes (GBytes *bytes, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Returns @layout as bytes. */
GBytes *hir_layout_to_bytes (const HirLayout *layout);
/* Errors: HIR_ERROR_INPUT, also if the counts differ from those of @sizes. Lanes are not
 * serialized. */
HirLayout *hir_layout_new_from_bytes (GBytes *bytes,
                                      const HirSizes *sizes,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
