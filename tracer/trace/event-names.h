/* What kinds of events and phases are called in files, tables and tool tips. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* "kernel", "memcpy", "memset", "communication", "sync", "issue". */
const char *hir_event_kind_get_name (HirEventKind kind);
/* "program", "setup", "warmup", "check". */
const char *hir_phase_get_name (HirPhase phase);

G_END_DECLS
