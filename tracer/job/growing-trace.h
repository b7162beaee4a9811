/* A trace of a run that goes on: takes what comes over the control protocol, and now and then makes a HirTrace
 * of all that has come, on a worker thread. */
#pragma once

#include <gio/gio.h>

#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct _HirGrowingTrace HirGrowingTrace;

/* Called in the thread-default main context of hir_growing_trace_new()'s caller; @trace is borrowed and holds
 * every event so far. @is_last: after hir_growing_trace_end(), once. @error, of the last call only: there was
 * no memory for all of them; @trace is then the one before, or NULL. The HirGrowingTrace may be freed in it. */
typedef void (*HirGrowingTraceFunc) (HirTrace *trace,
                                     gboolean is_last,
                                     const GError *error,
                                     gpointer user_data);

HirGrowingTrace *hir_growing_trace_new (HirGrowingTraceFunc func, gpointer user_data);
/* No callback comes any more. */
void hir_growing_trace_free (HirGrowingTrace *self);

/* As hir_trace_builder_set_meta(): for the traces made from now on. */
void hir_growing_trace_set_meta (HirGrowingTrace *self, const char *key, const char *value);
/* Payloads of TRACK, STRING and EVENTS frames. HIR_ERROR_INPUT where tracks or strings do not count up from
 * 0, or a payload makes no sense. An event on no track or with no name is told of in the trace's account. */
gboolean hir_growing_trace_add_track (HirGrowingTrace *self, GVariant *payload, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean hir_growing_trace_add_string (HirGrowingTrace *self, GVariant *payload, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
gboolean hir_growing_trace_add_events (HirGrowingTrace *self, GVariant *payload, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Payload of a MEETINGS frame. */
gboolean hir_growing_trace_add_comm_records (HirGrowingTrace *self, GVariant *payload, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Payload of an EDGES frame. */
gboolean hir_growing_trace_add_edges (HirGrowingTrace *self, GVariant *payload, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Payload of a VALUE frame. */
void hir_growing_trace_add_value (HirGrowingTrace *self, GVariant *payload);
/* Nothing more comes: the last trace is made. */
void hir_growing_trace_end (HirGrowingTrace *self);

G_END_DECLS
