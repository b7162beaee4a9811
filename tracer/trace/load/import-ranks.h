/* Chrome and Kineto traces of one rank a file, loaded side by side and put together. */
#pragma once

#include "trace/load/import.h"

G_BEGIN_DECLS

/* As hir_trace_open(), of JSON files alone; options->n_threads is not 0. */
HirTrace *hir_import_ranks (const char *const *paths,
                            const HirImportOptions *options,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
