/* Detection of dead and silent ranks. Runs on the progress thread. */
#include <sys/signalfd.h>
#include <unistd.h>

#include "run/mpi/mpi-private.h"

#define HEARTBEAT_US (500 * 1000)

/* Returns TRUE if the processes of the other ranks are known. */
static gboolean
has_peers (HirMpi *mpi)
{
  gboolean is_connected;

  g_mutex_lock (&mpi->lock);
  is_connected = mpi->is_connected;
  g_mutex_unlock (&mpi->lock);
  return is_connected;
}

static int
find_lost (HirMpi *mpi)
{
  for (int rank = 0; rank < mpi->base.size; rank++)
    if (rank != mpi->base.rank &&
        hir_mpi_peer_is_gone (&mpi->peers[mpi->base.rank], &mpi->peers[rank]))
      return rank;
  return -1;
}

static void
set_lost_error (HirMpi *mpi, int rank, GError **error)
{
  hir_set_error (error, HIR_ERROR_RUN, NULL,
                 "rank %d died: its process %" G_GINT64_FORMAT
                 " on %s ended during the run (killed, out of memory, or crashed); rank "
                 "%d stops",
                 rank, mpi->peers[rank].pid, mpi->peers[rank].host, mpi->base.rank);
}

/* When a process dies, the launcher ends all others. Report the dead one if it can be found. */
static void
take_signal (HirMpi *mpi)
{
  GError *error = NULL;
  int lost = -1;

  for (guint i = 0; has_peers (mpi) && lost < 0 && i < 10; i++)
    {
      lost = find_lost (mpi);
      if (lost < 0)
        g_usleep (10 * 1000);
    }
  if (lost >= 0)
    set_lost_error (mpi, lost, &error);
  else
    hir_set_error (&error, HIR_ERROR_CANCELLED, NULL,
                   "the launcher ended this run (SIGTERM): another rank died, or the run was "
                   "stopped; rank %d stops",
                   mpi->base.rank);
  g_mutex_lock (&mpi->lock);
  hir_mpi_break_locked (mpi, error);
  g_mutex_unlock (&mpi->lock);
}

void
hir_mpi_append_silent_locked (HirMpi *mpi, GString *text)
{
  gint64 now_us = g_get_monotonic_time ();
  /* Several missed heartbeats: a busy machine may miss one. */
  gint64 limit_us = MAX (3 * HEARTBEAT_US, (gint64) (mpi->timeout_s / 2 * G_USEC_PER_SEC));
  gboolean any = FALSE;

  for (int rank = 0; rank < mpi->base.size; rank++)
    {
      gint64 silent_us = now_us - mpi->heard_us[rank];

      if (rank == mpi->base.rank || silent_us < limit_us)
        continue;
      g_string_append_printf (text,
                              "%srank %d (process %" G_GINT64_FORMAT
                              " on %s) has been silent for %.1f s",
                              any ? " and " : "", rank, mpi->peers[rank].pid, mpi->peers[rank].host,
                              (double) silent_us / G_USEC_PER_SEC);
      any = TRUE;
    }
  if (any)
    g_string_append (text, ": it hangs or is stopped; if its machine is slow, increase --timeout");
}

static void
check_silence_locked (HirMpi *mpi, gint64 now_us)
{
  /* Longer than the timeout of communications, whose errors are more specific. */
  gint64 limit_us = (gint64) (MAX (2 * mpi->timeout_s, 2) * G_USEC_PER_SEC);
  GError *error = NULL;

  for (int rank = 0; mpi->timeout_s > 0 && rank < mpi->base.size; rank++)
    {
      if (rank == mpi->base.rank || now_us - mpi->heard_us[rank] < limit_us)
        continue;
      hir_set_error (
          &error, HIR_ERROR_RUN, NULL,
          "rank %d (process %" G_GINT64_FORMAT
          " on %s) has been silent for %.3g s; rank %d stops; if its machine is slow, increase "
          "--timeout",
          rank, mpi->peers[rank].pid, mpi->peers[rank].host, (double) limit_us / G_USEC_PER_SEC,
          mpi->base.rank);
      hir_mpi_break_locked (mpi, error);
      return;
    }
}

void
hir_mpi_check_peers (HirMpi *mpi, int signals, gint64 now_us)
{
  struct signalfd_siginfo info;
  GError *error = NULL;
  int lost;

  if (signals >= 0 && read (signals, &info, sizeof info) > 0)
    take_signal (mpi);
  if (!has_peers (mpi))
    return;
  lost = find_lost (mpi);
  g_mutex_lock (&mpi->lock);
  if (lost >= 0)
    {
      set_lost_error (mpi, lost, &error);
      hir_mpi_break_locked (mpi, error);
    }
  check_silence_locked (mpi, now_us);
  if (now_us - mpi->beat_us >= HEARTBEAT_US)
    {
      mpi->beat_us = now_us;
      hir_mpi_send_locked (mpi, -1, HIR_MPI_HEARTBEAT, g_variant_new_boolean (TRUE));
    }
  g_mutex_unlock (&mpi->lock);
}
