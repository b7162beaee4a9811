#include "cuda/cupti/cupti-launches.h"

#include <stdatomic.h>
#include <string.h>

#define CHUNK_LAUNCHES 4096u
#define N_AHEAD 8u            /* chunks; more than are filled between two buffers */
#define MAX_CHUNKS (1u << 20) /* 4 G launches; the table's 8 MiB are mostly untouched */

typedef struct
{
  atomic_uint n_written;
  HirCuptiLaunch launches[CHUNK_LAUNCHES];
} Chunk;

struct _HirCuptiLaunches
{
  atomic_ullong n; /* number of launches */
  _Atomic (Chunk *) *chunks;
  GMutex lock;     /* guards the creation of chunks */
  guint n_retired; /* number of retired chunks; decoding thread only */
};

HirCuptiLaunches *
hir_cupti_launches_new (void)
{
  HirCuptiLaunches *self = g_new0 (HirCuptiLaunches, 1);

  self->chunks = g_malloc0_n (MAX_CHUNKS, sizeof *self->chunks);
  g_mutex_init (&self->lock);
  return self;
}

void
hir_cupti_launches_free (HirCuptiLaunches *self)
{
  guint64 n = atomic_load (&self->n);

  /* Includes retired chunks: the last one may have been created again by a later launch. */
  for (guint i = 0; i < MIN (n / CHUNK_LAUNCHES + 1 + N_AHEAD, MAX_CHUNKS); i++)
    g_free (atomic_load (&self->chunks[i]));
  g_free (self->chunks);
  g_mutex_clear (&self->lock);
  g_free (self);
}

static Chunk *
make_chunk (HirCuptiLaunches *self, guint index)
{
  Chunk *chunk;

  g_mutex_lock (&self->lock);
  chunk = atomic_load (&self->chunks[index]);
  if (chunk == NULL)
    {
      chunk = g_try_new (Chunk, 1);
      if (chunk != NULL)
        memset (chunk, 0, sizeof *chunk);
      atomic_store_explicit (&self->chunks[index], chunk, memory_order_release);
    }
  g_mutex_unlock (&self->lock);
  return chunk;
}

guint64
hir_cupti_launches_add (HirCuptiLaunches *self, const HirEvent *event)
{
  guint64 at = atomic_fetch_add_explicit (&self->n, 1, memory_order_relaxed);
  guint64 index = at / CHUNK_LAUNCHES;
  Chunk *chunk;

  if (index >= MAX_CHUNKS)
    return 0;
  chunk = atomic_load_explicit (&self->chunks[index], memory_order_acquire);
  if (G_UNLIKELY (chunk == NULL))
    chunk = make_chunk (self, (guint) index);
  if (chunk == NULL)
    return 0;
  chunk->launches[at % CHUNK_LAUNCHES] = (HirCuptiLaunch){ .instruction = event->instruction,
                                                           .bytes = event->bytes,
                                                           .flops = event->flops,
                                                           .source = event->source,
                                                           .name = event->name,
                                                           .correlation = event->correlation,
                                                           .iteration = event->iteration,
                                                           .track = event->track,
                                                           .kind = event->kind,
                                                           .phase = event->phase };
  atomic_fetch_add_explicit (&chunk->n_written, 1, memory_order_release);
  return at + 1;
}

void
hir_cupti_launches_prepare (HirCuptiLaunches *self)
{
  guint64 next = atomic_load (&self->n) / CHUNK_LAUNCHES;

  for (guint64 i = next; i < MIN (next + N_AHEAD, MAX_CHUNKS); i++)
    if (atomic_load (&self->chunks[i]) == NULL)
      make_chunk (self, (guint) i);
}

HirCuptiLaunch *
hir_cupti_launches_lookup (HirCuptiLaunches *self, guint64 id)
{
  guint64 at = id - 1;
  Chunk *chunk;

  if (id == 0 || at >= atomic_load (&self->n) || at / CHUNK_LAUNCHES < self->n_retired ||
      at / CHUNK_LAUNCHES >= MAX_CHUNKS)
    return NULL;
  chunk = atomic_load_explicit (&self->chunks[at / CHUNK_LAUNCHES], memory_order_acquire);
  return chunk != NULL ? &chunk->launches[at % CHUNK_LAUNCHES] : NULL;
}

guint64
hir_cupti_launches_get_n (HirCuptiLaunches *self)
{
  return atomic_load (&self->n);
}

void
hir_cupti_launches_retire (HirCuptiLaunches *self,
                           guint64 id,
                           void (*each) (const HirCuptiLaunch *launch, gpointer user_data),
                           gpointer user_data)
{
  while (self->n_retired < MAX_CHUNKS && (guint64) self->n_retired * CHUNK_LAUNCHES < id)
    {
      Chunk *chunk = atomic_load (&self->chunks[self->n_retired]);
      guint n_written = chunk != NULL ? atomic_load (&chunk->n_written) : 0;
      gboolean is_last = (guint64) (self->n_retired + 1) * CHUNK_LAUNCHES > id;

      /* A thread may still write a launch to the chunk. Only the last chunk may be incomplete. */
      if (chunk == NULL || (n_written < CHUNK_LAUNCHES && !is_last))
        return;
      if (is_last && id < atomic_load (&self->n))
        return;
      for (guint i = 0; i < n_written; i++)
        each (&chunk->launches[i], user_data);
      atomic_store (&self->chunks[self->n_retired], NULL);
      g_free (chunk);
      self->n_retired++;
    }
}
