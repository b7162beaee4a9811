/* Transfers recorded events between processes: packs the events of a recorder as bytes, and adds
 * them to another recorder with its numbers of tracks and strings. */
#pragma once

#include "record/clock-fit.h"
#include "record/recorder.h"

G_BEGIN_DECLS

/* Stores tracks, strings and events in memory. */
typedef struct _HirEventPack HirEventPack;

/* Creates a pack and its sink for hir_recorder_add_sink(). The pack must outlive the recorder. */
HirEventPack *hir_event_pack_new (HirRecorderSink *sink);
void hir_event_pack_free (HirEventPack *pack);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirEventPack, hir_event_pack_free)

/* Returns the number of events that were dropped because memory was short. */
guint64 hir_event_pack_get_n_dropped (const HirEventPack *pack);
/* Returns tracks, strings, communication records, edges and values (floating). */
GVariant *hir_event_pack_dup_names (const HirEventPack *pack);
/* Returns the number of chunks of events, which have a few MB each. */
guint hir_event_pack_get_n_pieces (const HirEventPack *pack);
/* Returns chunk @i of the events (transfer full), or NULL if there are no more. */
GBytes *hir_event_pack_dup_piece (const HirEventPack *pack, guint i);

/* The receiver of a pack. */
typedef struct _HirEventMerge HirEventMerge;

/* Adds the result of hir_event_pack_dup_names() to @recorder, which is borrowed. Returns NULL with
 * HIR_ERROR_RUN if it is malformed. */
HirEventMerge *hir_event_merge_new (HirRecorder *recorder, GVariant *names, GError **error);
void hir_event_merge_free (HirEventMerge *merge);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirEventMerge, hir_event_merge_free)
/* Translates the track and name of @event. Returns FALSE if they are unknown. */
gboolean hir_event_merge_translate (HirEventMerge *merge, HirEvent *event);
/* Adds a chunk. Converts its times, relative to @remote_zero_ns on the remote clock, to times
 * relative to @local_zero_ns on the local clock. Returns FALSE with HIR_ERROR_RUN if it is
 * malformed. */
gboolean hir_event_merge_add (HirEventMerge *merge,
                              GBytes *piece,
                              const HirClockFit *fit,
                              gint64 remote_zero_ns,
                              gint64 local_zero_ns,
                              GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
