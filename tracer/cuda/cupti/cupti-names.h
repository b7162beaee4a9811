/* Names of kernels for people. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* What a person calls the kernel with that symbol: without arguments and the mangling of C++
 * (`_Z31ncclDevKernel_AllGather_RING_LL24nccl...` is ncclDevKernel_AllGather_RING_LL), of
 * templates that launch a kernel that they are given the kernel, and no longer than a bar's label
 * can be: the rest is "…". */
char *hir_kernel_dup_short_name (const char *symbol);

G_END_DECLS
