/* Data that moves together. */
#include "run/mpi/mpi-private.h"

HirMpiBatch *
hir_mpi_batch_new (GDestroyNotify free_kept)
{
  HirMpiBatch *batch = g_new0 (HirMpiBatch, 1);

  g_atomic_ref_count_init (&batch->ref_count);
  batch->transfers = g_array_new (FALSE, FALSE, sizeof (HirMpiTransfer));
  batch->keep = g_ptr_array_new_with_free_func (free_kept);
  return batch;
}

void
hir_mpi_batch_unref (HirMpiBatch *batch)
{
  if (!g_atomic_ref_count_dec (&batch->ref_count))
    return;
  g_array_unref (batch->transfers);
  g_ptr_array_unref (batch->keep);
  g_free (batch);
}

void
hir_mpi_batch_add (
    HirMpiBatch *batch, gboolean is_send, int peer, int tag, gpointer data, gsize size)
{
  HirMpiTransfer transfer = { is_send, peer, tag, data, size };

  g_array_append_val (batch->transfers, transfer);
}
