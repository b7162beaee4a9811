#include "dtype.h"

static void
test_names_round_trip (void)
{
  for (int i = 0; i < HIR_N_DTYPES; i++)
    {
      HirDType back = HIR_N_DTYPES;

      g_assert_true (hir_dtype_lookup_name (hir_dtype_get_name ((HirDType) i), &back));
      g_assert_cmpint (back, ==, i);
      g_assert_true (
          hir_dtype_lookup_script_name (hir_dtype_get_script_name ((HirDType) i), &back));
      g_assert_cmpint (back, ==, i);
      g_assert_true (hir_dtype_lookup_short_name (hir_dtype_get_short_name ((HirDType) i), &back));
      g_assert_cmpint (back, ==, i);
    }
}

static void
test_unknown_name (void)
{
  HirDType dtype;

  g_assert_false (hir_dtype_lookup_name ("float32", &dtype));
  g_assert_false (hir_dtype_lookup_script_name ("", &dtype));
}

/* The common rows of torch's promotion table. */
static void
test_promote (void)
{
  g_assert_cmpint (hir_dtype_promote (HIR_DTYPE_FLOAT, FALSE, HIR_DTYPE_HALF, FALSE), ==,
                   HIR_DTYPE_FLOAT);
  g_assert_cmpint (hir_dtype_promote (HIR_DTYPE_HALF, FALSE, HIR_DTYPE_BFLOAT16, FALSE), ==,
                   HIR_DTYPE_FLOAT);
  g_assert_cmpint (hir_dtype_promote (HIR_DTYPE_HALF, FALSE, HIR_DTYPE_DOUBLE, TRUE), ==,
                   HIR_DTYPE_HALF);
  g_assert_cmpint (hir_dtype_promote (HIR_DTYPE_INT32, FALSE, HIR_DTYPE_DOUBLE, TRUE), ==,
                   HIR_DTYPE_FLOAT);
  g_assert_cmpint (hir_dtype_promote (HIR_DTYPE_INT, FALSE, HIR_DTYPE_HALF, FALSE), ==,
                   HIR_DTYPE_HALF);
  g_assert_cmpint (hir_dtype_promote (HIR_DTYPE_BOOL, FALSE, HIR_DTYPE_INT32, TRUE), ==,
                   HIR_DTYPE_INT);
  g_assert_cmpint (hir_dtype_promote (HIR_DTYPE_CHAR, FALSE, HIR_DTYPE_BYTE, FALSE), ==,
                   HIR_DTYPE_SHORT);
  g_assert_cmpint (hir_dtype_promote (HIR_DTYPE_BOOL, FALSE, HIR_DTYPE_BOOL, FALSE), ==,
                   HIR_DTYPE_BOOL);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/dtype/names-round-trip", test_names_round_trip);
  g_test_add_func ("/dtype/unknown-name", test_unknown_name);
  g_test_add_func ("/dtype/promote", test_promote);
  return g_test_run ();
}
