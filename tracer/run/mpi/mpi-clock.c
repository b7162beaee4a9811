/* Measurement of clock offsets between ranks. */
#include "run/mpi/mpi-clock.h"

#include "record/clock.h"
#include "run/mpi/mpi-private.h"

#define TAG HIR_MPI_WIRE_MAX_TAG
#define WARMUPS 10 /* to open connections and fill caches */
#define TRIPS 200
#define TIMEOUT_NS (G_GINT64_CONSTANT (5) * 1000 * 1000 * 1000)

typedef struct
{
  HirClockOffset *offsets; /* per rank, on rank 0 */
  int silent;              /* rank that did not answer, or -1 */
} Measure;

gint64
hir_mpi_clock_at_ns (HirMpiModule *mpi, gint64 now_ns)
{
  return now_ns + hir_mpi_from_module (mpi)->skew_ns;
}

static gint64
clock_now_ns (HirMpi *mpi)
{
  return hir_clock_now_ns () + mpi->skew_ns;
}

/* Waits for @op. Returns FALSE if it does not end in time. */
static gboolean
finish (HirMpi *mpi, HirMpiWireOp *op)
{
  gint64 until_ns = hir_clock_now_ns () + TIMEOUT_NS;
  int state;

  while ((state = mpi->wire->test (mpi->wire, op)) == 0)
    if (hir_clock_now_ns () > until_ns)
      return FALSE; /* MPI still uses the memory of the operation */
  return state > 0;
}

/* Sends the current time of this rank. */
static gboolean
send_time (HirMpi *mpi, int to, gint64 *time_ns)
{
  *time_ns = mpi->clock_sent_ns = clock_now_ns (mpi);
  return finish (mpi, mpi->wire->send (mpi->wire, &mpi->clock_sent_ns, sizeof (gint64), to, TAG));
}

static gboolean
receive_time (HirMpi *mpi, int from, gint64 *time_ns)
{
  if (!finish (mpi,
               mpi->wire->receive (mpi->wire, &mpi->clock_received_ns, sizeof (gint64), from, TAG)))
    return FALSE;
  *time_ns = mpi->clock_received_ns;
  return TRUE;
}

static gboolean
measure_rank (HirMpi *mpi, int rank, HirClockOffset *offset)
{
  g_autofree HirRoundTrip *trips = g_new0 (HirRoundTrip, TRIPS);

  for (int i = -WARMUPS; i < TRIPS; i++)
    {
      HirRoundTrip trip;

      if (!send_time (mpi, rank, &trip.sent_ns) || !receive_time (mpi, rank, &trip.remote_ns))
        return FALSE;
      trip.received_ns = clock_now_ns (mpi);
      if (i >= 0)
        trips[i] = trip;
    }
  return hir_clock_offset_estimate (trips, TRIPS, offset);
}

static gboolean
answer_rank (HirMpi *mpi)
{
  gint64 theirs, mine;

  for (int i = -WARMUPS; i < TRIPS; i++)
    if (!receive_time (mpi, 0, &theirs) || !send_time (mpi, 0, &mine))
      return FALSE;
  return TRUE;
}

/* Runs on the progress thread, because a thread switch would add to the round trips. */
static void
measure (HirMpi *mpi, gpointer user_data)
{
  Measure *self = user_data;
  gint64 go;

  for (int rank = 1; rank < mpi->base.size && self->silent < 0; rank++)
    {
      if (hir_mpi_peer_same_host (&mpi->peers[0], &mpi->peers[rank]))
        {
          if (mpi->base.rank == 0)
            self->offsets[rank] = (HirClockOffset){ .at_ns = clock_now_ns (mpi) };
          continue;
        }
      if (mpi->base.rank == 0)
        {
          if (!send_time (mpi, rank, &go) || !measure_rank (mpi, rank, &self->offsets[rank]))
            self->silent = rank;
        }
      else if (mpi->base.rank == rank && (!receive_time (mpi, 0, &go) || !answer_rank (mpi)))
        self->silent = 0;
    }
}

gboolean
hir_mpi_clock_measure (HirMpiModule *module, HirClockOffset *offsets, GError **error)
{
  Measure self = { offsets, -1 };
  GError *silence = NULL;
  HirMpi *mpi;

  if (!hir_mpi_module_barrier (module, "clocks", error))
    return FALSE;
  if (module->rank == 0)
    offsets[0] = (HirClockOffset){ .at_ns = clock_now_ns (hir_mpi_from_module (module)) };
  hir_mpi_call (hir_mpi_from_module (module), measure, &self);
  if (self.silent < 0)
    return TRUE;
  hir_set_error (&silence, HIR_ERROR_RUN, NULL,
                 "rank %d does not answer clock queries; rank %d stops", self.silent, module->rank);
  mpi = hir_mpi_from_module (module);
  g_mutex_lock (&mpi->lock);
  hir_mpi_break_locked (mpi, silence);
  (void) hir_mpi_check_locked (mpi, error);
  g_mutex_unlock (&mpi->lock);
  return FALSE;
}
