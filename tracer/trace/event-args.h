/* What another profiler says of an event beyond what the trace keeps of it: its args, which stay in the
 * file and are read when they are asked for. */
#pragma once

#include <gio/gio.h>

#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct
{
  char *key;
  char *value;      /* a string unescaped, all else as it stands in the file: "[8, 1, 1]" */
  gboolean is_text; /* it was a string */
} HirEventArg;

/* All args of event @index of @track, in the order of the file: array of HirEventArg, freed with its
 * contents; empty where it has none or the trace keeps no place (our own recordings: HirEvent says it
 * all). NULL and HIR_ERROR_INPUT where the file changed since, or can't be read; it takes a look into
 * the file, so not for every event in a loop that draws. Any thread. */
GArray *hir_trace_dup_event_args (const HirTrace *trace, guint track, guint index, GError **error);
/* The same as JSON, "\"key\":value,..." without braces, byte for byte as it stands in a JSON file; ""
 * where there is none. */
char *hir_trace_dup_event_json (const HirTrace *trace, guint track, guint index, GError **error);

G_END_DECLS
