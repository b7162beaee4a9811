/* Random host programs, printed in every dialect and read back: they run to the same bits as before
 * they were printed, and agree with themselves in sequence. HIR_RANDOM_COUNT and HIR_RANDOM_SEED
 * choose more, and others. */
#include "build-random.h"
#include "read-dump.h"
#include "run-fixture.h"

typedef struct
{
  guint n_programs, n_read, n_refused, n_units, n_loops;
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
  counts->n_units += expr->kind == HIR_EXPR_POST_ON_STREAM;
  return TRUE;
}

static HirContainer *
print_and_read (HirContainer *program, HirFormat format)
{
  g_autofree char *text = hir_container_print (program, format, NULL);
  HirSource *source = hir_source_new ("dump.txt", text, -1);
  g_autoptr (GError) error = NULL;
  HirContainer *read = hir_dump_read (source, &format, &error);

  hir_source_unref (source);
  g_assert_no_error (error);
  return read;
}

static void
compare (guint64 seed, HirSession *printed, HirSession *lowered, HirContainer *program)
{
  for (guint i = 0; i < program->outputs.len; i++)
    {
      g_autoptr (GBytes) a = NULL;
      g_autoptr (GBytes) b = NULL;

      if (!HIR_IS_TENSOR (HIR_VAL (program->outputs.items[i])))
        continue;
      a = hir_session_dup_output (printed, 0, i, NULL);
      b = hir_session_dup_output (lowered, 0, i, NULL);
      if (a == NULL || b == NULL || !g_bytes_equal (a, b))
        {
          g_autofree char *text = hir_container_print (program, HIR_FORMAT_2025, NULL);

          g_error ("seed %" G_GUINT64_FORMAT ": output %u differs from what the printed program "
                   "gives\n%s",
                   seed, i, text);
        }
    }
}

static void
try_one (guint64 seed, Counts *counts)
{
  static const HirFormat formats[] = { HIR_FORMAT_2025, HIR_FORMAT_2026, HIR_FORMAT_2025_SELECT };
  g_autoptr (HirRandomFusion) random = hir_random_fusion_new (seed);
  g_auto (GStrv) shapes = hir_random_fusion_dup_input_shapes (random);
  g_autoptr (HirContainer) fusion = hir_random_fusion_build (random, NULL);
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new ();
  g_autoptr (HirLowering) lowering = NULL;
  g_autoptr (HirContainer) read = NULL;
  g_autoptr (HirSession) a = NULL;
  g_autoptr (HirSession) b = NULL;
  g_autoptr (GError) error = NULL;
  HirRunOptions options = run_options ();
  HirContainer *program;

  lowering = fusion != NULL ? hir_pipeline_run (pipeline, fusion, 0, 1, NULL) : NULL;
  if (lowering == NULL || lowering->error != NULL)
    return;
  program = hir_lowering_get_last (lowering)->program;
  options.seed = seed;
  options.inputs = (const char *const *) shapes;
  options.check = FALSE;
  b = hir_session_new (fusion, program, &options, NULL, NULL, NULL);
  if (b == NULL || !hir_session_run (b, NULL))
    return;
  counts->n_programs++;
  read = print_and_read (program, formats[seed % G_N_ELEMENTS (formats)]);
  options.check = TRUE;
  a = hir_session_new (read, read, &options, NULL, NULL, &error);
  if (a == NULL || !hir_session_run (a, &error))
    {
      /* What a loop domain hides can be several things, and then sizes may not fit. */
      g_test_message ("seed %" G_GUINT64_FORMAT ": %s", seed, error->message);
      if (g_test_verbose ())
        {
          g_autofree char *text = hir_container_print (program, HIR_FORMAT_2025, NULL);
          g_test_message ("%s", text);
        }
      counts->n_refused++;
      return;
    }
  if (!hir_check_report_passed (hir_session_get_report (a)))
    {
      g_autofree char *report = hir_check_report_format (hir_session_get_report (a));
      g_autofree char *text = hir_container_print (program, HIR_FORMAT_2025, NULL);

      g_error ("seed %" G_GUINT64_FORMAT ":\n%s%s", seed, report, text);
    }
  compare (seed, a, b, program);
  counts->n_read++;
  hir_container_foreach_expr (read, count_expr, counts);
}

static void
test_random (void)
{
  guint64 n = get_number ("HIR_RANDOM_COUNT", 300), seed = get_number ("HIR_RANDOM_SEED", 1);
  Counts counts = { 0 };

  for (guint64 i = 0; i < n; i++)
    try_one (seed + i, &counts);
  g_test_message ("%u programs: %u the same when printed, %u refused; %u HostUnits, %u loops",
                  counts.n_programs, counts.n_read, counts.n_refused, counts.n_units,
                  counts.n_loops);
  g_assert_cmpuint (counts.n_programs * 2, >, n);
  g_assert_cmpuint (counts.n_refused * 50, <=, counts.n_programs);
  g_assert_cmpuint (counts.n_units * 4, >, counts.n_programs);
  g_assert_cmpuint (counts.n_loops * 4, >, counts.n_programs);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/random-dumps/same", test_random);
  return g_test_run ();
}
