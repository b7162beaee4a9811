/* Start and end of the processes of a launcher, and blocking collectives of bytes, which are
 * messages between the progress threads. Data that all ranks need is sent from each rank to each
 * other, so that earlier messages of a rank arrive before it. */
#include <signal.h>
#include <string.h>

#include "config.h"
#include "run/mpi/mpi-private.h"

/* Returns a unique name of this call among calls with the same @what. Call with the lock. */
static char *
dup_key_locked (HirMpi *mpi, const char *what, const gint64 *members, guint n)
{
  g_autoptr (GString) team = g_string_new (what);
  guint number;

  for (guint i = 0; i < n; i++)
    g_string_append_printf (team, ",%" G_GINT64_FORMAT, members[i]);
  number = GPOINTER_TO_UINT (g_hash_table_lookup (mpi->sequences, team->str));
  g_hash_table_replace (mpi->sequences, g_strdup (team->str), GUINT_TO_POINTER (number + 1));
  return g_strdup_printf ("%s#%u", team->str, number);
}

static void
send_bytes_locked (HirMpi *mpi, const char *key, gconstpointer data, gsize size, int to)
{
  GVariant *content = g_variant_new_fixed_array (G_VARIANT_TYPE_BYTE, data, size, 1);

  hir_mpi_send_locked (mpi, to, HIR_MPI_BYTES, g_variant_new ("(s@ay)", key, content));
}

/* Waits for the bytes that @from sent under @key. Returns NULL on errors. */
static GBytes *
await_bytes_locked (HirMpi *mpi, const char *key, int from, GError **error)
{
  g_autofree char *index = g_strdup_printf ("%u %s %d", mpi->generation, key, from);
  gpointer found_key, found;

  for (;;)
    {
      if (g_hash_table_steal_extended (mpi->inbox, index, &found_key, &found))
        {
          g_free (found_key);
          return found;
        }
      if (!hir_mpi_check_locked (mpi, error))
        return NULL;
      g_cond_wait (&mpi->changed, &mpi->lock);
    }
}

/* Waits for @size bytes from @from. */
static gboolean
receive_into_locked (HirMpi *mpi,
                     const char *what,
                     const char *key,
                     int from,
                     gpointer data,
                     gsize size,
                     GError **error)
{
  g_autoptr (GBytes) bytes = await_bytes_locked (mpi, key, from, error);

  if (bytes == NULL)
    return FALSE;
  if (g_bytes_get_size (bytes) != size)
    {
      hir_set_error (error, HIR_ERROR_RUN, NULL,
                     "%s: rank %d sends %" G_GSIZE_FORMAT " bytes, but rank %d expects "
                     "%" G_GSIZE_FORMAT "; start all ranks with the same program",
                     what, from, g_bytes_get_size (bytes), mpi->base.rank, size);
      return FALSE;
    }
  if (size > 0)
    memcpy (data, g_bytes_get_data (bytes, NULL), size);
  return TRUE;
}

static int
rank_at (const gint64 *members, guint i)
{
  return members != NULL ? (int) members[i] : (int) i;
}

/* @members: NULL for all ranks. */
static gboolean
broadcast (HirMpi *mpi,
           const char *what,
           const gint64 *members,
           guint n,
           gpointer data,
           gsize size,
           int root,
           GError **error)
{
  g_autofree char *key = NULL;
  gboolean ok;

  g_mutex_lock (&mpi->lock);
  key = dup_key_locked (mpi, what, members, members != NULL ? n : 0);
  ok = hir_mpi_check_locked (mpi, error);
  if (ok && mpi->base.rank != root)
    ok = receive_into_locked (mpi, what, key, root, data, size, error);
  else
    for (guint i = 0; ok && i < n; i++)
      if (rank_at (members, i) != root)
        send_bytes_locked (mpi, key, data, size, rank_at (members, i));
  g_mutex_unlock (&mpi->lock);
  return ok;
}

gboolean
hir_mpi_module_bcast (
    HirMpiModule *module, const char *what, gpointer data, gsize size, int root, GError **error)
{
  return broadcast (hir_mpi_from_module (module), what, NULL, (guint) module->size, data, size,
                    root, error);
}

gboolean
hir_mpi_module_allgather (HirMpiModule *module,
                          const char *what,
                          gconstpointer mine,
                          gsize size,
                          gpointer all,
                          GError **error)
{
  HirMpi *mpi = hir_mpi_from_module (module);
  g_autofree char *key = NULL;
  gboolean ok;

  g_mutex_lock (&mpi->lock);
  key = dup_key_locked (mpi, what, NULL, 0);
  ok = hir_mpi_check_locked (mpi, error);
  if (ok)
    send_bytes_locked (mpi, key, mine, size, -1);
  if (size > 0)
    memmove ((guint8 *) all + (gsize) module->rank * size, mine, size);
  for (int rank = 0; ok && rank < module->size; rank++)
    if (rank != module->rank)
      ok = receive_into_locked (mpi, what, key, rank, (guint8 *) all + (gsize) rank * size, size,
                                error);
  g_mutex_unlock (&mpi->lock);
  return ok;
}

gboolean
hir_mpi_module_barrier (HirMpiModule *module, const char *what, GError **error)
{
  return hir_mpi_module_allgather (module, what, NULL, 0, NULL, error);
}

gboolean
hir_mpi_module_team_bcast (HirMpiModule *module,
                           const char *what,
                           const gint64 *members,
                           guint n,
                           gpointer data,
                           gsize size,
                           GError **error)
{
  return broadcast (hir_mpi_from_module (module), what, members, n, data, size, (int) members[0],
                    error);
}

