/* When and where an instruction ran, each time: what a list of the inspector shows. */
#pragma once

#include "selection/selection.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct
{
  guint track, index; /* of the event */
  gint32 iteration;   /* of the innermost loop, -1: none */
  gint64 start_ns, end_ns;
} HirInstance;

/* Array of HirInstance by start: the device events of the selected node on rank @rank, warm-ups left out. Of a FOR: for
 * each iteration the first kernel, else the first event, among what is directly in it; one of the repeats. O(events), 4 bytes
 * each. */
GArray *hir_instances_dup (HirTrace *trace, HirSelection *selection, int rank);

G_END_DECLS
