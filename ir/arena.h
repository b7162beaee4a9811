/* Arena allocator: the memory of one snapshot, freed as a whole. Not thread-safe. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _HirArena HirArena;

HirArena *hir_arena_new (void);
void hir_arena_free (HirArena *arena);

/* Returns zeroed memory, aligned to 16 bytes and valid until hir_arena_free(). */
gpointer hir_arena_alloc (HirArena *arena, gsize size_bytes);
/* Copies @text (nullable: returns NULL). */
char *hir_arena_strdup (HirArena *arena, const char *text);
/* Copies @size_bytes bytes from @data. */
gpointer hir_arena_memdup (HirArena *arena, gconstpointer data, gsize size_bytes);

/* Returns the number of bytes allocated from the system, for benchmarks and `doctor`. */
gsize hir_arena_get_size_bytes (const HirArena *arena);

#define hir_arena_new0(arena, Type) ((Type *) hir_arena_alloc ((arena), sizeof (Type)))
#define hir_arena_array0(arena, Type, n)                                                           \
  ((Type *) hir_arena_alloc ((arena), sizeof (Type) * MAX ((gsize) (n), 1)))

/* Growable array of pointers with storage in an arena. Zero-initialized means empty. Outgrown
 * storage stays in the arena until the arena is freed. */
typedef struct
{
  gpointer *items;
  guint len;
  guint capacity;
} HirVec;

/* Appends @item (borrowed). Growing allocates from @arena. */
void hir_vec_push (HirArena *arena, HirVec *vec, gpointer item);
/* Removes the item at @position and keeps the order of the others. */
void hir_vec_remove (HirVec *vec, guint position);
/* Returns the position of @item, or -1. Linear. */
int hir_vec_find (const HirVec *vec, gconstpointer item);

G_END_DECLS