gboolean
hir_mpi_module_gather (
    HirMpiModule *module, const char *what, GBytes *mine, int root, GPtrArray **all, GError **error)
{
  HirMpi *mpi = hir_mpi_from_module (module);
  g_autoptr (GPtrArray) parts = g_ptr_array_new_with_free_func ((GDestroyNotify) g_bytes_unref);
  g_autofree char *key = NULL;
  gboolean ok;

  *all = NULL;
  g_mutex_lock (&mpi->lock);
  key = dup_key_locked (mpi, what, NULL, 0);
  ok = hir_mpi_check_locked (mpi, error);
  if (ok && module->rank != root)
    send_bytes_locked (mpi, key, g_bytes_get_data (mine, NULL), g_bytes_get_size (mine), root);
  for (int rank = 0; ok && module->rank == root && rank < module->size; rank++)
    {
      GBytes *bytes =
          rank == root ? g_bytes_ref (mine) : await_bytes_locked (mpi, key, rank, error);

      ok = bytes != NULL;
      if (ok)
        g_ptr_array_add (parts, bytes);
    }
  g_mutex_unlock (&mpi->lock);
  if (ok && module->rank == root)
    *all = g_steal_pointer (&parts);
  return ok;
}

static void
free_mpi (HirMpi *mpi)
{
  g_hash_table_unref (mpi->inbox);
  g_hash_table_unref (mpi->sequences);
  g_clear_error (&mpi->aborted);
  g_clear_error (&mpi->early);
  g_clear_error (&mpi->broken);
  g_free (mpi->peers);
  g_free (mpi->heard_us);
  g_mutex_clear (&mpi->lock);
  g_cond_clear (&mpi->changed);
  g_cond_clear (&mpi->wake);
  g_free (mpi);
}

static gboolean
connect_ranks (HirMpi *mpi, GError **error)
{
  HirMpiPeer self;

  hir_mpi_peer_init (&self);
#if HIR_TESTING
  if (g_getenv ("HIRSCOPE_TEST_CLOCK_SKEW_NS") != NULL)
    mpi->skew_ns = g_ascii_strtoll (g_getenv ("HIRSCOPE_TEST_CLOCK_SKEW_NS"), NULL, 10);
#endif
  mpi->peers = g_new0 (HirMpiPeer, mpi->base.size);
  if (!hir_mpi_module_allgather (&mpi->base, "connecting the ranks", &self, sizeof self, mpi->peers,
                                 error))
    return FALSE;
  g_mutex_lock (&mpi->lock);
  mpi->is_connected = TRUE;
  g_mutex_unlock (&mpi->lock);
  mpi->base.host = mpi->peers[mpi->base.rank].host;
  /* All ranks of a machine share a clock. */
  if (mpi->base.rank > 0 && hir_mpi_module_is_local (&mpi->base, 0))
    mpi->skew_ns = 0;
  for (int rank = 0; rank < mpi->base.size; rank++)
    if (hir_mpi_module_is_local (&mpi->base, rank))
      {
        mpi->base.local_rank += rank < mpi->base.rank;
        mpi->base.local_size++;
      }
  return TRUE;
}

HirMpiModule *
hir_mpi_module_new_on_wire (HirMpiWire *wire, int n_launched, GError **error)
{
  HirMpi *mpi = g_new0 (HirMpi, 1);

  mpi->wire = wire;
  mpi->n_launched = n_launched;
  mpi->timeout_s = 10;
  g_mutex_init (&mpi->lock);
  g_cond_init (&mpi->changed);
  g_cond_init (&mpi->wake);
  g_queue_init (&mpi->outgoing);
  g_queue_init (&mpi->batches);
  g_queue_init (&mpi->unhandled);
  mpi->inbox =
      g_hash_table_new_full (g_str_hash, g_str_equal, g_free, (GDestroyNotify) g_bytes_unref);
  mpi->sequences = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  if (hir_mpi_progress_start (mpi, error) && connect_ranks (mpi, error))
    return &mpi->base;
  hir_mpi_progress_stop (mpi);
  free_mpi (mpi);
  return NULL;
}

HirMpiModule *
hir_mpi_module_new (GError **error)
{
  int n_launched = hir_mpi_launcher_get_size (NULL);
  HirMpiWire *wire = hir_mpi_wire_load (n_launched, error);
  sigset_t term;

  if (wire == NULL)
    return NULL;
  /* Later threads inherit the blocked signal; only the progress thread reads it. */
  sigemptyset (&term);
  sigaddset (&term, SIGTERM);
  pthread_sigmask (SIG_BLOCK, &term, NULL);
  return hir_mpi_module_new_on_wire (wire, n_launched, error);
}

gboolean
hir_mpi_module_free (HirMpiModule *module)
{
  HirMpi *mpi = hir_mpi_from_module (module);
  gboolean together;

  hir_mpi_next_generation (mpi);
  together = hir_mpi_module_barrier (module, "the end", NULL);
  hir_mpi_progress_stop (mpi);
  together &= mpi->broken == NULL;
  /* Do not free memory that MPI may still use. */
  if (together)
    free_mpi (mpi);
  return together;
}

void
hir_mpi_module_set_timeout (HirMpiModule *module, double timeout_s)
{
  HirMpi *mpi = hir_mpi_from_module (module);

  g_mutex_lock (&mpi->lock);
  mpi->timeout_s = timeout_s;
  g_mutex_unlock (&mpi->lock);
}

gboolean
hir_mpi_module_is_local (HirMpiModule *module, int rank)
{
  HirMpi *mpi = hir_mpi_from_module (module);

  return hir_mpi_peer_same_host (&mpi->peers[module->rank], &mpi->peers[rank]);
}
