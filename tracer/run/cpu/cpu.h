/* The CPU back end: each stream is a thread with a queue, and memory is host memory. */
#pragma once

#include "run/backend.h"

G_BEGIN_DECLS

/* Creates a CPU back end. @options is copied; its recorder must outlive the back end. Sets OpenBLAS
 * to one thread per call, so that products of two streams overlap. Returns NULL and sets
 * HIR_ERROR_LIMIT if no thread can be started. */
HirBackend *hir_cpu_backend_new (const HirBackendOptions *options, GError **error);

G_END_DECLS
