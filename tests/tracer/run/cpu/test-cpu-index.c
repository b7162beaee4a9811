/* Tests gather, index_select and scatter on the CPU and in the reference against the numbers of
 * PyTorch's documentation. */
#include <string.h>

#include "ops/ops.h"
#include "run-fixture.h"
#include "run/cpu/cpu-ops.h"
#include "run/reference/reference.h"

/* Operands, sizes and result of one op. All tensors have two axes, except indices of
 * index_select. */
typedef struct
{
  const char *name;
  guint dim;
  gint64 sizes[2], index_sizes[2], source_sizes[2], out_sizes[2];
  double in[12], indices[6], source[10], out[15];
} Case;

static const Case cases[] = {
  { "gather",
    1,
    { 2, 2 },
    { 2, 2 },
    { 0 },
    { 2, 2 },
    { 1, 2, 3, 4 },
    { 0, 0, 1, 0 },
    { 0 },
    { 1, 1, 4, 3 } },
  { "gather",
    0,
    { 3, 2 },
    { 1, 2 },
    { 0 },
    { 1, 2 },
    { 1, 2, 3, 4, 5, 6 },
    { 2, 0 },
    { 0 },
    { 5, 2 } },
  { "take_along_axis",
    1,
    { 2, 1 },
    { 2, 2 },
    { 0 },
    { 2, 2 },
    { 7, 8 },
    { 0, 0, 0, 0 },
    { 0 },
    { 7, 7, 8, 8 } },
  { "index_select",
    1,
    { 3, 4 },
    { 2 },
    { 0 },
    { 3, 2 },
    { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 },
    { 0, 2 },
    { 0 },
    { 0, 2, 4, 6, 8, 10 } },
  { "index_select",
    0,
    { 3, 4 },
    { 3 },
    { 0 },
    { 3, 4 },
    { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 },
    { 2, 2, 0 },
    { 0 },
    { 8, 9, 10, 11, 8, 9, 10, 11, 0, 1, 2, 3 } },
  { "scatter",
    0,
    { 3, 4 },
    { 1, 4 },
    { 2, 5 },
    { 3, 4 },
    { 0 },
    { 0, 1, 2, 0 },
    { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 },
    { 1, 0, 0, 4, 0, 2, 0, 0, 0, 0, 3, 0 } },
};

/* Creates the op and its operands. */
static HirTensor *
build (HirContainer *fusion, const Case *c, HirDType dtype, guint *n)
{
  gboolean selects = strcmp (c->name, "index_select") == 0;
  HirVal *inputs[3];
  gint8 map[3 * HIR_OPAQUE_MAX_AXES];
  HirScalar *extents[2];
  GError *error = NULL;
  HirTensor *out;

  *n = c->source_sizes[0] > 0 ? 3 : 2;
  memset (map, -1, sizeof map);
  inputs[0] = HIR_VAL (fix_input_of (fusion, c->sizes, 2, dtype));
  inputs[1] = HIR_VAL (fix_input_of (fusion, c->index_sizes, selects ? 1 : 2, HIR_DTYPE_INT));
  if (*n == 3)
    inputs[2] = HIR_VAL (fix_input_of (fusion, c->source_sizes, 2, dtype));
  for (guint i = 0; i < 2; i++)
    extents[i] = hir_scalar_new_int (fusion, c->out_sizes[i], HIR_DTYPE_INDEX);
  out = hir_op_opaque (fusion,
                       &(HirOpaqueSpec){ .name = c->name,
                                         .dim = c->dim,
                                         .inputs = inputs,
                                         .n_inputs = *n,
                                         .map = map,
                                         .extents = extents,
                                         .n_axes = 2,
                                         .dtype = dtype },
                       &error);
  g_assert_no_error (error);
  hir_container_add_output (fusion, HIR_VAL (out));
  return out;
}

