/* The trace of a run in progress: collects control protocol frames, and repeatedly builds a
 * HirTrace from all of them on a worker thread. */
#pragma once

#include <gio/gio.h>

#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct _HirGrowingTrace HirGrowingTrace;

/**
 * HirGrowingTraceFunc:
 * @trace: (nullable): all events so far; borrowed
 * @is_last: TRUE once, after hir_growing_trace_end()
 * @error: (nullable): in the last call only: there was not enough memory for all events, and @trace
 *   is the previous trace or NULL
 *
 * Receives a new trace, in the thread-default main context of the caller of
 * hir_growing_trace_new(). May free the HirGrowingTrace.
 */
typedef void (*HirGrowingTraceFunc) (HirTrace *trace,
                                     gboolean is_last,
                                     const GError *error,
                                     gpointer user_data);

/* Creates an empty trace. */
HirGrowingTrace *hir_growing_trace_new (HirGrowingTraceFunc func, gpointer user_data);
/* Frees @self (nullable). No callback is called afterwards. */
void hir_growing_trace_free (HirGrowingTrace *self);

/* Sets a meta value of the traces built from now on; see hir_trace_builder_set_meta(). */
void hir_growing_trace_set_meta (HirGrowingTrace *self, const char *key, const char *value);
/* Adds the payload of a TRACK frame. Returns FALSE with HIR_ERROR_INPUT if it is malformed or
 * not the next track. */
gboolean hir_growing_trace_add_track (HirGrowingTrace *self,
                                      GVariant *payload,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Adds the payload of a STRING frame. Returns FALSE with HIR_ERROR_INPUT if it is not the next
 * string. */
gboolean hir_growing_trace_add_string (HirGrowingTrace *self,
                                       GVariant *payload,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Adds the payload of an EVENTS frame. Returns FALSE with HIR_ERROR_INPUT if it is malformed.
 * Events without track or name are reported in the account of the trace. */
gboolean hir_growing_trace_add_events (HirGrowingTrace *self,
                                       GVariant *payload,
                                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Adds the payload of a MEETINGS frame. Returns FALSE with HIR_ERROR_INPUT if it is malformed. */
gboolean hir_growing_trace_add_comm_records (HirGrowingTrace *self,
                                             GVariant *payload,
                                             GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Adds the payload of an EDGES frame. Returns FALSE with HIR_ERROR_INPUT if it is malformed. */
gboolean hir_growing_trace_add_edges (HirGrowingTrace *self,
                                      GVariant *payload,
                                      GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Adds the payload of a VALUE frame. */
void hir_growing_trace_add_value (HirGrowingTrace *self, GVariant *payload);
/* Builds the last trace. Nothing may be added afterwards. */
void hir_growing_trace_end (HirGrowingTrace *self);

G_END_DECLS
