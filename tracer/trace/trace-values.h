/* What tensors held when a run ended: a table beside the events, a row for each tensor and rank. A row is a summary, packed
 * by the room that makes and reads it (recorded-values.h); here it is bytes. */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* Longer ones, and more of them, are left out: a recording is no place for data. */
#define HIR_TRACE_MAX_VALUE_BYTES (256 * 1024)
#define HIR_TRACE_MAX_VALUES 65536

typedef struct
{
  guint64 tensor_id; /* of the program that ran */
  gint32 rank;
  GBytes *data;
} HirTraceValue;

/* Any time before finish(). References @data. Of several rows of one tensor and rank the last one counts. */
void hir_trace_builder_add_value (HirTraceBuilder *builder, guint64 tensor_id, int rank, GBytes *data);

guint hir_trace_get_n_values (const HirTrace *trace);
/* In the order in which they came. */
const HirTraceValue *hir_trace_get_value (const HirTrace *trace, guint i);
/* Borrowed; NULL where there is none. */
GBytes *hir_trace_lookup_value (const HirTrace *trace, guint64 tensor_id, int rank);

G_END_DECLS
