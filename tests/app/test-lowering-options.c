#include "lowering-options.h"

/* Parses @line like a command does. */
static gboolean
parse (HirLoweringOptions *options, const char *line, GError **error)
{
  g_auto (GStrv) argv = g_strsplit (line, " ", -1);
  g_autoptr (GOptionContext) context = g_option_context_new (NULL);

  g_option_context_add_main_entries (context, hir_lowering_options_get_entries (options), NULL);
  return g_option_context_parse_strv (context, &argv, error) &&
         hir_lowering_options_check (options, error);
}

static void
test_none (void)
{
  g_auto (HirLoweringOptions) options = { 0 };
  g_autoptr (GError) error = NULL;

  g_assert_true (parse (&options, "lower", &error));
  g_assert_cmpint (options.n_devices, ==, -1);
  g_assert_cmpint (options.rank, ==, -1);
  g_assert_cmpint (options.dtype, ==, HIR_DTYPE_NULL);
  g_assert_false (options.format_given);
  g_assert_null (options.inputs);
}

static void
test_all (void)
{
  g_auto (HirLoweringOptions) options = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean good =
      parse (&options,
             "lower -d 8 --rank 3 --arg a=1 --arg b_2=x=y --input 4x8 --input -2.0"
             " --dtype bfloat16 --enable A --disable B --set P.o=v --format 2025-select",
             &error);

  g_assert_no_error (error);
  g_assert_true (good);
  g_assert_cmpint (options.n_devices, ==, 8);
  g_assert_cmpint (options.rank, ==, 3);
  g_assert_cmpstr (options.args[1], ==, "b_2=x=y");
  g_assert_cmpstr (options.inputs[0], ==, "4x8");
  g_assert_cmpstr (options.inputs[1], ==, "-2.0");
  g_assert_cmpint (options.dtype, ==, HIR_DTYPE_BFLOAT16);
  g_assert_cmpint (options.format, ==, HIR_FORMAT_2025_SELECT);
  g_assert_true (options.format_given);
  g_assert_cmpstr (options.set[0], ==, "P.o=v");
}

static void
test_refused (void)
{
  static const struct
  {
    const char *line, *said;
  } rows[] = {
    { "lower -d 0", "'0'" },
    { "lower -d 1.5", "'1.5'" },
    { "lower -d 8x", "'8x'" },
    { "lower --rank -1", "--rank" },
    { "lower --dtype flaot", "did you mean float?" },
    { "lower --dtype int", "float, half, bfloat16, double" },
    { "lower --format 2024", "2025-select" },
    { "lower --arg =3", "NAME=VALUE" },
    { "lower --arg 3=a", "NAME=VALUE" },
    { "lower --arg a-b=3", "NAME=VALUE" },
    { "lower --enable P --disable P", "P is both" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      g_auto (HirLoweringOptions) options = { 0 };
      g_autoptr (GError) error = NULL;

      g_assert_false (parse (&options, rows[i].line, &error));
      g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
      g_assert_nonnull (strstr (error->message, rows[i].said));
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/lowering-options/none", test_none);
  g_test_add_func ("/lowering-options/all", test_all);
  g_test_add_func ("/lowering-options/refused", test_refused);
  return g_test_run ();
}
