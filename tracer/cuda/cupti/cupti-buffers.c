#include "cuda/cupti/cupti-buffers.h"

#include <stdlib.h>
#include <string.h>

#define N_READY 8       /* enough until the decoding thread has made more */
#define MAX_SPARE 64    /* further free buffers are returned to the system */
#define ALIGNMENT 4096u /* CUPTI requires 8 */

struct _HirCuptiBuffers
{
  GMutex lock;
  GCond completed_cond;
  GPtrArray *ready;  /* guint8*, zeroed */
  GArray *completed; /* HirCuptiBuffer, from n_taken on */
  guint n_taken;
  gboolean is_woken;
  guint64 n_refused;
};

static HirCuptiBuffers *
buffers_new (void)
{
  HirCuptiBuffers *self = g_new0 (HirCuptiBuffers, 1);

  g_mutex_init (&self->lock);
  g_cond_init (&self->completed_cond);
  self->ready = g_ptr_array_new ();
  self->completed = g_array_new (FALSE, FALSE, sizeof (HirCuptiBuffer));
  return self;
}

HirCuptiBuffers *
hir_cupti_buffers_get (void)
{
  static gsize the_pool;

  if (g_once_init_enter (&the_pool))
    g_once_init_leave (&the_pool, (gsize) buffers_new ());
  return (HirCuptiBuffers *) the_pool;
}

/* Returns NULL if out of memory. */
static guint8 *
make_buffer (void)
{
  guint8 *bytes = aligned_alloc (ALIGNMENT, HIR_CUPTI_BUFFER_BYTES);

  if (bytes != NULL)
    memset (bytes, 0, HIR_CUPTI_BUFFER_BYTES);
  return bytes;
}

void
hir_cupti_buffers_request (uint8_t **buffer, size_t *size, size_t *max_records)
{
  HirCuptiBuffers *self = hir_cupti_buffers_get ();
  guint8 *bytes = NULL;

  g_mutex_lock (&self->lock);
  if (self->ready->len > 0)
    bytes = g_ptr_array_steal_index_fast (self->ready, self->ready->len - 1);
  g_mutex_unlock (&self->lock);
  if (bytes == NULL)
    bytes = make_buffer ();
  if (bytes == NULL)
    {
      g_mutex_lock (&self->lock);
      self->n_refused++;
      g_mutex_unlock (&self->lock);
    }
  *buffer = bytes;
  *size = bytes != NULL ? HIR_CUPTI_BUFFER_BYTES : 0;
  *max_records = 0; /* 0: as many as fit */
}

void
hir_cupti_buffers_complete (
    HirCuContext context, uint32_t stream, uint8_t *buffer, size_t size, size_t valid)
{
  HirCuptiBuffers *self = hir_cupti_buffers_get ();
  HirCuptiBuffer completed = { buffer, MIN (valid, size), context, stream };

  if (buffer == NULL)
    return;
  g_mutex_lock (&self->lock);
  g_array_append_val (self->completed, completed);
  g_cond_signal (&self->completed_cond);
  g_mutex_unlock (&self->lock);
}

gboolean
hir_cupti_buffers_pop (HirCuptiBuffers *self, gint64 timeout_us, HirCuptiBuffer *buffer)
{
  gint64 until_us = g_get_monotonic_time () + timeout_us;
  gboolean found;

  g_mutex_lock (&self->lock);
  while (self->n_taken == self->completed->len && !self->is_woken && timeout_us > 0 &&
         g_cond_wait_until (&self->completed_cond, &self->lock, until_us))
    ;
  self->is_woken = FALSE;
  found = self->n_taken < self->completed->len;
  if (found)
    *buffer = g_array_index (self->completed, HirCuptiBuffer, self->n_taken++);
  if (self->n_taken == self->completed->len)
    {
      g_array_set_size (self->completed, 0);
      self->n_taken = 0;
    }
  g_mutex_unlock (&self->lock);
  return found;
}

void
hir_cupti_buffers_recycle (HirCuptiBuffers *self, const HirCuptiBuffer *buffer)
{
  gboolean keep;

  /* The whole buffer: after the valid bytes there may be the start of a record. */
  memset (buffer->bytes, 0, HIR_CUPTI_BUFFER_BYTES);
  g_mutex_lock (&self->lock);
  keep = self->ready->len < MAX_SPARE;
  if (keep)
    g_ptr_array_add (self->ready, buffer->bytes);
  g_mutex_unlock (&self->lock);
  if (!keep)
    free (buffer->bytes);
}

void
hir_cupti_buffers_fill (HirCuptiBuffers *self)
{
  guint n;

  g_mutex_lock (&self->lock);
  n = self->ready->len;
  g_mutex_unlock (&self->lock);
  for (; n < N_READY; n++)
    {
      guint8 *bytes = make_buffer ();

      if (bytes == NULL)
        return;
      g_mutex_lock (&self->lock);
      g_ptr_array_add (self->ready, bytes);
      g_mutex_unlock (&self->lock);
    }
}

void
hir_cupti_buffers_wake (HirCuptiBuffers *self)
{
  g_mutex_lock (&self->lock);
  self->is_woken = TRUE;
  g_cond_signal (&self->completed_cond);
  g_mutex_unlock (&self->lock);
}

guint64
hir_cupti_buffers_get_n_refused (HirCuptiBuffers *self)
{
  guint64 n;

  g_mutex_lock (&self->lock);
  n = self->n_refused;
  g_mutex_unlock (&self->lock);
  return n;
}
