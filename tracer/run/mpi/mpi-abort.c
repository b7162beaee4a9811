/* Aborts of runs: a failing rank notifies the others, whose waiting threads are woken. */
#include "run/mpi/mpi-private.h"

static GVariant *
error_to_variant (const GError *error)
{
  HirPos pos = hir_error_get_pos (error);
  g_autofree char *text = g_utf8_make_valid (error->message, -1);

  return g_variant_new ("(iuus)",
                        error->domain == HIR_ERROR ? (gint32) error->code : (gint32) HIR_ERROR_RUN,
                        pos.line, pos.column, text);
}

static GError *
error_from_variant (GVariant *variant)
{
  GError *error = NULL;
  const char *text;
  gint32 code;
  HirPos pos = { 0 };
  guint32 line, column;

  g_variant_get (variant, "(iuu&s)", &code, &line, &column, &text);
  pos.line = line;
  pos.column = column;
  hir_set_error (&error, (HirErrorCode) code, &pos, "%s", text);
  return error;
}

void
hir_mpi_abort_locked (HirMpi *mpi, const GError *error)
{
  if (mpi->is_aborted || mpi->broken != NULL)
    return;
  mpi->is_aborted = mpi->is_mine = TRUE;
  mpi->aborted = hir_error_copy (error);
  hir_mpi_send_locked (mpi, -1, HIR_MPI_ABORT, error_to_variant (error));
  g_cond_broadcast (&mpi->changed);
}

void
hir_mpi_abort (HirMpi *mpi, const GError *error)
{
  g_mutex_lock (&mpi->lock);
  hir_mpi_abort_locked (mpi, error);
  g_mutex_unlock (&mpi->lock);
}

void
hir_mpi_take_abort (HirMpi *mpi, int from, guint generation, GVariant *payload)
{
  g_mutex_lock (&mpi->lock);
  if (generation == mpi->generation && !mpi->is_aborted)
    {
      mpi->is_aborted = TRUE;
      mpi->aborted = error_from_variant (payload);
      g_cond_broadcast (&mpi->changed);
    }
  else if (generation > mpi->generation && mpi->early == NULL)
    {
      mpi->early = error_from_variant (payload);
      mpi->early_generation = generation;
    }
  g_mutex_unlock (&mpi->lock);
}

void
hir_mpi_break_locked (HirMpi *mpi, GError *error)
{
  if (mpi->broken != NULL)
    g_error_free (error);
  else
    mpi->broken = error;
  g_cond_broadcast (&mpi->changed);
}

gboolean
hir_mpi_check_locked (HirMpi *mpi, GError **error)
{
  const GError *cause = mpi->broken != NULL ? mpi->broken : mpi->aborted;

  if (cause == NULL)
    return TRUE;
  g_propagate_error (error, hir_error_copy (cause));
  return FALSE;
}

/* Prefer the error that ended the run to the signal by which the launcher then ended the other
 * ranks. */
GError *
hir_mpi_dup_error (HirMpi *mpi, gboolean *is_mine)
{
  GError *copy = NULL;

  g_mutex_lock (&mpi->lock);
  if (mpi->aborted != NULL || mpi->broken != NULL)
    copy = hir_error_copy (mpi->aborted != NULL ? mpi->aborted : mpi->broken);
  if (is_mine != NULL)
    *is_mine = mpi->aborted != NULL ? mpi->is_mine : mpi->broken != NULL;
  g_mutex_unlock (&mpi->lock);
  return copy;
}

void
hir_mpi_next_generation (HirMpi *mpi)
{
  g_mutex_lock (&mpi->lock);
  mpi->draining |= mpi->is_aborted;
  mpi->is_aborted = mpi->is_mine = FALSE;
  g_clear_error (&mpi->aborted);
  mpi->generation++;
  if (mpi->early != NULL && mpi->early_generation <= mpi->generation)
    {
      mpi->is_aborted = mpi->early_generation == mpi->generation;
      if (mpi->is_aborted)
        mpi->aborted = g_steal_pointer (&mpi->early);
      g_clear_error (&mpi->early);
    }
  g_mutex_unlock (&mpi->lock);
}

void
hir_mpi_module_abort (HirMpiModule *module, const GError *error)
{
  hir_mpi_abort (hir_mpi_from_module (module), error);
}

void
hir_mpi_module_begin_run (HirMpiModule *module)
{
  hir_mpi_next_generation (hir_mpi_from_module (module));
}

gboolean
hir_mpi_module_end_run (HirMpiModule *module)
{
  HirMpi *mpi = hir_mpi_from_module (module);
  gboolean is_mine;

  g_mutex_lock (&mpi->lock);
  is_mine = mpi->is_aborted && mpi->is_mine;
  g_mutex_unlock (&mpi->lock);
  hir_mpi_next_generation (mpi);
  return is_mine;
}
