/* Loads Chrome, Kineto and Nsight traces with one file per rank in parallel, and merges them. */
#pragma once

#include "trace/load/import.h"

G_BEGIN_DECLS

/* Like hir_trace_open(), but not for recordings. options->n_threads must not be 0. */
HirTrace *hir_import_ranks (const char *const *paths,
                            const HirImportOptions *options,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
