/* Tests that short names fit, and that those of different names differ. */
#include "trace/short-names.h"

#include <string.h>

#define ELLIPSIS "\342\200\246"
#define ELEMENTWISE "void at::native::elementwise_kernel<(int)128, (int)2, void at::native::"

static const char *
shorten (GHashTable *table, const char *name)
{
  const char *shown = g_hash_table_lookup (table, name);

  g_assert_nonnull (shown);
  return shown;
}

static GHashTable *
shorten_all (const char *const *names, guint n, guint max)
{
  g_autoptr (GPtrArray) array = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (g_str_hash, g_str_equal);
  GHashTable *table;

  for (guint i = 0; i < n; i++)
    g_ptr_array_add (array, (gpointer) names[i]);
  table = hir_dup_short_names (array, max);
  for (guint i = 0; i < n; i++)
    {
      const char *shown = shorten (table, names[i]);

      g_assert_cmpint (g_utf8_strlen (shown, -1), <=, max);
      g_assert_true (g_utf8_validate (shown, -1, NULL));
      g_assert_true (g_hash_table_add (seen, (gpointer) shown));
    }
  return table;
}

static void
test_names (void)
{
  static const char *const names[] = {
    "T6_matmul",
    "Memcpy DtoD (Device -> Device)",
    ELEMENTWISE "gpu_kernel_impl_nocast<at::native::BinaryFunctor<float, float, float, "
                "at::native::binary_internal::MulFunctor<float>>>(at::TensorIteratorBase &, const "
                "T1 &)::[lambda(int) (instance 1)]>(int, T3)",
    ELEMENTWISE "gpu_kernel_impl_nocast<at::native::CUDAFunctor_add<float>>(at::TensorIteratorBase "
                "&, const T1 &)::[lambda(int) (instance 1)]>(int, T3)",
    "void at::native::<unnamed>::vectorized_layer_norm_kernel<float, float, (bool)0>(int, T2)",
    "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)",
  };
  g_autoptr (GHashTable) table = shorten_all (names, G_N_ELEMENTS (names), 48);

  g_assert_cmpstr (shorten (table, names[0]), ==, names[0]);
  g_assert_cmpstr (shorten (table, names[1]), ==, names[1]);
  g_assert_nonnull (strstr (shorten (table, names[2]), "elementwise_kernel" ELLIPSIS "BinaryFun"));
  g_assert_nonnull (
      strstr (shorten (table, names[3]), "elementwise_kernel" ELLIPSIS "CUDAFunctor_add"));
  g_assert_cmpstr (shorten (table, names[4]), ==, "vectorized_layer_norm_kernel<float, float, 0>");
  g_assert_cmpstr (shorten (table, names[5]), ==, "ncclDevKernel_AllGather_RING_LL");
}

/* Names that differ late, early, only in what is left out, or in characters of several bytes. */
static void
test_different (void)
{
  g_autoptr (GPtrArray) names = g_ptr_array_new_with_free_func (g_free);
  g_autofree char *filler = g_strnfill (300, 'x');

  for (guint i = 0; i < 12; i++)
    {
      g_ptr_array_add (names, g_strdup_printf ("void kernel<%s%u%s>(int)", filler, i, filler));
      g_ptr_array_add (names, g_strdup_printf ("kernel%u<%s>", i, filler));
      g_ptr_array_add (names, g_strdup_printf ("%s(a%u)", filler, i));
      g_ptr_array_add (names,
                       g_strdup_printf ("gr\303\266\303\237er%s\303\244%u\303\274", filler, i));
      g_ptr_array_add (names, g_strdup_printf ("k<%s%u, %s%u>", filler, i / 4, filler, i % 4));
    }
  for (guint max = 16; max < 100; max += 7)
    g_hash_table_unref (shorten_all ((const char *const *) names->pdata, names->len, max));
}

/* Random brackets, of which some have no end. */
static void
test_random (void)
{
  static const char *const parts[] = { "(",        ")",           "<",     ">",
                                       "::",       "a",           "void ", "operator ()() const",
                                       "[lambda",  "<unnamed>::", " ",     "1",
                                       "\303\244", "\n" };

  for (guint seed = 0; seed < 500; seed++)
    {
      g_autoptr (GRand) random = g_rand_new_with_seed (seed);
      g_autoptr (GHashTable) table = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
      g_autofree const char **names = NULL;
      guint n;

      for (guint i = 0; i < 20; i++)
        {
          GString *name = g_string_new (NULL);

          for (int k = g_rand_int_range (random, 0, 40); k > 0; k--)
            g_string_append (name,
                             parts[g_rand_int_range (random, 0, (gint32) G_N_ELEMENTS (parts))]);
          g_hash_table_add (table, g_string_free (name, FALSE));
        }
      names = (const char **) g_hash_table_get_keys_as_array (table, &n);
      g_hash_table_unref (shorten_all (names, n, 16));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/short-names/names", test_names);
  g_test_add_func ("/short-names/different", test_different);
  g_test_add_func ("/short-names/random", test_random);
  return g_test_run ();
}
