#include "arena.h"

#include <string.h>

#define BLOCK_SIZE_BYTES (64 * 1024)
#define ALIGNMENT 16

typedef struct _Block Block;

struct _Block
{
  Block *next;
  gsize size_bytes;
  /* keeps the data that follows aligned */
  gsize padding[2];
};

struct _HirArena
{
  Block *blocks; /* the first one is being filled */
  guint8 *cursor;
  gsize left_bytes;
  gsize total_bytes;
};

G_STATIC_ASSERT (sizeof (Block) % ALIGNMENT == 0);

HirArena *
hir_arena_new (void)
{
  return g_new0 (HirArena, 1);
}

void
hir_arena_free (HirArena *arena)
{
  if (arena == NULL)
    return;

  for (Block *block = arena->blocks, *next; block != NULL; block = next)
    {
      next = block->next;
      g_free (block);
    }
  g_free (arena);
}

static guint8 *
add_block (HirArena *arena, gsize size_bytes)
{
  Block *block = g_malloc0 (sizeof (Block) + size_bytes);

  block->size_bytes = size_bytes;
  block->next = arena->blocks;
  arena->blocks = block;
  arena->total_bytes += sizeof (Block) + size_bytes;
  return (guint8 *) (block + 1);
}

gpointer
hir_arena_alloc (HirArena *arena, gsize size_bytes)
{
  guint8 *memory;

  g_return_val_if_fail (arena != NULL, NULL);

  size_bytes = (MAX (size_bytes, 1) + ALIGNMENT - 1) & ~(gsize) (ALIGNMENT - 1);

  if (size_bytes > arena->left_bytes)
    {
      /* Large requests get a separate block, so that the rest of the current block is not wasted.
       */
      if (size_bytes > BLOCK_SIZE_BYTES / 4)
        return add_block (arena, size_bytes);

      arena->cursor = add_block (arena, BLOCK_SIZE_BYTES);
      arena->left_bytes = BLOCK_SIZE_BYTES;
    }

  memory = arena->cursor;
  arena->cursor += size_bytes;
  arena->left_bytes -= size_bytes;
  return memory;
}

gpointer
hir_arena_memdup (HirArena *arena, gconstpointer data, gsize size_bytes)
{
  gpointer copy = hir_arena_alloc (arena, size_bytes);

  if (size_bytes > 0)
    memcpy (copy, data, size_bytes);
  return copy;
}

char *
hir_arena_strdup (HirArena *arena, const char *text)
{
  return text != NULL ? hir_arena_memdup (arena, text, strlen (text) + 1) : NULL;
}

gsize
hir_arena_get_size_bytes (const HirArena *arena)
{
  return arena->total_bytes;
}

static void
reserve (HirArena *arena, HirVec *vec)
{
  guint capacity = MAX (4, vec->capacity * 2);
  gpointer *items;

  if (vec->len < vec->capacity)
    return;

  items = hir_arena_array0 (arena, gpointer, capacity);
  if (vec->len > 0)
    memcpy (items, vec->items, vec->len * sizeof (gpointer));
  vec->items = items;
  vec->capacity = capacity;
}

void
hir_vec_push (HirArena *arena, HirVec *vec, gpointer item)
{
  reserve (arena, vec);
  vec->items[vec->len++] = item;
}

void
hir_vec_remove (HirVec *vec, guint position)
{
  g_return_if_fail (position < vec->len);

  memmove (vec->items + position, vec->items + position + 1,
           (vec->len - position - 1) * sizeof (gpointer));
  vec->len--;
}

int
hir_vec_find (const HirVec *vec, gconstpointer item)
{
  for (guint i = 0; i < vec->len; i++)
    {
      if (vec->items[i] == item)
        return (int) i;
    }
  return -1;
}
