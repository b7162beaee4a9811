/* Tests the code generator without a GPU: compiles its output as C, runs single ops and whole
 * segments, and compares the results with the reference evaluation. HIR_TEST_BACKEND=cuda runs the
 * tests on a GPU. A fusion has many ops as outputs, because one compilation is faster than many. */
#include "build-random.h"
#include "codegen-fixture.h"
#include "cuda/driver/nvrtc.h"

/* Fewer with sanitizers, which are slow. */
#ifdef __SANITIZE_ADDRESS__
#define RANDOM_COUNT 10
#else
#define RANDOM_COUNT 40
#endif

static const HirDType all_types[] = { HIR_DTYPE_BOOL,  HIR_DTYPE_DOUBLE,   HIR_DTYPE_FLOAT,
                                      HIR_DTYPE_HALF,  HIR_DTYPE_BFLOAT16, HIR_DTYPE_CHAR,
                                      HIR_DTYPE_SHORT, HIR_DTYPE_INT32,    HIR_DTYPE_INT,
                                      HIR_DTYPE_BYTE,  HIR_DTYPE_UINT16,   HIR_DTYPE_UINT32,
                                      HIR_DTYPE_UINT64 };
static const HirDType few_types[] = { HIR_DTYPE_FLOAT, HIR_DTYPE_BFLOAT16, HIR_DTYPE_DOUBLE,
                                      HIR_DTYPE_INT32, HIR_DTYPE_UINT64 };

static HirTensor *
input_of (HirContainer *fusion, HirDType dtype)
{
  return fix_input_of (fusion, (gint64[]){ 5, 37 }, 2, dtype);
}

/* Adds @out as an output and counts it, unless the op rejected the operands. */
static void
output (HirContainer *fusion, HirTensor *out, guint *n)
{
  if (out == NULL || out->definition == NULL)
    return;
  hir_container_add_output (fusion, HIR_VAL (out));
  (*n)++;
}

/* Runs @test twice: first to collect its kernels, which are compiled together, then to run them. */
static void
run_collected (CodegenFixture *fixture, gconstpointer data)
{
  void (*const *test) (CodegenFixture *) = data;

  if (!fixture->can_run)
    return;
  if (fixture->cuda == NULL)
    {
      fixture->text->collecting = TRUE;
      (*test) (fixture);
      fixture->text->collecting = FALSE;
      text_provider_compile (fixture->text);
    }
  (*test) (fixture);
}

static void
test_unary (CodegenFixture *fixture)
{
  guint n = 0;

  for (guint t = 0; fixture->can_run && t < G_N_ELEMENTS (all_types); t++)
    {
      g_autoptr (HirContainer) fusion = fix_fusion ();
      HirTensor *in = input_of (fusion, all_types[t]);

      for (HirUnaryOp op = 0; op < HIR_N_UNARY_OPS; op++)
        if (op != HIR_UNARY_CAST)
          output (fusion, hir_op_unary (fusion, op, in, NULL), &n);
      for (guint b = 0; b < G_N_ELEMENTS (all_types); b++)
        output (fusion, hir_op_cast (fusion, in, all_types[b], NULL), &n);
      codegen_fixture_finish (fixture, fusion);
    }
  g_assert_cmpuint (n, >, fixture->can_run ? (HIR_N_UNARY_OPS - 2) * 8 + 140 : 0);
}

