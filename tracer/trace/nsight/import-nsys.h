/* Imports SQLite exports of Nsight Systems. */
#pragma once

#include <gio/gio.h>

#include "trace/load-progress.h"

G_BEGIN_DECLS

/* Returns whether the file at @path is an SQLite database with a table of such an export. */
gboolean hir_import_nsys_sniff (const char *path);

/* Adds kernels, copies, memsets, synchronizations, CUDA calls, NVTX ranges and overhead to
 * @builder.
 *
 * Tables and columns are optional, and rows may have any order. Each process that used a device is
 * a rank, in the order of process ids. The file is opened read-only, and no SQL of its schema is
 * executed.
 *
 * @progress: (nullable)
 * Errors: HIR_ERROR_INPUT with the file, HIR_ERROR_LIMIT, HIR_ERROR_CANCELLED. */
gboolean hir_import_nsys (HirTraceBuilder *builder,
                          const char *path,
                          HirLoadProgress *progress,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
