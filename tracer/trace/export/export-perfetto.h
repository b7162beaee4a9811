/* Exports a trace in Perfetto's native format (TrackEvent packets). It is smaller than JSON and
 * exact, and Perfetto's viewer and trace processor read it. */
#pragma once

#include "trace/export-progress.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* Writes @trace to @path. Each device of a rank and each rank's host is a process. Each track is
 * one of Perfetto's, with further tracks below it for events that overlap without nesting, because
 * slices of a track must nest.
 *
 * A flow connects a launch with each piece of its work. Arguments (export-args.h) are debug
 * annotations. Times count from the zero of @trace, or from an earlier first event, because the
 * format has no negative times.
 *
 * Errors: see hir_text_out_write_file(); HIR_ERROR_UNSUPPORTED in a build without protobuf-c. */
gboolean hir_export_perfetto_file (const HirTrace *trace,
                                   const char *path,
                                   HirExportProgress *progress,
                                   GError **error);

G_END_DECLS
