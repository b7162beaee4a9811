/* Index of the minimum and maximum of a counter's samples in any interval, so that drawing costs
 * pixel columns instead of samples. Cells of 16 samples are grouped into cells of 16 cells. Takes
 * about half a byte per sample. Internal to the timeline. */
#pragma once

#include <gio/gio.h>

#include "trace/columns.h"

G_BEGIN_DECLS

typedef struct _HirCounterIndex HirCounterIndex;

typedef struct
{
  double min, max;
} HirCounterRange;

/* Creates the index in O(samples), on any thread. @trace must outlive it. Returns NULL if
 * @cancellable (nullable) is cancelled, which is checked about every millisecond. */
HirCounterIndex *
hir_counter_index_new (const HirTrace *trace, guint track, GCancellable *cancellable);
/* Frees @index. */
void hir_counter_index_free (HirCounterIndex *index);
gsize hir_counter_index_get_size_bytes (const HirCounterIndex *index);
/* Returns the range of all samples; 0 and 0 if there are none. */
HirCounterRange hir_counter_index_get_all (const HirCounterIndex *index);
/* Returns the range of samples [@from, @to), at least one. Long intervals are exact to seven
 * digits. O(log samples). */
HirCounterRange hir_counter_index_get_range (const HirCounterIndex *index, guint from, guint to);

G_END_DECLS
