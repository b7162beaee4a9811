/* Tests conversions of half and bfloat16 for all bit patterns against arithmetic in double. */
#include <math.h>

#include "run/values/half.h"

/* Returns the value of a half by the definition of the format. */
static double
half_by_definition (guint16 bits)
{
  int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  double sign = bits & 0x8000 ? -1 : 1;

  if (exponent == 31)
    return mantissa != 0 ? NAN : sign * INFINITY;
  if (exponent == 0)
    return sign * ldexp (mantissa, -24);
  return sign * ldexp (1024 + mantissa, exponent - 25);
}

static void
test_half_to_float (void)
{
  for (guint bits = 0; bits < 65536; bits++)
    {
      double expected = half_by_definition ((guint16) bits);
      float got = hir_half_to_float ((guint16) bits);

      if (isnan (expected))
        g_assert_true (isnan (got));
      else
        {
          g_assert_cmpfloat ((double) got, ==, expected);
          g_assert_cmpint (signbit (got) != 0, ==, signbit (expected) != 0);
        }
      if (!isnan (expected))
        g_assert_cmpuint (hir_half_from_float (got), ==, bits);
    }
}

static void
test_half_rounds_to_even (void)
{
  /* Between each two neighbors: below the midpoint rounds down, above it up, the midpoint to
   * even. */
  for (guint bits = 0; bits < 0x7bff; bits++)
    {
      double low = half_by_definition ((guint16) bits);
      double high = half_by_definition ((guint16) (bits + 1));
      float middle = (float) ((low + high) / 2);
      guint even = bits % 2 == 0 ? bits : bits + 1;

      g_assert_cmpuint (hir_half_from_float (middle), ==, even);
      g_assert_cmpuint (hir_half_from_float (nextafterf (middle, 0)), ==, bits);
      g_assert_cmpuint (hir_half_from_float (nextafterf (middle, INFINITY)), ==, bits + 1);
      g_assert_cmpuint (hir_half_from_float (-middle), ==, even | 0x8000);
    }
  g_assert_cmpuint (hir_half_from_float (65519.0f), ==, 0x7bff);
  g_assert_cmpuint (hir_half_from_float (65520.0f), ==, 0x7c00);
  g_assert_cmpuint (hir_half_from_float (1e30f), ==, 0x7c00);
  g_assert_cmpuint (hir_half_from_float (-INFINITY), ==, 0xfc00);
  g_assert_true (isnan (hir_half_to_float (hir_half_from_float (NAN))));
}

static void
test_bfloat16 (void)
{
  for (guint bits = 0; bits < 0x7f7f; bits++)
    {
      float low = hir_bfloat16_to_float ((guint16) bits);
      float high = hir_bfloat16_to_float ((guint16) (bits + 1));
      float middle = (float) (((double) low + (double) high) / 2);
      guint even = bits % 2 == 0 ? bits : bits + 1;

      g_assert_cmpuint (hir_bfloat16_from_float (low), ==, bits);
      g_assert_cmpuint (hir_bfloat16_from_float (-low), ==, bits | 0x8000);
      g_assert_cmpuint (hir_bfloat16_from_float (middle), ==, even);
      g_assert_cmpuint (hir_bfloat16_from_float (nextafterf (middle, 0)), ==, bits);
      g_assert_cmpuint (hir_bfloat16_from_float (nextafterf (middle, INFINITY)), ==, bits + 1);
    }
  g_assert_cmpuint (hir_bfloat16_from_float (1.0f), ==, 0x3f80);
  g_assert_cmpuint (hir_bfloat16_from_float (INFINITY), ==, 0x7f80);
  /* A NaN with a truncated payload is still NaN. */
  g_assert_true (
      isnan (hir_bfloat16_to_float (hir_bfloat16_from_float (hir_float_from_bits (0x7f800001)))));
  g_assert_true (
      isnan (hir_bfloat16_to_float (hir_bfloat16_from_float (hir_float_from_bits (0x7fffffff)))));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/half/to-float", test_half_to_float);
  g_test_add_func ("/run/half/rounds-to-even", test_half_rounds_to_even);
  g_test_add_func ("/run/half/bfloat16", test_bfloat16);
  return g_test_run ();
}
