/* The communicator of a rank that is an MPI process. */
#include "run/mpi/comm-mpi-private.h"

/* Messages between communicators. */
typedef enum
{
  MESSAGE_BEGIN,
  MESSAGE_HEADER,
  MESSAGE_END,
  MESSAGE_FINISH,
} MessageType;

static void
work_unref (gpointer data)
{
  HirCommWork *work = data;

  if (--work->n_refs > 0)
    return;
  g_clear_pointer (&work->post, hir_comm_post_free);
  g_clear_pointer (&work->lines, g_ptr_array_unref);
  g_clear_pointer (&work->sequences, g_array_unref);
  g_free (work);
}

/* Sends a message to rank @to, or to all if @to is -1. @content is floating. */
static void
send_locked (HirMpiComm *comm, int to, MessageType what, GVariant *content)
{
  hir_mpi_send_locked (comm->mpi, to, HIR_MPI_COMM,
                       g_variant_new ("(uuv)", (guint32) what, comm->epoch, content));
}

static void
fail_locked (HirMpiComm *comm, GError *error)
{
  hir_mpi_abort_locked (comm->mpi, error);
  g_error_free (error);
}

static void
take_header_locked (HirMpiComm *comm, int from, GVariant *content)
{
  HirCommHeader *header = hir_comm_header_from_variant (content);
  GError *error = NULL;

  if (header == NULL)
    {
      hir_set_error (
          &error, HIR_ERROR_RUN, NULL,
          "rank %d runs another version of Hirscope than rank %d; install the same version "
          "on "
          "all machines",
          from, comm->base.rank);
      fail_locked (comm, error);
      return;
    }
  if (header->epoch == comm->epoch && !hir_mpi_match_header (comm, from, header, &error))
    fail_locked (comm, error);
  else if (header->epoch != comm->epoch)
    hir_comm_header_free (header); /* from a failed repetition */
}

static void
on_message (int from, GVariant *payload, gpointer user_data)
{
  HirMpiComm *comm = user_data;
  g_autoptr (GVariant) content = NULL;
  GError *error = NULL;
  guint32 what, epoch;

  if (!g_variant_is_of_type (payload, G_VARIANT_TYPE ("(uuv)")))
    return;
  g_variant_get (payload, "(uuv)", &what, &epoch, &content);
  switch ((MessageType) what)
    {
    case MESSAGE_BEGIN:
      comm->begun[from] = epoch;
      break;
    case MESSAGE_HEADER:
      take_header_locked (comm, from, content);
      break;
    case MESSAGE_END:
      comm->ended[from] |= epoch == comm->epoch;
      if (comm->ended[from] && !hir_mpi_match_end (comm, from, &error))
        fail_locked (comm, error);
      break;
    case MESSAGE_FINISH:
      comm->finished[from] = epoch;
      break;
    }
  g_cond_broadcast (&comm->mpi->changed);
}

/* Waits until all ranks have reached this epoch. */
static gboolean
await_all_locked (HirMpiComm *comm, const guint *reached, GError **error)
{
  for (;;)
    {
      int rank = 0;

      while (rank < comm->base.n_ranks && reached[rank] >= comm->epoch)
        rank++;
      /* A failed rank sends its error before it reports this epoch. */
      if (!hir_mpi_check_locked (comm->mpi, error))
        return FALSE;
      if (rank == comm->base.n_ranks)
        return TRUE;
      g_cond_wait (&comm->mpi->changed, &comm->mpi->lock);
    }
}

static void
mpi_begin (HirCommunicator *communicator)
{
  HirMpiComm *comm = (HirMpiComm *) communicator;

  g_mutex_lock (&comm->mpi->lock);
  g_hash_table_remove_all (comm->teams);
  g_hash_table_remove_all (comm->lines);
  g_ptr_array_set_size (comm->works, 0);
  for (int i = 0; i < communicator->n_ranks; i++)
    comm->ended[i] = FALSE;
  comm->epoch++;
  comm->is_over = FALSE;
  comm->begun[communicator->rank] = comm->epoch;
  send_locked (comm, -1, MESSAGE_BEGIN, g_variant_new_boolean (TRUE));
  /* The first post reports the error. */
  (void) await_all_locked (comm, comm->begun, NULL);
  g_mutex_unlock (&comm->mpi->lock);
}

