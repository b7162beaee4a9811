/* The modelled clock: a time for every event from its bytes and flops and a table of rates, the
 * same in every run. The host issues one instruction after another; a stream starts a piece of work
 * when it is issued and the work before it is done. Used by the host thread alone. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct _HirModel HirModel;

HirModel *hir_model_new (void);
void hir_model_free (HirModel *model);
/* Its times at this moment; and @model at those times again. */
HirModel *hir_model_copy (const HirModel *model);
void hir_model_assign (HirModel *model, const HirModel *from);

/* The host issues an instruction. Call before what it starts. */
void hir_model_issue (HirModel *model, gboolean launches, gint64 *start_ns, gint64 *end_ns);
/* Work on @stream (any index) begins when the host has handed it over and the stream is free. */
void hir_model_run (
    HirModel *model, guint stream, gint64 bytes, gint64 flops, gint64 *start_ns, gint64 *end_ns);
/* When all that is queued on @stream is done. */
gint64 hir_model_record (HirModel *model, guint stream);
/* @stream waits for @time_ns: TRUE and the span where it really waits. */
gboolean
hir_model_wait (HirModel *model, guint stream, gint64 time_ns, gint64 *start_ns, gint64 *end_ns);
/* A transfer between ranks on @channel (a stream index that nothing else runs on), behind all that
 * is queued on @stream: when this rank is ready for it. Then its end, which makes the channel free.
 */
gint64 hir_model_begin_transfer (HirModel *model, guint stream, guint channel);
void hir_model_end_transfer (HirModel *model, guint channel, gint64 end_ns);
/* How long it lasts once all are ready. */
gint64 hir_model_get_transfer_ns (const HirModel *model, gint64 bytes);
/* The host waits for all streams. */
void hir_model_synchronize (HirModel *model);
/* How far the host is. */
gint64 hir_model_get_host_ns (const HirModel *model);

G_END_DECLS
