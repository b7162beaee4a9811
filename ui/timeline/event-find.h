/* Events found by their names. */
#pragma once

#include <gio/gio.h>

#include "selection/selection.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* A place in the order of time: by start, then track, then index. */
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
 * @start_ns: earliest start
 * @end_ns: the start must be before this time
 *
 * Selects the next event after the selected one, on a device and caused by an instruction. Continues with the first
 * event after the last one. Does nothing if there is no such event.
 */
void hir_event_select_next (
    HirSelection *selection, const char *name, HirEventKind kind, gint64 start_ns, gint64 end_ns);

/* All events whose name has @words in it, whatever the case: array of HirFoundEvent in the order of time, at
 * most @max; *@n is how many there are. Any thread; NULL where @cancellable was cancelled. O(n log n). */
GArray *hir_event_find_all (const HirTrace *trace,
                            const char *words,
                            guint max,
                            GCancellable *cancellable,
                            guint64 *n);
/* Which of @found, which is not empty, comes next after @from (NULL: before all), or before it. Goes round. */
guint hir_event_find_step (const GArray *found, const HirFoundEvent *from, gboolean forward);

G_END_DECLS
