/* Tests input shapes (given, unified over the fusion, chosen) and values from a seed. */
#include <string.h>

#include "run-fixture.h"

static HirRunInputs *
inputs_of (HirContainer *fusion, const char *const *shapes)
{
  g_autoptr (GError) error = NULL;
  HirRunInputs *inputs = hir_run_inputs_new (fusion, shapes, 7, &error);

  g_assert_no_error (error);
  return inputs;
}

static char *
refusal_of (HirContainer *fusion, const char *const *shapes)
{
  g_autoptr (GError) error = NULL;

  g_assert_null (hir_run_inputs_new (fusion, shapes, 7, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  return g_strdup (error->message);
}

static HirContainer *
matmul (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *a = fix_input (fusion, 2), *b = fix_input (fusion, 2);

  fix_output (fusion, fix_matmul (fusion, a, b));
  return fusion;
}

static HirValue *
at (HirRunInputs *inputs, guint i)
{
  return g_ptr_array_index (inputs->values, i);
}

static void
test_given (void)
{
  g_autoptr (HirContainer) fusion = matmul ();
  g_autoptr (HirRunInputs) inputs = inputs_of (fusion, (const char *[]){ "4x8", "8x3", NULL });

  g_assert_cmpint (at (inputs, 0)->sizes[0], ==, 4);
  g_assert_cmpint (at (inputs, 1)->sizes[0], ==, 8);
  g_assert_cmpint (at (inputs, 1)->sizes[1], ==, 3);
  g_assert_cmpstr (inputs->text, ==, "T0 float[4, 8]\nT1 float[8, 3]\n");
}

/* K of the second input follows from the first; N is chosen and reported as chosen. */
static void
test_the_rest_is_chosen (void)
{
  g_autoptr (HirContainer) fusion = matmul ();
  g_autoptr (HirRunInputs) inputs = inputs_of (fusion, (const char *[]){ "4x8", NULL });

  g_assert_cmpint (at (inputs, 1)->sizes[0], ==, 8);
  g_assert_nonnull (strstr (inputs->text, "T0 float[4, 8]\n"));
  g_assert_nonnull (strstr (inputs->text, "T1 float[8, 64] (chosen)\n"));
}

static void
test_contradiction_names_both (void)
{
  g_autoptr (HirContainer) fusion = matmul ();
  g_autofree char *text = refusal_of (fusion, (const char *[]){ "4x8", "9x3", NULL });

  g_assert_nonnull (strstr (text, "axis 0 of T1 (--input 2) is 9"));
  g_assert_nonnull (strstr (text, "axis 1 of T0 (--input 1), which is 8"));
}

/* Also through intermediate ops: (a + b) x, with the K of x from the sum. */
static void
test_relations_go_through_ops (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *a = fix_input (fusion, 2), *b = fix_input (fusion, 2), *x = fix_input (fusion, 1);
  g_autofree char *text = NULL;
  HirTensor *sum = fix_add (fusion, a, b);

  fix_output (fusion, fix_matmul (fusion, fix_unary (fusion, HIR_UNARY_NEG, sum), x));
  text = refusal_of (fusion, (const char *[]){ "4x8", "4x8", "7", NULL });
  g_assert_nonnull (strstr (text, "axis 0 of T2 (--input 3) is 7"));
  g_assert_nonnull (strstr (text, "which is 8"));
  g_autoptr (HirRunInputs) inputs = inputs_of (fusion, (const char *[]){ "4x8", NULL });
  g_assert_cmpint (at (inputs, 1)->sizes[1], ==, 8);
  g_assert_cmpint (at (inputs, 2)->sizes[0], ==, 8);
}

static void
test_errors (void)
{
  static const struct
  {
    const char *shapes[4];
    const char *expected;
  } cases[] = {
    { { "4", NULL }, "has 1 sizes" },
    { { "4x", NULL }, "is not a shape" },
    { { "4xfish", NULL }, "is not a shape" },
    { { "-4x8", NULL }, "is not a shape" },
    { { "4x8", "8x8", "1", NULL }, "3 times --input" },
    { { "99999999999x8", NULL }, "is not a shape" },
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (HirContainer) fusion = matmul ();
      g_autofree char *text = refusal_of (fusion, cases[i].shapes);
      g_assert_nonnull (strstr (text, cases[i].expected));
    }
}

static void
test_constants_and_broadcasts (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *a = fix_input_of (fusion, (gint64[]){ 5, 1 }, 2, HIR_DTYPE_FLOAT);
  g_autofree char *constant = NULL;
  g_autofree char *broadcast = NULL;

  fix_output (fusion, fix_unary (fusion, HIR_UNARY_NEG, a));
  constant = refusal_of (fusion, (const char *[]){ "6x1", NULL });
  broadcast = refusal_of (fusion, (const char *[]){ "5x2", NULL });
  g_assert_nonnull (strstr (constant, "constant"));
  g_assert_nonnull (strstr (broadcast, "broadcast"));
}

static void
test_scalars (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirScalar *factor = hir_define_scalar (fusion, HIR_DTYPE_DOUBLE);
  HirTensor *a = fix_input (fusion, 1);
  HirRunOptions options = run_options ();
  g_autofree char *text = NULL;

  fix_output (fusion, hir_op_binary (fusion, HIR_BINARY_MUL, HIR_VAL (a), HIR_VAL (factor), NULL));
  g_autoptr (HirRunInputs) inputs = inputs_of (fusion, (const char *[]){ "2.5", "4", NULL });
  g_assert_cmpfloat (at (inputs, 0)->d, ==, 2.5);
  g_assert_true (at (inputs, 0)->is_scalar);
  text = refusal_of (fusion, (const char *[]){ "4x8", NULL });
  g_assert_nonnull (strstr (text, "scalar"));
  options.inputs = (const char *[]){ "0.1", "100", NULL };
  assert_passes (fusion, &options);
}

/* Slices and reshapes constrain chosen sizes. */
static void
test_chosen_sizes_fit (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *a = fix_input (fusion, 2), *b = fix_input (fusion, 1);
  HirScalar *three = hir_scalar_new_int (fusion, 3, HIR_DTYPE_INDEX);
  HirRunOptions options = run_options ();
  HirTensor *t;

  fix_output (fusion,
              hir_op_slice (fusion, a, (gint64[]){ 0, 90 }, (gint64[]){ 2, 100 }, NULL, 2, NULL));
  g_autoptr (HirRunInputs) inputs = inputs_of (fusion, NULL);
  g_assert_cmpint (at (inputs, 0)->sizes[1], >=, 100);
  t = hir_op_reshape (fusion, b, (HirScalar *[]){ NULL, three }, 2, NULL);
  if (t != NULL)
    {
      fix_output (fusion, t);
      assert_passes (fusion, &options);
    }
}

static void
test_values (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *a = fix_input_of (fusion, (gint64[]){ 100 }, 1, HIR_DTYPE_BFLOAT16);

  fix_output (fusion, fix_unary (fusion, HIR_UNARY_LOG, a));
  g_autoptr (HirRunInputs) first = inputs_of (fusion, NULL);
  g_autoptr (HirRunInputs) same = inputs_of (fusion, NULL);
  g_autoptr (HirRunInputs) other = hir_run_inputs_new (fusion, NULL, 8, NULL);

  g_assert_cmpint (memcmp (hir_value_get_data (at (first, 0)), hir_value_get_data (at (same, 0)),
                           200),
                   ==, 0);
  g_assert_cmpint (memcmp (hir_value_get_data (at (first, 0)), hir_value_get_data (at (other, 0)),
                           200),
                   !=, 0);
  for (gint64 i = 0; i < 100; i++) /* where log is defined */
    g_assert_cmpfloat (element_of (at (first, 0), i), >, 0);
}

static guint64
next_of (guint64 *state) /* SplitMix64 */
{
  guint64 z = *state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ (z >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ (z >> 31);
}

/* A seed gives the same numbers on all machines and in all versions. */
static void
test_numbers_of_a_seed (void)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *a = fix_input_of (fusion, (gint64[]){ 3, 900 }, 2, HIR_DTYPE_FLOAT);
  HirTensor *b = fix_input_of (fusion, (gint64[]){ 2500 }, 1, HIR_DTYPE_INT32);
  guint64 state = 7;

  fix_output (fusion, fix_unary (fusion, HIR_UNARY_NEG, a));
  fix_output (fusion, fix_unary (fusion, HIR_UNARY_NEG, b));
  g_autoptr (HirRunInputs) inputs = inputs_of (fusion, NULL);
  for (gint64 i = 0; i < 2700; i++)
    g_assert_cmpfloat (element_of (at (inputs, 0), i), ==,
                       (float) ((double) (next_of (&state) >> 11) * 0x1p-53 * 2 - 1));
  for (gint64 i = 0; i < 2500; i++)
    g_assert_cmpfloat (element_of (at (inputs, 1), i), ==, (double) (next_of (&state) % 17) - 8);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/inputs/given", test_given);
  g_test_add_func ("/run/inputs/chosen", test_the_rest_is_chosen);
  g_test_add_func ("/run/inputs/contradiction", test_contradiction_names_both);
  g_test_add_func ("/run/inputs/relations", test_relations_go_through_ops);
  g_test_add_func ("/run/inputs/errors", test_errors);
  g_test_add_func ("/run/inputs/constants", test_constants_and_broadcasts);
  g_test_add_func ("/run/inputs/scalars", test_scalars);
  g_test_add_func ("/run/inputs/chosen-constrained", test_chosen_sizes_fit);
  g_test_add_func ("/run/inputs/values", test_values);
  g_test_add_func ("/run/inputs/numbers-of-a-seed", test_numbers_of_a_seed);
  return g_test_run ();
}
