/* Inside of HirTraceBuilder, for trace-builder.c and trace-absorb.c. */
#pragma once

#include "trace/trace-private.h"

G_BEGIN_DECLS

#define HIR_MAX_TRACKS 65535
#define HIR_MAX_TIME_NS (G_GINT64_CONSTANT (1) << 61)

/* What the account tells at the end. */
typedef struct
{
  guint64 n_backwards, n_no_track, n_no_kind, n_far, n_no_name, n_no_room, n_no_meeting, n_no_edge;
  guint64 n_tracks_over, n_names_mended, n_no_value;
} HirTraceCounts;

struct _HirTraceBuilder
{
  HirTrace *trace; /* NULL: memory could not be had from the start */
  gboolean out_of_memory;
  gboolean is_copy; /* while the original goes on: leaves the other processors to it */
  HirTraceCounts counts;
};

/* What was added by now, to be finished by itself while more is added to @builder; args stand in the same files.
 * NULL where memory can't be had. In the thread that adds. */
HirTraceBuilder *hir_trace_builder_copy (const HirTraceBuilder *builder);

G_END_DECLS
