/* Tests docs/host-ir.md#table-42 (nvFuser's MultiDeviceStreamParallelTypeTest) with the example
 * scripts: golden dumps and structures, for every rank of several numbers of devices. */
#include <string.h>

#include "fixture-devices.h"
#include "script/script.h"

typedef struct
{
  const char *scenario; /* name in nvFuser */
  const char *function;
  const char *golden; /* nullable */
  const char *top;
  const char *body;               /* nullable */
  const char *collective, *alone; /* with several devices, with one */
} Scenario;

#define TOP " GetCurrentStream FOR FOR"
#define EXCHANGE "IF{HirAliasSelect Set}ELSE{StartCoalescing recv send EndCoalescing Wait}"

static const Scenario scenarios[] = {
  { "Allgather", "allgather", "allgather.txt", "ALLOCATE" TOP,
    "HirAliasSelect HirAliasSelect ALLOCATE %s Wait", "Allgather", "Broadcast@0" },
  { "Allreduce", "allreduce", "allreduce.txt", "ALLOCATE" TOP,
    "HirAliasSelect HirAliasSelect ALLOCATE %s Wait", "Allreduce:add", "Allreduce:add" },
  { "ReduceScatter", "reduce_scatter", "reduce_scatter.txt", "ALLOCATE" TOP,
    "HirAliasSelect HirAliasSelect ALLOCATE %s Wait", "ReduceScatter:add", "Allreduce:add" },
  { "AG_matmul", "ag_matmul", "ag_matmul.txt", "ALLOCATE ALLOCATE" TOP,
    "HirAliasSelect HirAliasSelect ALLOCATE %s Wait HirAliasSelect matmul", "Allgather",
    "Broadcast@0" },
  { "matmul_AR", "matmul_AR", NULL, "ALLOCATE ALLOCATE" TOP,
    "HirAliasSelect HirAliasSelect matmul HirAliasSelect ALLOCATE %s Wait", "Allreduce:add",
    "Allreduce:add" },
  { "matmul_RS_through_bcast", "matmul_RS_through_bcast", NULL,
    "PostOnStream ALLOCATE ALLOCATE" TOP,
    "HirAliasSelect HirAliasSelect HirAliasSelect matmul HirAliasSelect ALLOCATE %s Wait",
    "ReduceScatter:add", "Allreduce:add" },
  { "AllgatherP2p", "allgather_p2p", "allgather_p2p.txt", "ALLOCATE" TOP,
    "HirAliasSelect " EXCHANGE, NULL, NULL },
  { "AG_matmul_P2p", "AG_matmul_P2p", NULL, "ALLOCATE ALLOCATE" TOP,
    "HirAliasSelect " EXCHANGE " HirAliasSelect matmul", NULL, NULL },
};

static HirScript *
load_examples (void)
{
  g_autofree char *path =
      g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "app", "examples", "multi_device.py", NULL);
  GError *error = NULL;
  HirSource *source = hir_script_load (path, &error);
  HirScript *script;

  g_assert_no_error (error);
  script = hir_script_parse (source, NULL);
  hir_source_unref (source);
  return script;
}

static HirLowering *
lower (HirScript *script, const char *function, gint64 n_devices, gint64 rank)
{
  const HirScriptOptions options = { .n_devices = n_devices };
  g_autoptr (HirPipeline) pipeline = hir_pipeline_new (HIR_PIPELINE_EXECUTOR);
  g_autoptr (HirContainer) fusion = NULL;
  GError *error = NULL;
  HirLowering *lowering;

  fusion = hir_script_run (script, function, &options, NULL, &error);
  g_assert_no_error (error);
  lowering = hir_pipeline_run (pipeline, fusion, rank, n_devices, NULL);
  g_assert_no_error (lowering->error);
  return lowering;
}

/* Removes the tensors, and everything of the collective except its type, after checking that its
 * team contains all devices. */
static char *
dup_body (HirContainer *program, gint64 n_devices)
{
  g_autofree char *brief = fix_brief_loop (program);
  g_autoptr (GRegex) tensors = g_regex_new ("\\(T\\d+\\)", 0, 0, NULL);
  g_autoptr (GString) team = g_string_new ("(");
  g_autofree char *kinds = g_regex_replace_literal (tensors, brief, -1, 0, "", 0, NULL);
  g_auto (GStrv) parts = NULL;

  for (gint64 i = 0; i < n_devices; i++)
    g_string_append_printf (team, "%s%" G_GINT64_FORMAT, i > 0 ? " " : "", i);
  g_string_append_c (team, ')');
  parts = g_strsplit (kinds, team->str, -1);
  return g_strjoinv ("", parts);
}

static gboolean
check_position (HirExpr *expr, guint depth, gpointer user_data)
{
  g_assert_cmpuint (expr->node.pos.line, >, 0);
  return TRUE;
}

static void
assert_structure (const Scenario *scenario, HirContainer *program, gint64 n_devices)
{
  const char *collective = n_devices > 1 ? scenario->collective : scenario->alone;
  g_autoptr (GString) wanted = g_string_new ("SetCurrentStream ");
  g_autofree char *top = fix_kinds (&program->top);
  g_autofree char *body = dup_body (program, n_devices);

  g_string_append (wanted, scenario->body);
  g_string_replace (wanted, "%s", collective != NULL ? collective : "", 1);
  g_string_append (wanted, " SetCurrentStream Synchronize");
  g_assert_cmpstr (top, ==, scenario->top);
  g_assert_cmpstr (body, ==, wanted->str);
  hir_container_foreach_expr (program, check_position, NULL);
}

static void
test_scenario (gconstpointer data)
{
  const Scenario *scenario = data;
  static const gint64 n_devices[] = { 1, 2, 3, 4, 8 };
  g_autoptr (HirScript) script = load_examples ();

  for (guint i = 0; i < G_N_ELEMENTS (n_devices); i++)
    {
      g_autofree char *first = NULL;

      for (gint64 rank = 0; rank < n_devices[i]; rank++)
        {
          g_autoptr (HirLowering) lowering = lower (script, scenario->function, n_devices[i], rank);
          HirContainer *program = hir_lowering_get_last (lowering)->program;
          g_autofree char *text = hir_container_print (program, HIR_FORMAT_2025, NULL);

          assert_structure (scenario, program, n_devices[i]);
          if (n_devices[i] == 8 && rank == 0 && scenario->golden != NULL)
            fix_assert_golden (program, scenario->golden);
          /* With one mesh, all ranks have the same program. */
          if (first == NULL)
            first = g_strdup (text);
          g_assert_cmpstr (text, ==, first);
        }
    }
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (scenarios); i++)
    {
      g_autofree char *path = g_strconcat ("/multi-device/", scenarios[i].scenario, NULL);

      g_test_add_data_func (path, &scenarios[i], test_scenario);
    }
  return g_test_run ();
}
