/* A trace in Perfetto's own format (TrackEvent packets): smaller than JSON, exact, and read by its
 * viewer and trace processor. */
#pragma once

#include "trace/export-progress.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* A process a rank's device and a rank's host; a track a stream, and one more for each lane where
 * its events overlap, as slices of a track must nest. Launches are tied to what they launched by
 * flows; instruction, iteration, rank, bytes and the like are debug annotations. Times count from
 * the trace's first event, as the format has no negative ones. Errors: as hir_text_out_write_file();
 * HIR_ERROR_UNSUPPORTED in a build without protobuf-c. */
gboolean
hir_export_perfetto_file (const HirTrace *trace, const char *path, HirExportProgress *watch, GError **error);

G_END_DECLS
