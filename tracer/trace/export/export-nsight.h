/* Exports a trace as an SQLite database with the tables and columns of an Nsight Systems export, so
 * that existing queries and scripts work on it. */
#pragma once

#include "trace/export-progress.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* Writes @trace to @path. Kernels and communications, copies, memsets, waits, launches and other
 * host work have one table each. A rank is a process.
 *
 * Data that has no Nsight column is in additional columns that start with "hir", and in the tables
 * HIRSCOPE_COUNTERS, HIRSCOPE_FLOWS, HIRSCOPE_TRACKS, HIRSCOPE_MEETINGS, HIRSCOPE_META and
 * HIRSCOPE_ACCOUNT. With them, hir_import_nsys() restores the trace. The file at @path is replaced
 * when the export is complete.
 *
 * @progress: (nullable)
 * Errors: HIR_ERROR_RUN and HIR_ERROR_CANCELLED, with the path. */
gboolean hir_export_nsight_file (const HirTrace *trace,
                                 const char *path,
                                 HirExportProgress *progress,
                                 GError **error);

/* Returns a note about the parts of @trace that have no Nsight table and where the file stores
 * them, or NULL if there are none. */
char *hir_export_nsight_dup_note (const HirTrace *trace);

G_END_DECLS
