/* Tests views of buffers: offset, sizes and strides. */
#include <math.h>

#include "run-fixture.h"
#include "session-access.h"

static HirValue *
counting (guint n, const gint64 *sizes)
{
  double elements[1000];

  for (guint i = 0; i < G_N_ELEMENTS (elements); i++)
    elements[i] = i;
  return value_of (HIR_DTYPE_FLOAT, n, sizes, elements);
}

static void
assert_elements (const HirValue *value, const double *expected, gint64 n)
{
  g_assert_cmpint (hir_value_get_n_elements (value), ==, n);
  for (gint64 i = 0; i < n; i++)
    g_assert_cmpfloat (element_of (value, i), ==, expected[i]);
}

static void
test_views (void)
{
  g_autoptr (HirValue) whole = counting (3, (gint64[]){ 2, 3, 4 });
  g_autoptr (HirValue) row = hir_value_select (whole, 1, 2);
  g_autoptr (HirValue) turned = hir_value_permute (whole, (guint[]){ 2, 0, 1 });
  g_autoptr (HirValue) part = hir_value_slice (whole, 2, 1, 2, 2);
  g_autoptr (HirValue) column = hir_value_select (turned, 2, 1);

  assert_elements (row, (double[]){ 8, 9, 10, 11, 20, 21, 22, 23 }, 8);
  g_assert_true (hir_value_is_contiguous (whole));
  g_assert_false (hir_value_is_contiguous (row));
  g_assert_cmpint (turned->sizes[0], ==, 4);
  g_assert_cmpint (turned->sizes[2], ==, 3);
  g_assert_cmpfloat (element_of (turned, 1), ==, 4); /* [0, 0, 1] is whole[0, 1, 0] */
  assert_elements (part, (double[]){ 1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23 }, 12);
  assert_elements (column, (double[]){ 4, 16, 5, 17, 6, 18, 7, 19 }, 8);
}

static void
test_axes (void)
{
  g_autoptr (HirValue) whole = counting (2, (gint64[]){ 2, 3 });
  g_autoptr (HirValue) wide = hir_value_insert_axis (whole, 1);
  g_autoptr (HirValue) repeated = hir_value_expand (wide, (gint64[]){ 2, 2, 3 });
  g_autoptr (HirValue) back = hir_value_drop_axis (repeated, 1);

  assert_elements (repeated, (double[]){ 0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5 }, 12);
  assert_elements (back, (double[]){ 0, 1, 2, 3, 4, 5 }, 6);
  g_assert_null (hir_value_expand (whole, (gint64[]){ 2, 4 }));
}

static void
test_reshape_only_what_memory_allows (void)
{
  g_autoptr (HirValue) whole = counting (2, (gint64[]){ 4, 6 });
  g_autoptr (HirValue) other = hir_value_reshape (whole, 3, (gint64[]){ 2, 2, 6 });
  g_autoptr (HirValue) turned = hir_value_permute (whole, (guint[]){ 1, 0 });
  g_autoptr (HirValue) lower = hir_value_slice (whole, 0, 2, 2, 1);
  g_autoptr (HirValue) flat = hir_value_reshape (lower, 1, (gint64[]){ 12 });

  g_assert_cmpfloat (element_of (other, 13), ==, 13);
  g_assert_null (hir_value_reshape (turned, 1, (gint64[]){ 24 }));
  g_assert_null (hir_value_reshape (whole, 1, (gint64[]){ 23 }));
  g_assert_cmpfloat (element_of (flat, 0), ==, 12);
}

static void
test_buffers_live_with_their_views (void)
{
  HirValue *whole = counting (1, (gint64[]){ 8 });
  g_autoptr (HirValue) last = hir_value_select (whole, 0, 7);

  hir_value_unref (whole);
  g_assert_cmpfloat (element_of (last, 0), ==, 7);
}

