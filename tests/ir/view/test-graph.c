#include "view/graph.h"

#include <glib/gstdio.h>

#include "test-core.h"
#include "test-programs.h"

static const HirGraphNode *
node_at (const HirGraph *graph, guint i)
{
  return &g_array_index (graph->nodes, HirGraphNode, i);
}

/* Returns the @nth node with that title, or -1. */
static int
find (const HirGraph *graph, const char *title, guint nth)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    if (g_str_equal (node_at (graph, i)->title, title) && nth-- == 0)
      return (int) i;
  return -1;
}

static gboolean
has_edge (const HirGraph *graph, const char *from, const char *to, HirEdgeKind kind)
{
  for (guint i = 0; i < graph->edges->len; i++)
    {
      const HirGraphEdge *edge = &g_array_index (graph->edges, HirGraphEdge, i);

      if (edge->kind == kind && g_str_equal (node_at (graph, edge->from)->title, from) &&
          g_str_equal (node_at (graph, edge->to)->title, to))
        return TRUE;
    }
  return FALSE;
}

/* Checks the invariants of every graph. */
static void
assert_sound (const HirGraph *graph)
{
  g_autoptr (GHashTable) keys = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GHashTable) edges = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      g_assert_true (g_hash_table_add (keys, (gpointer) &node_at (graph, i)->key));
      g_assert_cmpuint (node_at (graph, i)->id, !=, 0);
      g_assert_cmpint (node_at (graph, i)->group, <, (int) graph->groups->len);
      g_assert_nonnull (node_at (graph, i)->subtitle);
    }
  for (guint i = 0; i < graph->groups->len; i++)
    g_assert_cmpint (g_array_index (graph->groups, HirGraphGroup, i).parent, <, (int) i);
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
test_fusion (void)
{
  g_autoptr (HirContainer) c = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  HirTensor *in = test_input (c, 2), *mid = test_set (c, in), *out = test_set (c, mid);
  g_autoptr (HirGraph) graph = NULL;

  test_set (c, in); /* dead: nothing reads it */
  hir_container_add_output (c, HIR_VAL (out));
  graph = hir_graph_new (c);
  assert_sound (graph);
  g_assert_cmpuint (graph->nodes->len, ==, 5);
  g_assert_cmpuint (graph->edges->len, ==, 4);
  g_assert_cmpstr (node_at (graph, 0)->title, ==, "T0");
  g_assert_cmpstr (node_at (graph, 0)->subtitle, ==, "[i0, i2]");
  g_assert_cmpint (node_at (graph, 1)->kind, ==, HIR_GRAPH_OP);
  g_assert_cmpuint (node_at (graph, 2)->id, ==, mid->base.node.id);
  g_assert_true (has_edge (graph, "T0", "Set", HIR_EDGE_DATA));
  g_assert_true (has_edge (graph, "Set", "T2", HIR_EDGE_DATA));
}

