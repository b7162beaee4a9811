#include "cuda/driver/pool.h"

#define SMALL_BYTES ((gsize) 1 << 20)
#define SMALL_UNIT 512
#define LARGE_UNIT ((gsize) 2 << 20)

/* Set of streams: one bit per stream. */
typedef struct
{
  guint64 low, high;
} StreamSet;

typedef struct
{
  HirCudaPool *pool;
  HirCuAddress address;
  gsize size_bytes;    /* rounded up */
  guint owner;         /* stream of the allocation; HIR_POOL_MAX_STREAMS: none */
  StreamSet used;      /* other streams that used it */
  guint64 used_at;     /* HirCudaPool.turn when work that uses it was last issued */
  guint64 freed_at;    /* HirCudaPool.turn when it was freed; 0: no work uses it */
  GPtrArray *events;   /* HirCuEvent: one per other stream, recorded when it was freed */
  HirCudaShare *share; /* nullable; if set, other processes may have opened the memory */
} Block;

struct _HirCudaPool
{
  HirCudaDevice *device;
  GMutex lock;            /* guards the following fields */
  GHashTable *free_lists; /* gsize* -> GPtrArray of Block* */
  GPtrArray *spare_events;
  HirCuStream streams[HIR_POOL_MAX_STREAMS];
  guint64 turn; /* increases each time that all streams are idle; starts at 1 */
  guint64 n_blocks, n_bytes;
  guint64 n_shared;
  guint n_in_use;
  gboolean closed;
  gboolean is_shareable;
};

static gboolean
set_has (const StreamSet *set, guint i)
{
  return ((i < 64 ? set->low : set->high) >> (i % 64)) & 1;
}

static void
set_add (StreamSet *set, guint i)
{
  if (i < 64)
    set->low |= (guint64) 1 << i;
  else
    set->high |= (guint64) 1 << (i % 64);
}

HirCudaPool *
hir_cuda_pool_new (HirCudaDevice *device)
{
  HirCudaPool *pool = g_new0 (HirCudaPool, 1);

  pool->device = hir_cuda_device_ref (device);
  g_mutex_init (&pool->lock);
  pool->free_lists = g_hash_table_new_full (g_int64_hash, g_int64_equal, g_free,
                                            (GDestroyNotify) g_ptr_array_unref);
  pool->spare_events = g_ptr_array_new ();
  pool->turn = 1;
  return pool;
}

static void
give_back (HirCudaPool *pool, Block *block)
{
  const HirCudaApi *cuda = &pool->device->libs->cuda;

  if (block->share == NULL)
    (void) cuda->mem_free (block->address);
  g_clear_pointer (&block->share, hir_cuda_share_unref);
  for (guint i = 0; i < block->events->len; i++)
    (void) cuda->event_destroy (g_ptr_array_index (block->events, i));
  g_ptr_array_unref (block->events);
  pool->n_blocks--;
  pool->n_bytes -= block->size_bytes;
  g_free (block);
}

/* Returns unused blocks to the driver; shared blocks only if @for_good, that is, when the pool is
 * closed. Call with the lock held. */
static void
give_all_back (HirCudaPool *pool, gboolean for_good)
{
  GHashTableIter iter;
  gpointer list;

  g_hash_table_iter_init (&iter, pool->free_lists);
  while (g_hash_table_iter_next (&iter, NULL, &list))
    {
      GPtrArray *blocks = list;

      for (guint i = blocks->len; i-- > 0;)
        {
          Block *block = g_ptr_array_index (blocks, i);

          if (block->share != NULL && !for_good)
            continue;
          give_back (pool, block);
          g_ptr_array_remove_index_fast (blocks, i);
        }
    }
}

static void
destroy (HirCudaPool *pool)
{
  for (guint i = 0; i < pool->spare_events->len; i++)
    (void) pool->device->libs->cuda.event_destroy (g_ptr_array_index (pool->spare_events, i));
  g_ptr_array_unref (pool->spare_events);
  g_hash_table_unref (pool->free_lists);
  g_mutex_clear (&pool->lock);
  hir_cuda_device_unref (pool->device);
  g_free (pool);
}

