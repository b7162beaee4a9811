/* Values of tensors at the end of a run: one row per tensor and rank. A row is a packed summary,
 * opaque here (see recorded-values.h). */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

/* Larger values, and more values, are dropped. */
#define HIR_TRACE_MAX_VALUE_BYTES (256 * 1024)
#define HIR_TRACE_MAX_VALUES 65536

typedef struct
{
  guint64 tensor_id; /* of the program that ran */
  gint32 rank;
  GBytes *data;
} HirTraceValue;

/* Adds a value and takes a reference to @data. Call before the builder is finished. If a tensor and
 * rank have several rows, the last one counts. */
void
hir_trace_builder_add_value (HirTraceBuilder *builder, guint64 tensor_id, int rank, GBytes *data);

/* Returns the number of values. */
guint hir_trace_get_n_values (const HirTrace *trace);
/* Returns value @i (borrowed), in the order of insertion. */
const HirTraceValue *hir_trace_get_value (const HirTrace *trace, guint i);
/* Returns the value of a tensor on a rank (borrowed), or NULL. */
GBytes *hir_trace_lookup_value (const HirTrace *trace, guint64 tensor_id, int rank);

G_END_DECLS