static HirCommWork *
mpi_post (HirCommunicator *communicator, const HirCommPost *post, GError **error)
{
  HirMpiComm *comm = (HirMpiComm *) communicator;
  HirCommWork *work = g_new0 (HirCommWork, 1);
  g_autoptr (GError) local = NULL;
  gboolean fits;

  work->comm = comm;
  work->post = hir_comm_post_copy (post);
  work->n_refs = 2;
  g_mutex_lock (&comm->mpi->lock);
  g_ptr_array_add (comm->works, work);
  fits = hir_mpi_check_locked (comm->mpi, &local) &&
         (post->messages != NULL ? hir_mpi_match_messages (comm, work, &local)
                                 : hir_mpi_match_collective (comm, work, &local));
  if (!fits)
    {
      hir_mpi_abort_locked (comm->mpi, local);
      work_unref (work);
      g_propagate_error (error, g_steal_pointer (&local));
    }
  g_mutex_unlock (&comm->mpi->lock);
  return fits ? work : NULL;
}

static gboolean
mpi_run (HirCommWork *work, GError **error)
{
  g_autoptr (GError) local = NULL;

  if (work->post->messages != NULL ? hir_mpi_run_messages (work, &local)
                                   : hir_mpi_run_collective (work, &local))
    return TRUE;
  hir_mpi_abort (work->comm->mpi, local);
  g_propagate_error (error, g_steal_pointer (&local));
  return FALSE;
}

static void
mpi_free_work (HirCommWork *work)
{
  HirMpi *mpi = work->comm->mpi;

  g_mutex_lock (&mpi->lock);
  work_unref (work);
  g_mutex_unlock (&mpi->lock);
}

static gboolean
mpi_end (HirCommunicator *communicator, GError **error)
{
  HirMpiComm *comm = (HirMpiComm *) communicator;
  g_autoptr (GError) local = NULL;
  gboolean ok;

  g_mutex_lock (&comm->mpi->lock);
  comm->ended[communicator->rank] = TRUE;
  send_locked (comm, -1, MESSAGE_END, g_variant_new_boolean (TRUE));
  ok = hir_mpi_check_locked (comm->mpi, &local);
  if (ok)
    {
      /* Check messages to itself. */
      ok = hir_mpi_match_end (comm, communicator->rank, &local);
      if (!ok)
        hir_mpi_abort_locked (comm->mpi, local);
    }
  g_mutex_unlock (&comm->mpi->lock);
  if (!ok)
    g_propagate_error (error, g_steal_pointer (&local));
  return ok;
}

static gboolean
mpi_finish (HirCommunicator *communicator, GError **error)
{
  HirMpiComm *comm = (HirMpiComm *) communicator;
  gboolean ok;

  g_mutex_lock (&comm->mpi->lock);
  comm->finished[communicator->rank] = comm->epoch;
  send_locked (comm, -1, MESSAGE_FINISH, g_variant_new_boolean (TRUE));
  ok = await_all_locked (comm, comm->finished, error);
  comm->is_over = ok;
  g_mutex_unlock (&comm->mpi->lock);
  return ok;
}

static void
mpi_abort (HirCommunicator *communicator, const GError *error)
{
  HirMpiComm *comm = (HirMpiComm *) communicator;

  g_mutex_lock (&comm->mpi->lock);
  if (!comm->is_over)
    hir_mpi_abort_locked (comm->mpi, error);
  g_mutex_unlock (&comm->mpi->lock);
}

static GError *
mpi_dup_error (HirCommunicator *communicator)
{
  return hir_mpi_dup_error (((HirMpiComm *) communicator)->mpi, NULL);
}

static void
mpi_free (HirCommunicator *communicator)
{
  HirMpiComm *comm = (HirMpiComm *) communicator;

  hir_mpi_set_handler (comm->mpi, NULL, NULL);
  g_hash_table_unref (comm->teams);
  g_hash_table_unref (comm->lines);
  g_ptr_array_unref (comm->works);
  g_free (comm->begun);
  g_free (comm->finished);
  g_free (comm->ended);
  g_free (comm);
}

static const HirCommunicatorClass mpi_class = {
  .begin = mpi_begin,
  .post = mpi_post,
  .run = mpi_run,
  .free_work = mpi_free_work,
  .end = mpi_end,
  .finish = mpi_finish,
  .abort = mpi_abort,
  .dup_error = mpi_dup_error,
  .free = mpi_free,
};

HirCommunicator *
hir_comm_mpi_new (HirMpiModule *module)
{
  HirMpiComm *comm = g_new0 (HirMpiComm, 1);

  comm->base.klass = &mpi_class;
  comm->base.rank = module->rank;
  comm->base.n_ranks = module->size;
  comm->mpi = hir_mpi_from_module (module);
  comm->is_over = TRUE;
  comm->begun = g_new0 (guint, module->size);
  comm->finished = g_new0 (guint, module->size);
  comm->ended = g_new0 (gboolean, module->size);
  comm->teams =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) hir_mpi_team_free);
  comm->lines =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) hir_mpi_line_free);
  comm->works = g_ptr_array_new_with_free_func (work_unref);
  hir_mpi_set_handler (comm->mpi, on_message, comm);
  return &comm->base;
}
