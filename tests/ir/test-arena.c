#include <string.h>

#include "arena.h"

static void
test_alignment_and_zero (void)
{
  HirArena *arena = hir_arena_new ();

  for (gsize size = 0; size < 100000; size = size * 2 + 1)
    {
      guint8 *memory = hir_arena_alloc (arena, size);

      g_assert_cmpuint (GPOINTER_TO_SIZE (memory) % 16, ==, 0);
      for (gsize i = 0; i < size; i++)
        g_assert_cmpuint (memory[i], ==, 0);
      memset (memory, 0xff, size);
    }
  hir_arena_free (arena);
}

/* Allocations, large and small mixed, must not overlap. */
static void
test_pieces_are_apart (void)
{
  HirArena *arena = hir_arena_new ();
  guint8 *pieces[2000];
  g_autoptr (GRand) rand = g_rand_new_with_seed (7);
  gsize sizes[2000];

  for (guint i = 0; i < 2000; i++)
    {
      sizes[i] = (gsize) g_rand_int_range (rand, 1, i % 50 == 0 ? 100000 : 200);
      pieces[i] = hir_arena_alloc (arena, sizes[i]);
      memset (pieces[i], (int) (i & 0xff), sizes[i]);
    }
  for (guint i = 0; i < 2000; i++)
    {
      g_assert_cmpuint (pieces[i][0], ==, i & 0xff);
      g_assert_cmpuint (pieces[i][sizes[i] - 1], ==, i & 0xff);
    }
  g_assert_cmpuint (hir_arena_get_size_bytes (arena), >, 100000);
  hir_arena_free (arena);
}

static void
test_vec (void)
{
  HirArena *arena = hir_arena_new ();
  HirVec vec = { 0 };
  int items[100];

  for (guint i = 0; i < 100; i++)
    hir_vec_push (arena, &vec, &items[i]);
  g_assert_cmpuint (vec.len, ==, 100);
  g_assert_cmpint (hir_vec_find (&vec, &items[42]), ==, 42);
  hir_vec_remove (&vec, 0);
  g_assert_cmpint (hir_vec_find (&vec, &items[42]), ==, 41);
  g_assert_cmpint (hir_vec_find (&vec, &items[0]), ==, -1);
  hir_arena_free (arena);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/arena/alignment-and-zero", test_alignment_and_zero);
  g_test_add_func ("/arena/pieces-are-apart", test_pieces_are_apart);
  g_test_add_func ("/arena/vec", test_vec);
  return g_test_run ();
}
