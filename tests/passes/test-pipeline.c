/* Tests the pass manager: selection of passes, options, hooks, failures, change detection. */
#include <string.h>

#include "fixture-devices.h"
#include "fixture.h"

static HirContainer *
streamed_set (void)
{
  HirContainer *fusion = fix_fusion ();
  HirTensor *out = fix_set (fusion, fix_input (fusion, 2));

  fix_output (fusion, out);
  fix_stream (fusion, out, 0);
  return fusion;
}

/* The manager does not depend on which passes exist: two are enough. */
static HirPipeline *
two_passes_new (void)
{
  static const char *const kept[] = { "SegmentFusion", "StreamParallelType", NULL };
  HirPipeline *pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
  const HirPass *const *table = hir_pass_get_table (HIR_PIPELINE_EXECUTOR);

  for (guint i = 0; table[i] != NULL; i++)
    {
      if (!g_strv_contains (kept, table[i]->name))
        g_assert_true (hir_pipeline_set_enabled (pipeline, table[i]->name, FALSE, NULL));
    }
  return pipeline;
}

static void
assert_message (GError **error, const char *part)
{
  g_assert_error (*error, HIR_ERROR, HIR_ERROR_INPUT);
  if (strstr ((*error)->message, part) == NULL)
    g_error ("no '%s' in: %s", part, (*error)->message);
  g_clear_error (error);
}

static void
test_options (void)
{
  g_autoptr (HirPipeline) pipeline = two_passes_new ();
  GError *error = NULL;

  g_assert_cmpstr (hir_pipeline_get_option (pipeline, "StreamParallelType", "initial_sync"), ==,
                   "separate");
  g_assert_true (
      hir_pipeline_set_option (pipeline, "StreamParallelType.initial_sync=in_loop", &error));
  g_assert_cmpstr (hir_pipeline_get_option (pipeline, "StreamParallelType", "initial_sync"), ==,
                   "in_loop");

  g_assert_false (
      hir_pipeline_set_option (pipeline, "StreamParallelType.initial_sync=never", &error));
  assert_message (&error, "separate or in_loop, not 'never'");
  g_assert_false (hir_pipeline_set_option (pipeline, "StreamParallelType.colour=red", &error));
  assert_message (&error, "no option 'colour'; its options are initial_sync");
  g_assert_false (hir_pipeline_set_option (pipeline, "SegmentFusion.colour=red", &error));
  assert_message (&error, "this pass has no options");
  g_assert_false (hir_pipeline_set_option (pipeline, "Stream.initial_sync=in_loop", &error));
  assert_message (&error, "SegmentFusion, StreamParallelType");
  g_assert_false (hir_pipeline_set_option (pipeline, "initial_sync", &error));
  assert_message (&error, "Pass.option=value");
  g_assert_null (hir_pipeline_get_option (pipeline, "Stream", "x"));
  /* A rejected value keeps the previous one. */
  g_assert_cmpstr (hir_pipeline_get_option (pipeline, "StreamParallelType", "initial_sync"), ==,
                   "in_loop");
}

static void
test_enable (void)
{
  g_autoptr (HirContainer) fusion = streamed_set ();
  g_autoptr (HirPipeline) pipeline = two_passes_new ();
  g_autoptr (HirLowering) lowering = NULL;
  GError *error = NULL;

  g_assert_true (hir_pipeline_get_enabled (pipeline, "StreamParallelType"));
  g_assert_true (hir_pipeline_set_enabled (pipeline, "StreamParallelType", FALSE, &error));
  g_assert_false (hir_pipeline_set_enabled (pipeline, "Nothing", FALSE, &error));
  assert_message (&error, "there is no pass 'Nothing'");
  lowering = hir_pipeline_run (pipeline, fusion, 0, 1, NULL);
  g_assert_no_error (lowering->error);
  g_assert_cmpuint (lowering->snapshots->len, ==, 2);
  g_assert_null (hir_lowering_lookup (lowering, "StreamParallelType"));
}

/* Every pass of the table has texts for users. */
static void
test_table (void)
{
  const HirPass *const *table = hir_pass_get_table (HIR_PIPELINE_EXECUTOR);

  for (guint i = 0; table[i] != NULL; i++)
    {
      g_assert_true (hir_pass_lookup (HIR_PIPELINE_EXECUTOR, table[i]->name) == table[i]);
      g_assert_cmpuint (strlen (table[i]->summary), >, 10);
      g_assert_null (strchr (table[i]->summary, '\n'));
      g_assert_cmpuint (strlen (table[i]->help), >, 100);
      for (const HirPassOption *option = table[i]->options; option != NULL && option->name != NULL;
           option++)
        {
          g_assert_nonnull (option->summary);
          if (option->choices != NULL)
            g_assert_true (g_strv_contains (option->choices, option->default_value));
        }
    }
  g_assert_null (hir_pass_lookup (HIR_PIPELINE_EXECUTOR, "Nothing"));
}

typedef struct
{
  GString *log;
  HirPassControl control;
  const char *fail_after;
} Watch;

