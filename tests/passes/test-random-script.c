/* Tests that the script of a random fusion, read back, gives the fusion built by direct calls, so
 * that a script printed by a failing test reproduces the failure. */
#include "build-random.h"
#include "pipeline.h"
#include "print/print.h"
#include "script/script.h"
#include "structural-hash.h"

#define N_SEEDS 500

static HirContainer *
read_script (const char *text, GError **error)
{
  HirSource *source = hir_source_new ("random.py", text, -1);
  g_autoptr (HirScript) script = hir_script_parse (source, NULL);
  HirScriptOptions options = { .n_devices = 1 };

  hir_source_unref (source);
  g_assert_cmpuint (hir_script_get_n_errors (script), ==, 0);
  return hir_script_run (script, "random_fusion", &options, NULL, error);
}

static void
test_same_fusion (void)
{
  for (guint64 seed = 1; seed <= N_SEEDS; seed++)
    {
      g_autoptr (HirRandomFusion) random = hir_random_fusion_new (seed);
      g_autofree char *text = hir_random_fusion_to_script (random);
      g_autoptr (GError) error = NULL;
      g_autoptr (GError) read_error = NULL;
      g_autoptr (HirContainer) built = hir_random_fusion_build (random, &error);
      g_autoptr (HirContainer) read = read_script (text, &read_error);
      g_autofree char *built_text = NULL;
      g_autofree char *read_text = NULL;

      if (built == NULL)
        {
          /* The same error with the same message. */
          g_assert_nonnull (error);
          g_assert_nonnull (read_error);
          g_assert_null (read);
          continue;
        }
      if (read == NULL)
        g_error ("%s\n%s", read_error->message, text);
      built_text = hir_container_print (built, HIR_FORMAT_2025, NULL);
      read_text = hir_container_print (read, HIR_FORMAT_2025, NULL);
      g_assert_cmpstr (read_text, ==, built_text);
      g_assert_cmpuint (hir_container_hash (read), ==, hir_container_hash (built));
    }
}

/* An error of lowering refers to a script line with a schedule or an op. */
static void
test_refused_line (void)
{
  guint n_refused = 0;

  for (guint64 seed = 1; seed <= N_SEEDS; seed++)
    {
      g_autoptr (HirRandomFusion) random = hir_random_fusion_new (seed);
      g_autofree char *text = hir_random_fusion_to_script (random);
      g_autoptr (HirContainer) fusion = read_script (text, NULL);
      g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
      g_autoptr (HirLowering) lowering = NULL;
      g_autofree char *line = NULL;

      if (fusion == NULL)
        continue;
      lowering = hir_pipeline_run (pipeline, fusion, 0, 1, NULL);
      if (lowering->error == NULL)
        continue;
      n_refused++;
      line = hir_source_dup_line (fusion->source, hir_error_get_pos (lowering->error).line);
      g_assert_nonnull (line);
      g_assert_true (strstr (line, ".parallelize(") != NULL || strstr (line, ".split(") != NULL ||
                     strstr (line, ".merge(") != NULL || strstr (line, "fd.ops.") != NULL);
    }
  g_assert_cmpuint (n_refused, >, N_SEEDS / 50);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/random-script/same-fusion", test_same_fusion);
  g_test_add_func ("/passes/random-script/refused-line", test_refused_line);
  return g_test_run ();
}
