/* Tests random host programs, printed in every dialect and read back: they give the same bits as
 * before, and match their sequential reference. HIR_RANDOM_COUNT and HIR_RANDOM_SEED select the
 * cases. */
#include "build-random.h"
#include "dump/read-dump.h"
#include "run-fixture.h"
#include "session-access.h"

typedef struct
{
  guint n_programs, n_read, n_rejected, n_units, n_loops, n_communications, n_ranks;
} Counts;

static guint64
get_number (const char *name, guint64 otherwise)
{
  const char *text = g_getenv (name);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : otherwise;
}

static gboolean
count_expr (HirExpr *expr, guint depth, gpointer user_data)
{
  Counts *counts = user_data;

  counts->n_loops += expr->kind == HIR_EXPR_FOR;
  counts->n_communications += expr->kind == HIR_EXPR_COMMUNICATION || expr->kind == HIR_EXPR_P2P;
  counts->n_units += expr->kind == HIR_EXPR_POST_ON_STREAM;
  return TRUE;
}

static HirContainer *
print_and_read (HirContainer *program, HirFormat format, GError **error)
{
  g_autofree char *text = hir_container_print (program, format, NULL);
  HirSource *source = hir_source_new ("dump.txt", text, -1);
  HirContainer *read = hir_dump_read (source, &format, error);

  hir_source_unref (source);
  return read;
}

static void
compare (guint64 seed, HirSession *printed, HirSession *lowered, GPtrArray *programs)
{
  for (guint rank = 0; rank < programs->len; rank++)
    {
      HirContainer *program = g_ptr_array_index (programs, rank);

      for (guint i = 0; i < program->outputs.len; i++)
        {
          g_autoptr (GBytes) a = session_dup_output (printed, rank, i, NULL);
          g_autoptr (GBytes) b = session_dup_output (lowered, rank, i, NULL);
          g_autofree char *text = NULL;

          if (a == b || (a != NULL && b != NULL && g_bytes_equal (a, b)))
            continue;
          text = hir_container_print (program, HIR_FORMAT_2025, NULL);
          g_error ("seed %" G_GUINT64_FORMAT ": output %u of rank %u differs from what the printed "
                   "program gives\n%s",
                   seed, i, rank, text);
        }
    }
}

/* Returns one program per device, or NULL if one is rejected. */
static GPtrArray *
lower_all (HirContainer *fusion, guint n_devices)
{
  g_autoptr (GPtrArray) programs =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_container_unref);
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);

  for (guint rank = 0; rank < n_devices; rank++)
    {
      g_autoptr (HirLowering) lowering = hir_pipeline_run (pipeline, fusion, rank, n_devices, NULL);

      if (lowering->error != NULL)
        return NULL;
      g_ptr_array_add (programs, hir_container_ref (hir_lowering_get_last (lowering)->program));
    }
  return g_steal_pointer (&programs);
}

/* Returns NULL on errors. */
static HirSession *
run (HirContainer *fusion, GPtrArray *programs, const HirRunOptions *options, GError **error)
{
  g_autoptr (HirSession) session =
      hir_session_new_ranks (fusion, (HirContainer *const *) programs->pdata, programs->len,
                             options, NULL, NULL, error);

  return session != NULL && hir_session_run (session, error) ? g_steal_pointer (&session) : NULL;
}

