/* The only thread that calls MPI. */
#include "run/mpi/mpi-private.h"

#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#define CHECK_US (50 * 1000) /* interval of checks for dead processes and SIGTERM */
#define SPIN_US 200          /* spinning time after the last progress */
#define NAP_US 100           /* sleep while operations are in progress */
#define IDLE_US 1000         /* sleep otherwise */

typedef struct
{
  int from;
  GVariant *payload;
} Unhandled;

/* An MPI operation in progress. */
typedef struct
{
  HirMpiWireOp *op;
  HirMpiBatch *batch; /* nullable: batch of a data transfer */
  gpointer bytes;     /* otherwise: buffer of a control message or of discarded data */
  GDestroyNotify free_bytes;
  gboolean is_send;
} Pending;

/* State of the thread. */
typedef struct
{
  HirMpi *mpi;
  GArray *pending; /* Pending */
  int signals;     /* signalfd; -1: none */
  gint64 moved_us, checked_us;
} Progress;

void
hir_mpi_set_handler (HirMpi *mpi, HirMpiHandler handler, gpointer user_data)
{
  GQueue waiting = G_QUEUE_INIT;
  Unhandled *unhandled;

  g_mutex_lock (&mpi->lock);
  mpi->handler = handler;
  mpi->handler_data = user_data;
  if (handler != NULL)
    {
      /* Deliver them in order and before later messages: keep the lock. */
      waiting = mpi->unhandled;
      g_queue_init (&mpi->unhandled);
      while ((unhandled = g_queue_pop_head (&waiting)) != NULL)
        {
          handler (unhandled->from, unhandled->payload, user_data);
          g_variant_unref (unhandled->payload);
          g_free (unhandled);
        }
    }
  g_mutex_unlock (&mpi->lock);
}

void
hir_mpi_call (HirMpi *mpi, HirMpiCall func, gpointer user_data)
{
  g_mutex_lock (&mpi->lock);
  mpi->call = func;
  mpi->call_data = user_data;
  mpi->call_done = FALSE;
  hir_mpi_wake_locked (mpi);
  while (!mpi->call_done)
    g_cond_wait (&mpi->changed, &mpi->lock);
  g_mutex_unlock (&mpi->lock);
}

static void
take_bytes_locked (HirMpi *mpi, int from, guint generation, GVariant *payload)
{
  g_autoptr (GVariant) content = NULL;
  const char *key;

  if (!g_variant_is_of_type (payload, G_VARIANT_TYPE ("(say)")))
    return;
  g_variant_get (payload, "(&s@ay)", &key, &content);
  g_hash_table_replace (mpi->inbox, g_strdup_printf ("%u %s %d", generation, key, from),
                        g_variant_get_data_as_bytes (content));
  g_cond_broadcast (&mpi->changed);
}

static void
take_comm_locked (HirMpi *mpi, int from, GVariant *payload)
{
  Unhandled *unhandled;

  if (mpi->handler != NULL)
    {
      mpi->handler (from, payload, mpi->handler_data);
      return;
    }
  unhandled = g_new0 (Unhandled, 1);
  unhandled->from = from;
  unhandled->payload = g_variant_ref (payload);
  g_queue_push_tail (&mpi->unhandled, unhandled);
}

/* Handles a message (takes ownership of @data). */
static void
take_message (HirMpi *mpi, int from, gpointer data, gsize size)
{
  g_autoptr (GBytes) bytes = g_bytes_new_take (data, size);
  g_autoptr (GVariant) message =
      g_variant_ref_sink (g_variant_new_from_bytes (G_VARIANT_TYPE ("(uuv)"), bytes, FALSE));
  g_autoptr (GVariant) payload = NULL;
  guint32 type, generation;

  g_variant_get (message, "(uuv)", &type, &generation, &payload);
  if (type == HIR_MPI_ABORT)
    {
      hir_mpi_take_abort (mpi, from, generation, payload);
      return;
    }
  g_mutex_lock (&mpi->lock);
  mpi->heard_us[from] = g_get_monotonic_time ();
  if (type == HIR_MPI_BYTES)
    take_bytes_locked (mpi, from, generation, payload);
  else if (type == HIR_MPI_COMM && generation >= mpi->generation)
    take_comm_locked (mpi, from, payload);
  g_mutex_unlock (&mpi->lock);
}

static void
begin_outgoing (Progress *progress, HirMpiOutgoing *outgoing)
{
  HirMpi *mpi = progress->mpi;
  gsize size;
  gconstpointer data = g_bytes_get_data (outgoing->bytes, &size);
  Pending pending = { .op = mpi->wire->send (mpi->wire, data, size, outgoing->to, 0),
                      .bytes = outgoing->bytes,
                      .free_bytes = (GDestroyNotify) g_bytes_unref,
                      .is_send = TRUE };

  g_array_append_val (progress->pending, pending);
  g_free (outgoing);
}

