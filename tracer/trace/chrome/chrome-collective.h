/* Kineto's words for collectives. */
#pragma once

#include "trace/json-out.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* Members of the `args` of event @index of @track: Collective name, message sizes, type, group,
 * sequence number, bandwidths. FALSE and nothing written where the trace does not know them, or
 * where the event is several messages. */
gboolean
hir_chrome_write_collective (HirJsonOut *json, const HirTrace *trace, guint track, guint index);

G_END_DECLS
