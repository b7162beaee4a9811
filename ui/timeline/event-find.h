/* Events found by their names. */
#pragma once

#include <gio/gio.h>

#include "trace/trace.h"

G_BEGIN_DECLS

/* A place in the order of time: by start, then track, then index. */
typedef struct
{
  gint64 start_ns;
  guint track, index;
} HirFoundEvent;

/* The first event of @name (a string of the trace, as its pointer) and @kind on a device that an instruction
 * caused and that starts after @from in the order of time (NULL: the first of all) and in [@start_ns,
 * @end_ns). Goes round: behind the last comes the first. FALSE where there is none. */
gboolean hir_event_find_next (const HirTrace *trace,
                              const char *name,
                              HirEventKind kind,
                              const HirFoundEvent *from,
                              gint64 start_ns,
                              gint64 end_ns,
                              HirFoundEvent *found);

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
