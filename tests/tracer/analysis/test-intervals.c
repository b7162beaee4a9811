/* Tests interval arithmetic against sets of single nanoseconds. */
#include "analysis/intervals.h"

#define SPAN 64
#define N_ROUNDS 2000

static guint64
to_bits (const HirIntervals *set)
{
  guint64 bits = 0;
  gint64 last_ns = -1;

  for (guint i = 0; i < set->len; i++)
    {
      const HirInterval *interval = &g_array_index (set, HirInterval, i);

      g_assert_cmpint (interval->start_ns, <, interval->end_ns);
      g_assert_cmpint (interval->start_ns, >, last_ns); /* disjoint and not touching */
      last_ns = interval->end_ns;
      for (gint64 t = interval->start_ns; t < interval->end_ns; t++)
        bits |= G_GUINT64_CONSTANT (1) << t;
    }
  return bits;
}

static gint64
count_bits (guint64 bits)
{
  gint64 n = 0;

  for (; bits != 0; bits &= bits - 1)
    n++;
  return n;
}

static HirIntervals *
make_random (GRand *rand, guint64 *bits)
{
  HirIntervals *set = hir_intervals_new ();
  guint n = g_rand_int_range (rand, 0, 12);

  *bits = 0;
  for (guint i = 0; i < n; i++)
    {
      gint64 start_ns = g_rand_int_range (rand, 0, SPAN);
      gint64 length_ns = g_rand_int_range (rand, 0, 9);
      gint64 end_ns = MIN (start_ns + length_ns, SPAN);

      hir_intervals_add (set, start_ns, end_ns);
      for (gint64 t = start_ns; t < end_ns; t++)
        *bits |= G_GUINT64_CONSTANT (1) << t;
    }
  hir_intervals_merge (set);
  return set;
}

static void
test_random (void)
{
  GRand *rand = g_rand_new_with_seed (5);

  for (guint round = 0; round < N_ROUNDS; round++)
    {
      guint64 x, y;
      g_autoptr (GArray) a = make_random (rand, &x);
      g_autoptr (GArray) b = make_random (rand, &y);
      g_autoptr (GArray) both = hir_intervals_dup_union (a, b);
      g_autoptr (GArray) rest = hir_intervals_dup_difference (a, b);

      g_assert_cmphex (to_bits (a), ==, x);
      g_assert_cmphex (to_bits (both), ==, x | y);
      g_assert_cmphex (to_bits (rest), ==, x & ~y);
      g_assert_cmpint (hir_intervals_get_total_ns (a), ==, count_bits (x));
    }
  g_rand_free (rand);
}

static void
test_instants (void)
{
  g_autoptr (GArray) set = hir_intervals_new ();

  hir_intervals_add (set, 5, 5);
  hir_intervals_add (set, 7, 6);
  hir_intervals_merge (set);
  g_assert_cmpuint (set->len, ==, 0);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/intervals/random", test_random);
  g_test_add_func ("/intervals/instants", test_instants);
  return g_test_run ();
}
