/* A trace of a run that goes on: takes what comes over the control protocol, and now and then makes a HirTrace
 * of all that has come, on a worker thread. */
#pragma once

#include <gio/gio.h>

#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct _HirGrowingTrace HirGrowingTrace;

/* Called in the thread-default main context of hir_growing_trace_new()'s caller; @trace is borrowed.
 * @is_last: after hir_growing_trace_end(), once. */
typedef void (*HirGrowingTraceFunc) (HirTrace *trace, gboolean is_last, gpointer user_data);

HirGrowingTrace *hir_growing_trace_new (HirGrowingTraceFunc func, gpointer user_data);
/* No callback comes any more. */
void hir_growing_trace_free (HirGrowingTrace *self);

void hir_growing_trace_set_meta (HirGrowingTrace *self, const char *key, const char *value);
/* Payloads of TRACK and STRING frames. HIR_ERROR_INPUT where they do not count up from 0 or make no sense. */
gboolean hir_growing_trace_add_track (HirGrowingTrace *self, GVariant *payload, GError **error);
gboolean hir_growing_trace_add_string (HirGrowingTrace *self, GVariant *payload, GError **error);
void hir_growing_trace_add_events (HirGrowingTrace *self, const HirEvent *events, gsize n);
/* Nothing more comes: the last trace is made. */
void hir_growing_trace_end (HirGrowingTrace *self);

G_END_DECLS
