/* Tests the CUDA back end on a fake driver: its launches, its memory, and its errors if the driver
 * fails or hangs. Other tests check the computed values. */
#include <string.h>
#include <unistd.h>

#include "cuda/backend/matmul-shape.h"
#include "cuda/backend/matmul.h"
#include "cuda/provider.h"
#include "run-fixture.h"
#include "session-access.h"

static HirBackendProvider *
new_provider (guint n_ranks)
{
  HirCudaProviderOptions options = { .recorder = NULL };
  GError *error = NULL;
  HirBackendProvider *provider = hir_cuda_provider_new (&options, &error);

  g_assert_no_error (error);
  g_assert_true (provider->klass->prepare (provider, n_ranks, &error));
  return provider;
}

/* Returns a fusion that multiplies [16, 8] by [8, 8] in a loop over rows. */
static HirContainer *
new_fusion (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *a = fix_input_of (fusion, (gint64[]){ 16, 8 }, 2, HIR_DTYPE_FLOAT);
  HirTensor *b = fix_input_of (fusion, (gint64[]){ 8, 8 }, 2, HIR_DTYPE_FLOAT);
  HirTensor *out = fix_matmul (fusion, a, b);

  fix_output (fusion, out);
  fix_stream (fusion, out, 0);
  return fusion;
}

static HirSession *
new_session (HirContainer *fusion, HirBackendProvider *provider, guint n_repeats, GError **error)
{
  HirRunOptions options = run_options ();
  g_autoptr (HirContainer) program = lower_program (fusion);

  options.provider = provider;
  options.check = FALSE;
  options.n_repeats = n_repeats;
  options.timeout_s = 0.5;
  return session_new (fusion, program, &options, NULL, NULL, error);
}

static void
get_counts (HirSession *session, HirCudaCounts *counts)
{
  hir_cuda_backend_get_counts (session_get_backend (session), counts);
}

/* Later repetitions reuse the memory of the first one and allocate nothing. */
static void
test_memory_is_used_again (void)
{
  HirBackendProvider *provider = new_provider (1);
  g_autoptr (HirContainer) fusion = new_fusion ();
  GError *error = NULL;
  HirSession *session = new_session (fusion, provider, 50, &error);
  HirCudaCounts first = { 0 }, last;
  guint64 before;

  g_assert_no_error (error);
  while (hir_session_get_n_done (session) < 2)
    g_assert_cmpint (hir_session_step (session, &error), ==, HIR_STEP_MORE);
  get_counts (session, &first);
  before = first.n_matmuls;
  g_assert_true (hir_session_run (session, &error));
  g_assert_no_error (error);
  get_counts (session, &last);
  g_assert_cmpuint (first.n_blocks, >, 0);
  g_assert_cmpuint (last.n_blocks, ==, first.n_blocks);
  g_assert_cmpuint (last.n_bytes, ==, first.n_bytes);
  g_assert_cmpuint (before, ==, 2 * 16);
  g_assert_cmpuint (last.n_matmuls, ==, 50 * 16);
  g_assert_cmpuint (last.n_kernels, ==, 0);
  hir_session_free (session);
  hir_cuda_provider_free (provider);
}

/* Runs in a separate process, because the fake driver reads the environment in cuInit(). */
static void
run_failing (const char *failing, const char *hanging, const char *const *words)
{
  GError *error = NULL;

  if (!g_test_subprocess ())
    {
      g_test_trap_subprocess (NULL, 30 * G_USEC_PER_SEC, 0);
      g_test_trap_assert_passed ();
      return;
    }
  g_setenv ("FAKE_CUDA_QUEUED", "1", TRUE);
  if (failing != NULL)
    g_setenv ("FAKE_CUDA_FAIL", failing, TRUE);
  if (hanging != NULL)
    g_setenv ("FAKE_CUDA_HANG", hanging, TRUE);

  HirBackendProvider *provider = new_provider (1);
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *a = fix_input_of (fusion, (gint64[]){ 8, 8 }, 2, HIR_DTYPE_FLOAT);
  HirTensor *out = fix_add (fusion, a, a);
  HirSession *session;

  fix_output (fusion, out);
  fix_stream (fusion, out, 0);
  session = new_session (fusion, provider, 1, &error);
  g_assert_true (session == NULL || !hir_session_run (session, &error));
  g_assert_nonnull (error);
  for (guint i = 0; words[i] != NULL; i++)
    if (strstr (error->message, words[i]) == NULL)
      g_error ("'%s' does not say '%s'", error->message, words[i]);
  g_clear_error (&error);
  /* A hanging device still uses its objects, so they cannot be freed. */
  if (hanging != NULL)
    _exit (0);
  g_clear_pointer (&session, hir_session_free);
  hir_cuda_provider_free (provider);
  /* After a sticky error the driver frees nothing. Skip the exit handlers: a leak checker would
   * report its objects. */
  _exit (0);
}

