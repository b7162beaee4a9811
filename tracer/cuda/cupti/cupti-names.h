/* Readable names of kernels. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Returns a short name for the kernel with the given symbol, without C++ mangling and arguments:
 * `_Z31ncclDevKernel_AllGather_RING_LL24nccl...` becomes ncclDevKernel_AllGather_RING_LL. For a
 * template that wraps another kernel, returns the name of that kernel. Long names end in "…" so
 * that they fit a bar's label. */
char *hir_kernel_dup_short_name (const char *symbol);

G_END_DECLS
