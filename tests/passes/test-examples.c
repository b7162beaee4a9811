/* Tests the example scripts with reader and passes: golden dumps, and refusals at their script
 * lines. */
#include <string.h>

#include "fixture.h"
#include "script/script.h"

static HirScript *
load_examples (void)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "app", "examples", "single_device.py", NULL);
  GError *error = NULL;
  HirSource *source = hir_script_load (path, &error);
  HirScript *script;

  g_assert_no_error (error);
  script = hir_script_parse (source, NULL);
  hir_source_unref (source);
  g_assert_cmpuint (hir_script_get_n_errors (script), ==, 0);
  return script;
}

static HirContainer *
read_example (HirScript *script, const char *function)
{
  GError *error = NULL;
  HirContainer *fusion = hir_script_run (script, function, NULL, NULL, &error);

  g_assert_no_error (error);
  return fusion;
}

static void
test_golden (void)
{
  static const char *const names[] = { "single_set_op", "two_set_ops",
                                       "three_set_ops_disjoint_loops" };
  g_autoptr (HirScript) script = load_examples ();

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      g_autoptr (HirContainer) fusion = read_example (script, names[i]);
      g_autoptr (HirLowering) lowering =
          fix_lower (fusion, "StreamParallelType.initial_sync=in_loop");
      g_autofree char *file = g_strconcat (names[i], ".in_loop.txt", NULL);

      fix_assert_golden (hir_lowering_get_last (lowering)->program, file);
    }
}

static void
test_accepted (void)
{
  g_autoptr (HirScript) script = load_examples ();
  g_autoptr (GPtrArray) functions = hir_script_dup_candidates (script);
  guint n_accepted = 0;

  for (guint i = 0; i < functions->len; i++)
    {
      const HirScriptFunction *function = functions->pdata[i];
      g_autoptr (HirContainer) fusion = NULL;
      g_autoptr (HirLowering) lowering = NULL;

      /* matmul_over() is a helper of the others. */
      if (g_str_has_prefix (function->name, "refused_") || function->params->len > 0)
        continue;
      fusion = read_example (script, function->name);
      lowering = fix_lower (fusion, NULL);
      g_assert_true (hir_lowering_lookup (lowering, "StreamParallelType")->changed);
      n_accepted++;
    }
  g_assert_cmpuint (n_accepted, ==, 9);
}

/* A rejected function, and the text of the line with the error. */
typedef struct
{
  const char *function;
  const char *line;
  const char *reason;
} Refusal;

static const Refusal refusals[] = {
  { "refused_stream_input", "tv0.axis(0).parallelize(ParallelType.stream)", "input of the fusion" },
  { "refused_split_axis", "tv1.axis(0).parallelize(ParallelType.stream)", "result of the split" },
  { "refused_merged_axis", "tv1.axis(0).parallelize(ParallelType.stream)", "result of the merge" },
  { "refused_reduction_axis", "tv1.axis(0).parallelize(ParallelType.stream)", "reduced by sum" },
  { "refused_matmul_k", "c.axis(axis).parallelize(ParallelType.stream)", "matmul sums over" },
  { "refused_op_in_host_unit", "tv1.axis(0).parallelize(ParallelType.stream)",
    "inside HostUnit0 by abs" },
  { "refused_two_stream_axes", "tv1.axis(1).parallelize(ParallelType.stream)", "two stream axes" },
};

static void
test_refused (void)
{
  g_autoptr (HirScript) script = load_examples ();
  g_autoptr (GHashTable) messages = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < G_N_ELEMENTS (refusals); i++)
    {
      g_autoptr (HirContainer) fusion = read_example (script, refusals[i].function);
      g_autoptr (GError) error = fix_refusal (fusion);
      HirPos pos = hir_error_get_pos (error);
      g_autofree char *line = hir_source_dup_line (fusion->source, pos.line);

      g_assert_error (error, HIR_ERROR, HIR_ERROR_REFUSED);
      g_assert_cmpstr (g_strstrip (line), ==, refusals[i].line);
      g_assert_cmpuint (pos.column, >, 1);
      if (strstr (error->message, refusals[i].reason) == NULL)
        g_error ("no '%s' in: %s", refusals[i].reason, error->message);
      g_assert_true (g_hash_table_add (messages, g_strdup (error->message)));
    }
}

static gboolean
collect_id (HirExpr *expr, guint depth, gpointer user_data)
{
  g_array_append_val ((GArray *) user_data, expr->node.id);
  return TRUE;
}

/* Returns the ids of all nodes in the last snapshot of @function of the script @text. */
static GArray *
lower_text (const char *text, const char *function)
{
  HirSource *source = hir_source_new ("edited.py", text, -1);
  g_autoptr (HirScript) script = hir_script_parse (source, NULL);
  g_autoptr (HirContainer) fusion = read_example (script, function);
  g_autoptr (HirLowering) lowering = fix_lower (fusion, NULL);
  HirContainer *program = hir_lowering_get_last (lowering)->program;
  GArray *ids = g_array_new (FALSE, FALSE, sizeof (guint64));

  hir_source_unref (source);
  hir_container_foreach_expr (program, collect_id, ids);
  for (guint i = 0; i < program->tensors.len; i++)
    g_array_append_val (ids, HIR_VAL (program->tensors.items[i])->node.id);
  return ids;
}

static char *
replace (const char *text, const char *old, const char *new)
{
  g_auto (GStrv) parts = g_strsplit (text, old, -1);

  g_assert_cmpuint (g_strv_length (parts), >, 1);
  return g_strjoinv (new, parts);
}

/* Editing another function or renaming a variable changes no id; editing the function changes some.
 */
static void
test_edits (void)
{
  g_autoptr (HirScript) script = load_examples ();
  const char *text = hir_script_get_source (script)->text;
  g_autofree char *other =
      replace (text, "def single_set_op():\n", "def single_set_op():\n    n = 7\n    n = n + 1\n");
  g_autofree char *renamed = replace (text, "tv1", "renamed");
  g_autofree char *edited = replace (text, "for tv in (tv1, tv2)", "for tv in (tv1,)");
  g_autoptr (GArray) before = lower_text (text, "two_set_ops");
  g_autoptr (GArray) after_other = lower_text (other, "two_set_ops");
  g_autoptr (GArray) after_renamed = lower_text (renamed, "two_set_ops");
  g_autoptr (GArray) after_edited = lower_text (edited, "two_set_ops");

  g_assert_cmpmem (before->data, before->len * sizeof (guint64), after_other->data,
                   after_other->len * sizeof (guint64));
  g_assert_cmpmem (before->data, before->len * sizeof (guint64), after_renamed->data,
                   after_renamed->len * sizeof (guint64));
  g_assert_cmpuint (after_edited->len, !=, before->len);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/passes/examples/golden", test_golden);
  g_test_add_func ("/passes/examples/accepted", test_accepted);
  g_test_add_func ("/passes/examples/refused", test_refused);
  g_test_add_func ("/passes/examples/edits", test_edits);
  return g_test_run ();
}