static void
check_printed (
    guint64 seed, HirSession *lowered, GPtrArray *programs, HirRunOptions *options, Counts *counts)
{
  static const HirFormat formats[] = { HIR_FORMAT_2025, HIR_FORMAT_2026, HIR_FORMAT_2025_SELECT };
  g_autoptr (GPtrArray) reads =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_container_unref);
  g_autoptr (HirSession) printed = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *text = NULL;

  for (guint i = 0; i < programs->len && error == NULL; i++)
    g_ptr_array_add (reads, print_and_read (g_ptr_array_index (programs, i),
                                            formats[seed % G_N_ELEMENTS (formats)], &error));
  options->check = TRUE;
  printed = error == NULL ? run (g_ptr_array_index (reads, 0), reads, options, &error) : NULL;
  text = hir_container_print (g_ptr_array_index (programs, 0), HIR_FORMAT_2025, NULL);
  if (printed == NULL)
    {
      /* A kernel can hide a permutation, so sizes may not match. */
      g_test_message ("seed %" G_GUINT64_FORMAT ": %s", seed, error->message);
      if (g_test_verbose ())
        g_test_message ("%s", text);
      counts->n_rejected++;
      return;
    }
  if (!hir_check_report_passed (hir_session_get_report (printed)))
    {
      g_autofree char *report = hir_check_report_format (hir_session_get_report (printed));

      g_error ("seed %" G_GUINT64_FORMAT ":\n%s%s", seed, report, text);
    }
  compare (seed, printed, lowered, programs);
  counts->n_read++;
  counts->n_ranks += reads->len;
  hir_container_foreach_expr (g_ptr_array_index (reads, 0), count_expr, counts);
}

static void
try_one (guint64 seed, gboolean is_sharded, Counts *counts)
{
  g_autoptr (HirRandomFusion) random =
      is_sharded ? hir_random_fusion_new_sharded (seed) : hir_random_fusion_new (seed);
  g_auto (GStrv) shapes = hir_random_fusion_dup_input_shapes (random);
  g_autoptr (HirContainer) fusion = hir_random_fusion_build (random, NULL);
  g_autoptr (GPtrArray) programs = NULL;
  g_autoptr (HirSession) lowered = NULL;
  HirRunOptions options = run_options ();

  programs = fusion != NULL ? lower_all (fusion, MAX (random->n_devices, 1)) : NULL;
  if (programs == NULL)
    return;
  options.seed = seed;
  options.inputs = (const char *const *) shapes;
  options.check = FALSE;
  lowered = run (fusion, programs, &options, NULL);
  if (lowered == NULL)
    return;
  counts->n_programs++;
  check_printed (seed, lowered, programs, &options, counts);
}

static Counts
try_all (guint64 n, gboolean is_sharded)
{
  guint64 seed = get_number ("HIR_RANDOM_SEED", 1);
  Counts counts = { 0 };

  for (guint64 i = 0; i < n; i++)
    try_one (seed + i, is_sharded, &counts);
  g_test_message ("%u programs: %u the same when printed, %u rejected; %u HostUnits, %u loops, %u "
                  "communications, %u ranks",
                  counts.n_programs, counts.n_read, counts.n_rejected, counts.n_units,
                  counts.n_loops, counts.n_communications, counts.n_ranks);
  return counts;
}

static void
test_one_device (void)
{
  guint64 n = get_number ("HIR_RANDOM_COUNT", 300);
  Counts counts = try_all (n, FALSE);

  g_assert_cmpuint (counts.n_programs * 2, >, n);
  g_assert_cmpuint (counts.n_rejected, ==, 0);
  g_assert_cmpuint (counts.n_units * 4, >, counts.n_programs);
  g_assert_cmpuint (counts.n_loops * 4, >, counts.n_programs);
}

static void
test_sharded (void)
{
  guint64 n = get_number ("HIR_RANDOM_COUNT", 200);
  Counts counts = try_all (n, TRUE);

  g_assert_cmpuint (counts.n_programs * 5, >, n);
  g_assert_cmpuint (counts.n_rejected * 50, <=, counts.n_programs);
  g_assert_cmpuint (counts.n_communications * 2, >, counts.n_programs);
  g_assert_cmpuint (counts.n_ranks, >, counts.n_programs * 2);
}

/* Their axes were once read in the wrong order or number. */
static void
test_axes (void)
{
  static const guint64 seeds[] = { 353, 496, 902, 1164, 1419, 5013, 6281 };
  Counts counts = { 0 };

  for (guint i = 0; i < G_N_ELEMENTS (seeds); i++)
    try_one (seeds[i], TRUE, &counts);
  g_assert_cmpuint (counts.n_read, ==, G_N_ELEMENTS (seeds));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/random-dumps/one-device", test_one_device);
  g_test_add_func ("/random-dumps/sharded", test_sharded);
  g_test_add_func ("/random-dumps/axes", test_axes);
  return g_test_run ();
}
