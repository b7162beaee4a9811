/* Categories of events, as Kineto names them ("cpu_op", "kernel"). They stay in the file that was
 * loaded, with the arguments; most can be derived from the event. */
#pragma once

#include "trace/event-args.h"

G_BEGIN_DECLS

/* Returns Kineto's category for an event of @track with this kind and name. */
const char *hir_event_category_derive (const HirTrack *track, HirEventKind kind, const char *name);
/* Returns Kineto's present category for @category of a file, or @category itself. */
const char *hir_event_category_modernize (const char *category);
/* Like hir_event_json_read(), but for a file that has no other place for the category and the
 * scope of an instant: adds them to @json, the category only if it cannot be derived. */
gboolean hir_event_category_read_json (
    HirEventJson *json, const HirTrace *trace, guint track, guint index, GError **error);

G_END_DECLS
