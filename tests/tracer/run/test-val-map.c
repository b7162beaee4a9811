/* Tests the map of vals against a GHashTable with random calls, and that only unshared values are
 * modified. */
#include "run-fixture.h"
#include "run/val-map.h"

#define N_VALS 300

static void
compare (const HirValMap *map, GHashTable *expected, const HirVal *vals)
{
  for (guint i = 0; i < N_VALS; i++)
    g_assert_true (hir_val_map_lookup (map, &vals[i]) == g_hash_table_lookup (expected, &vals[i]));
}

static void
test_random (void)
{
  g_autofree HirVal *vals = g_new0 (HirVal, N_VALS);
  g_autoptr (GHashTable) expected =
      g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) hir_value_unref);
  HirValMap map;

  hir_val_map_init (&map);
  for (guint k = 0; k < 20000; k++)
    {
      const HirVal *val = &vals[g_random_int_range (0, MIN (N_VALS, 2 + (gint) k / 10))];
      g_autoptr (HirValue) value = hir_value_new_int (k, HIR_DTYPE_INDEX);
      int what = g_random_int_range (0, 1000);

      if (what < 600)
        {
          hir_val_map_set (&map, val, value);
          g_hash_table_replace (expected, (gpointer) val, hir_value_ref (value));
          /* Compares the map with the table. */
          g_assert_false (hir_value_is_unshared (value));
        }
      else if (what < 999)
        {
          hir_val_map_remove (&map, val);
          g_hash_table_remove (expected, val);
        }
      else
        {
          hir_val_map_reset (&map);
          g_hash_table_remove_all (expected);
        }
      if (k % 100 == 0)
        compare (&map, expected, vals);
    }
  compare (&map, expected, vals);
  hir_val_map_clear (&map);
}

/* Other owners of an index or named value keep the old value. */
static void
test_index_is_used_again (void)
{
  g_autoptr (HirContainer) container = fix_fusion ();
  g_autoptr (HirEnv) env = hir_env_new ();
  const HirVal *index =
      HIR_VAL (hir_scalar_get_named (container, HIR_NAME_STREAM_IDX, HIR_DTYPE_INDEX));
  g_autoptr (HirValue) held = NULL;
  HirValue *first;

  hir_env_bind_index (env, index, 3);
  first = hir_env_lookup (env, index);
  hir_env_bind_index (env, index, 4);
  g_assert_true (hir_env_lookup (env, index) == first);
  g_assert_cmpint (first->i, ==, 4);
  held = hir_value_ref (first);
  hir_env_bind_index (env, index, 5);
  g_assert_cmpint (held->i, ==, 4);
  g_assert_cmpint (hir_env_lookup (env, index)->i, ==, 5);
  hir_env_unbind (env, index);
  g_assert_null (hir_env_lookup (env, index));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/val-map/random", test_random);
  g_test_add_func ("/run/val-map/index", test_index_is_used_again);
  return g_test_run ();
}
