/* Tests the selection of a script line, and the history of nodes and lines. */
#include "selection/selection-history.h"

static const char script[] =
    "from nvfuser_direct import FusionDefinition, DataType, ParallelType\n"
    "def f():\n"
    "    with FusionDefinition() as fd:\n"
    "        a = fd.define_tensor(shape=[8, 8], contiguity=True, dtype=DataType.Float)\n"
    "        c = fd.ops.set(a)\n"
    "        fd.add_output(c)\n"
    "        c.axis(0).parallelize(ParallelType.stream)\n"
    "    return fd\n";

enum
{
  SET_LINE = 5,
  STREAM_LINE = 7,
};

static HirSelection *
selection_new (void)
{
  g_autoptr (HirSource) source = hir_source_new ("f.py", script, -1);
  g_autoptr (HirRequest) request = hir_request_new (source, "f");
  g_autoptr (GError) error = NULL;
  g_autoptr (HirProgram) program = hir_program_new (request, NULL, NULL, &error);
  HirSelection *selection = hir_selection_new ();

  g_assert_no_error (error);
  g_assert_no_error (program->error);
  hir_selection_set_program (selection, program);
  return selection;
}

static guint
get_last_step (HirSelection *selection)
{
  return hir_selection_get_program (selection)->views->len - 1;
}

/* Returns a selected node of kind @kind in @step, or 0. */
static guint64
find_selected (HirSelection *selection, guint step, const char *kind)
{
  const HirProgramView *view = hir_selection_get_program (selection)->views->pdata[step];
  GArray *ids = hir_selection_get_nodes_at (selection, step);

  for (guint i = 0; i < ids->len; i++)
    {
      guint64 id = g_array_index (ids, guint64, i);

      if (g_str_equal (hir_program_view_lookup (view, id)->kind, kind))
        return id;
    }
  return 0;
}

static void
test_line (void)
{
  g_autoptr (HirSelection) selection = selection_new ();
  guint last = get_last_step (selection);

  g_assert_true (hir_selection_set_line (selection, STREAM_LINE));
  g_assert_cmpuint (hir_selection_get_line (selection), ==, STREAM_LINE);
  g_assert_cmpuint (hir_selection_get_script_pos (selection).line, ==, STREAM_LINE);
  g_assert_cmpuint (find_selected (selection, 0, "IterDomain"), !=, 0);
  g_assert_cmpuint (find_selected (selection, 0, "TensorView"), !=, 0);
  g_assert_cmpuint (find_selected (selection, 0, "LoadStoreOp"), ==, 0);
  g_assert_cmpuint (find_selected (selection, last, "ForLoop"), !=, 0);
  /* A line without nodes changes nothing. */
  g_assert_false (hir_selection_set_line (selection, 1));
  g_assert_false (hir_selection_set_line (selection, 0));
  g_assert_cmpuint (hir_selection_get_line (selection), ==, STREAM_LINE);
  g_assert_true (hir_selection_set_line (selection, SET_LINE));
  g_assert_cmpuint (find_selected (selection, 0, "LoadStoreOp"), !=, 0);
  hir_selection_set_node (selection, hir_selection_get_node (selection));
  g_assert_cmpuint (hir_selection_get_line (selection), ==, 0);
}

/* A program of the same script keeps the line; one of another script does not. */
static void
test_new_program (void)
{
  g_autoptr (HirSelection) selection = selection_new ();
  g_autoptr (HirSelection) same = selection_new ();
  g_autofree char *text = g_strconcat ("\n", script, NULL);
  g_autoptr (HirSource) source = hir_source_new ("f.py", text, -1);
  g_autoptr (HirRequest) request = hir_request_new (source, "f");
  g_autoptr (HirProgram) other = hir_program_new (request, NULL, NULL, NULL);

  g_assert_true (hir_selection_set_line (selection, STREAM_LINE));
  hir_selection_set_program (selection, hir_selection_get_program (same));
  g_assert_cmpuint (hir_selection_get_line (selection), ==, STREAM_LINE);
  g_assert_cmpuint (find_selected (selection, get_last_step (selection), "ForLoop"), !=, 0);
  hir_selection_set_program (selection, other);
  g_assert_cmpuint (hir_selection_get_line (selection), ==, 0);
}

static void
test_history (void)
{
  g_autoptr (HirSelection) selection = selection_new ();
  HirSelectionHistory *history = hir_selection_history_new (selection);
  guint last = get_last_step (selection);
  guint64 loop;

  g_assert_false (hir_selection_history_can_go (history, FALSE));
  g_assert_true (hir_selection_set_line (selection, STREAM_LINE));
  loop = find_selected (selection, last, "ForLoop");
  hir_selection_set_step (selection, last);
  hir_selection_set_node (selection, loop);
  g_assert_true (hir_selection_set_line (selection, SET_LINE));
  g_assert_false (hir_selection_history_can_go (history, TRUE));
  g_assert_true (hir_selection_history_go (history, FALSE));
  g_assert_cmpuint (hir_selection_get_node (selection), ==, loop);
  g_assert_cmpuint (hir_selection_get_line (selection), ==, 0);
  g_assert_true (hir_selection_history_go (history, FALSE));
  g_assert_cmpuint (hir_selection_get_line (selection), ==, STREAM_LINE);
  g_assert_cmpuint (hir_selection_get_step (selection), ==, 0);
  g_assert_false (hir_selection_history_can_go (history, FALSE));
  g_assert_false (hir_selection_history_go (history, FALSE));
  g_assert_true (hir_selection_history_go (history, TRUE));
  g_assert_true (hir_selection_history_go (history, TRUE));
  g_assert_cmpuint (hir_selection_get_line (selection), ==, SET_LINE);
  g_assert_false (hir_selection_history_can_go (history, TRUE));
  /* After Escape, the last selection is the one before. */
  hir_selection_clear (selection);
  g_assert_true (hir_selection_history_go (history, FALSE));
  g_assert_cmpuint (hir_selection_get_line (selection), ==, SET_LINE);
  hir_selection_history_free (history);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/selection/line", test_line);
  g_test_add_func ("/selection/new-program", test_new_program);
  g_test_add_func ("/selection/history", test_history);
  return g_test_run ();
}
