#include "tune/tune-limit.h"

struct _HirTuneLimit
{
  GCancellable *work, *user; /* user: nullable */
  gulong connection;
  gint64 start_us, end_us;
  GMutex mutex;
  GCond cond;
  gboolean is_freed; /* protected by the mutex */
  GThread *thread;
};

static gpointer
wait_for_end (gpointer user_data)
{
  HirTuneLimit *self = user_data;
  gboolean is_over = FALSE;

  g_mutex_lock (&self->mutex);
  while (!self->is_freed && !is_over)
    is_over = !g_cond_wait_until (&self->cond, &self->mutex, self->end_us);
  g_mutex_unlock (&self->mutex);
  if (is_over)
    g_cancellable_cancel (self->work);
  return NULL;
}

static void
on_cancelled (GCancellable *user, gpointer work)
{
  g_cancellable_cancel (work);
}

HirTuneLimit *
hir_tune_limit_new (double seconds, GCancellable *cancellable)
{
  HirTuneLimit *self = g_new0 (HirTuneLimit, 1);

  self->work = g_cancellable_new ();
  self->start_us = g_get_monotonic_time ();
  self->end_us = self->start_us + (gint64) (seconds * G_USEC_PER_SEC);
  g_mutex_init (&self->mutex);
  g_cond_init (&self->cond);
  if (cancellable != NULL)
    {
      self->user = g_object_ref (cancellable);
      self->connection =
          g_cancellable_connect (cancellable, G_CALLBACK (on_cancelled), self->work, NULL);
    }
  self->thread = g_thread_new ("hir-tune-limit", wait_for_end, self);
  return self;
}

void
hir_tune_limit_free (HirTuneLimit *self)
{
  g_mutex_lock (&self->mutex);
  self->is_freed = TRUE;
  g_cond_signal (&self->cond);
  g_mutex_unlock (&self->mutex);
  g_thread_join (self->thread);
  if (self->user != NULL)
    g_cancellable_disconnect (self->user, self->connection);
  g_clear_object (&self->user);
  g_object_unref (self->work);
  g_mutex_clear (&self->mutex);
  g_cond_clear (&self->cond);
  g_free (self);
}

GCancellable *
hir_tune_limit_get_cancellable (HirTuneLimit *self)
{
  return self->work;
}

gboolean
hir_tune_limit_is_over (HirTuneLimit *self)
{
  return g_cancellable_is_cancelled (self->work);
}

double
hir_tune_limit_get_share (HirTuneLimit *self)
{
  return (double) (g_get_monotonic_time () - self->start_us) /
         (double) MAX (self->end_us - self->start_us, 1);
}