void
hir_cuda_pool_close (HirCudaPool *pool)
{
  gboolean is_last;

  g_mutex_lock (&pool->lock);
  (void) hir_cuda_device_make_current (pool->device, NULL);
  give_all_back (pool, TRUE);
  pool->closed = TRUE;
  is_last = pool->n_in_use == 0;
  g_mutex_unlock (&pool->lock);
  if (is_last)
    destroy (pool);
}

void
hir_cuda_pool_add_stream (HirCudaPool *pool, guint index, HirCuStream stream)
{
  g_return_if_fail (index < HIR_POOL_MAX_STREAMS);
  pool->streams[index] = stream;
}

static HirCuEvent
take_event (HirCudaPool *pool)
{
  HirCuEvent event = NULL;

  if (pool->spare_events->len > 0)
    return g_ptr_array_steal_index (pool->spare_events, pool->spare_events->len - 1);
  (void) pool->device->libs->cuda.event_create (&event, HIR_CU_EVENT_DISABLE_TIMING);
  return event;
}

/* Records an event on each other stream that uses @block. If that fails, the block can be reused
 * only after the device was idle. Call with the lock held. */
static void
mark_uses (HirCudaPool *pool, Block *block)
{
  const HirCudaApi *cuda = &pool->device->libs->cuda;

  if (block->used.low == 0 && block->used.high == 0)
    return;
  (void) hir_cuda_device_make_current (pool->device, NULL);
  for (guint i = 0; i < HIR_POOL_MAX_STREAMS; i++)
    if (i != block->owner && set_has (&block->used, i))
      {
        HirCuEvent event = take_event (pool);

        if (event != NULL && cuda->event_record (event, pool->streams[i]) == HIR_CU_SUCCESS)
          g_ptr_array_add (block->events, event);
        else
          block->owner = HIR_POOL_MAX_STREAMS; /* no stream: reusable after an idle device */
      }
}

static void
free_block (gpointer data, gpointer user_data)
{
  Block *block = user_data;
  HirCudaPool *pool = block->pool;
  GPtrArray *list;
  gboolean is_last;

  g_mutex_lock (&pool->lock);
  pool->n_in_use--;
  is_last = pool->closed && pool->n_in_use == 0;
  if (pool->closed)
    {
      (void) hir_cuda_device_make_current (pool->device, NULL);
      give_back (pool, block);
    }
  else
    {
      /* If no work has used the block since the device was idle, it can be reused at once. This is
       * usual between two runs. */
      block->freed_at = block->used_at < pool->turn ? 0 : pool->turn;
      if (block->freed_at > 0)
        mark_uses (pool, block);
      list = g_hash_table_lookup (pool->free_lists, &block->size_bytes);
      g_ptr_array_add (list, block);
    }
  g_mutex_unlock (&pool->lock);
  if (is_last)
    destroy (pool);
}

/* Returns TRUE if work issued on stream @index from now on runs after all work that used @block.
 * Call with the lock held. */
static gboolean
is_ready (HirCudaPool *pool, Block *block, guint index)
{
  const HirCudaApi *cuda = &pool->device->libs->cuda;

  if (block->freed_at < pool->turn)
    return TRUE;
  if (block->owner != index)
    return FALSE;
  for (guint i = 0; i < block->events->len; i++)
    if (cuda->event_query (g_ptr_array_index (block->events, i)) != HIR_CU_SUCCESS)
      return FALSE;
  return TRUE;
}

static Block *
take_free (HirCudaPool *pool, GPtrArray *list, guint index)
{
  for (guint i = list->len; i-- > 0;)
    {
      Block *block = g_ptr_array_index (list, i);

      if (!is_ready (pool, block, index))
        continue;
      g_ptr_array_remove_index_fast (list, i);
      for (guint k = 0; k < block->events->len; k++)
        g_ptr_array_add (pool->spare_events, g_ptr_array_index (block->events, k));
      g_ptr_array_set_size (block->events, 0);
      return block;
    }
  return NULL;
}

