/* Tests the kernel that reduces the contributions of ranks on a fake driver that executes kernels:
 * its bits are those of the CPU, for all types, ops and positions of the own contribution. */
#include <glib/gstdio.h>
#include <math.h>
#include <string.h>

#include "cuda/provider.h"
#include "run/comm/comm-collective.h"

/* More than one element per thread of the largest grid is not needed: a block has 256 threads. */
#define N 1000
#define N_RANKS 5

typedef struct
{
  HirBackendProvider *provider;
  HirBackend *backend;
  const HirCudaApi *cuda;
  HirCuAddress memory; /* of the other contributions, the own one and the output */
} Fixture;

static void
set_up (Fixture *fixture)
{
  HirCudaProviderOptions options = { .recorder = NULL };
  HirBackendOptions backend = { .rank = 0 };
  GError *error = NULL;

  fixture->provider = hir_cuda_provider_new (&options, &error);
  g_assert_no_error (error);
  g_assert_true (fixture->provider->klass->prepare (fixture->provider, 1, &error));
  fixture->backend = fixture->provider->klass->new_backend (fixture->provider, &backend, &error);
  g_assert_no_error (error);
  fixture->cuda = &hir_cuda_backend_get_device (fixture->backend)->libs->cuda;
  g_assert_cmpint (fixture->cuda->mem_alloc (&fixture->memory, (N_RANKS + 2) * N * 8), ==, 0);
}

static void
tear_down (Fixture *fixture)
{
  fixture->cuda->mem_free (fixture->memory);
  hir_backend_free (fixture->backend);
  hir_cuda_provider_free (fixture->provider);
}

/* Sets an element to a value with many significant bits; the first ones to special values. */
static void
set_element (HirDType dtype, guint8 *to, guint i, GRand *rand)
{
  static const double special[] = { NAN, INFINITY, -INFINITY, -0.0, 0.0, 1e-40, 65504, 3e38 };
  guint64 bits = (guint64) g_rand_int (rand) << 32 | g_rand_int (rand);

  if (!hir_dtype_is_floating_point (dtype))
    hir_element_set_int (dtype, to, i % 3 == 0 ? (gint64) bits : (gint64) (bits % 7) - 3);
  else if (i % 50 == 0)
    hir_element_set_double (dtype, to, special[bits % G_N_ELEMENTS (special)]);
  else
    hir_element_set_double (dtype, to, ((double) bits / 1.8e19 - 0.5) * (i % 3 == 0 ? 100 : 1));
}

/* The other integer types share the computation of these, so fewer ops are compiled for them. */
static gboolean
has_all_ops (HirDType dtype)
{
  return dtype == HIR_DTYPE_BOOL || dtype == HIR_DTYPE_INT32 || dtype == HIR_DTYPE_UINT64;
}

/* Compares all elements. NaNs have any bits. */
static void
assert_equal (HirDType dtype, const guint8 *a, const guint8 *b)
{
  gsize size = hir_dtype_get_size_bytes (dtype);

  for (guint i = 0; i < N; i++)
    {
      gboolean is_nan = hir_dtype_is_floating_point (dtype) &&
                        isnan (hir_element_get_double (dtype, a + i * size)) &&
                        isnan (hir_element_get_double (dtype, b + i * size));

      if (!is_nan && memcmp (a + i * size, b + i * size, size) != 0)
        g_error ("element %u of %s differs", i, hir_dtype_get_short_name (dtype));
    }
}

/* @place: position of the own contribution, N_RANKS for none. If @in_place, it is also the output.
 */
