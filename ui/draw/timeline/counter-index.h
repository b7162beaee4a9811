/* The least and the largest of a counter's samples between any two of them, so that its picture
 * costs columns of pixels: samples in cells of 16, cells in cells of 16. About half a byte a
 * sample. Internal to the timeline's picture. */
#pragma once

#include <gio/gio.h>

#include "trace/columns.h"

G_BEGIN_DECLS

typedef struct _HirCounterIndex HirCounterIndex;

typedef struct
{
  double min, max;
} HirCounterRange;

/* O(samples); any thread. @trace must outlive it. NULL where @cancellable (nullable) was cancelled,
 * which is looked at every millisecond or so. */
HirCounterIndex *
hir_counter_index_new (const HirTrace *trace, guint track, GCancellable *cancellable);
void hir_counter_index_free (HirCounterIndex *index);
gsize hir_counter_index_get_size_bytes (const HirCounterIndex *index);
/* Of all samples; 0 and 0 where there are none. */
HirCounterRange hir_counter_index_get_all (const HirCounterIndex *index);
/* Of samples [@from, @to), at least one. To seven digits where there are many. O(log samples). */
HirCounterRange hir_counter_index_get_range (const HirCounterIndex *index, guint from, guint to);

G_END_DECLS
