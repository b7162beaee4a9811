/* Tests how the code generator divides an instruction into kernels: fused, vectorized and split
 * ones. */
#include <string.h>

#include "codegen-fixture.h"

static const HirDType all_types[] = { HIR_DTYPE_BOOL,  HIR_DTYPE_DOUBLE,   HIR_DTYPE_FLOAT,
                                      HIR_DTYPE_HALF,  HIR_DTYPE_BFLOAT16, HIR_DTYPE_CHAR,
                                      HIR_DTYPE_SHORT, HIR_DTYPE_INT32,    HIR_DTYPE_INT,
                                      HIR_DTYPE_BYTE,  HIR_DTYPE_UINT16,   HIR_DTYPE_UINT32,
                                      HIR_DTYPE_UINT64 };

static void
assert_parts (CodegenFixture *fixture, guint before, guint min, guint max)
{
  if (fixture->cuda != NULL)
    return;
  g_assert_cmpuint (fixture->text->n_parts - before, >=, min);
  g_assert_cmpuint (fixture->text->n_parts - before, <=, max);
}

static HirTensor *
binary (HirContainer *fusion, HirBinaryOp op, HirTensor *a, HirTensor *b)
{
  return hir_op_binary (fusion, op, HIR_VAL (a), HIR_VAL (b), NULL);
}

static HirTensor *
reduce (HirContainer *fusion, HirBinaryOp op, HirTensor *in)
{
  return hir_op_reduction (fusion, op, in, (gint64[]){ 1 }, 1, TRUE, HIR_DTYPE_NULL, NULL);
}

/* Row maximum, sum of exponentials and quotient become one kernel without intermediate results in
 * memory. */
static void
test_softmax_is_one_kernel (CodegenFixture *fixture, gconstpointer data)
{
  static const HirDType types[] = { HIR_DTYPE_FLOAT, HIR_DTYPE_HALF };

  for (guint t = 0; fixture->can_run && t < G_N_ELEMENTS (types); t++)
    {
      g_autoptr (HirContainer) fusion = fix_fusion ();
      HirTensor *in = fix_cast (fusion, fix_input_of (fusion, (gint64[]){ 9, 70 }, 2, types[t]),
                                HIR_DTYPE_FLOAT);
      HirTensor *less = binary (fusion, HIR_BINARY_SUB, in, reduce (fusion, HIR_BINARY_MAX, in));
      HirTensor *e = fix_unary (fusion, HIR_UNARY_EXP, less);
      HirTensor *out = binary (fusion, HIR_BINARY_DIV, e, reduce (fusion, HIR_BINARY_ADD, e));
      guint before = fixture->text->n_parts;

      hir_container_add_output (fusion, HIR_VAL (fix_cast (fusion, out, types[t])));
      codegen_fixture_finish (fixture, fusion);
      assert_parts (fixture, before, 1, 1);
    }
}

/* Sums over different axes need separate kernels; pointwise ops around a permute share one. */
static void
test_parts (CodegenFixture *fixture, gconstpointer data)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  g_autoptr (HirContainer) chain = fix_fusion ();
  HirTensor *in = fix_input_of (fusion, (gint64[]){ 6, 8 }, 2, HIR_DTYPE_FLOAT);
  HirTensor *x = fix_input_of (chain, (gint64[]){ 16, 16 }, 2, HIR_DTYPE_FLOAT);
  HirTensor *both;
  guint before;

  if (!fixture->can_run)
    return;
  both = binary (fusion, HIR_BINARY_ADD, fix_sum (fusion, in, 0),
                 hir_op_reduction (fusion, HIR_BINARY_ADD, in, (gint64[]){ 0, 1 }, 2, FALSE,
                                   HIR_DTYPE_NULL, NULL));
  hir_container_add_output (fusion, HIR_VAL (both));
  before = fixture->text->n_parts;
  codegen_fixture_finish (fixture, fusion);
  assert_parts (fixture, before, 2, 9);

  x = binary (chain, HIR_BINARY_ADD, x, hir_op_permute (chain, x, (gint64[]){ 1, 0 }, 2, NULL));
  x = fix_unary (chain, HIR_UNARY_TANH, fix_unary (chain, HIR_UNARY_NEG, x));
  hir_container_add_output (chain, HIR_VAL (x));
  before = fixture->text->n_parts;
  codegen_fixture_finish (fixture, chain);
  assert_parts (fixture, before, 1, 1);
}

static guint
count_pieces (const CodegenFixture *fixture)
{
  guint n = 0;

  for (guint i = 0; i < text_provider_get_n_sources (fixture->text); i++)
    n += strstr (text_provider_get_source (fixture->text, i), "_pieces (") != NULL;
  return n;
}

