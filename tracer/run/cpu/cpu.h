/* The CPU back end: each stream is a thread with a queue; memory is the host's. */
#pragma once

#include "run/backend.h"

G_BEGIN_DECLS

/* @options is copied; its recorder must outlive the back end. Sets OpenBLAS to one thread a call,
 * so that two streams' products overlap. NULL and HIR_ERROR_LIMIT where no thread can be started.
 */
HirBackend *hir_cpu_backend_new (const HirBackendOptions *options, GError **error);

G_END_DECLS
