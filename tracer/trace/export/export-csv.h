/* A trace as a table: one event a line. */
#pragma once

#include "trace/export-progress.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* RFC 4180 with a head line: rank, device, stream, track, kind, name, start_ns, duration_ns, bytes,
 * flops, instruction (hex, empty for none), iteration (empty outside a loop), correlation (empty
 * for none), phase. @out stays open. @watch: nullable. */
gboolean hir_export_csv (const HirTrace *trace,
                         GOutputStream *out,
                         HirExportProgress *watch,
                         GError **error);
/* The same into a file, as hir_text_out_write_file(). */
gboolean
hir_export_csv_file (const HirTrace *trace, const char *path, HirExportProgress *watch, GError **error);

G_END_DECLS