static void
test_ag_matmul (void)
{
  g_autoptr (HirContainer) c = test_program_ag_matmul ();
  g_autoptr (HirGraph) graph = hir_graph_new (c);
  int matmul = find (graph, "matmul", 0), gather = find (graph, "Allgather", 0);

  assert_sound (graph);
  g_assert_cmpstr (node_at (graph, matmul)->subtitle, ==, "T5 × T1 → T6");
  g_assert_cmpint (node_at (graph, gather)->kind, ==, HIR_GRAPH_COMM);
  g_assert_cmpstr (node_at (graph, gather)->subtitle, ==, "team 0 1 2 3 4 5 6 7 · NCCL");
  g_assert_cmpstr (node_at (graph, find (graph, "HirAliasSelect T4", 0))->subtitle, ==,
                   "T0 · axis 0");
  g_assert_cmpint (node_at (graph, find (graph, "ALLOCATE T3", 0))->kind, ==, HIR_GRAPH_MEMORY);
  g_assert_cmpuint (graph->groups->len, ==, 2);
  g_assert_cmpint (node_at (graph, matmul)->group, ==, 1);
  g_assert_cmpint (node_at (graph, find (graph, "T0", 0))->group, ==, -1);
  g_assert_true (g_str_has_prefix (g_array_index (graph->groups, HirGraphGroup, 1).title,
                                   "FOR StreamIdx in iStreamIdx"));

  g_assert_true (has_edge (graph, "T0", "HirAliasSelect T4", HIR_EDGE_ALIAS));
  g_assert_true (has_edge (graph, "ALLOCATE T3", "HirAliasSelect T5", HIR_EDGE_ALIAS));
  g_assert_true (has_edge (graph, "HirAliasSelect T4", "Allgather", HIR_EDGE_ALIAS));
  g_assert_true (has_edge (graph, "HirAliasSelect T5", "Allgather", HIR_EDGE_ALIAS));
  g_assert_true (has_edge (graph, "Allgather", "matmul", HIR_EDGE_COMM));
  g_assert_true (has_edge (graph, "T1", "matmul", HIR_EDGE_DATA));
  g_assert_true (has_edge (graph, "HirAliasSelect T6", "matmul", HIR_EDGE_ALIAS));
  /* The whole output contains what is written into the slice. */
  g_assert_true (has_edge (graph, "matmul", "T2", HIR_EDGE_DATA));
  g_assert_false (has_edge (graph, "ALLOCATE T2", "T2", HIR_EDGE_ALIAS));

  g_assert_true (has_edge (graph, "GetCurrentStream", "Synchronize", HIR_EDGE_SYNC));
  g_assert_true (has_edge (graph, "Synchronize", "Allgather", HIR_EDGE_SYNC));
  g_assert_true (has_edge (graph, "Allgather", "Wait", HIR_EDGE_SYNC));
  g_assert_true (has_edge (graph, "Wait", "matmul", HIR_EDGE_SYNC));
  g_assert_true (has_edge (graph, "matmul", "Synchronize", HIR_EDGE_SYNC));
  g_assert_true (has_edge (graph, "GetCurrentStream", "SetCurrentStream", HIR_EDGE_ORDER));
  g_assert_false (has_edge (graph, "matmul", "SetCurrentStream", HIR_EDGE_ORDER));
}

static void
test_branches (void)
{
  g_autoptr (HirContainer) c = test_program_allgather_p2p ();
  g_autoptr (HirGraph) graph = hir_graph_new (c);
  const HirGraphGroup *groups = (const HirGraphGroup *) graph->groups->data;

  assert_sound (graph);
  g_assert_cmpuint (graph->groups->len, ==, 4);
  g_assert_cmpstr (groups[2].title, ==, "IF StreamIdx == deviceIdx.x");
  g_assert_cmpstr (groups[3].title, ==, "ELSE");
  g_assert_cmpuint (groups[2].id, ==, groups[3].id);
  g_assert_cmpint (groups[3].parent, ==, 1);
  /* The output comes from both branches, and both start after the first Synchronize. */
  g_assert_true (has_edge (graph, "Set", "T1", HIR_EDGE_DATA));
  g_assert_true (has_edge (graph, "recv", "T1", HIR_EDGE_COMM));
  g_assert_true (has_edge (graph, "Synchronize", "Set", HIR_EDGE_SYNC));
  g_assert_true (has_edge (graph, "Synchronize", "recv", HIR_EDGE_SYNC));
  g_assert_true (has_edge (graph, "Set", "Synchronize", HIR_EDGE_SYNC));
  g_assert_true (has_edge (graph, "Wait", "Synchronize", HIR_EDGE_SYNC));
  g_assert_true (has_edge (graph, "StartCoalescing", "recv", HIR_EDGE_ORDER));
  g_assert_true (has_edge (graph, "send", "EndCoalescing", HIR_EDGE_ORDER));
  g_assert_true (has_edge (graph, "EndCoalescing", "Wait", HIR_EDGE_SYNC));
}