static void
test_a_failed_launch_is_named (void)
{
  run_failing ("cuLaunchKernel:3:700!", NULL,
               (const char *const[]){ "T3_add in iteration 2 on rank 0", "launching", NULL });
}

static void
test_no_memory_is_named (void)
{
  run_failing ("cuMemAlloc_v2:1:2!", NULL,
               (const char *const[]){ "bytes on GPU 0", "use smaller --input sizes", NULL });
}

static void
test_a_hang_is_named (void)
{
  run_failing (NULL, "T3_add",
               (const char *const[]){ "T3_add in iteration 0",
                                      "did not finish within 0.5 s on rank 0", NULL });
}

static void
test_too_many_devices (void)
{
  HirBackendProvider *provider = new_provider (1);
  GError *error = NULL;

  g_assert_false (provider->klass->prepare (provider, 2, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "this machine has 1; add --share-gpus"));
  g_clear_error (&error);
  hir_cuda_provider_free (provider);
}

/* Batch axes become rows of one product if the strides permit; otherwise they stay a batch. */
static void
check_product (
    const gint64 *a, guint na, const gint64 *b, guint nb, gboolean turned, const gint64 *expected)
{
  g_autoptr (HirContainer) fusion = fix_fusion ();
  HirTensor *x = fix_input_of (fusion, a, na, HIR_DTYPE_FLOAT);
  HirTensor *y = fix_input_of (fusion, b, nb, HIR_DTYPE_FLOAT);
  g_autoptr (HirEnv) env = hir_env_new ();
  g_autoptr (HirValue) xv = value_of (HIR_DTYPE_FLOAT, na, a, NULL);
  g_autoptr (HirValue) yv = value_of (HIR_DTYPE_FLOAT, nb, b, NULL);
  HirTensor *out = fix_matmul (fusion, x, y);
  g_autoptr (HirOpCall) call = NULL;
  g_autoptr (HirValue) shape = NULL;
  HirProduct product;
  GError *error = NULL;

  if (turned)
    {
      HirValue *view = hir_value_permute (xv, (guint[]){ 1, 0, 2 });
      hir_value_unref (xv);
      xv = view;
    }
  hir_env_bind (env, HIR_VAL (x), xv);
  hir_env_bind (env, HIR_VAL (y), yv);
  call = hir_op_call_new (out->definition, env, &error);
  g_assert_no_error (error);
  shape = value_of (HIR_DTYPE_FLOAT, 3, (gint64[]){ xv->sizes[0], xv->sizes[1], yv->sizes[nb - 1] },
                    NULL);
  hir_op_call_set_output (call, shape);
  g_assert_true (hir_product_init (&product, call));
  g_assert_cmpint (product.m, ==, expected[0]);
  g_assert_cmpint (product.n, ==, expected[1]);
  g_assert_cmpint (product.k, ==, expected[2]);
  g_assert_cmpint (product.n_batch, ==, expected[3]);
  g_assert_true (hir_cuda_matmul_takes (call));
}

static void
test_products (void)
{
  check_product ((gint64[]){ 4, 5, 6 }, 3, (gint64[]){ 6, 7 }, 2, FALSE, (gint64[]){ 20, 7, 6, 0 });
  check_product ((gint64[]){ 4, 5, 6 }, 3, (gint64[]){ 4, 6, 7 }, 3, FALSE,
                 (gint64[]){ 5, 7, 6, 1 });
  /* The permuted rows have no common stride, so they stay a batch. */
  check_product ((gint64[]){ 4, 4, 6 }, 3, (gint64[]){ 6, 7 }, 2, TRUE, (gint64[]){ 4, 7, 6, 1 });
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/cuda/backend/memory", test_memory_is_used_again);
  g_test_add_func ("/cuda/backend/failed-launch", test_a_failed_launch_is_named);
  g_test_add_func ("/cuda/backend/no-memory", test_no_memory_is_named);
  g_test_add_func ("/cuda/backend/hang", test_a_hang_is_named);
  g_test_add_func ("/cuda/backend/too-many-devices", test_too_many_devices);
  g_test_add_func ("/cuda/backend/products", test_products);
  return g_test_run ();
}
