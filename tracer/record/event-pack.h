/* A recording on its way to another process: what one recorder took, as bytes, and those added to
 * another recorder under that one's own numbers of tracks and strings. */
#pragma once

#include "record/clock-fit.h"
#include "record/recorder.h"

G_BEGIN_DECLS

/* Keeps tracks, strings and events in memory. */
typedef struct _HirEventPack HirEventPack;

/* *@sink is for hir_recorder_add_sink(); the pack must outlive the recorder. */
HirEventPack *hir_event_pack_new (HirRecorderSink *sink);
void hir_event_pack_free (HirEventPack *pack);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirEventPack, hir_event_pack_free)

/* Not kept, for want of memory. */
guint64 hir_event_pack_get_n_dropped (const HirEventPack *pack);
/* Tracks, strings, and which communications belong together; floating. */
GVariant *hir_event_pack_dup_names (const HirEventPack *pack);
/* Events in pieces of some MB: the @i-th, or NULL where there are no more. */
guint hir_event_pack_get_n_pieces (const HirEventPack *pack);
GBytes *hir_event_pack_dup_piece (const HirEventPack *pack, guint i);

/* The other side. */
typedef struct _HirEventMerge HirEventMerge;

/* Adds what hir_event_pack_dup_names() gave to @recorder, which is borrowed. HIR_ERROR_RUN where it
 * is nothing of the kind. */
HirEventMerge *
hir_event_merge_new (HirRecorder *recorder, GVariant *names, GError **error);
void hir_event_merge_free (HirEventMerge *merge);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirEventMerge, hir_event_merge_free)
/* Track and name of @event as the recorder knows them; FALSE where that one has no such. */
gboolean hir_event_merge_translate (HirEventMerge *merge, HirEvent *event);
/* A piece. Its times count from @remote_zero_ns of the other clock; they are recorded as from
 * @local_zero_ns of this one. HIR_ERROR_RUN where it is broken. */
gboolean hir_event_merge_add (HirEventMerge *merge,
                              GBytes *piece,
                              const HirClockFit *fit,
                              gint64 remote_zero_ns,
                              gint64 local_zero_ns,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
