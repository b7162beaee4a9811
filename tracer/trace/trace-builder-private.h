/* Inside of HirTraceBuilder, for trace-builder.c and trace-absorb.c. */
#pragma once

#include "trace/trace-private.h"

G_BEGIN_DECLS

#define HIR_MAX_TRACKS 65535
#define HIR_MAX_TIME_NS (G_GINT64_CONSTANT (1) << 61)

/* Problems that are counted while building and listed in the account. */
typedef enum
{
  HIR_COUNT_BACKWARDS,
  HIR_COUNT_NO_TRACK,
  HIR_COUNT_NO_KIND,
  HIR_COUNT_FAR,
  HIR_COUNT_NO_NAME,
  HIR_COUNT_NAMES_REPAIRED,
  HIR_COUNT_TRACKS_OVER,
  HIR_COUNT_NO_COMM_RECORD,
  HIR_COUNT_NO_EDGE,
  HIR_COUNT_NO_VALUE,
  HIR_COUNT_NO_LANE,
  HIR_N_COUNTS,
} HirTraceCount;

struct _HirTraceBuilder
{
  HirTrace *trace; /* NULL: memory could not be had from the start */
  gboolean out_of_memory;
  gboolean is_copy; /* while the original goes on: leaves the other processors to it */
  guint64 counts[HIR_N_COUNTS];
};

/* What was added by now, to be finished by itself while more is added to @builder; args stand in the same files.
 * NULL where memory can't be had. In the thread that adds. */
HirTraceBuilder *hir_trace_builder_copy (const HirTraceBuilder *builder);

G_END_DECLS