static void
test_binary (CodegenFixture *fixture)
{
  guint n = 0;

  for (guint t = 0; fixture->can_run && t < G_N_ELEMENTS (all_types); t++)
    {
      g_autoptr (HirContainer) fusion = fix_fusion ();
      HirTensor *a = input_of (fusion, all_types[t]), *b = input_of (fusion, all_types[t]);
      HirScalar *real = hir_scalar_new_double (fusion, 0.3, HIR_DTYPE_DOUBLE);
      HirScalar *whole = hir_scalar_new_int (fusion, 3, HIR_DTYPE_INT);

      for (HirBinaryOp op = 0; op < HIR_N_BINARY_OPS; op++)
        {
          output (fusion, hir_op_binary (fusion, op, HIR_VAL (a), HIR_VAL (b), NULL), &n);
          output (fusion, hir_op_binary (fusion, op, HIR_VAL (a), HIR_VAL (real), NULL), &n);
          output (fusion, hir_op_binary (fusion, op, HIR_VAL (whole), HIR_VAL (a), NULL), &n);
        }
      codegen_fixture_finish (fixture, fusion);
    }
  g_assert_cmpuint (n, >, fixture->can_run ? 700 : 0);
}

static void
test_binary_of_two_types (CodegenFixture *fixture)
{
  static const HirBinaryOp ops[] = { HIR_BINARY_ADD, HIR_BINARY_MUL, HIR_BINARY_MAX,
                                     HIR_BINARY_LT };
  guint n = 0;

  for (guint a = 0; fixture->can_run && a < G_N_ELEMENTS (all_types); a++)
    {
      g_autoptr (HirContainer) fusion = fix_fusion ();
      HirTensor *x = input_of (fusion, all_types[a]);

      for (guint b = 0; b < G_N_ELEMENTS (all_types); b++)
        {
          HirTensor *y = input_of (fusion, all_types[b]);

          for (guint k = 0; k < G_N_ELEMENTS (ops); k++)
            output (fusion, hir_op_binary (fusion, ops[k], HIR_VAL (x), HIR_VAL (y), NULL), &n);
        }
      codegen_fixture_finish (fixture, fusion);
    }
  g_assert_cmpuint (n, >, fixture->can_run ? 500 : 0);
}

static void
test_ternary (CodegenFixture *fixture)
{
  guint n = 0;

  for (guint t = 0; fixture->can_run && t < G_N_ELEMENTS (all_types); t++)
    {
      g_autoptr (HirContainer) fusion = fix_fusion ();
      HirDType dtype = all_types[t];
      HirTensor *flag = input_of (fusion, HIR_DTYPE_BOOL), *x = input_of (fusion, dtype);
      HirTensor *y = input_of (fusion, dtype), *z = input_of (fusion, dtype);
      HirScalar *half = hir_dtype_is_floating_point (dtype)
                            ? hir_scalar_new_double (fusion, 0.3, HIR_DTYPE_DOUBLE)
                            : hir_scalar_new_int (fusion, 2, HIR_DTYPE_INT);
      HirScalar *low = hir_scalar_new_int (fusion, -1, HIR_DTYPE_INT);

      for (HirTernaryOp op = 0; op < HIR_N_TERNARY_OPS; op++)
        {
          HirVal *operands[4] = { HIR_VAL (op == HIR_TERNARY_WHERE ? flag : x), HIR_VAL (y),
                                  HIR_VAL (z), HIR_VAL (half) };

          if (op == HIR_TERNARY_CLAMP || op == HIR_TERNARY_THRESHOLD)
            {
              operands[1] = HIR_VAL (low);
              operands[2] = HIR_VAL (half);
            }
          output (fusion,
                  hir_op_ternary (fusion, op, operands, op == HIR_TERNARY_ADDCMUL ? 4 : 3, NULL),
                  &n);
        }
      codegen_fixture_finish (fixture, fusion);
    }
  g_assert_cmpuint (n, >, fixture->can_run ? 25 : 0);
}

