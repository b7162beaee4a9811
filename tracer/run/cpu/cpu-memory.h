/* The part of the CPU back end's table that is about memory; see run/backend.h. */
#pragma once

#include "run/backend.h"

G_BEGIN_DECLS

/* At once, on the calling thread. */
gboolean hir_cpu_memory_fill (HirBackend *backend,
                              guint stream,
                              HirBuffer *buffer,
                              guint8 byte,
                              const HirEvent *event,
                              GError **error);
/* A reference. */
HirValue *hir_cpu_memory_upload (HirBackend *backend, HirValue *tensor, GError **error);
/* Elements, row-major. */
gboolean hir_cpu_memory_read (HirBackend *backend,
                              const HirValue *tensor,
                              gpointer host,
                              GError **error);

G_END_DECLS
