/* A trace as a table: one event a line. */
#pragma once

#include "trace/trace.h"

#include <gio/gio.h>

G_BEGIN_DECLS

/* RFC 4180 with a head line: rank, device, stream, track, kind, name, start_ns, duration_ns, bytes,
 * flops, instruction (hex, empty for none), iteration (empty outside a loop), correlation (empty
 * for none), phase. @out stays open. */
gboolean hir_export_csv (const HirTrace *trace,
                         GOutputStream *out,
                         GCancellable *cancellable,
                         GError **error);
/* The same into a file, which is replaced only when all is written. Errors: HIR_ERROR_RUN, naming
 * @path. */
gboolean hir_export_csv_file (const HirTrace *trace, const char *path, GError **error);

G_END_DECLS
