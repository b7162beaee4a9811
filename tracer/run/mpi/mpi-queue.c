/* Messages and data transfers that other threads hand to the progress thread. */
#include "run/mpi/mpi-private.h"

HirMpiBatch *
hir_mpi_batch_new (void)
{
  HirMpiBatch *batch = g_new0 (HirMpiBatch, 1);

  g_atomic_ref_count_init (&batch->ref_count);
  batch->transfers = g_array_new (FALSE, FALSE, sizeof (HirMpiTransfer));
  batch->keep = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_buffer_unref);
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

void
hir_mpi_wake_locked (HirMpi *mpi)
{
  if (mpi->is_idle)
    g_cond_signal (&mpi->wake);
}

void
hir_mpi_batch_submit (HirMpi *mpi, HirMpiBatch *batch)
{
  g_mutex_lock (&mpi->lock);
  batch->n_left = batch->transfers->len;
  if (batch->n_left > 0)
    {
      g_atomic_ref_count_inc (&batch->ref_count);
      g_queue_push_tail (&mpi->batches, batch);
      hir_mpi_wake_locked (mpi);
    }
  g_mutex_unlock (&mpi->lock);
}

void
hir_mpi_batch_cancel (HirMpi *mpi, HirMpiBatch *batch)
{
  g_mutex_lock (&mpi->lock);
  batch->cancelled = TRUE;
  hir_mpi_wake_locked (mpi);
  g_mutex_unlock (&mpi->lock);
}

void
hir_mpi_send_locked (HirMpi *mpi, int to, HirMpiMessageType type, GVariant *payload)
{
  g_autoptr (GVariant) message =
      g_variant_ref_sink (g_variant_new ("(uuv)", (guint32) type, mpi->generation, payload));
  g_autoptr (GBytes) bytes = g_variant_get_data_as_bytes (message);

  for (int rank = 0; rank < mpi->base.size; rank++)
    {
      HirMpiOutgoing *outgoing;

      if (to >= 0 ? rank != to : rank == mpi->base.rank)
        continue;
      outgoing = g_new0 (HirMpiOutgoing, 1);
      outgoing->to = rank;
      outgoing->bytes = g_bytes_ref (bytes);
      g_queue_push_tail (&mpi->outgoing, outgoing);
    }
  hir_mpi_wake_locked (mpi);
}
