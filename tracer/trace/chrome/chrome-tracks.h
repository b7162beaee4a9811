/* Tracks of an imported Chrome or Kineto trace: which event lies on which, what they are called,
 * and what is open on them. */
#pragma once

#include "trace/chrome/chrome-event.h"
#include "trace/chrome/chrome-names.h"

G_BEGIN_DECLS

/* Begun and not ended. */
typedef struct
{
  guint32 name;
  gint64 start_ns;
  guint64 source; /* HirEvent.source */
} HirChromeOpen;

typedef struct
{
  guint track; /* the builder's */
  gboolean is_own; /* of an export of ours, that said all of it */
  HirChromeOpen *open; /* begun last comes last */
  guint n_open, n_room;
} HirChromeTrack;

/* FALSE where memory can't be had. */
gboolean hir_chrome_track_push (HirChromeTrack *track, const HirChromeOpen *open);
void hir_chrome_track_remove (HirChromeTrack *track, guint index);

typedef struct _HirChromeTracks HirChromeTracks;

/* Borrows both. @rank is that of all tracks. */
HirChromeTracks *
hir_chrome_tracks_new (HirTraceBuilder *builder, HirChromeNames *names, int rank);
void hir_chrome_tracks_free (HirChromeTracks *tracks);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirChromeTracks, hir_chrome_tracks_free)
/* The track of @event; borrowed. */
HirChromeTrack *hir_chrome_tracks_ensure (HirChromeTracks *tracks, const HirChromeEvent *event);
/* That of the asynchronous event @event: one a process, category and id. */
HirChromeTrack *hir_chrome_tracks_ensure_async (HirChromeTracks *tracks,
                                                const HirChromeEvent *event);
/* That of one series of the counter @event; @name and @series are interned. One a process, and id where it has one. */
HirChromeTrack *hir_chrome_tracks_ensure_counter (HirChromeTracks *tracks,
                                                  const HirChromeEvent *event,
                                                  guint32 name,
                                                  guint32 series);
/* Asynchronous events that had one of too many ids: they share the track of their category. */
guint64 hir_chrome_tracks_get_n_shared (const HirChromeTracks *tracks);
/* A metadata event: thread_name, process_name, process_labels. Others are of no use here. */
void hir_chrome_tracks_take_metadata (HirChromeTracks *tracks, const HirChromeEvent *event);
/* Gives the builder's tracks their names; calls @func for each that has something open. */
typedef void (*HirChromeOpenFunc) (HirChromeTrack *track, gpointer user_data);
void hir_chrome_tracks_finish (HirChromeTracks *tracks, HirChromeOpenFunc func, gpointer user_data);

G_END_DECLS
