/* What is ordered before what, whatever the streams do: vector clocks over the queues of all ranks. */
#pragma once

#include "analysis/sync-trace.h"

G_BEGIN_DECLS

typedef struct
{
  const HirSyncTrace *trace; /* borrowed */
  guint n_queues;
  guint32 *ticks;  /* a step: its place on its queue, from 1 */
  guint32 *clocks; /* a step, a queue: how far that queue is known to be when the step has run */
  guint8 *is_idle; /* a step: a WAIT for what it follows anyway */
} HirSyncOrder;

/* HIR_ERROR_LIMIT where the program is too long for it. @trace must outlive it. */
HirSyncOrder *hir_sync_order_new (const HirSyncTrace *trace, GError **error);
void hir_sync_order_free (HirSyncOrder *order);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirSyncOrder, hir_sync_order_free)
/* Finds the clocks anew, without the waits that @left_out (a flag a step; nullable) has. */
void hir_sync_order_update (HirSyncOrder *order, const guint8 *left_out);

/* TRUE where step @a has always run when @b begins. */
gboolean hir_sync_order_is_before (const HirSyncOrder *order, guint a, guint b);

G_END_DECLS
