/* The one file that talks to Graphviz. Only the layout worker's process calls it: Graphviz is not
 * thread-safe, leaks, and may abort or exit. */
#pragma once

#include "draw/graph/layout.h"

G_BEGIN_DECLS

/* Lays @sizes out with dot. Once a process. Errors: HIR_ERROR_UNSUPPORTED where Graphviz has no dot
 * here or gave up. */
HirLayout *hir_layout_dot (const HirSizes *sizes, GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
