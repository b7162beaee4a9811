/* Names of event kinds, phases and counters in files, tables and tooltips. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* Returns "kernel", "memcpy", "memset", "communication", "sync", "issue", "host" or "counter". */
const char *hir_event_kind_get_name (HirEventKind kind);
/* Returns "program", "setup", "warmup" or "check". */
const char *hir_phase_get_name (HirPhase phase);

/* Returns the track name of one series of a counter, "memory \302\267 reserved", or only the
 * counter's name if the series is "" or "value". Free with g_free(). */
char *hir_counter_dup_track_name (const char *name, const char *series);
/* Returns the series in such a track name, or "value" if it has none. Borrowed from @track_name.
 * @name: of the counter. */
const char *hir_counter_get_series (const char *track_name, const char *name);

G_END_DECLS
