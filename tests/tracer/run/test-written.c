/* Tests which elements of memory count as written. */
#include "run/written.h"

static HirValue *
new_tensor (gint64 rows, gint64 columns)
{
  g_autoptr (HirBuffer) buffer = hir_buffer_new ((gsize) (rows * columns) * 4, NULL);
  gint64 sizes[] = { rows, columns };

  return hir_value_new_tensor (HIR_DTYPE_INT32, 2, sizes, NULL, buffer);
}

/* Returns the missing elements as text: "0110"; NULL if there are none. */
static char *
dup_missing (const HirWritten *written, const HirValue *value, guint64 n_steps)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirValue) missing = hir_written_dup_missing (written, value, n_steps, &error);
  GString *text = g_string_new (NULL);

  g_assert_no_error (error);
  if (missing == NULL)
    return g_string_free (text, TRUE);
  g_assert_true (hir_value_same_sizes (missing, value));
  for (gint64 i = 0; i < hir_value_get_n_elements (missing); i++)
    g_string_append_c (text, missing->buffer->data[i] != 0 ? '1' : '0');
  return g_string_free (text, FALSE);
}

static void
check (const HirWritten *written, const HirValue *value, guint64 n_steps, const char *wanted)
{
  g_autofree char *text = dup_missing (written, value, n_steps);

  g_assert_cmpstr (text, ==, wanted);
}

static void
test_slices (void)
{
  HirWritten *written = hir_written_new ();
  g_autoptr (HirValue) whole = new_tensor (2, 3);
  g_autoptr (HirValue) row = hir_value_select (whole, 0, 1);
  g_autoptr (HirValue) column = hir_value_select (whole, 1, 0);

  /* Unknown memory counts as written. */
  check (written, whole, 0, NULL);
  hir_written_add (written, row, 0);
  check (written, whole, 1, NULL);
  hir_written_add_fresh (written, whole->buffer);
  check (written, whole, 0, "111111");
  hir_written_add (written, row, 4);
  check (written, whole, 5, "111000");
  check (written, row, 5, NULL);
  check (written, column, 5, "10");
  hir_written_add (written, column, 6);
  check (written, whole, 7, "011000");
  hir_written_forget (written);
  check (written, whole, 7, NULL);
  hir_written_free (written);
}

static void
test_undone (void)
{
  HirWritten *written = hir_written_new ();
  g_autoptr (HirValue) whole = new_tensor (2, 2);
  g_autoptr (HirValue) first = hir_value_select (whole, 0, 0);
  g_autoptr (HirValue) second = hir_value_select (whole, 0, 1);

  hir_written_add_fresh (written, whole->buffer);
  hir_written_add (written, first, 2);
  hir_written_add (written, second, 5);
  check (written, whole, 6, NULL);
  /* Before step 5 was executed, and before step 2 was. */
  check (written, whole, 5, "0011");
  check (written, whole, 2, "1111");
  /* Continue from there with another order: the undone write of step 5 is forgotten. */
  hir_written_add (written, first, 2);
  hir_written_add (written, first, 3);
  check (written, whole, 9, "0011");
  /* New memory at the same address. */
  hir_written_add_fresh (written, whole->buffer);
  check (written, whole, 9, "1111");
  hir_written_free (written);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/written/slices", test_slices);
  g_test_add_func ("/written/undone", test_undone);
  return g_test_run ();
}
