#include "view/graph-derive.h"

#include "test-programs.h"

static int
find (const HirGraph *graph, const char *title)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    if (g_str_equal (g_array_index (graph->nodes, HirGraphNode, i).title, title))
      return (int) i;
  return -1;
}

static gboolean
has_edge (const HirGraph *graph, const char *from, const char *to, HirEdgeKind kind)
{
  for (guint i = 0; i < graph->edges->len; i++)
    {
      const HirGraphEdge *edge = &g_array_index (graph->edges, HirGraphEdge, i);

      if (edge->kind == kind &&
          g_str_equal (g_array_index (graph->nodes, HirGraphNode, edge->from).title, from) &&
          g_str_equal (g_array_index (graph->nodes, HirGraphNode, edge->to).title, to))
        return TRUE;
    }
  return FALSE;
}

/* Checks that indices are in range, parents come first, there is no loop and no duplicate edge, and
 * keys are unique. */
static void
assert_sound (const HirGraph *graph)
{
  g_autoptr (GHashTable) keys = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GHashTable) edges = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < graph->groups->len; i++)
    g_assert_cmpint (g_array_index (graph->groups, HirGraphGroup, i).parent, <, (int) i);
  for (guint i = 0; i < graph->nodes->len; i++)
    {
      HirGraphNode *node = &g_array_index (graph->nodes, HirGraphNode, i);

      g_assert_cmpint (node->group, <, (int) graph->groups->len);
      g_assert_nonnull (node->title);
      g_assert_true (g_hash_table_add (keys, &node->key));
    }
  for (guint i = 0; i < graph->edges->len; i++)
    {
      const HirGraphEdge *edge = &g_array_index (graph->edges, HirGraphEdge, i);

      g_assert_cmpuint (edge->from, <, graph->nodes->len);
      g_assert_cmpuint (edge->to, <, graph->nodes->len);
      g_assert_cmpuint (edge->from, !=, edge->to);
      g_assert_true (
          g_hash_table_add (edges, g_strdup_printf ("%u %u %d", edge->from, edge->to, edge->kind)));
    }
}

static void
test_fold (void)
{
  g_autoptr (HirContainer) c = test_program_ag_matmul ();
  g_autoptr (HirGraph) graph = hir_graph_new (c);
  g_autoptr (GArray) keys = hir_graph_dup_group_keys (graph);
  g_autoptr (GHashTable) folded = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (HirGraph) none = hir_graph_new_folded (graph, folded, NULL);
  g_autoptr (HirGraph) one = NULL, both = NULL;
  g_autoptr (GArray) map = NULL;
  const HirGraphNode *box;
  const char *title = g_array_index (graph->groups, HirGraphGroup, 1).title;

  assert_sound (none);
  g_assert_cmpuint (none->nodes->len, ==, graph->nodes->len);
  g_assert_cmpuint (none->edges->len, ==, graph->edges->len);

  g_hash_table_add (folded, &g_array_index (keys, guint64, 1));
  one = hir_graph_new_folded (graph, folded, &map);
  assert_sound (one);
  g_assert_cmpuint (one->groups->len, ==, 1);
  box = &g_array_index (one->nodes, HirGraphNode, find (one, title));
  g_assert_cmpint (box->kind, ==, HIR_GRAPH_FOLD);
  g_assert_cmpuint (box->id, ==, g_array_index (graph->groups, HirGraphGroup, 1).id);
  g_assert_cmpstr (box->subtitle, ==, "Allgather, Wait, matmul and 7 more");
  g_assert_cmpint (find (one, "matmul"), ==, -1);
  g_assert_cmpuint (g_array_index (map, guint32, find (graph, "matmul")), ==,
                    (guint) find (one, title));
  /* Edges into and out of the loop become edges of the box. */
  g_assert_true (has_edge (one, "T1", title, HIR_EDGE_DATA));
  g_assert_true (has_edge (one, title, "T2", HIR_EDGE_DATA));
  g_assert_false (has_edge (one, title, title, HIR_EDGE_COMM));

  g_hash_table_add (folded, &g_array_index (keys, guint64, 0));
  both = hir_graph_new_folded (graph, folded, NULL);
  assert_sound (both);
  g_assert_cmpuint (both->groups->len, ==, 0);
}

/* An IF in a loop: folding the loop includes the IF; the IF and its ELSE fold separately. */
static void
test_fold_nested (void)
{
  g_autoptr (HirContainer) c = test_program_allgather_p2p ();
  g_autoptr (HirGraph) graph = hir_graph_new (c);
  g_autoptr (GArray) keys = hir_graph_dup_group_keys (graph);
  g_autoptr (GHashTable) folded = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (HirGraph) inner = NULL, outer = NULL;
  guint then = 0, otherwise = 0;

  for (guint i = 0; i < graph->groups->len; i++)
    if (g_array_index (graph->groups, HirGraphGroup, i).kind == HIR_EXPR_IF)
      {
        then = then == 0 ? i : then;
        otherwise = i;
      }
  g_assert_cmpuint (then, <, otherwise);
  g_assert_cmpuint (g_array_index (keys, guint64, then), !=,
                    g_array_index (keys, guint64, otherwise));
  g_hash_table_add (folded, &g_array_index (keys, guint64, otherwise));
  inner = hir_graph_new_folded (graph, folded, NULL);
  assert_sound (inner);
  g_assert_cmpint (find (inner, "send"), ==, -1);
  g_assert_cmpint (find (inner, "Set"), >=, 0);

  g_hash_table_add (folded,
                    &g_array_index (keys, guint64,
                                    g_array_index (graph->groups, HirGraphGroup, then).parent));
  outer = hir_graph_new_folded (graph, folded, NULL);
  assert_sound (outer);
  g_assert_cmpuint (outer->groups->len, ==, graph->groups->len - 3);
  g_assert_cmpint (find (outer, "Set"), ==, -1);
}

