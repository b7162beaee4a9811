/* Exports a trace in Perfetto's native format (TrackEvent packets). It is smaller than JSON and
 * exact, and Perfetto's viewer and trace processor read it. */
#pragma once

#include "trace/export-progress.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* Writes @trace to @path. Each device of a rank and each rank's host is a process. Each stream is a
 * track, with further tracks for lanes of overlapping events, because slices of a track must nest.
 *
 * Flows connect launches with their work. Instruction, iteration, rank, bytes and similar fields
 * are debug annotations. Times start at the first event, because the format has no negative times.
 *
 * Errors: see hir_text_out_write_file(); HIR_ERROR_UNSUPPORTED in a build without protobuf-c. */
gboolean hir_export_perfetto_file (const HirTrace *trace,
                                   const char *path,
                                   HirExportProgress *progress,
                                   GError **error);

G_END_DECLS
