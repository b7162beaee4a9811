/* The code generator without a GPU: what it writes is compiled as C and run, op by op and for whole
 * segments, against the reference evaluation; the text of a segment is as many kernels as it should
 * be. With HIR_TEST_BACKEND=cuda the same on a GPU. Many ops are outputs of one fusion, so that
 * they are one compilation. */
#include <string.h>

#include "build-random.h"
#include "cuda/nvrtc.h"
#include "cuda/provider.h"
#include "segment.h"
#include "text-backend.h"

/* Each is compiled by cc, which takes as long as all else: the sanitizers see the same code. */
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

typedef struct
{
  TextProvider *text;
  HirBackendProvider *cuda;     /* nullable: HIR_TEST_BACKEND=cuda, on a machine with a GPU */
  HirBackendProvider *provider; /* one of these */
  gboolean can_run;
} Fixture;

static void
set_up (Fixture *fixture, gconstpointer data)
{
  fixture->text = text_provider_new ();
  fixture->can_run = text_provider_can_run ();
  fixture->provider = &fixture->text->base;
  if (g_strcmp0 (g_getenv ("HIR_TEST_BACKEND"), "cuda") == 0)
    {
      HirCudaProviderOptions options = { .recorder = NULL };
      GError *error = NULL;

      fixture->cuda = hir_cuda_provider_new (&options, &error);
      g_assert_no_error (error);
      fixture->cuda->klass->prepare (fixture->cuda, 1, &error);
      g_assert_no_error (error);
      fixture->provider = fixture->cuda;
      fixture->can_run = TRUE;
    }
  if (!fixture->can_run)
    g_test_skip ("there is no C compiler to run the text with");
}

static void
tear_down (Fixture *fixture, gconstpointer data)
{
  g_clear_pointer (&fixture->cuda, hir_cuda_provider_free);
  text_provider_free (fixture->text);
}

static HirRunOptions
options_of (Fixture *fixture)
{
  HirRunOptions options = run_options ();

  options.provider = fixture->provider;
  return options;
}

static HirTensor *
input_of (HirContainer *fusion, HirDType dtype)
{
  return fix_input_of (fusion, (gint64[]){ 5, 37 }, 2, dtype);
}

/* An output where the op takes such operands; counted. */
static void
output (HirContainer *fusion, HirTensor *out, guint *n)
{
  if (out == NULL || out->definition == NULL)
    return;
  hir_container_add_output (fusion, HIR_VAL (out));
  (*n)++;
}

static void
finish (Fixture *fixture, HirContainer *fusion)
{
  if (fusion->outputs.len > 0)
    run_segment (fixture->provider, fusion, NULL);
}

static void
test_unary (Fixture *fixture, gconstpointer data)
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
      finish (fixture, fusion);
    }
  g_assert_cmpuint (n, >, fixture->can_run ? (HIR_N_UNARY_OPS - 2) * 8 + 140 : 0);
}

static void
test_binary (Fixture *fixture, gconstpointer data)
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
      finish (fixture, fusion);
    }
  g_assert_cmpuint (n, >, fixture->can_run ? 700 : 0);
}

static void
test_binary_of_two_types (Fixture *fixture, gconstpointer data)
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
      finish (fixture, fusion);
    }
  g_assert_cmpuint (n, >, fixture->can_run ? 500 : 0);
}

static void
test_ternary (Fixture *fixture, gconstpointer data)
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
      finish (fixture, fusion);
    }
  g_assert_cmpuint (n, >, fixture->can_run ? 25 : 0);
}

static void
test_reductions (Fixture *fixture, gconstpointer data)
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
          finish (fixture, fusion);
        }
  g_assert_cmpuint (n, >, fixture->can_run ? 150 : 0);
}

static void
test_products (Fixture *fixture, gconstpointer data)
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
      finish (fixture, fusion);
    }
  g_assert_cmpuint (n, >=, fixture->can_run ? 3 * 11 : 0);
}

static void
test_shapes (Fixture *fixture, gconstpointer data)
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
      finish (fixture, fusion);
    }
  g_assert_cmpuint (n, >=, fixture->can_run ? 50 : 0);
}

static void
assert_parts (Fixture *fixture, guint before, guint min, guint max)
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

/* A row's maximum, the sum of exponentials and the quotient: one kernel, nothing of it in memory.
 */
static void
test_softmax_is_one_kernel (Fixture *fixture, gconstpointer data)
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
      finish (fixture, fusion);
      assert_parts (fixture, before, 1, 1);
    }
}

/* Sums over different axes can't share a kernel; a chain of pointwise ops around a permute can. */
static void
test_parts (Fixture *fixture, gconstpointer data)
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
  finish (fixture, fusion);
  assert_parts (fixture, before, 2, 9);

  x = binary (chain, HIR_BINARY_ADD, x, hir_op_permute (chain, x, (gint64[]){ 1, 0 }, 2, NULL));
  x = fix_unary (chain, HIR_UNARY_TANH, fix_unary (chain, HIR_UNARY_NEG, x));
  hir_container_add_output (chain, HIR_VAL (x));
  before = fixture->text->n_parts;
  finish (fixture, chain);
  assert_parts (fixture, before, 1, 1);
}