static void
test_reductions (CodegenFixture *fixture)
{
  static const HirBinaryOp ops[] = { HIR_BINARY_ADD, HIR_BINARY_MUL, HIR_BINARY_MAX,
                                     HIR_BINARY_MIN };
  static const gint64 dims[][3] = { { 0 }, { 2 }, { 0, 2 }, { 1, 2 }, { 0, 1, 2 } };
  static const guint n_dims[] = { 1, 1, 2, 2, 3 };
  guint n = 0;

  for (guint t = 0; fixture->can_run && t < G_N_ELEMENTS (few_types); t++)
    for (int turned = 0; turned < 2; turned++)
      for (guint d = 0; d < G_N_ELEMENTS (dims); d++)
        {
          g_autoptr (HirContainer) fusion = fix_fusion ();
          HirTensor *in = fix_input_of (fusion, (gint64[]){ 3, 7, 40 }, 3, few_types[t]);

          if (turned)
            in = hir_op_permute (fusion, in, (gint64[]){ 2, 0, 1 }, 3, NULL);
          for (guint k = 0; k < G_N_ELEMENTS (ops); k++)
            output (fusion,
                    hir_op_reduction (fusion, ops[k], in, dims[d], n_dims[d], k == 1,
                                      HIR_DTYPE_NULL, NULL),
                    &n);
          codegen_fixture_finish (fixture, fusion);
        }
  g_assert_cmpuint (n, >, fixture->can_run ? 150 : 0);
}

static void
test_products (CodegenFixture *fixture)
{
  static const struct
  {
    guint a_rank, b_rank;
    gint64 a[4], b[4];
  } shapes[] = {
    { 2, 2, { 5, 7 }, { 7, 3 } },
    { 1, 2, { 7 }, { 7, 3 } },
    { 2, 1, { 5, 7 }, { 7 } },
    { 1, 1, { 7 }, { 7 } },
    { 3, 2, { 2, 5, 7 }, { 7, 3 } },
    { 2, 3, { 5, 7 }, { 4, 7, 3 } },
    { 4, 3, { 2, 3, 5, 7 }, { 3, 7, 2 } },
    { 3, 4, { 1, 5, 7 }, { 2, 3, 7, 2 } },
  };
  guint n = 0;

  for (guint t = 0; fixture->can_run && t < G_N_ELEMENTS (few_types); t++)
    {
      g_autoptr (HirContainer) fusion = fix_fusion ();
      HirTensor *weight = fix_input_of (fusion, (gint64[]){ 4, 11 }, 2, few_types[t]);
      HirTensor *bias = fix_input_of (fusion, (gint64[]){ 4 }, 1, few_types[t]);

      for (guint s = 0; s < G_N_ELEMENTS (shapes); s++)
        output (fusion,
                hir_op_matmul (fusion,
                               fix_input_of (fusion, shapes[s].a, shapes[s].a_rank, few_types[t]),
                               fix_input_of (fusion, shapes[s].b, shapes[s].b_rank, few_types[t]),
                               NULL),
                &n);
      for (guint rank = 1; rank <= 3; rank++)
        output (fusion,
                hir_op_linear (fusion,
                               fix_input_of (fusion, (gint64[]){ 2, 3, 11 } + 3 - rank, rank,
                                             few_types[t]),
                               weight, rank == 2 ? NULL : bias, NULL),
                &n);
      codegen_fixture_finish (fixture, fusion);
    }
  g_assert_cmpuint (n, >=, fixture->can_run ? 3 * 11 : 0);
}

