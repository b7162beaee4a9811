/* A recorder sink that fills a trace in memory. */
#pragma once

#include "record/recorder.h"

G_BEGIN_DECLS

typedef struct _HirTraceSink HirTraceSink;

/* Creates a sink that fills @builder, which is borrowed and must outlive the recorder. Finish
 * the builder after the last flush. @sink is for hir_recorder_add_sink(). */
HirTraceSink *hir_trace_sink_new (HirTraceBuilder *builder, HirRecorderSink *sink);
/* Frees @trace_sink. Call after the recorder is freed. */
void hir_trace_sink_free (HirTraceSink *trace_sink);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTraceSink, hir_trace_sink_free)

G_END_DECLS
