/* Exports of Nsight Systems as SQLite. */
#pragma once

#include <gio/gio.h>

#include "trace/load-progress.h"

G_BEGIN_DECLS

/* Whether the file at @path is an SQLite database with a table that such exports have. */
gboolean hir_import_nsys_sniff (const char *path);

/* Adds its kernels, copies, memsets, synchronisations, CUDA calls, NVTX ranges and overhead. Tables
 * and columns are found by looking: what is not there is not missed, rows may come in any order.
 * Each process that drove a device is a rank, in the order of process ids. The file is only read;
 * no SQL of its own is trusted. @watch: nullable. Errors: HIR_ERROR_INPUT naming the file, HIR_ERROR_LIMIT,
 * HIR_ERROR_CANCELLED. */
gboolean hir_import_nsys (HirTraceBuilder *builder,
                          const char *path,
                          HirLoadProgress *watch,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