static void
test_shapes (CodegenFixture *fixture)
{
  guint n = 0;

  for (guint t = 0; fixture->can_run && t < G_N_ELEMENTS (few_types); t++)
    {
      g_autoptr (HirContainer) fusion = fix_fusion ();
      HirTensor *in = fix_input_of (fusion, (gint64[]){ 4, 6 }, 2, few_types[t]);
      HirTensor *other = fix_input_of (fusion, (gint64[]){ 4, 3 }, 2, few_types[t]);
      HirScalar *eight = hir_scalar_new_int (fusion, 8, HIR_DTYPE_INDEX);
      HirScalar *three = hir_scalar_new_int (fusion, 3, HIR_DTYPE_INDEX);
      HirScalar *one = hir_scalar_new_int (fusion, 1, HIR_DTYPE_INT);
      HirTensor *turned = hir_op_permute (fusion, in, (gint64[]){ 1, 0 }, 2, NULL);
      HirTensor *wide;

      output (fusion, turned, &n);
      output (fusion, hir_op_reshape (fusion, in, (HirScalar *[]){ three, eight }, 2, NULL), &n);
      output (fusion, hir_op_reshape (fusion, turned, (HirScalar *[]){ three, eight }, 2, NULL),
              &n);
      output (fusion,
              hir_op_slice (fusion, in, (gint64[]){ 1, 2 }, (gint64[]){ 3, 6 }, NULL, 2, NULL), &n);
      output (fusion, hir_op_pad (fusion, in, (gint64[]){ 1, 2, 0, 3 }, 4, NULL, NULL), &n);
      output (fusion, hir_op_pad (fusion, in, (gint64[]){ -1, 2, 2, -1 }, 4, one, NULL), &n);
      output (fusion, hir_op_cat (fusion, (HirTensor *[]){ in, other, in }, 3, 1, NULL), &n);
      output (fusion,
              hir_op_select (fusion, in, hir_scalar_new_int (fusion, 2, HIR_DTYPE_INDEX), 1, NULL),
              &n);
      wide = hir_op_broadcast (fusion, in, (gboolean[]){ FALSE, TRUE, FALSE }, 3, NULL);
      output (fusion, hir_op_expand (fusion, wide, (HirScalar *[]){ NULL, three, NULL }, 3, NULL),
              &n);
      output (fusion,
              hir_op_full (fusion, (HirScalar *[]){ three, eight }, 2, one, few_types[t], NULL),
              &n);
      output (fusion, hir_op_iota (fusion, eight, three, one, few_types[t], NULL), &n);
      codegen_fixture_finish (fixture, fusion);
    }
  g_assert_cmpuint (n, >=, fixture->can_run ? 50 : 0);
}

static guint64
get_number (const char *name, guint64 otherwise)
{
  const char *text = g_getenv (name);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : otherwise;
}

/* Returns FALSE if the fusion cannot be built, lowered or run. */
static gboolean
try_random (CodegenFixture *fixture, guint64 seed)
{
  g_autoptr (HirRandomFusion) random = hir_random_fusion_new (seed);
  g_auto (GStrv) shapes = hir_random_fusion_dup_input_shapes (random);
  g_autoptr (HirContainer) fusion = hir_random_fusion_build (random, NULL);
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
  g_autoptr (HirLowering) lowering = NULL;
  HirRunOptions options = codegen_fixture_options (fixture);
  RunResult result;
  gboolean ran;

  if (fusion == NULL)
    return FALSE;
  if (fixture->text->collecting)
    try_segment (fixture->provider, fusion, (const char *const *) shapes);
  else
    run_segment (fixture->provider, fusion, (const char *const *) shapes);
  lowering = hir_pipeline_run (pipeline, fusion, 0, 1, NULL);
  if (lowering->error != NULL)
    return FALSE;
  options.seed = seed;
  options.inputs = (const char *const *) shapes;
  result = run_program (fusion, hir_lowering_get_last (lowering)->program, &options, FALSE);
  ran = !g_error_matches (result.error, HIR_ERROR, HIR_ERROR_REFUSED);
  if (fixture->text->collecting)
    {
      run_result_clear (&result);
      return ran;
    }
  if (ran && !result.passed)
    {
      g_autofree char *script = hir_random_fusion_to_script (random);

      g_test_message ("seed %" G_GUINT64_FORMAT ":\n%s\n%s\n%s", seed, script,
                      result.report != NULL ? result.report : "",
                      result.error != NULL ? result.error->message : "");
    }
  g_assert_true (!ran || result.passed);
  run_result_clear (&result);
  return ran;
}