static void
check (Fixture *fixture, HirDType dtype, HirBinaryOp op, guint place, gboolean in_place)
{
  static guint8 input[N_RANKS][N * 8], expected[N * 8], result[N * 8];
  gsize bytes = N * hir_dtype_get_size_bytes (dtype);
  HirCuAddress own = fixture->memory + N_RANKS * bytes, out = in_place ? own : own + bytes;
  HirCudaReduction reduction = { .dtype = dtype,
                                 .op = op,
                                 .out = out,
                                 .own = own,
                                 .others = fixture->memory,
                                 .n = N,
                                 .n_ranks = N_RANKS,
                                 .place = (gint32) place };
  gconstpointer in[N_RANKS];
  g_autoptr (GRand) rand = g_rand_new_with_seed (1 + (guint) dtype);
  GError *error = NULL;
  HirCuStream stream;
  guint n_others = 0;

  g_assert_cmpint (fixture->cuda->stream_create_with_priority (&stream, HIR_CU_STREAM_NON_BLOCKING,
                                                               0),
                   ==, 0);
  for (guint rank = 0; rank < N_RANKS; rank++)
    {
      for (guint i = 0; i < N; i++)
        set_element (dtype, input[rank] + i * hir_dtype_get_size_bytes (dtype), i + rank, rand);
      in[rank] = input[rank];
      fixture->cuda->memcpy_htod (rank == place ? own : fixture->memory + n_others++ * bytes,
                                  input[rank], bytes);
    }
  hir_comm_reduce (dtype, op, in, N_RANKS, N, expected);
  g_assert_true (hir_cuda_backend_reduce (fixture->backend, stream, &reduction, &error));
  g_assert_no_error (error);
  fixture->cuda->stream_synchronize (stream);
  fixture->cuda->memcpy_dtoh (result, out, bytes);
  fixture->cuda->stream_destroy (stream);
  assert_equal (dtype, expected, result);
}

static void
test_bits (void)
{
  static const HirBinaryOp ops[] = { HIR_BINARY_ADD,         HIR_BINARY_MUL,
                                     HIR_BINARY_MAX,         HIR_BINARY_MIN,
                                     HIR_BINARY_BITWISE_AND, HIR_BINARY_BITWISE_OR,
                                     HIR_BINARY_BITWISE_XOR };
  static const guint places[] = { 0, 2, N_RANKS - 1, N_RANKS };
  Fixture fixture;
  guint n = 0;

  set_up (&fixture);
  for (HirDType dtype = HIR_DTYPE_BOOL; dtype <= HIR_DTYPE_INDEX; dtype++)
    for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
      for (guint k = 0; k < G_N_ELEMENTS (places); k++)
        if (hir_dtype_is_floating_point (dtype) ? i < 4 : has_all_ops (dtype) || i % 2 == 0)
          {
            check (&fixture, dtype, ops[i], places[k], FALSE);
            if (places[k] < N_RANKS)
              check (&fixture, dtype, ops[i], places[k], TRUE);
            n++;
          }
  g_assert_cmpuint (n, ==, (4 * 4 + 3 * 7 + 7 * 4) * 4);
  tear_down (&fixture);
}

static void
test_unsupported (void)
{
  static const struct
  {
    HirDType dtype;
    HirBinaryOp op;
  } rows[] = { { HIR_DTYPE_FLOAT, HIR_BINARY_BITWISE_AND },
               { HIR_DTYPE_COMPLEX_FLOAT, HIR_BINARY_ADD } };
  Fixture fixture;

  set_up (&fixture);
  for (guint i = 0; i < G_N_ELEMENTS (rows); i++)
    {
      HirCudaReduction reduction = { .dtype = rows[i].dtype, .op = rows[i].op, .n = 1 };
      GError *error = NULL;

      g_assert_false (hir_cuda_backend_reduce (fixture.backend, NULL, &reduction, &error));
      g_assert_error (error, HIR_ERROR, HIR_ERROR_UNSUPPORTED);
      g_assert_nonnull (strstr (error->message, hir_dtype_get_short_name (rows[i].dtype)));
      g_clear_error (&error);
    }
  tear_down (&fixture);
}

/* Removes the folder with the compiled kernels. */
static void
remove_folder (const char *folder)
{
  g_autoptr (GDir) dir = g_dir_open (folder, 0, NULL);
  const char *name;

  while (dir != NULL && (name = g_dir_read_name (dir)) != NULL)
    {
      g_autofree char *path = g_build_filename (folder, name, NULL);

      if (g_file_test (path, G_FILE_TEST_IS_DIR))
        remove_folder (path);
      else
        g_unlink (path);
    }
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  int result;
  g_autofree char *folder = g_dir_make_tmp ("hirscope-reduce-XXXXXX", NULL);
  g_autofree char *cc = g_find_program_in_path ("cc");

  g_setenv ("XDG_CACHE_HOME", folder, TRUE);
  g_setenv ("FAKE_CUDA_KERNELS", "1", TRUE);
  g_test_init (&argc, &argv, NULL);
  if (cc != NULL)
    g_test_add_func ("/reduce-ranks/bits", test_bits);
  g_test_add_func ("/reduce-ranks/unsupported", test_unsupported);
  result = g_test_run ();
  remove_folder (folder);
  return result;
}
