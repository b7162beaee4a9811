/* Tests the numbers of random ops: range, mean, deviation, and independence of seed and offset. */
#include <math.h>

#include "run/values/random.h"

#define N 100000

static void
check_moments (const HirRandom *random, double mean, double deviation)
{
  double sum = 0, squares = 0;

  for (guint64 k = 0; k < N; k++)
    {
      double x = hir_random_get (random, k);

      sum += x;
      squares += (x - mean) * (x - mean);
    }
  /* Six standard errors, and the rounding to the type. */
  g_assert_cmpfloat (fabs (sum / N - mean), <, 6 * deviation / sqrt (N) + deviation / 128);
  g_assert_cmpfloat (fabs (sqrt (squares / N) / deviation - 1), <, 0.02);
}

static const HirDType types[] = { HIR_DTYPE_DOUBLE, HIR_DTYPE_FLOAT, HIR_DTYPE_HALF,
                                  HIR_DTYPE_BFLOAT16 };

static void
test_uniform (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    {
      HirRandom random = { .b = 1, .seed = 7, .offset = 3, .dtype = types[t] };
      double low = 1, high = 0;

      check_moments (&random, 0.5, sqrt (1 / 12.0));
      for (guint64 k = 0; k < N; k++)
        {
          low = fmin (low, hir_random_get (&random, k));
          high = fmax (high, hir_random_get (&random, k));
        }
      g_assert_cmpfloat (low, >=, 0);
      g_assert_cmpfloat (low, <, 0.001);
      g_assert_cmpfloat (high, <, 1);
      g_assert_cmpfloat (high, >, 0.99);
    }
}

static void
test_normal (void)
{
  for (guint t = 0; t < G_N_ELEMENTS (types); t++)
    {
      HirRandom random = { TRUE, 3.7, 2.5, 0, 1, types[t] };

      check_moments (&random, 3.7, 2.5);
    }
}

/* Streams of other seeds or offsets share nothing; the product of two has a mean of zero. */
static void
test_streams_differ (void)
{
  HirRandom one = { TRUE, 0, 1, 1, 0, HIR_DTYPE_DOUBLE };
  HirRandom others[] = { one, one, one };

  others[0].seed = 2;
  others[1].offset = 1;
  others[2].seed = 0;
  others[2].offset = 1;
  for (guint i = 0; i < G_N_ELEMENTS (others); i++)
    {
      double sum = 0;

      for (guint64 k = 0; k < N; k++)
        sum += hir_random_get (&one, k) * hir_random_get (&others[i], k);
      g_assert_cmpfloat (fabs (sum / N), <, 6 / sqrt (N));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/values/random/uniform", test_uniform);
  g_test_add_func ("/run/values/random/normal", test_normal);
  g_test_add_func ("/run/values/random/streams-differ", test_streams_differ);
  return g_test_run ();
}