/* Starts the transfers of @batch (takes ownership of the reference). */
static void
begin_batch (Progress *progress, HirMpiBatch *batch)
{
  HirMpiWire *wire = progress->mpi->wire;

  for (guint i = 0; i < batch->transfers->len; i++)
    {
      const HirMpiTransfer *t = &g_array_index (batch->transfers, HirMpiTransfer, i);
      Pending pending = { .batch = batch, .is_send = t->is_send };

      pending.op = t->is_send ? wire->send (wire, t->data, t->size, t->peer, t->tag)
                              : wire->receive (wire, t->data, t->size, t->peer, t->tag);
      g_atomic_ref_count_inc (&batch->ref_count);
      g_array_append_val (progress->pending, pending);
    }
  hir_mpi_batch_unref (batch);
}

/* Starts all queued operations. Returns TRUE if there was one. */
static gboolean
begin_all (Progress *progress)
{
  HirMpi *mpi = progress->mpi;
  gboolean any = FALSE;

  for (;;)
    {
      HirMpiOutgoing *outgoing;
      HirMpiBatch *batch;

      g_mutex_lock (&mpi->lock);
      outgoing = g_queue_pop_head (&mpi->outgoing);
      batch = outgoing == NULL ? g_queue_pop_head (&mpi->batches) : NULL;
      g_mutex_unlock (&mpi->lock);
      if (outgoing != NULL)
        begin_outgoing (progress, outgoing);
      else if (batch != NULL)
        begin_batch (progress, batch);
      else
        return any;
      any = TRUE;
    }
}

static void
end_pending (HirMpi *mpi, Pending *pending, gboolean failed)
{
  if (pending->batch != NULL)
    {
      g_mutex_lock (&mpi->lock);
      pending->batch->n_left--;
      pending->batch->failed |= failed;
      if (pending->batch->n_left == 0 || failed)
        g_cond_broadcast (&mpi->changed);
      g_mutex_unlock (&mpi->lock);
      hir_mpi_batch_unref (pending->batch);
    }
  else if (pending->bytes != NULL)
    pending->free_bytes (pending->bytes);
}

static gboolean
is_cancelled (HirMpi *mpi, const Pending *pending)
{
  gboolean cancelled;

  if (pending->batch == NULL || pending->is_send)
    return FALSE;
  g_mutex_lock (&mpi->lock);
  /* If a rank has died, cancelling may block forever in MPI: leave the operation alone. */
  cancelled = pending->batch->cancelled && mpi->broken == NULL;
  g_mutex_unlock (&mpi->lock);
  return cancelled;
}

static gboolean
test_all (Progress *progress)
{
  HirMpi *mpi = progress->mpi;
  gboolean any = FALSE;

  for (guint i = 0; i < progress->pending->len;)
    {
      Pending pending = g_array_index (progress->pending, Pending, i);
      int state = mpi->wire->test (mpi->wire, pending.op);

      if (state == 0 && is_cancelled (mpi, &pending))
        {
          mpi->wire->cancel (mpi->wire, pending.op);
          state = 1;
        }
      if (state == 0)
        {
          i++;
          continue;
        }
      g_array_remove_index (progress->pending, i);
      end_pending (mpi, &pending, state < 0);
      any = TRUE;
    }
  return any;
}

/* Receives messages of other modules and, after a failed run, data that no thread waits for. */
static gboolean
receive_all (Progress *progress)
{
  HirMpi *mpi = progress->mpi;
  HirMpiWire *wire = mpi->wire;
  gboolean any = FALSE, draining;
  int from, tag;
  gsize size;

  g_mutex_lock (&mpi->lock);
  draining = mpi->draining;
  g_mutex_unlock (&mpi->lock);
  while (wire->probe (wire, TRUE, &from, &tag, &size))
    {
      gpointer data = g_malloc (size + 1);
      HirMpiWireOp *op = wire->receive (wire, data, size, from, tag);
      int state;

      while ((state = wire->test (wire, op)) == 0)
        ; /* the message has arrived already */
      if (state > 0)
        take_message (mpi, from, data, size);
      else
        g_free (data);
      any = TRUE;
    }
  /* One at a time: a probe may report it again until it was tested. */
  if (draining && wire->probe (wire, FALSE, &from, &tag, &size))
    {
      Pending pending = { .bytes = g_malloc (size + 1), .free_bytes = g_free };

      pending.op = wire->receive (wire, pending.bytes, size, from, tag);
      g_array_append_val (progress->pending, pending);
      any = TRUE;
    }
  return any;
}

static void
run_call (Progress *progress)
{
  HirMpi *mpi = progress->mpi;
  HirMpiCall call;

  g_mutex_lock (&mpi->lock);
  call = g_steal_pointer (&mpi->call);
  g_mutex_unlock (&mpi->lock);
  if (call == NULL)
    return;
  /* Send earlier messages first: other ranks may need them to reach the same call. */
  begin_all (progress);
  call (mpi, mpi->call_data);
  g_mutex_lock (&mpi->lock);
  mpi->call_done = TRUE;
  g_cond_broadcast (&mpi->changed);
  g_mutex_unlock (&mpi->lock);
}

