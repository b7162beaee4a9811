/* A sink of a recorder that fills a trace in memory. */
#pragma once

#include "record/recorder.h"

G_BEGIN_DECLS

typedef struct _HirTraceSink HirTraceSink;

/* Fills @builder (borrowed: it must outlive the recorder; finish it after the recorder is freed or
 * has flushed for the last time). *@sink is for hir_recorder_add_sink(). */
HirTraceSink *
hir_trace_sink_new (HirTraceBuilder *builder, HirRecorderSink *sink);
/* After the recorder is freed. */
void
hir_trace_sink_free (HirTraceSink *trace_sink);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTraceSink, hir_trace_sink_free)

G_END_DECLS
