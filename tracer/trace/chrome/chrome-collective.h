/* Writes a collective with Kineto's argument names. */
#pragma once

#include "trace/json-out.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* Writes members of the `args` of event @index of @track: collective name, message sizes, data
 * type, group, sequence number and bandwidths. Returns FALSE and writes nothing if the trace has no
 * such data. A group of messages has a list of them instead of a group. */
gboolean
hir_chrome_write_collective (HirJsonOut *json, const HirTrace *trace, guint track, guint index);

G_END_DECLS