/* A reduction of many elements to few is split, together with its producers and consumers. If each
 * element of a row is stored, too, the ops become separate kernels. */
static void
test_split (CodegenFixture *fixture, gconstpointer data)
{
  g_autoptr (HirContainer) sum = fix_fusion ();
  g_autoptr (HirContainer) softmax = fix_fusion ();
  HirTensor *in = fix_input_of (sum, (gint64[]){ 2, 300 }, 2, HIR_DTYPE_HALF);
  HirTensor *x = fix_input_of (softmax, (gint64[]){ 2, 300 }, 2, HIR_DTYPE_FLOAT);
  HirTensor *squares = binary (sum, HIR_BINARY_MUL, in, in), *e;
  guint before;

  if (!fixture->can_run || fixture->cuda != NULL)
    return;
  /* Sums of the squares of two rows, then their square roots. */
  hir_container_add_output (sum, HIR_VAL (fix_unary (sum, HIR_UNARY_SQRT,
                                                     reduce (sum, HIR_BINARY_ADD, squares))));
  before = fixture->text->n_parts;
  codegen_fixture_finish (fixture, sum);
  assert_parts (fixture, before, 2, 2);
  g_assert_cmpuint (count_pieces (fixture), ==, 1);

  e = fix_unary (softmax, HIR_UNARY_EXP,
                 binary (softmax, HIR_BINARY_SUB, x, reduce (softmax, HIR_BINARY_MAX, x)));
  hir_container_add_output (softmax, HIR_VAL (binary (softmax, HIR_BINARY_DIV, e,
                                                      reduce (softmax, HIR_BINARY_ADD, e))));
  before = fixture->text->n_parts;
  codegen_fixture_finish (fixture, softmax);
  assert_parts (fixture, before, 5, 7);
  g_assert_cmpuint (count_pieces (fixture), ==, 3);

  fixture->text->codegen.min_piece = 0;
  before = fixture->text->n_parts;
  codegen_fixture_finish (fixture, softmax);
  assert_parts (fixture, before, 1, 1);
}

/* Dense operands are loaded as vectors; the results do not change. */
static void
test_vectors (CodegenFixture *fixture, gconstpointer data)
{
  for (guint t = 0; fixture->can_run && t < G_N_ELEMENTS (all_types); t++)
    {
      g_autoptr (HirContainer) fusion = fix_fusion ();
      HirTensor *a = fix_input_of (fusion, (gint64[]){ 4, 64 }, 2, all_types[t]);
      HirTensor *b = fix_input_of (fusion, (gint64[]){ 4, 64 }, 2, all_types[t]);
      guint before = fixture->text->n_vectors;

      hir_container_add_output (fusion, HIR_VAL (binary (fusion, HIR_BINARY_MAX, a, b)));
      codegen_fixture_finish (fixture, fusion);
      g_assert_cmpuint (fixture->text->n_vectors, ==, before + (fixture->cuda == NULL));
    }
}

/* The check finds an injected error (--plant-error) in each kind of kernel. */
static void
test_planted (CodegenFixture *fixture, gconstpointer data)
{
  static const char *const ops[] = { "neg", "sum", "matmul", "pad" };

  for (guint k = 0; fixture->can_run && k < G_N_ELEMENTS (ops); k++)
    {
      g_autoptr (HirContainer) fusion = fix_fusion ();
      HirTensor *in = fix_input_of (fusion, (gint64[]){ 6, 6 }, 2, HIR_DTYPE_FLOAT);
      HirRunOptions options = codegen_fixture_options (fixture);
      RunResult result;

      fix_output (fusion, fix_unary (fusion, HIR_UNARY_NEG, in));
      fix_output (fusion, fix_sum (fusion, in, 1));
      fix_output (fusion, fix_matmul (fusion, in, in));
      fix_output (fusion, hir_op_pad (fusion, in, (gint64[]){ 1, 2 }, 2, NULL, NULL));
      options.plant_op = ops[k];
      result = run_fusion (fusion, &options, FALSE);
      g_assert_no_error (result.error);
      g_assert_false (result.passed);
      run_result_clear (&result);
    }
}

#define ADD(path, function)                                                                        \
  g_test_add (path, CodegenFixture, NULL, codegen_fixture_set_up, function,                        \
              codegen_fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/cuda/parts/softmax", test_softmax_is_one_kernel);
  ADD ("/cuda/parts/cuts", test_parts);
  ADD ("/cuda/parts/split", test_split);
  ADD ("/cuda/parts/vectors", test_vectors);
  ADD ("/cuda/parts/planted", test_planted);
  return g_test_run ();
}