static void
test_unit (void)
{
  g_autoptr (HirContainer) c = test_program_unit ();
  g_autoptr (HirGraph) graph = hir_graph_new (c);
  HirExpr *post = c->top.exprs.items[0];
  const HirGraphGroup *group = &g_array_index (graph->groups, HirGraphGroup, 0);

  assert_sound (graph);
  g_assert_cmpuint (graph->groups->len, ==, 1);
  g_assert_cmpuint (group->id, ==, post->node.id);
  g_assert_cmpint (group->kind, ==, HIR_EXPR_POST_ON_STREAM);
  g_assert_cmpstr (group->title, ==, "PostOnStream HostUnit0");
  g_assert_cmpint (node_at (graph, find (graph, "exp", 0))->group, ==, 0);
  g_assert_true (has_edge (graph, "T0", "exp", HIR_EDGE_DATA));
  g_assert_true (has_edge (graph, "exp", "neg", HIR_EDGE_DATA));
  g_assert_true (has_edge (graph, "neg", "Set", HIR_EDGE_DATA));
}

/* A unit that is posted twice shows its ops twice, with the same keys in every graph. */
static void
test_keys (void)
{
  g_autoptr (HirContainer) c = test_program_unit ();
  HirExpr *post = c->top.exprs.items[0];
  HirTensor *t3 = test_tensor (c, HIR_DTYPE_FLOAT, HIR_MEMORY_GLOBAL, NULL,
                               (TestAxis[]){ S_AXIS (test_symbol (c)) }, 1);
  g_autoptr (HirGraph) graph = NULL, again = NULL, alone = hir_graph_new (c);

  hir_container_add_expr (c, hir_expr_new_post_on_stream (c, post->u.post.unit, post->inputs, 1,
                                                          (HirVal *[]){ HIR_VAL (t3) }, 1));
  graph = hir_graph_new (c);
  again = hir_graph_new (c);
  assert_sound (graph);
  g_assert_cmpint (find (graph, "exp", 1), >=, 0);
  g_assert_cmpuint (node_at (graph, find (graph, "exp", 0))->id, ==,
                    node_at (graph, find (graph, "exp", 1))->id);
  for (guint i = 0; i < graph->nodes->len; i++)
    g_assert_cmpuint (node_at (graph, i)->key, ==, node_at (again, i)->key);
  /* Existing nodes keep their keys. */
  for (guint i = 0; i < alone->nodes->len; i++)
    g_assert_cmpuint (node_at (alone, i)->key, ==,
                      node_at (graph, find (graph, node_at (alone, i)->title, 0))->key);
}

/* A whole tensor is written and then sliced: the slice shows the writer. */
static void
test_slice_of_written (void)
{
  g_autoptr (HirContainer) c = test_program_single_set ();
  g_autoptr (HirGraph) graph = NULL;
  HirTensor *t1 = HIR_TENSOR (c->outputs.items[0]);
  HirTensor *t4 = test_slice (c, t1, 0, HIR_MEMORY_LOCAL);

  test_select (c, &c->top, t1, t4, 0, hir_scalar_get_zero (c));
  graph = hir_graph_new (c);
  assert_sound (graph);
  g_assert_true (has_edge (graph, "Set", "HirAliasSelect T4", HIR_EDGE_DATA));
  g_assert_true (has_edge (graph, "ALLOCATE T1", "HirAliasSelect T4", HIR_EDGE_ALIAS));
}