static HirPassControl
watch_before (const HirPass *pass, HirContainer *program, gpointer user_data)
{
  Watch *watch = user_data;

  g_string_append_printf (watch->log, "<%s ", pass->name);
  return watch->control;
}

static gboolean
watch_after (const HirPass *pass, HirSnapshot *snapshot, gpointer user_data, GError **error)
{
  Watch *watch = user_data;

  g_assert_true (snapshot->pass == pass);
  g_string_append_printf (watch->log, "%s> ", snapshot->pass_name);
  if (g_strcmp0 (watch->fail_after, snapshot->pass_name) == 0)
    {
      hir_set_error (error, HIR_ERROR_RUN, NULL, "found wanting");
      return FALSE;
    }
  return TRUE;
}

static void
watch_failed (const HirPass *pass, HirContainer *program, const GError *error, gpointer user_data)
{
  Watch *watch = user_data;

  g_assert_nonnull (program);
  g_string_append_printf (watch->log, "!%s ", pass != NULL ? pass->name : "Fusion");
}

static HirLowering *
run_watched (HirContainer *fusion, Watch *watch)
{
  g_autoptr (HirPipeline) pipeline = two_passes_new ();
  HirPassHooks hooks = { watch_before, watch_after, watch_failed, watch };

  watch->log = g_string_new (NULL);
  hir_pipeline_add_hooks (pipeline, &hooks);
  return hir_pipeline_run (pipeline, fusion, 0, 1, NULL);
}

static void
assert_log (Watch *watch, const char *expected)
{
  g_assert_cmpstr (watch->log->str, ==, expected);
  g_string_free (watch->log, TRUE);
}

static void
test_hooks (void)
{
  g_autoptr (HirContainer) fusion = streamed_set ();
  Watch watch = { .control = HIR_PASS_APPLY };
  g_autoptr (HirLowering) all = run_watched (fusion, &watch);
  g_autoptr (HirLowering) stopped = NULL;
  g_autoptr (HirLowering) skipped = NULL;
  g_autoptr (HirLowering) failed = NULL;

  assert_log (&watch,
              "Fusion> <SegmentFusion SegmentFusion> <StreamParallelType StreamParallelType> ");
  g_assert_cmpuint (all->snapshots->len, ==, 3);

  watch.control = HIR_PASS_STOP;
  stopped = run_watched (fusion, &watch);
  assert_log (&watch, "Fusion> <SegmentFusion ");
  g_assert_no_error (stopped->error);
  g_assert_cmpuint (stopped->snapshots->len, ==, 1);

  watch.control = HIR_PASS_SKIP;
  skipped = run_watched (fusion, &watch);
  assert_log (&watch, "Fusion> <SegmentFusion <StreamParallelType ");
  g_assert_no_error (skipped->error);

  watch.control = HIR_PASS_APPLY;
  watch.fail_after = "SegmentFusion";
  failed = run_watched (fusion, &watch);
  assert_log (&watch, "Fusion> <SegmentFusion SegmentFusion> !SegmentFusion ");
  g_assert_error (failed->error, HIR_ERROR, HIR_ERROR_RUN);
  g_assert_true (failed->failed_pass == &hir_pass_segment_fusion);
  g_assert_cmpstr (failed->failed_snapshot->pass_name, ==, "Fusion");
  g_assert_cmpuint (failed->snapshots->len, ==, 1);
}

/* The verifier is hooked in: a fusion that reads an undefined value is rejected. */
static void
test_broken_fusion (void)
{
  g_autoptr (HirContainer) fusion = streamed_set ();
  g_autoptr (HirPipeline) pipeline = two_passes_new ();
  g_autoptr (HirLowering) lowering = NULL;

  fusion->inputs.len = 0;
  lowering = hir_pipeline_run (pipeline, fusion, 0, 1, NULL);
  g_assert_error (lowering->error, HIR_ERROR, HIR_ERROR_INVALID_IR);
  g_assert_null (lowering->failed_pass);
  g_assert_null (hir_lowering_get_last (lowering));
}

static void
test_cancel (void)
{
  g_autoptr (HirContainer) fusion = streamed_set ();
  g_autoptr (HirPipeline) pipeline = two_passes_new ();
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (HirLowering) lowering = NULL;

  g_cancellable_cancel (cancellable);
  lowering = hir_pipeline_run (pipeline, fusion, 0, 1, cancellable);
  g_assert_error (lowering->error, HIR_ERROR, HIR_ERROR_CANCELLED);
  g_assert_cmpuint (lowering->snapshots->len, ==, 1);
}

typedef struct
{
  const char *pass_name;
  GCancellable *cancellable;
} CancelIn;

static HirPassControl
cancel_in (const HirPass *pass, HirContainer *program, gpointer user_data)
{
  const CancelIn *in = user_data;

  if (g_str_equal (pass->name, in->pass_name))
    g_cancellable_cancel (in->cancellable);
  return HIR_PASS_APPLY;
}

