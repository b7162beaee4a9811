/* Exports a trace as Chrome JSON with Kineto's conventions. Perfetto, TensorBoard and HTA can open
 * it. The identity of every event is preserved. */
#pragma once

#include "trace/export-progress.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* Writes @trace to @path. Device work is `kernel`, `gpu_memcpy`, `gpu_memset` or `cuda_sync` with
 * pid = device and tid = stream; issue spans are `cpu_op`; `ac2g` flows lead from an issue span to
 * the device events of its rank with the same correlation. If several ranks use the same device
 * number, the pids of each further rank are offset by 1000, and the account says so. ts and dur are
 * in µs with three decimals, computed from integer nanoseconds. @progress: nullable. Errors: see
 * hir_text_out_write_file(). */
gboolean hir_export_chrome_file (const HirTrace *trace,
                                 const char *path,
                                 HirExportProgress *progress,
                                 GError **error);

G_END_DECLS
