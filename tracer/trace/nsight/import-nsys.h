/* Imports SQLite exports of Nsight Systems. */
#pragma once

#include <gio/gio.h>

#include "trace/load-progress.h"

G_BEGIN_DECLS

/* Returns whether the file at @path is an SQLite database with a table of such an export. */
gboolean hir_import_nsys_sniff (const char *path);

/* Adds kernels, copies, memsets, CUDA graphs, synchronizations, CUDA calls, NVTX ranges, MPI calls
 * and overhead to @builder. The account names the tables that are not read.
 *
 * Tables and columns are optional, and rows may have any order. Each process that used a device is
 * a rank: that of MPI_RANKS, otherwise from 0 in the order of machines and process ids. The file is
 * opened read-only, and no SQL of its schema is executed.
 *
 * @progress: (nullable)
 * @has_ranks: (out) (nullable): whether the file states the ranks
 * Errors: HIR_ERROR_INPUT with the file, HIR_ERROR_LIMIT, HIR_ERROR_CANCELLED. */
gboolean hir_import_nsys (HirTraceBuilder *builder,
                          const char *path,
                          HirLoadProgress *progress,
                          gboolean *has_ranks,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
