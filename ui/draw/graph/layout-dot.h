/* The only file that calls Graphviz. Only the layout worker process uses it, because Graphviz is
 * not thread-safe, leaks memory and may abort or exit. */
#pragma once

#include "draw/graph/layout.h"

G_BEGIN_DECLS

/* Lays out @sizes with dot. Call once per process. Errors: HIR_ERROR_UNSUPPORTED if Graphviz has no
 * dot engine or gave up. */
HirLayout *hir_layout_dot (const HirSizes *sizes, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
