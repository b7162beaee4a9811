/* The modelled clock: computes a time for each event from its bytes and flops and a table of rates,
 * the same in every run. The host issues one instruction after another; a stream starts a task when
 * it is issued and the previous task is done. Used only by the host thread. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct _HirModel HirModel;

HirModel *hir_model_new (void);
void hir_model_free (HirModel *model);
/* Returns a copy of the times of @model. */
HirModel *hir_model_copy (const HirModel *model);
/* Sets the times of @model to those of @from. */
void hir_model_assign (HirModel *model, const HirModel *from);

/* Issues an instruction. Call before the work that it starts. */
void hir_model_issue (HirModel *model, gboolean launches, gint64 *start_ns, gint64 *end_ns);
/* Runs a task on @stream (any index): it starts when the host has issued it and the stream is free.
 */
void hir_model_run (
    HirModel *model, guint stream, gint64 bytes, gint64 flops, gint64 *start_ns, gint64 *end_ns);
/* Returns the end of all work queued on @stream. */
gint64 hir_model_record (HirModel *model, guint stream);
/* Makes @stream wait for @time_ns. Returns TRUE and the span if it really waits. */
gboolean
hir_model_wait (HirModel *model, guint stream, gint64 time_ns, gint64 *start_ns, gint64 *end_ns);
/* Returns the time at which this rank is ready for a transfer on @channel, a stream index without
 * other work, after the work queued on @stream. */
gint64 hir_model_begin_transfer (HirModel *model, guint stream, guint channel);
/* Ends the transfer on @channel, which is free afterwards. */
void hir_model_end_transfer (HirModel *model, guint channel, gint64 end_ns);
/* Returns the duration of a transfer once all ranks are ready. */
gint64 hir_model_get_transfer_ns (const HirModel *model, gint64 bytes);
/* Makes the host wait for all streams. */
void hir_model_synchronize (HirModel *model);
/* Returns the time of the host. */
gint64 hir_model_get_host_ns (const HirModel *model);

G_END_DECLS