static void
test_near (void)
{
  g_autoptr (HirContainer) c = test_program_ag_matmul ();
  g_autoptr (HirGraph) graph = hir_graph_new (c);
  g_autoptr (GArray) seeds = g_array_new (FALSE, FALSE, sizeof (guint32));
  guint32 matmul = (guint32) find (graph, "matmul");
  g_autoptr (HirGraph) self = NULL, up = NULL, down = NULL, both = NULL, all = NULL;
  g_autoptr (GArray) map = NULL;

  g_array_append_val (seeds, matmul);
  self = hir_graph_new_near (graph, seeds, 0, HIR_NEAR_BOTH, NULL);
  g_assert_cmpuint (self->nodes->len, ==, 1);
  g_assert_cmpuint (self->edges->len, ==, 0);
  g_assert_cmpuint (self->groups->len, ==, 1);

  up = hir_graph_new_near (graph, seeds, 1, HIR_NEAR_UP, &map);
  assert_sound (up);
  g_assert_cmpint (find (up, "Allgather"), >=, 0);
  g_assert_cmpint (find (up, "T1"), >=, 0);
  g_assert_cmpint (find (up, "T2"), ==, -1);
  g_assert_cmpint (find (up, "T0"), ==, -1);
  g_assert_cmpuint (g_array_index (map, guint32, matmul), ==, (guint) find (up, "matmul"));
  g_assert_cmpuint (g_array_index (map, guint32, find (graph, "T2")), ==, HIR_GRAPH_NOWHERE);

  down = hir_graph_new_near (graph, seeds, 1, HIR_NEAR_DOWN, NULL);
  assert_sound (down);
  g_assert_cmpint (find (down, "T2"), >=, 0);
  g_assert_cmpint (find (down, "T1"), ==, -1);
  both = hir_graph_new_near (graph, seeds, 1, HIR_NEAR_BOTH, NULL);
  g_assert_cmpuint (both->nodes->len, ==, up->nodes->len + down->nodes->len - 1);
  all = hir_graph_new_near (graph, seeds, 100, HIR_NEAR_BOTH, NULL);
  assert_sound (all);
  /* Nodes connected only by stream order are excluded. */
  g_assert_cmpuint (all->nodes->len, <, graph->nodes->len);
}

static HirProgramView *
view_of (HirContainer *c, const char *name)
{
  HirProgramView *view = hir_program_view_new (c, HIR_FORMAT_2025);

  view->pass_name = g_strdup (name);
  return view;
}

static HirChange
change_of (const HirGraph *graph, const char *title)
{
  return g_array_index (graph->nodes, HirGraphNode, find (graph, title)).change;
}

static void
test_merge (void)
{
  g_autoptr (HirContainer) a = test_program_single_set ();
  g_autoptr (HirContainer) b = test_program_ag_matmul ();
  g_autoptr (HirProgramView) before = view_of (a, "a");
  g_autoptr (HirProgramView) after = view_of (b, "b");
  g_autoptr (HirProgramDiff) same = hir_program_diff_new (after, after);
  g_autoptr (HirProgramDiff) diff = hir_program_diff_new (before, after);
  g_autoptr (HirGraph) quiet = hir_graph_new_merged (same);
  g_autoptr (HirGraph) merged = hir_graph_new_merged (diff);
  guint n_gone = 0;

  assert_sound (quiet);
  g_assert_cmpuint (quiet->nodes->len, ==, after->graph->nodes->len);
  g_assert_cmpuint (quiet->edges->len, ==, after->graph->edges->len);
  g_assert_cmpint (change_of (quiet, "matmul"), ==, HIR_CHANGE_NONE);

  assert_sound (merged);
  g_assert_cmpint (change_of (merged, "matmul"), ==, HIR_CHANGE_CREATED);
  for (guint i = 0; i < merged->nodes->len; i++)
    n_gone += g_array_index (merged->nodes, HirGraphNode, i).change == HIR_CHANGE_REMOVED;
  g_assert_cmpuint (merged->nodes->len, ==, after->graph->nodes->len + n_gone);
  g_assert_cmpuint (merged->edges->len, >=, after->graph->edges->len);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graph-derive/fold", test_fold);
  g_test_add_func ("/graph-derive/fold-nested", test_fold_nested);
  g_test_add_func ("/graph-derive/near", test_near);
  g_test_add_func ("/graph-derive/merge", test_merge);
  return g_test_run ();
}
