/* Exports a trace as a table with one event per line. */
#pragma once

#include "trace/export-progress.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* Writes @trace to @path as RFC 4180 text with a header line: rank, device, stream, track, kind,
 * name, start_ns, duration_ns, bytes, flops, instruction (hexadecimal, empty if none), iteration
 * (empty outside a loop), correlation (empty if none), phase, then the columns of collectives.
 * @progress: nullable. Errors: see hir_text_out_write_file(). */
gboolean hir_export_csv_file (const HirTrace *trace,
                              const char *path,
                              HirExportProgress *progress,
                              GError **error);

G_END_DECLS
