/* Memory of one snapshot: everything in it is freed together, and nothing is freed before. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef struct _HirArena HirArena;

HirArena *hir_arena_new (void);
void hir_arena_free (HirArena *arena);

/* Zeroed memory, aligned to 16 bytes, that lives until hir_arena_free(). Not thread-safe. */
gpointer hir_arena_alloc (HirArena *arena, gsize size_bytes);
char *hir_arena_strdup (HirArena *arena, const char *text);
gpointer hir_arena_memdup (HirArena *arena, gconstpointer data, gsize size_bytes);

/* Bytes taken from the system so far; for benchmarks and `doctor`. */
gsize hir_arena_get_size_bytes (const HirArena *arena);

#define hir_arena_new0(arena, Type) ((Type *) hir_arena_alloc ((arena), sizeof (Type)))
#define hir_arena_array0(arena, Type, n)                                                           \
  ((Type *) hir_arena_alloc ((arena), sizeof (Type) * MAX ((gsize) (n), 1)))

/* A growable array of pointers whose storage is in an arena. Zero-initialised means empty. What it
 * outgrows stays in the arena until that is freed. */
typedef struct
{
  gpointer *items;
  guint len;
  guint capacity;
} HirVec;

/* Growing takes memory from @arena; items are borrowed. */
void hir_vec_push (HirArena *arena, HirVec *vec, gpointer item);
void hir_vec_remove (HirVec *vec, guint position);
/* Position of @item, or -1. Linear. */
int hir_vec_find (const HirVec *vec, gconstpointer item);

G_END_DECLS