static void
test_random (CodegenFixture *fixture)
{
  guint64 n = fixture->can_run ? get_number ("HIR_RANDOM_COUNT", RANDOM_COUNT) : 0;
  guint64 seed = get_number ("HIR_RANDOM_SEED", 1);
  guint n_ran = 0;

  for (guint64 i = 0; i < n; i++)
    n_ran += try_random (fixture, seed + i);
  if (!fixture->text->collecting)
    g_test_message ("%u of %" G_GUINT64_FORMAT " random fusions: %u tasks, %u launches, %u kernels",
                    n_ran, n, fixture->text->n_tasks, fixture->text->n_parts,
                    g_hash_table_size (fixture->text->compiled));
  if (n >= 100)
    g_assert_cmpuint (n_ran * 2, >, n);
}

/* NVRTC compiles the kernels of the tests above for sm_90: every 13th one, or all of them with
 * HIR_NVRTC_ALL=1. */
static void
test_nvrtc (CodegenFixture *fixture, gconstpointer data)
{
  static void (*const tests[]) (CodegenFixture *) = { test_unary, test_binary, test_reductions,
                                                      test_shapes, test_random };
  g_autoptr (HirCudaLibs) libs = hir_cuda_libs_new ();
  g_autoptr (GError) error = NULL;
  guint step = get_number ("HIR_NVRTC_ALL", 0) != 0 ? 1 : 13, n = 0;

#ifdef __SANITIZE_ADDRESS__
  g_test_skip ("NVRTC's threads make LeakSanitizer crash; the build without it has this");
  return;
#endif
  if (fixture->cuda != NULL)
    {
      g_test_skip ("the GPU has had all of it compiled");
      return;
    }
  if (!fixture->can_run || !hir_cuda_libs_open (libs, HIR_LIB_NVRTC, &error))
    {
      g_test_skip (error != NULL ? error->message : "there is no C compiler");
      return;
    }
  fixture->text->collecting = TRUE;
  for (guint i = 0; i < G_N_ELEMENTS (tests); i++)
    tests[i](fixture);
  for (guint i = 0; i < text_provider_get_n_sources (fixture->text); i += step, n++)
    {
      const char *source = text_provider_get_source (fixture->text, i);
      g_autoptr (GBytes) cubin = hir_nvrtc_compile_new (libs, "kernel", source, 90, &error);

      if (cubin == NULL)
        g_test_message ("%s", source);
      g_assert_no_error (error);
      g_assert_cmpuint (g_bytes_get_size (cubin), >, 100);
    }
  g_test_message ("%u kernels compiled", n);
  g_assert_cmpuint (n, >, 20);
}

#define ADD_COLLECTED(path, function)                                                              \
  G_STMT_START                                                                                     \
  {                                                                                                \
    static void (*const test) (CodegenFixture *) = function;                                       \
                                                                                                   \
    g_test_add (path, CodegenFixture, &test, codegen_fixture_set_up, run_collected,                \
                codegen_fixture_tear_down);                                                        \
  }                                                                                                \
  G_STMT_END
#define ADD(path, function)                                                                        \
  g_test_add (path, CodegenFixture, NULL, codegen_fixture_set_up, function,                        \
              codegen_fixture_tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD_COLLECTED ("/cuda/codegen/unary", test_unary);
  ADD_COLLECTED ("/cuda/codegen/binary", test_binary);
  ADD_COLLECTED ("/cuda/codegen/two-types", test_binary_of_two_types);
  ADD_COLLECTED ("/cuda/codegen/ternary", test_ternary);
  ADD_COLLECTED ("/cuda/codegen/reductions", test_reductions);
  ADD_COLLECTED ("/cuda/codegen/products", test_products);
  ADD_COLLECTED ("/cuda/codegen/shapes", test_shapes);
  ADD_COLLECTED ("/cuda/codegen/random", test_random);
  ADD ("/cuda/codegen/nvrtc", test_nvrtc);
  return g_test_run ();
}
