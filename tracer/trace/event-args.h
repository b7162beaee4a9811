/* Arguments that another profiler recorded for an event, beyond the fields of HirEvent. They stay
 * in the file and are read on demand. */
#pragma once

#include <gio/gio.h>

#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct
{
  char *key;
  char *value;      /* a string unescaped; any other value as in the file: "[8, 1, 1]" */
  gboolean is_text; /* whether the value is a string */
} HirEventArg;

/* Reads all arguments of event @index of @track, in the order of the file. Accesses the file, so do
 * not call it for many events while drawing. Any thread.
 * Returns: (transfer full): array of HirEventArg, empty if there are none; NULL and HIR_ERROR_INPUT
 * if the file changed or cannot be read */
GArray *hir_trace_dup_event_args (const HirTrace *trace, guint track, guint index, GError **error);
/* Reads the arguments as JSON members without braces ("\"key\":value,..."); "" if there are none. A
 * value is byte for byte that of a JSON file if it is valid, and repaired otherwise
 * (trace/json-strict.h); of several members with one key, only the last is returned. Errors: see
 * hir_trace_dup_event_args(). */
char *hir_trace_dup_event_json (const HirTrace *trace, guint track, guint index, GError **error);

G_END_DECLS
