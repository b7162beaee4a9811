/* A trace as Chrome JSON in Kineto's conventions: opens in Perfetto, TensorBoard and HTA, and keeps
 * the identity of every event. */
#pragma once

#include "trace/export-progress.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* Writes @trace to @out, which stays open. Device work is `kernel`, `gpu_memcpy`, `gpu_memset` or
 * `cuda_sync` with pid = device and tid = stream; issue spans are `cpu_op`; `ac2g` flows go from an
 * issue span to the device events of its rank that share its correlation. Where several ranks have
 * the same device number, each rank after the first gets pids of its own (1000 * its place +
 * device), and the account says so. ts and dur are microseconds with three decimals, made from
 * whole nanoseconds without a double. @watch: nullable. Errors: those of @out. */
gboolean hir_export_chrome (const HirTrace *trace,
                            GOutputStream *out,
                            HirExportProgress *watch,
                            GError **error);
/* The same into a file, as hir_text_out_write_file(). */
gboolean
hir_export_chrome_file (const HirTrace *trace, const char *path, HirExportProgress *watch, GError **error);

G_END_DECLS
