/* The guaranteed order of steps, for every timing of the streams: vector clocks over the queues
 * of all ranks. */
#pragma once

#include "analysis/sync-trace.h"

G_BEGIN_DECLS

typedef struct
{
  const HirSyncTrace *trace; /* borrowed */
  guint n_queues;
  guint32 *ticks;  /* per step: its position on its queue, from 1 */
  guint32 *clocks; /* per step and queue: position of the queue guaranteed after the step */
  guint8 *is_idle; /* per step: a WAIT that orders nothing new */
} HirSyncOrder;

/* Computes the clocks. @trace must outlive the result. Returns NULL with HIR_ERROR_LIMIT if the
 * program is too long. */
HirSyncOrder *hir_sync_order_new (const HirSyncTrace *trace, GError **error);
void hir_sync_order_free (HirSyncOrder *order);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirSyncOrder, hir_sync_order_free)
/* Recomputes the clocks without the waits marked in @left_out (nullable), one flag per step. */
void hir_sync_order_update (HirSyncOrder *order, const guint8 *left_out);

/* Returns TRUE if step @a has always finished when @b starts. */
gboolean hir_sync_order_is_before (const HirSyncOrder *order, guint a, guint b);

G_END_DECLS
