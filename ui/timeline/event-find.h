/* Search for events by name. */
#pragma once

#include <gio/gio.h>

#include "selection/selection.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* An event found. Events are ordered by start, then track, then index. */
typedef struct
{
  gint64 start_ns;
  guint track, index;
} HirFoundEvent;

/**
 * hir_event_select_next:
 * @selection: a selection with a trace
 * @name: name of the event
 * @kind: kind of the event
 * @start_ns: start of the range that the event overlaps
 * @end_ns: end of this range
 *
 * Selects the next event after the selected one, on a device and caused by an instruction.
 * Continues with the first event after the last one. Does nothing if there is no such event.
 */
void hir_event_select_next (
    HirSelection *selection, const char *name, HirEventKind kind, gint64 start_ns, gint64 end_ns);

/* Like hir_event_select_next(), for all events that @matches accepts. */
typedef gboolean (*HirEventMatchFunc) (guint track, const HirEvent *event, gpointer user_data);
void hir_event_select_next_match (HirSelection *selection,
                                  HirEventMatchFunc matches,
                                  gpointer user_data,
                                  gint64 start_ns,
                                  gint64 end_ns);

/**
 * hir_event_find_all:
 * @trace: the trace
 * @words: text to search for
 * @max: largest number of events to return
 * @cancellable: (nullable): cancels the search
 * @n: (out): number of all events found
 *
 * Finds all events whose name contains @words, ignoring case, in O(n log n). May be called from any
 * thread.
 *
 * Returns: (element-type HirFoundEvent) (nullable): at most @max events in time order; NULL if
 * cancelled
 */
GArray *hir_event_find_all (
    const HirTrace *trace, const char *words, guint max, GCancellable *cancellable, guint64 *n);
/* Returns the index of the event of @found (not empty) that follows @from, or precedes it. NULL
 * means before all events. Wraps around at the ends. */
guint hir_event_find_step (const GArray *found, const HirFoundEvent *from, gboolean forward);

G_END_DECLS
