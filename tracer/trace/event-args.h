/* What another profiler says of an event beyond what the trace keeps of it: its args, which stay in the
 * file and are read when they are asked for. */
#pragma once

#include <gio/gio.h>

#include "trace/text-source.h"
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

/* A file that events have their args in. Internal to trace/. The number that an event keeps
 * (HirEvent.source) is that of the source in its trace, and above zero the place in it. */
#define HIR_EVENT_SOURCE_SHIFT 48
#define HIR_EVENT_SOURCE_MASK ((G_GUINT64_CONSTANT (1) << HIR_EVENT_SOURCE_SHIFT) - 1)
typedef struct _HirEventSource HirEventSource;
/* Places are where events begin in @text. */
HirEventSource *hir_event_source_new_json (HirTextSource *text);
#define HIR_EVENT_ROW_SHIFT 40
/* Places are row numbers of one of @tables, with the table's place + 1 above them:
 * HIR_EVENT_ROW_SHIFT. @tables: NULL-terminated, borrowed for ever. */
HirEventSource *hir_event_source_new_nsys (const char *path, const char *const *tables);
HirEventSource *hir_event_source_ref (HirEventSource *source);
void hir_event_source_unref (HirEventSource *source);
/* Memory that it takes. */
gsize hir_event_source_get_size_bytes (HirEventSource *source);
/* Takes @source; the number of its first place less that place. */
guint64 hir_trace_builder_add_source (HirTraceBuilder *builder, HirEventSource *source);

G_END_DECLS