/* A label cannot end the quoted string, and nothing in it has a meaning. */
static void
test_dot_is_safe (void)
{
  g_autoptr (HirContainer) c = test_program_single_set ();
  g_autoptr (HirGraph) graph = hir_graph_new (c);
  g_autofree char *long_name = g_strnfill (10000, 'x');
  const char *nasty[] = { "a\"];\nb -> c [label=\"",
                          "{a|b}<p>",
                          "&lt;&amp;&#34;",
                          "\\N\\G\\\"",
                          "x\\",
                          "->--",
                          "\n\r\t\001",
                          "\xff\xfe",
                          "/* */ // #",
                          "<b>bold</b>",
                          "",
                          long_name };
  g_autofree char *dot = NULL, *program = g_find_program_in_path ("dot");
  g_auto (GStrv) lines = NULL;

  for (guint i = 0; i < graph->nodes->len; i++)
    {
      HirGraphNode *node = &g_array_index (graph->nodes, HirGraphNode, i);

      g_free (node->title);
      node->title = g_strdup (nasty[i % G_N_ELEMENTS (nasty)]);
    }
  g_free (g_array_index (graph->groups, HirGraphGroup, 0).title);
  g_array_index (graph->groups, HirGraphGroup, 0).title = g_strdup ("} \"} subgraph x {");
  dot = hir_graph_to_dot (graph, "a \"quoted\" & {braced} \\ name");

  g_assert_true (g_utf8_validate (dot, -1, NULL));
  g_assert_nonnull (strstr (dot, "digraph \"a \\\"quoted\\\" &amp; {braced} \\\\ name\" {"));
  /* On every line, unescaped quotes come in pairs. */
  lines = g_strsplit (dot, "\n", -1);
  for (guint i = 0; lines[i] != NULL; i++)
    {
      guint n_quotes = 0;

      for (const char *at = lines[i]; *at != '\0'; at++)
        {
          if (*at == '\\')
            at++;
          else
            n_quotes += *at == '"';
          g_assert_true (*at != '\0');
        }
      g_assert_cmpuint (n_quotes % 2, ==, 0);
    }

  if (program != NULL)
    {
      g_autoptr (GError) error = NULL;
      g_autofree char *dir = g_dir_make_tmp ("hir-dot-XXXXXX", &error);
      g_autofree char *path = g_build_filename (dir, "g.dot", NULL);
      g_autofree char *out = NULL, *errors = NULL;
      char *argv[] = { program, (char *) "-Tplain", path, NULL };
      int status = -1;
      guint n_nodes = 0;

      g_assert_no_error (error);
      g_file_set_contents (path, dot, -1, &error);
      g_assert_no_error (error);
      g_spawn_sync (NULL, argv, NULL, 0, NULL, NULL, &out, &errors, &status, &error);
      g_assert_no_error (error);
      if (status != 0)
        g_error ("dot: %s", errors);
      /* Exactly the nodes of the graph, none created by a label. */
      for (const char *at = out; (at = strstr (at, "\nnode n")) != NULL; at++)
        n_nodes++;
      g_assert_cmpuint (n_nodes, ==, graph->nodes->len);
      g_unlink (path);
      g_rmdir (dir);
    }
}

/* A graph from a recording may contain anything. */
static void
test_dot_of_broken (void)
{
  g_autoptr (HirContainer) c = test_program_single_set ();
  g_autoptr (HirGraph) graph = hir_graph_new (c);
  HirGraphEdge edge = { .from = 1000, .to = 0 };
  g_autofree char *dot = NULL;

  g_array_append_val (graph->edges, edge);
  g_array_index (graph->groups, HirGraphGroup, 0).parent = 0;
  g_array_index (graph->nodes, HirGraphNode, 0).group = 99;
  dot = hir_graph_to_dot (graph, NULL);
  g_assert_null (strstr (dot, "n1000"));
  g_assert_nonnull (strstr (dot, "cluster_0"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graph/fusion", test_fusion);
  g_test_add_func ("/graph/ag-matmul", test_ag_matmul);
  g_test_add_func ("/graph/branches", test_branches);
  g_test_add_func ("/graph/unit", test_unit);
  g_test_add_func ("/graph/keys", test_keys);
  g_test_add_func ("/graph/slice-of-written", test_slice_of_written);
  g_test_add_func ("/graph/dot-is-safe", test_dot_is_safe);
  g_test_add_func ("/graph/dot-of-broken", test_dot_of_broken);
  return g_test_run ();
}
