/* Internal declarations of HirTraceBuilder, for trace-builder.c, trace-absorb.c and others. */
#pragma once

#include "trace/trace-private.h"
#include "trace/trace-rules.h"

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
  HIR_COUNT_NO_FLOW,
  HIR_COUNT_NO_VALUE,
  HIR_COUNT_NO_BASELINE,
  HIR_COUNT_NO_LANE,
  HIR_N_COUNTS,
} HirTraceCount;

struct _HirTraceBuilder
{
  HirTrace *trace; /* NULL: out of memory from the start */
  gboolean out_of_memory;
  HirTraceRules *rules; /* nullable: events keep their kinds */
  gboolean is_copy;     /* made while the original is in use; leaves other processors to it */
  guint64 counts[HIR_N_COUNTS];
};

/* Copies the events added so far, so that they can be finished while @builder is in use. Both refer
 * to the same event sources. Call on the thread that adds. Returns NULL if out of memory. */
HirTraceBuilder *hir_trace_builder_copy (const HirTraceBuilder *builder);

/* Sets the kinds of the work on streams by builder->rules, and adds what each rule has found to the
 * account. Returns FALSE if out of memory. */
gboolean hir_trace_builder_classify (HirTraceBuilder *builder);

G_END_DECLS