/* MPI offers no blocking wait, so it is polled: continuously while there is progress, then with
 * sleeps, because the streams need the processors too. */
static void
wait_idle (Progress *progress, gint64 now_us)
{
  HirMpi *mpi = progress->mpi;
  gint64 nap_us =
      progress->pending->len > 0 || now_us - progress->moved_us < 100 * NAP_US ? NAP_US : IDLE_US;

  if (now_us - progress->moved_us < SPIN_US)
    {
      g_thread_yield ();
      return;
    }
  g_mutex_lock (&mpi->lock);
  mpi->is_idle = TRUE;
  if (mpi->outgoing.length == 0 && mpi->batches.length == 0 && mpi->call == NULL && !mpi->stopping)
    g_cond_wait_until (&mpi->wake, &mpi->lock, now_us + nap_us);
  mpi->is_idle = FALSE;
  g_mutex_unlock (&mpi->lock);
}

/* Returns FALSE if the thread must end. */
static gboolean
should_continue (Progress *progress)
{
  HirMpi *mpi = progress->mpi;
  gboolean is_over;

  g_mutex_lock (&mpi->lock);
  is_over = mpi->stopping &&
            (mpi->broken != NULL || (progress->pending->len == 0 && mpi->outgoing.length == 0));
  g_mutex_unlock (&mpi->lock);
  return !is_over;
}

static gboolean
start_wire (HirMpi *mpi)
{
  char *failure = mpi->wire->start (mpi->wire, &mpi->base.rank, &mpi->base.size);
  GError *error = NULL;

  if (failure != NULL)
    hir_set_error (&error, HIR_ERROR_UNSUPPORTED, NULL, "MPI (%s): %s", mpi->wire->built_for,
                   failure);
  else if (mpi->base.size < mpi->n_launched)
    hir_set_error (&error, HIR_ERROR_UNSUPPORTED, NULL,
                   "the launcher started %d processes, but MPI (%s) has %d: launcher and library "
                   "do not match; use the mpirun of %s",
                   mpi->n_launched, mpi->wire->built_for, mpi->base.size, mpi->wire->built_for);
  g_free (failure);
  g_mutex_lock (&mpi->lock);
  if (error != NULL)
    hir_mpi_break_locked (mpi, error);
  else
    {
      mpi->heard_us = g_new (gint64, mpi->base.size);
      for (int i = 0; i < mpi->base.size; i++)
        mpi->heard_us[i] = g_get_monotonic_time ();
    }
  mpi->started = TRUE;
  g_cond_broadcast (&mpi->changed);
  g_mutex_unlock (&mpi->lock);
  return error == NULL;
}

static gpointer
progress_thread (gpointer data)
{
  HirMpi *mpi = data;
  Progress progress = { .mpi = mpi, .signals = -1 };
  gboolean is_broken;
  sigset_t term;

  if (!start_wire (mpi))
    return NULL;
  sigemptyset (&term);
  sigaddset (&term, SIGTERM);
  progress.signals = signalfd (-1, &term, SFD_NONBLOCK | SFD_CLOEXEC);
  progress.pending = g_array_new (FALSE, FALSE, sizeof (Pending));
  while (should_continue (&progress))
    {
      gboolean moved = begin_all (&progress);
      gint64 now_us;

      moved |= test_all (&progress);
      moved |= receive_all (&progress);
      run_call (&progress);
      now_us = g_get_monotonic_time ();
      if (moved)
        progress.moved_us = now_us;
      if (now_us - progress.checked_us >= CHECK_US)
        {
          progress.checked_us = now_us;
          hir_mpi_check_peers (mpi, progress.signals, now_us);
        }
      if (!moved)
        wait_idle (&progress, now_us);
    }
  g_mutex_lock (&mpi->lock);
  is_broken = mpi->broken != NULL;
  g_mutex_unlock (&mpi->lock);
  /* MPI would wait for the dead rank. */
  if (!is_broken)
    mpi->wire->stop (mpi->wire);
  g_array_unref (progress.pending);
  if (progress.signals >= 0)
    close (progress.signals);
  return NULL;
}

gboolean
hir_mpi_progress_start (HirMpi *mpi, GError **error)
{
  gboolean ok;

  mpi->thread = g_thread_new ("hir-mpi", progress_thread, mpi);
  g_mutex_lock (&mpi->lock);
  while (!mpi->started)
    g_cond_wait (&mpi->changed, &mpi->lock);
  ok = hir_mpi_check_locked (mpi, error);
  g_mutex_unlock (&mpi->lock);
  return ok;
}

void
hir_mpi_progress_stop (HirMpi *mpi)
{
  Unhandled *unhandled;

  g_mutex_lock (&mpi->lock);
  mpi->stopping = TRUE;
  hir_mpi_wake_locked (mpi);
  g_mutex_unlock (&mpi->lock);
  g_clear_pointer (&mpi->thread, g_thread_join);
  while ((unhandled = g_queue_pop_head (&mpi->unhandled)) != NULL)
    {
      g_variant_unref (unhandled->payload);
      g_free (unhandled);
    }
}