static void
test_sizes_are_checked (void)
{
  g_autoptr (GError) error = NULL;
  gsize bytes;

  g_assert_true (hir_sizes_check ((gint64[]){ 3, 5 }, 2, HIR_DTYPE_HALF, &bytes, &error));
  g_assert_cmpuint (bytes, ==, 30);
  g_assert_false (hir_sizes_check ((gint64[]){ -1 }, 1, HIR_DTYPE_FLOAT, &bytes, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  g_clear_error (&error);
  g_assert_false (hir_sizes_check ((gint64[]){ G_MAXINT32, G_MAXINT32, 16 }, 3, HIR_DTYPE_DOUBLE,
                                   &bytes, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_LIMIT);
}

static void
test_elements_of_every_type (void)
{
  for (HirDType dtype = 0; dtype < HIR_N_DTYPES; dtype++)
    {
      guint64 bits = 0;
      gsize size = hir_dtype_get_size_bytes (dtype);

      if (!hir_dtype_is_executable (dtype))
        continue;
      hir_element_set_double (dtype, &bits, 1);
      g_assert_cmpfloat (hir_element_get_double (dtype, &bits), ==, 1);
      g_assert_cmpint (hir_element_get_int (dtype, &bits), ==, 1);
      g_assert_cmpuint (size < 8 ? bits >> (8 * size) : 0, ==, 0);
      hir_poison (dtype, &bits, size);
      if (hir_dtype_is_floating_point (dtype))
        g_assert_true (isnan (hir_element_get_double (dtype, &bits)));
    }
  g_assert_cmpint (hir_dtype_saturate (HIR_DTYPE_CHAR, 300), ==, 127);
  g_assert_cmpint (hir_dtype_saturate (HIR_DTYPE_BYTE, -3), ==, 0);
  g_assert_cmpint (hir_dtype_saturate (HIR_DTYPE_INT, 1e30), ==, G_MAXINT64);
  g_assert_cmpint (hir_dtype_saturate (HIR_DTYPE_INT, NAN), ==, 0);
  g_assert_cmpint (hir_dtype_wrap (HIR_DTYPE_CHAR, 130), ==, -126);
  g_assert_cmpint (hir_dtype_wrap (HIR_DTYPE_BOOL, 256), ==, 1);
}

static void
test_text (void)
{
  g_autoptr (HirValue) value = counting (2, (gint64[]){ 2, 2 });
  g_autofree char *shape = hir_value_describe (value);
  g_autofree char *all = value_format (value, 10);
  g_autofree char *some = value_format (value, 2);

  g_assert_cmpstr (shape, ==, "float[2, 2]");
  g_assert_cmpstr (all, ==, "[0, 1, 2, 3]");
  g_assert_cmpstr (some, ==, "[0, 1, ...]");
}

static guint64
read_kib (const char *meminfo, const char *key)
{
  const char *at = strstr (meminfo, key);

  return at != NULL ? g_ascii_strtoull (at + strlen (key), NULL, 10) : 0;
}

/* malloc() would return as much as the machine has, although other processes use some of it. */
static void
test_out_of_memory (void)
{
  g_autofree char *meminfo = NULL;
  g_autoptr (GError) error = NULL;
  guint64 kib;

  if (!g_file_get_contents ("/proc/meminfo", &meminfo, NULL, NULL))
    {
      g_test_skip ("no /proc/meminfo");
      return;
    }
  kib = read_kib (meminfo, "MemTotal:") + read_kib (meminfo, "SwapTotal:") - 8 * 1024;
  g_assert_null (hir_buffer_new (kib * 1024, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_LIMIT);
  g_assert_nonnull (strstr (error->message, "use smaller --input sizes"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/value/views", test_views);
  g_test_add_func ("/run/value/axes", test_axes);
  g_test_add_func ("/run/value/reshape", test_reshape_only_what_memory_allows);
  g_test_add_func ("/run/value/lifetime", test_buffers_live_with_their_views);
  g_test_add_func ("/run/value/out-of-memory", test_out_of_memory);
  g_test_add_func ("/run/value/sizes", test_sizes_are_checked);
  g_test_add_func ("/run/value/elements", test_elements_of_every_type);
  g_test_add_func ("/run/value/text", test_text);
  return g_test_run ();
}