/* Dense operands are loaded several elements at once, and give the same. */
static void
test_vectors (Fixture *fixture, gconstpointer data)
{
  for (guint t = 0; fixture->can_run && t < G_N_ELEMENTS (all_types); t++)
    {
      g_autoptr (HirContainer) fusion = fix_fusion ();
      HirTensor *a = fix_input_of (fusion, (gint64[]){ 4, 64 }, 2, all_types[t]);
      HirTensor *b = fix_input_of (fusion, (gint64[]){ 4, 64 }, 2, all_types[t]);
      guint before = fixture->text->n_vectors;

      hir_container_add_output (fusion, HIR_VAL (binary (fusion, HIR_BINARY_MAX, a, b)));
      finish (fixture, fusion);
      g_assert_cmpuint (fixture->text->n_vectors, ==, before + (fixture->cuda == NULL));
    }
}

/* --plant-error must be found in each kind of kernel. */
static void
test_planted (Fixture *fixture, gconstpointer data)
{
  static const char *const ops[] = { "neg", "sum", "matmul", "pad" };

  for (guint k = 0; fixture->can_run && k < G_N_ELEMENTS (ops); k++)
    {
      g_autoptr (HirContainer) fusion = fix_fusion ();
      HirTensor *in = fix_input_of (fusion, (gint64[]){ 6, 6 }, 2, HIR_DTYPE_FLOAT);
      HirRunOptions options = options_of (fixture);
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

static guint64
get_number (const char *name, guint64 otherwise)
{
  const char *text = g_getenv (name);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : otherwise;
}

/* FALSE where a pass refuses it. */
static gboolean
try_random (Fixture *fixture, guint64 seed)
{
  g_autoptr (HirRandomFusion) random = hir_random_fusion_new (seed);
  g_auto (GStrv) shapes = hir_random_fusion_dup_input_shapes (random);
  g_autoptr (HirContainer) fusion = hir_random_fusion_build (random, NULL);
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new ();
  g_autoptr (HirLowering) lowering = NULL;
  HirRunOptions options = options_of (fixture);
  RunResult result;
  gboolean ran;

  if (fusion == NULL)
    return FALSE;
  run_segment (fixture->provider, fusion, (const char *const *) shapes);
  lowering = hir_pipeline_run (pipeline, fusion, 0, 1, NULL);
  if (lowering->error != NULL)
    return FALSE;
  options.seed = seed;
  options.inputs = (const char *const *) shapes;
  result = run_program (fusion, hir_lowering_get_last (lowering)->program, &options, FALSE);
  ran = !g_error_matches (result.error, HIR_ERROR, HIR_ERROR_REFUSED);
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
test_random (Fixture *fixture, gconstpointer data)
{
  guint64 n = fixture->can_run ? get_number ("HIR_RANDOM_COUNT", RANDOM_COUNT) : 0;
  guint64 seed = get_number ("HIR_RANDOM_SEED", 1);
  guint n_ran = 0;

  for (guint64 i = 0; i < n; i++)
    n_ran += try_random (fixture, seed + i);
  g_test_message ("%u of %" G_GUINT64_FORMAT " random fusions: %u tasks, %u launches, %u kernels",
                  n_ran, n, fixture->text->n_tasks, fixture->text->n_parts,
                  g_hash_table_size (fixture->text->compiled));
  if (n >= 100)
    g_assert_cmpuint (n_ran * 2, >, n);
}

/* NVRTC takes what was run above: ops, segments and random fusions, for the GPU that we have. */
static void
test_nvrtc (Fixture *fixture, gconstpointer data)
{
  g_autoptr (HirCudaLibs) libs = hir_cuda_libs_new ();
  g_autoptr (GError) error = NULL;
  GPtrArray *sources = g_ptr_array_new_with_free_func (g_free);

  fixture->text->sources = sources;
#ifdef __SANITIZE_ADDRESS__
  g_test_skip ("NVRTC's threads make LeakSanitizer crash; the build without it has this");
  return;
#endif
  if (!fixture->can_run || !hir_cuda_libs_open (libs, HIR_LIB_NVRTC, &error))
    {
      g_test_skip (error != NULL ? error->message : "there is no C compiler");
      return;
    }
  test_unary (fixture, data);
  test_binary (fixture, data);
  test_softmax_is_one_kernel (fixture, data);
  test_vectors (fixture, data);
  test_shapes (fixture, data);
  for (guint64 seed = 1; seed <= 20; seed++)
    try_random (fixture, seed);
  for (guint i = 0; i < sources->len; i++)
    {
      const char *source = g_ptr_array_index (sources, i);
      g_autoptr (GBytes) cubin = hir_nvrtc_compile_new (libs, "kernel", source, 90, &error);

      if (cubin == NULL)
        g_test_message ("%s", source);
      g_assert_no_error (error);
      g_assert_cmpuint (g_bytes_get_size (cubin), >, 100);
    }
  g_test_message ("%u kernels compiled", sources->len);
  g_assert_cmpuint (sources->len, >, 60);
}

#define ADD(path, function) g_test_add (path, Fixture, NULL, set_up, function, tear_down)

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  ADD ("/cuda/codegen/unary", test_unary);
  ADD ("/cuda/codegen/binary", test_binary);
  ADD ("/cuda/codegen/two-types", test_binary_of_two_types);
  ADD ("/cuda/codegen/ternary", test_ternary);
  ADD ("/cuda/codegen/reductions", test_reductions);
  ADD ("/cuda/codegen/products", test_products);
  ADD ("/cuda/codegen/shapes", test_shapes);
  ADD ("/cuda/codegen/softmax", test_softmax_is_one_kernel);
  ADD ("/cuda/codegen/parts", test_parts);
  ADD ("/cuda/codegen/vectors", test_vectors);
  ADD ("/cuda/codegen/planted", test_planted);
  ADD ("/cuda/codegen/random", test_random);
  ADD ("/cuda/codegen/nvrtc", test_nvrtc);
  return g_test_run ();
}
