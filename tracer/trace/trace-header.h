/* The header of a trace: what a JSON trace says outside its events, such as the names of GPUs and
 * the size of the distributed job. It is kept as JSON for exports, in the metadata of the trace. */
#pragma once

#include "trace/json-scan.h"
#include "trace/trace.h"

G_BEGIN_DECLS

#define HIR_META_HEADER "header"

/* Stores @members, JSON members without braces, unless they are "". */
void hir_trace_header_set (HirTraceBuilder *builder, const char *members);
/* Starts to read the members of the header. Returns FALSE if there is none. */
gboolean hir_trace_header_open (const HirTrace *trace, HirJson *json);
/* Returns the JSON value of member @key (transfer full), or NULL. */
char *hir_trace_header_dup (const HirTrace *trace, const char *key);

/* A GPU, as Kineto's deviceProperties describe it. */
typedef struct
{
  gint64 id;
  char *name;
  gint64 memory_bytes; /* 0: unknown; so are the next fields */
  gint64 n_processors, major, minor;
} HirTraceGpu;

/* Returns an empty array of HirTraceGpu (transfer full), which owns the names. */
GArray *hir_trace_gpus_new (void);
/* Returns the GPUs of the header.
 * Returns: (transfer full): array of HirTraceGpu, possibly empty */
GArray *hir_trace_header_dup_gpus (const HirTrace *trace);
/* Stores @gpus as deviceProperties. */
void hir_trace_header_set_gpus (HirTraceBuilder *builder, const GArray *gpus);

G_END_DECLS