/* Runs the op on the CPU. */
static gboolean
execute (
    HirTensor *out, const HirContainer *fusion, HirValue **inputs, HirValue *value, GError **error)
{
  g_autoptr (HirEnv) env = hir_env_new ();
  g_autoptr (HirOpCall) call = NULL;

  for (guint i = 0; i < fusion->inputs.len; i++)
    hir_env_bind (env, fusion->inputs.items[i], inputs[i]);
  call = hir_op_call_new (out->definition, env, error);
  g_assert_nonnull (call);
  hir_op_call_set_output (call, value);
  return hir_cpu_execute (call, error);
}

static void
run_case (const Case *c, HirDType dtype)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  g_autoptr (GPtrArray) reference = NULL;
  g_autoptr (HirValue) value = NULL;
  GError *error = NULL;
  guint n;
  HirTensor *out = build (fusion, c, dtype, &n);
  HirValue *inputs[3] = { value_of (dtype, 2, c->sizes, c->in),
                          value_of (HIR_DTYPE_INT, c->index_sizes[1] > 0 ? 2 : 1, c->index_sizes,
                                    c->indices),
                          n == 3 ? value_of (dtype, 2, c->source_sizes, c->source) : NULL };
  const double zeros[15] = { 0 };
  const HirRefTensor *tensor;

  value = value_of (dtype, 2, c->out_sizes, zeros);
  execute (out, fusion, inputs, value, &error);
  g_assert_no_error (error);
  reference = hir_reference_evaluate (fusion, inputs, n, NULL, &error);
  g_assert_no_error (error);
  tensor = reference->pdata[0];
  for (gint64 k = 0; k < c->out_sizes[0] * c->out_sizes[1]; k++)
    {
      g_assert_cmpfloat (element_of (value, k), ==, c->out[k]);
      g_assert_cmpfloat (tensor->values != NULL ? tensor->values[k] : (double) tensor->ints[k], ==,
                         c->out[k]);
    }
  for (guint i = 0; i < n; i++)
    hir_value_unref (inputs[i]);
}

static void
test_known_numbers (void)
{
  static const HirDType types[] = { HIR_DTYPE_FLOAT, HIR_DTYPE_BFLOAT16, HIR_DTYPE_DOUBLE,
                                    HIR_DTYPE_INT };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    for (guint t = 0; t < G_N_ELEMENTS (types); t++)
      run_case (&cases[i], types[t]);
}

/* An index that the axis does not have is an error, not a read of other memory. */
static void
test_out_of_range (void)
{
  const double wrong[] = { -1, 3 };

  for (guint i = 0; i < G_N_ELEMENTS (wrong); i++)
    {
      g_autoptr (HirContainer) fusion = fix_fusion ();
      g_autoptr (GPtrArray) reference = NULL;
      g_autoptr (GError) error = NULL;
      g_autoptr (GError) second = NULL;
      Case c = cases[1];
      guint n;
      HirTensor *out = build (fusion, &c, HIR_DTYPE_FLOAT, &n);
      HirValue *inputs[2], *value = value_of (HIR_DTYPE_FLOAT, 2, c.out_sizes, c.out);

      c.indices[1] = wrong[i];
      inputs[0] = value_of (HIR_DTYPE_FLOAT, 2, c.sizes, c.in);
      inputs[1] = value_of (HIR_DTYPE_INT, 2, c.index_sizes, c.indices);
      g_assert_false (execute (out, fusion, inputs, value, &error));
      g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
      reference = hir_reference_evaluate (fusion, inputs, 2, NULL, &second);
      g_assert_null (reference);
      g_assert_cmpstr (error->message, ==, second->message);
      hir_value_unref (inputs[0]);
      hir_value_unref (inputs[1]);
      hir_value_unref (value);
    }
}

/* Indices of inputs are in range, and both ways agree. */
static void
test_lowered (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    {
      g_autoptr (HirContainer) fusion = fix_fusion ();
      HirRunOptions options = run_options ();
      guint n;

      build (fusion, &cases[i], HIR_DTYPE_FLOAT, &n);
      assert_passes (fusion, &options);
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/cpu-index/known-numbers", test_known_numbers);
  g_test_add_func ("/run/cpu-index/out-of-range", test_out_of_range);
  g_test_add_func ("/run/cpu-index/lowered", test_lowered);
  return g_test_run ();
}
