/* Tests random fusions: direct evaluation and the lowered host program give the same numbers, on
 * any number of streams and with random delays of tasks. HIR_RANDOM_COUNT and HIR_RANDOM_SEED
 * select the cases. A failure prints the script that reproduces it. */
#include "build-random.h"
#include "run-fixture.h"

typedef struct
{
  guint n, rejected, rejected_at_run, looped, merged, ran, undecided;
} Counts;

static guint64
get_number (const char *name, guint64 otherwise)
{
  const char *text = g_getenv (name);

  return text != NULL ? g_ascii_strtoull (text, NULL, 10) : otherwise;
}

static gboolean
count_loop (HirExpr *expr, guint depth, gpointer user_data)
{
  Counts *found = user_data;
  guint n_ops = 0;

  if (expr->kind != HIR_EXPR_FOR)
    return TRUE;
  for (guint i = 0; i < expr->u.loop.body.exprs.len; i++)
    n_ops += hir_expr_is_standalone (expr->u.loop.body.exprs.items[i]);
  found->looped += n_ops > 0;
  found->merged += n_ops > 1;
  return TRUE;
}

static void
show_failure (guint64 seed, const HirRandomFusion *random, const RunResult *result)
{
  g_autofree char *script = hir_random_fusion_to_script (random);

  g_test_message ("seed %" G_GUINT64_FORMAT " computes something else:\n%s\n%s\n%s\n%s", seed,
                  script, result->inputs != NULL ? result->inputs : "",
                  result->report != NULL ? result->report : "",
                  result->error != NULL ? result->error->message : "");
}

static void
try_one (guint64 seed, Counts *counts)
{
  static const gint64 streams[] = { 1, 2, 4, 7 };
  g_autoptr (HirRandomFusion) random = hir_random_fusion_new (seed);
  g_auto (GStrv) shapes = hir_random_fusion_dup_input_shapes (random);
  g_autoptr (HirContainer) fusion = hir_random_fusion_build (random, NULL);
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
  g_autoptr (HirLowering) lowering = NULL;
  HirRunOptions options = run_options ();
  Counts found = { 0 };
  RunResult result;

  counts->n++;
  lowering = fusion != NULL ? hir_pipeline_run (pipeline, fusion, 0, 1, NULL) : NULL;
  if (lowering == NULL || lowering->error != NULL)
    {
      counts->rejected++;
      return;
    }
  options.n_streams = streams[seed % G_N_ELEMENTS (streams)];
  options.seed = seed;
  options.inputs = (const char *const *) shapes;
  options.max_delay_us = seed % 3 == 0 ? 200 : 0;
  options.delay_seed = (guint32) seed;
  hir_container_foreach_expr (hir_lowering_get_last (lowering)->program, count_loop, &found);
  result = run_program (fusion, hir_lowering_get_last (lowering)->program, &options, FALSE);
  if (g_error_matches (result.error, HIR_ERROR, HIR_ERROR_REFUSED))
    {
      g_test_message ("seed %" G_GUINT64_FORMAT ": %s", seed, result.error->message);
      counts->rejected_at_run++;
    }
  else
    {
      if (!result.passed)
        show_failure (seed, random, &result);
      g_assert_no_error (result.error);
      g_assert_true (result.passed);
      counts->ran++;
      counts->undecided += strstr (result.report, "UNDECIDED") != NULL;
      counts->looped += found.looped > 0;
      counts->merged += found.merged > 0;
    }
  run_result_clear (&result);
}

static void
test_random (void)
{
  guint64 n = get_number ("HIR_RANDOM_COUNT", 1000), seed = get_number ("HIR_RANDOM_SEED", 1);
  Counts counts = { 0 };

  for (guint64 i = 0; i < n; i++)
    try_one (seed + i, &counts);
  g_test_message ("%u random fusions from seed %" G_GUINT64_FORMAT
                  ": %u rejected by a pass, %u when run, %u computed the same; of those %u with a "
                  "stream loop, %u with several ops in one, %u undecided",
                  counts.n, seed, counts.rejected, counts.rejected_at_run, counts.ran,
                  counts.looped, counts.merged, counts.undecided);
  if (n >= 100)
    g_assert_cmpuint (counts.looped * 10, >=, counts.n * 4);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/run/random-programs", test_random);
  return g_test_run ();
}
