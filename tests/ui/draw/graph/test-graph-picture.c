#include "draw/graph/graph-picture.h"

#include "draw/graph/lanes.h"
#include "sample.h"

static HirProgramView *
sample_view (void)
{
  HirProgramView *view = hir_program_view_new_empty ();

  view->pass_name = g_strdup ("Pass");
  view->text = g_strdup ("");
  view->spans = g_array_new (FALSE, FALSE, sizeof (HirSpan));
  view->graph = sample_graph_ag_matmul ();
  return view;
}

static void
lay_out (HirPicture *picture)
{
  g_autoptr (HirMeasure) measure = hir_measure_new ();
  g_autoptr (HirSizes) sizes = hir_sizes_new (picture->graph, measure);

  picture->layout = hir_lanes_new (picture->graph, sizes);
}

static void
fold (HirGraphChoice *choice, guint64 key)
{
  g_hash_table_add (choice->folded, g_memdup2 (&key, sizeof key));
}

static void
test_choice (void)
{
  g_autoptr (HirProgramView) view = sample_view ();
  g_autoptr (HirGraphChoice) a = hir_graph_choice_new (view, NULL, NULL);
  g_autoptr (HirGraphChoice) b = hir_graph_choice_new (view, NULL, NULL);
  guint64 id = SAMPLE_MATMUL;

  g_assert_true (hir_graph_choice_equal (a, b));
  /* The distance is irrelevant without a neighborhood. */
  b->n_hops = 3;
  g_assert_true (hir_graph_choice_equal (a, b));
  g_array_append_val (a->near, id);
  g_array_append_val (b->near, id);
  g_assert_false (hir_graph_choice_equal (a, b));
  a->n_hops = 3;
  g_assert_true (hir_graph_choice_equal (a, b));
  fold (a, 1);
  fold (a, 2);
  g_assert_false (hir_graph_choice_equal (a, b));
  fold (b, 2);
  g_assert_cmpuint (hir_graph_choice_hash_folded (a), !=, hir_graph_choice_hash_folded (b));
  fold (b, 1);
  g_assert_cmpuint (hir_graph_choice_hash_folded (a), ==, hir_graph_choice_hash_folded (b));
  g_assert_true (hir_graph_choice_equal (a, b));
  b->lanes = TRUE;
  g_assert_false (hir_graph_choice_equal (a, b));
}

/* Tests what a click folds and unfolds, and that remaining boxes keep their keys. */
static void
test_groups (void)
{
  g_autoptr (HirProgramView) view = sample_view ();
  g_autoptr (HirGraphChoice) plain = hir_graph_choice_new (view, NULL, NULL);
  g_autoptr (HirGraphChoice) folded = hir_graph_choice_new (view, NULL, NULL);
  g_autoptr (HirPicture) before = hir_picture_new (plain);
  g_autoptr (HirPicture) after = NULL;
  g_autofree int *match = NULL;
  const HirRect *rect;
  gboolean is_folded;
  guint64 key;
  guint n_kept = 0;

  g_assert_true (before->graph == view->graph);
  lay_out (before);
  rect = &g_array_index (before->layout->groups, HirRect, 0);
  key = hir_picture_find_group (before, rect->x + 3, rect->y + 3, &is_folded);
  g_assert_cmpuint (key, ==, g_array_index (view->graph->groups, HirGraphGroup, 0).id);
  g_assert_false (is_folded);
  g_assert_cmpuint (hir_picture_find_group (before, -50, -50, &is_folded), ==, 0);
  g_assert_cmpuint (hir_picture_find_group_of (before, SAMPLE_MATMUL, &is_folded), ==, key);

  fold (folded, key);
  after = hir_picture_new (folded);
  lay_out (after);
  g_assert_cmpuint (after->graph->nodes->len, <, before->graph->nodes->len);
  for (guint i = 0; i < after->graph->nodes->len; i++)
    {
      const HirGraphNode *node = &g_array_index (after->graph->nodes, HirGraphNode, i);

      if (node->kind != HIR_GRAPH_FOLD)
        continue;
      rect = &g_array_index (after->layout->nodes, HirRect, i);
      g_assert_cmpuint (hir_picture_find_group (after, rect->x + 5, rect->y + 5, &is_folded), ==,
                        key);
      g_assert_true (is_folded);
      g_assert_cmpuint (hir_picture_find_group_of (after, node->id, &is_folded), ==, key);
      g_assert_true (is_folded);
    }
  /* The content of the loop is represented by its box. */
  g_assert_cmpuint (hir_picture_find_shown (before, SAMPLE_MATMUL), ==, SAMPLE_MATMUL);
  g_assert_cmpuint (hir_picture_find_shown (after, SAMPLE_MATMUL), ==,
                    g_array_index (view->graph->groups, HirGraphGroup, 0).id);
  g_assert_cmpuint (hir_picture_find_shown (after, 424242), ==, 0);
  match = hir_picture_match (before, after);
  for (guint i = 0; i < after->graph->nodes->len; i++)
    n_kept += match[i] >= 0;
  g_assert_cmpuint (n_kept, ==, after->graph->nodes->len - 1);
}

/* The neighborhood of a folded loop is that of its box; of an open loop, that of all its nodes. */
static void
test_near (void)
{
  g_autoptr (HirProgramView) view = sample_view ();
  g_autoptr (HirGraphChoice) choice = hir_graph_choice_new (view, NULL, NULL);
  guint64 loop = g_array_index (view->graph->groups, HirGraphGroup, 0).id, nobody = 424242;
  g_autoptr (HirPicture) open = NULL, folded = NULL, none = NULL, carried = NULL;
  g_autoptr (HirGraphChoice) lost = hir_graph_choice_new (view, NULL, NULL);

  choice->n_hops = 0;
  g_array_append_val (choice->near, loop);
  open = hir_picture_new (choice);
  for (guint i = 0; i < open->graph->nodes->len; i++)
    g_assert_cmpint (g_array_index (open->graph->nodes, HirGraphNode, i).group, ==, 0);
  g_assert_cmpuint (open->n_all, ==, view->graph->nodes->len);
  fold (choice, loop);
  folded = hir_picture_new (choice);
  g_assert_cmpuint (folded->graph->nodes->len, ==, 1);
  g_assert_cmpint (g_array_index (folded->graph->nodes, HirGraphNode, 0).kind, ==, HIR_GRAPH_FOLD);
  /* An id without a box or edge gives the whole graph. A value gives the ends of its edges. */
  g_array_append_val (lost->near, nobody);
  none = hir_picture_new (lost);
  g_assert_false (none->is_near);
  g_assert_cmpuint (none->graph->nodes->len, ==, view->graph->nodes->len);
  g_array_index (view->graph->edges, HirGraphEdge, 0).id = nobody;
  carried = hir_picture_new (lost);
  g_assert_cmpuint (carried->graph->nodes->len, ==, 2);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graph-picture/choice", test_choice);
  g_test_add_func ("/graph-picture/groups", test_groups);
  g_test_add_func ("/graph-picture/near", test_near);
  return g_test_run ();
}
