/* Tracks of an imported Chrome or Kineto trace: finds the track of each event, names tracks and
 * stores open events. */
#pragma once

#include "trace/chrome/chrome-event.h"
#include "trace/chrome/chrome-names.h"
#include "trace/flow.h"

G_BEGIN_DECLS

/* An event that has started but not ended. */
typedef struct
{
  guint32 name;
  gint64 start_ns;
  guint64 source; /* HirEvent.source */
} HirChromeOpen;

typedef struct
{
  guint track;               /* index in the builder */
  gboolean is_own;           /* complete track of our own export; metadata does not rename it */
  gboolean has_pid, has_tid; /* its first event has these, perhaps "" */
  HirChromeOpen *open;       /* the last element started last */
  guint n_open, n_room;
} HirChromeTrack;

/* Appends an open event. Returns FALSE if memory is short. */
gboolean hir_chrome_track_push (HirChromeTrack *track, const HirChromeOpen *open);
/* Removes the open event at @index. */
void hir_chrome_track_remove (HirChromeTrack *track, guint index);

typedef struct _HirChromeTracks HirChromeTracks;

/* Creates the tracks of one file. Borrows @builder and @names. @rank is the rank of all tracks. */
HirChromeTracks *hir_chrome_tracks_new (HirTraceBuilder *builder, HirChromeNames *names, int rank);
/* Frees @tracks. */
void hir_chrome_tracks_free (HirChromeTracks *tracks);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirChromeTracks, hir_chrome_tracks_free)
/* Returns the track of @event (borrowed). */
HirChromeTrack *hir_chrome_tracks_ensure (HirChromeTracks *tracks, const HirChromeEvent *event);
/* Returns the track of the asynchronous event @event: one per process, category and id. */
HirChromeTrack *
hir_chrome_tracks_ensure_async (HirChromeTracks *tracks, const HirChromeEvent *event);
/* Returns the track of one series of the counter @event: one per process, and per id if it has one.
 * @name and @series are interned. */
HirChromeTrack *hir_chrome_tracks_ensure_counter (HirChromeTracks *tracks,
                                                  const HirChromeEvent *event,
                                                  guint32 name,
                                                  guint32 series);
/* Returns the number of asynchronous events that exceeded the limit of ids. They share the track of
 * their category. */
guint64 hir_chrome_tracks_get_n_shared (const HirChromeTracks *tracks);
/* Handles the metadata events thread_name and process_name. Ignores others. */
void hir_chrome_tracks_take_metadata (HirChromeTracks *tracks, const HirChromeEvent *event);
/* A point of a flow. Its thread is looked up at the end, because its events may follow it. */
typedef struct
{
  HirFlowPoint point; /* without the track */
  gint64 pid, tid;
} HirChromeFlowPoint;

/* Reads the point of a flow from @event, except its time. */
void hir_chrome_tracks_read_flow (HirChromeTracks *tracks,
                                  const HirChromeEvent *event,
                                  HirChromeFlowPoint *point);
/* Sets the track of @point. Returns FALSE if its thread has no events. */
gboolean hir_chrome_tracks_find_flow (HirChromeTracks *tracks, HirChromeFlowPoint *point);
/* Called for each track with open events. */
typedef void (*HirChromeOpenFunc) (HirChromeTrack *track, gpointer user_data);
/* Names the builder's tracks, and calls @func for each track with open events. */
void hir_chrome_tracks_finish (HirChromeTracks *tracks, HirChromeOpenFunc func, gpointer user_data);

G_END_DECLS