/* A running pass stops, too, not only the pipeline before the next pass. */
static void
test_cancel_within (void)
{
  static const char *const names[] = { "PropagateShardings",      "InsertReshardings",
                                       "ReorderShardedAxis",      "FinalizeMultideviceDomains",
                                       "SegmentFusion",           "StreamParallelType",
                                       "ConvertOpToCommunication" };

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (HirContainer) fusion = streamed_set ();
      g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      CancelIn in = { names[i], cancellable };
      const HirPassHooks hooks = { .before = cancel_in, .user_data = &in };
      g_autoptr (HirLowering) lowering = NULL;

      fix_on_mesh (fusion, fusion->inputs.items[0], "0 1");
      g_assert_true (hir_pipeline_set_enabled (pipeline, names[i], TRUE, NULL));
      hir_pipeline_add_hooks (pipeline, &hooks);
      lowering = hir_pipeline_run (pipeline, fusion, 0, 2, cancellable);
      g_assert_error (lowering->error, HIR_ERROR, HIR_ERROR_CANCELLED);
      g_assert_cmpstr (lowering->failed_pass->name, ==, names[i]);
      g_assert_null (hir_lowering_lookup (lowering, names[i]));
    }
}

/* Counts are by id and content: a set in a loop is another op, derived from the first. */
static void
test_changes (void)
{
  g_autoptr (HirContainer) fusion = streamed_set ();
  g_autoptr (HirLowering) lowering = fix_lower (fusion, NULL);
  HirSnapshot *input = hir_lowering_lookup (lowering, "Fusion");
  HirSnapshot *segmented = hir_lowering_lookup (lowering, "SegmentFusion");
  HirSnapshot *streamed = hir_lowering_lookup (lowering, "StreamParallelType");

  g_assert_true (input->changed);
  g_assert_cmpuint (input->n_created, ==, 3);
  g_assert_cmpint (input->duration_ns, ==, 0);
  g_assert_true (segmented->changed);
  g_assert_cmpuint (segmented->n_removed, ==, 0);
  g_assert_true (streamed->changed);
  g_assert_cmpuint (streamed->n_removed, ==, 1);
  /* Two slices; Allocate, GetCurrentStream, two loops with 2 + 6 ops. */
  g_assert_cmpuint (streamed->n_created, ==, 14);
  g_assert_cmpint (streamed->duration_ns, >, 0);
  /* Passes without work leave the program unchanged. */
  g_assert_cmphex (hir_lowering_get_last (lowering)->hash, ==, streamed->hash);
}

/* Without a mesh, the passes for devices pass the program on and must not modify it. */
static void
test_not_applying (void)
{
  static const char *const names[] = { "PropagateShardings", "InsertReshardings",
                                       "FinalizeMultideviceDomains" };
  g_autoptr (HirContainer) fusion = streamed_set ();
  g_autoptr (HirLowering) lowering = fix_lower (fusion, NULL);
  HirSnapshot *input = hir_lowering_lookup (lowering, "Fusion");
  HirSnapshot *segmented = hir_lowering_lookup (lowering, "SegmentFusion");
  guint64 hash = input->hash;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      HirSnapshot *snapshot = hir_lowering_lookup (lowering, names[i]);

      g_assert_true (snapshot->is_shared);
      g_assert_true (snapshot->program == input->program);
      g_assert_false (snapshot->changed);
      g_assert_cmphex (snapshot->hash, ==, hash);
      g_assert_cmpuint (snapshot->n_created + snapshot->n_changed + snapshot->n_removed, ==, 0);
    }
  g_assert_false (segmented->is_shared);
  g_assert_true (segmented->program != input->program);
  g_assert_cmpint (input->program->kind, ==, HIR_CONTAINER_FUSION);
}

/* Snapshots outlive the lowering that created them. */
static void
test_snapshot_lives_on (void)
{
  g_autoptr (HirContainer) fusion = streamed_set ();
  HirLowering *lowering = fix_lower (fusion, NULL);
  g_autoptr (HirSnapshot) last = hir_snapshot_ref (hir_lowering_get_last (lowering));
  g_autofree char *text = NULL;

  hir_lowering_free (lowering);
  text = hir_container_print (last->program, HIR_FORMAT_2025, NULL);
  g_assert_nonnull (strstr (text, "FOR StreamIdx"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/pipeline/options", test_options);
  g_test_add_func ("/passes/pipeline/enable", test_enable);
  g_test_add_func ("/passes/pipeline/table", test_table);
  g_test_add_func ("/passes/pipeline/hooks", test_hooks);
  g_test_add_func ("/passes/pipeline/broken-fusion", test_broken_fusion);
  g_test_add_func ("/passes/pipeline/cancel", test_cancel);
  g_test_add_func ("/passes/pipeline/cancel-within", test_cancel_within);
  g_test_add_func ("/passes/pipeline/changes", test_changes);
  g_test_add_func ("/passes/pipeline/not-applying", test_not_applying);
  g_test_add_func ("/passes/pipeline/snapshot-lives-on", test_snapshot_lives_on);
  return g_test_run ();
}
