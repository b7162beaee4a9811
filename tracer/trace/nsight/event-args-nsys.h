/* Reads the arguments of an event from an Nsight export: all columns of its row. */
#pragma once

#include "trace/event-source.h"

G_BEGIN_DECLS

#define HIR_EVENT_ROW_SHIFT 40

/* Creates a source for the database at @path. A position is a row number in one of @tables
 * (NULL-terminated, copied, at most 32), plus the table's index + 1 shifted left by
 * HIR_EVENT_ROW_SHIFT. */
HirEventSource *hir_event_source_new_nsys (const char *path, const char *const *tables);

G_END_DECLS
