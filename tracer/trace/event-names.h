/* What kinds of events and phases are called in files, tables and tool tips. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* "kernel", "memcpy", "memset", "communication", "sync", "issue". */
const char *hir_event_kind_get_name (HirEventKind kind);
/* "program", "setup", "warmup", "check". */
const char *hir_phase_get_name (HirPhase phase);

/* A counter of several series is a track each: "memory \302\267 reserved", or "memory" where the series' name says nothing
 * ("", "value"). Newly allocated; and the series of such a name, "value" where it has none. Borrowed from @track_name. */
char *hir_counter_dup_track_name (const char *name, const char *series);
/* See hir_counter_dup_track_name(); @name: of the counter, as its samples have it. */
const char *hir_counter_get_series (const char *track_name, const char *name);

G_END_DECLS