/* Allocates a block from the driver. Call with the lock held. */
static Block *
take_new (HirCudaPool *pool, gsize size_bytes, GError **error)
{
  const HirCudaApi *cuda = &pool->device->libs->cuda;
  HirCuAddress address = 0;
  HirCuResult result = cuda->mem_alloc (&address, size_bytes);
  Block *block;

  if (result == HIR_CU_ERROR_OUT_OF_MEMORY)
    {
      /* Free unused blocks of other sizes. mem_free() waits until the GPU no longer uses them. */
      give_all_back (pool, FALSE);
      result = cuda->mem_alloc (&address, size_bytes);
    }
  if (!hir_cu_check (pool->device->libs, result, error,
                     "allocating %" G_GSIZE_FORMAT " bytes on GPU %d", size_bytes,
                     pool->device->ordinal))
    return NULL;
  block = g_new0 (Block, 1);
  block->pool = pool;
  block->address = address;
  block->size_bytes = size_bytes;
  block->events = g_ptr_array_new ();
  pool->n_blocks++;
  pool->n_bytes += size_bytes;
  return block;
}

/* The driver takes small allocations from a common block of LARGE_UNIT, all of which would be
 * shared with other processes. Shareable allocations are therefore at least that large. */
static gsize
round_up (const HirCudaPool *pool, gsize size_bytes)
{
  gsize unit = size_bytes <= SMALL_BYTES && !pool->is_shareable ? SMALL_UNIT : LARGE_UNIT;

  return MAX ((size_bytes + unit - 1) / unit, 1) * unit;
}

HirBuffer *
hir_cuda_pool_allocate (HirCudaPool *pool, guint index, gsize size_bytes, GError **error)
{
  gsize rounded = round_up (pool, size_bytes);
  GPtrArray *list;
  Block *block;

  g_mutex_lock (&pool->lock);
  list = g_hash_table_lookup (pool->free_lists, &rounded);
  if (list == NULL)
    {
      list = g_ptr_array_new ();
      g_hash_table_insert (pool->free_lists, g_memdup2 (&rounded, sizeof rounded), list);
    }
  block = take_free (pool, list, index);
  if (block == NULL)
    block = take_new (pool, rounded, error);
  if (block != NULL)
    {
      block->owner = index;
      block->used_at = pool->turn;
      block->used = (StreamSet){ 0, 0 };
      pool->n_in_use++;
    }
  g_mutex_unlock (&pool->lock);
  return block != NULL ? hir_buffer_new_device ((gpointer) (guintptr) block->address, size_bytes,
                                                free_block, block)
                       : NULL;
}

void
hir_cuda_pool_use (HirCudaPool *pool, HirBuffer *buffer, guint index)
{
  Block *block = buffer->user_data;

  if (buffer->place != HIR_PLACE_CUDA || buffer->free_data != free_block || block->pool != pool)
    return;
  block->used_at = pool->turn; /* only the host thread writes these fields */
  if (block->owner == index || set_has (&block->used, index))
    return;
  g_mutex_lock (&pool->lock);
  set_add (&block->used, index);
  g_mutex_unlock (&pool->lock);
}

void
hir_cuda_pool_set_shareable (HirCudaPool *pool)
{
  g_mutex_lock (&pool->lock);
  pool->is_shareable = TRUE;
  g_mutex_unlock (&pool->lock);
}

HirCudaShare *
hir_cuda_pool_share (HirCudaPool *pool, HirBuffer *buffer, GError **error)
{
  Block *block = buffer->user_data;
  HirCudaShare *share;

  if (buffer->place != HIR_PLACE_CUDA || buffer->free_data != free_block || block->pool != pool)
    {
      hir_set_error (
          error, HIR_ERROR_UNSUPPORTED, NULL,
          "memory that this process did not allocate cannot be shared with other processes");
      return NULL;
    }
  g_mutex_lock (&pool->lock);
  if (block->share == NULL)
    {
      block->share = hir_cuda_share_new (pool->device, pool->n_shared, block->address, error);
      pool->n_shared += block->share != NULL;
    }
  share = block->share;
  g_mutex_unlock (&pool->lock);
  return share;
}

void
hir_cuda_pool_set_idle (HirCudaPool *pool)
{
  g_mutex_lock (&pool->lock);
  pool->turn++;
  g_mutex_unlock (&pool->lock);
}

void
hir_cuda_pool_get_counts (HirCudaPool *pool, guint64 *n_blocks, guint64 *n_bytes)
{
  g_mutex_lock (&pool->lock);
  *n_blocks = pool->n_blocks;
  *n_bytes = pool->n_bytes;
  g_mutex_unlock (&pool->lock);
}
