/* The events with the same name. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/**
 * hir_event_find_same:
 * @track: (inout): track of an event; of the event that is found
 * @index: (inout): index of an event on @track
 * @forward: whether to find a later event
 *
 * Finds the next event of the same name on any track in the order of starts, tracks and indexes.
 * Continues at the other end of the trace. Takes O(events) at worst.
 *
 * Returns: FALSE if there is no other event
 */
gboolean hir_event_find_same (const HirTrace *trace, guint *track, guint *index, gboolean forward);

G_END_DECLS
