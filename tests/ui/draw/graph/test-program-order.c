/* Tests program order in layouts, the shared positions of snapshots, and the routes of edges. Uses
 * layouts in rows, which need no worker; test-layout-worker.c tests Graphviz. */
#include "draw/graph/edge-routes.h"
#include "draw/graph/lanes.h"
#include "draw/graph/union.h"
#include "sample.h"

#include <string.h>

/* Two loops as StreamParallelType creates them: streams wait, then work is issued. Indices: T0 0,
 * ALLOCATE 1, GetCurrentStream 2, loop { 3, 4 }, loop { SetCurrentStream 5, select 6, Set 7,
 * SetCurrentStream 8 }, T1 9. */
static HirGraph *
new_program (void)
{
  HirGraph *g = hir_graph_new_empty ();
  int first, second;

  sample_add_node (g, 1, HIR_GRAPH_TENSOR, -1, "T0", "[i0]");
  sample_add_node (g, 2, HIR_GRAPH_MEMORY, -1, "ALLOCATE T1", "i0");
  sample_add_node (g, 3, HIR_GRAPH_STREAM, -1, "GetCurrentStream", "");
  first = (int) sample_add_group (g, 20, -1, "FOR StreamIdx");
  sample_add_node (g, 4, HIR_GRAPH_STREAM, first, "SetCurrentStream", "");
  sample_add_node (g, 5, HIR_GRAPH_STREAM, first, "Synchronize", "");
  second = (int) sample_add_group (g, 21, -1, "FOR StreamIdx");
  sample_add_node (g, 6, HIR_GRAPH_STREAM, second, "SetCurrentStream", "");
  sample_add_node (g, 7, HIR_GRAPH_MEMORY, second, "HirAliasSelect T3", "");
  sample_add_node (g, 8, HIR_GRAPH_OP, second, "Set", "");
  sample_add_node (g, 9, HIR_GRAPH_STREAM, second, "SetCurrentStream", "");
  sample_add_node (g, 10, HIR_GRAPH_TENSOR, -1, "T1", "[i0]");
  sample_add_edge (g, 0, 7, HIR_EDGE_DATA);
  sample_add_edge (g, 1, 6, HIR_EDGE_ALIAS);
  sample_add_edge (g, 6, 7, HIR_EDGE_DATA);
  sample_add_edge (g, 7, 9, HIR_EDGE_DATA);
  return g;
}

static HirGraph *
new_fusion (void)
{
  HirGraph *g = hir_graph_new_empty ();

  sample_add_node (g, 1, HIR_GRAPH_TENSOR, -1, "T0", "[i0]");
  sample_add_node (g, 800, HIR_GRAPH_OP, -1, "Set", "");
  sample_add_node (g, 10, HIR_GRAPH_TENSOR, -1, "T1", "[i0]");
  sample_add_edge (g, 0, 1, HIR_EDGE_DATA);
  sample_add_edge (g, 1, 2, HIR_EDGE_DATA);
  return g;
}

static gboolean
is_below (const HirRect *a, const HirRect *b)
{
  return b->y >= a->y + a->height;
}

static void
test_order (void)
{
  HirGraph *graph = new_program ();
  g_autoptr (HirMeasure) measure = hir_measure_new ();
  g_autoptr (HirSizes) sizes = hir_sizes_new (graph, measure);
  g_autoptr (HirLayout) layout = hir_lanes_new_layered (sizes);
  const HirRect *nodes = (const HirRect *) (gpointer) layout->nodes->data;
  const HirRect *groups = (const HirRect *) (gpointer) layout->groups->data;

  sample_check_layout (layout, sizes);
  /* No edge expresses this order. */
  g_assert_true (is_below (&nodes[2], &groups[0]));
  g_assert_true (is_below (&groups[0], &groups[1]));
  g_assert_true (is_below (&nodes[3], &nodes[4]));
  g_assert_true (is_below (&nodes[5], &nodes[6]));
  g_assert_true (is_below (&nodes[7], &nodes[8]));
  g_assert_true (is_below (&groups[1], &nodes[9]));
  /* Inputs of the second loop are above it, but not necessarily above the first loop. */
  g_assert_true (is_below (&nodes[0], &groups[1]));
  g_assert_true (is_below (&nodes[1], &groups[1]));
  for (guint i = 0; i < sizes->constraints->len; i++)
    {
      const HirSizesConstraint *tie = &g_array_index (sizes->constraints, HirSizesConstraint, i);

      g_assert_false (tie->from <= 1 && tie->to_group && tie->to == 0);
    }
  hir_graph_free (graph);
}

static void
test_fusion_has_none (void)
{
  HirGraph *graph = new_fusion ();
  g_autoptr (HirMeasure) measure = hir_measure_new ();
  g_autoptr (HirSizes) sizes = hir_sizes_new (graph, measure);

  g_assert_cmpuint (sizes->constraints->len, ==, 0);
  hir_graph_free (graph);
}

static void
take_graph (HirProgramView *view, HirGraph *graph)
{
  g_clear_pointer (&view->graph, hir_graph_free);
  view->graph = graph;
}

/* @origin: origin of the host program's Set */
static HirUnion *
new_union (guint64 origin, GPtrArray *views, HirMeasure *measure)
{
  HirProgramView *fusion = hir_program_view_new_empty ();
  HirProgramView *host = hir_program_view_new_empty ();
  HirNodeInfo *info = hir_node_info_new (8, TRUE);

  take_graph (fusion, new_fusion ());
  take_graph (host, new_program ());
  info->origins = g_memdup2 (&origin, sizeof origin);
  info->n_origins = 1;
  hir_program_view_add_node (host, info);
  g_ptr_array_add (views, fusion);
  g_ptr_array_add (views, host);
  return hir_union_new_from_views (views, NULL, measure);
}

static void
test_shared_position (void)
{
  g_autoptr (HirMeasure) measure = hir_measure_new ();
  g_autoptr (GPtrArray) views =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_program_view_unref);
  g_autoptr (GPtrArray) others =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_program_view_unref);
  g_autoptr (HirUnion) all = new_union (800, views, measure);
  g_autoptr (HirUnion) stranger = new_union (801, others, measure);
  g_autoptr (HirLayout) layout = hir_lanes_new_layered (hir_union_get_sizes (all));
  g_autoptr (HirLayout) before = hir_union_project (all, layout, 0);
  g_autoptr (HirLayout) after = hir_union_project (all, layout, 1);
  const HirRect *a = (const HirRect *) (gpointer) before->nodes->data;
  const HirRect *b = (const HirRect *) (gpointer) after->nodes->data;

  /* T0, Set and T1 of the fusion have the positions of their counterparts in the program. */
  g_assert_cmpuint (hir_union_get_sizes (all)->nodes->len, ==, 10);
  g_assert_cmpmem (&a[0], sizeof *a, &b[0], sizeof *b);
  g_assert_cmpmem (&a[1], sizeof *a, &b[7], sizeof *b);
  g_assert_cmpmem (&a[2], sizeof *a, &b[9], sizeof *b);
  /* A Set of another origin has a separate position. */
  g_assert_cmpuint (hir_union_get_sizes (stranger)->nodes->len, ==, 11);
}

static HirLayout *
new_three_boxes (float middle_x)
{
  HirLayout *layout = hir_layout_new (HIR_LAYOUT_DOT);
  HirRect boxes[3] = { { 0, 0, 100, 30 }, { middle_x, 60, 100, 30 }, { 0, 120, 100, 30 } };
  HirPoint around[7] = { { 50, 30 },   { 200, 40 }, { 200, 50 }, { 200, 75 },
                         { 200, 100 }, { 60, 110 }, { 50, 120 } };

  g_array_append_vals (layout->nodes, boxes, 3);
  hir_layout_add_edge (layout, around, 7);
  return layout;
}

static void
test_routes (void)
{
  g_autoptr (HirLayout) in_the_way = new_three_boxes (20);
  g_autoptr (HirLayout) aside = new_three_boxes (300);
  g_autoptr (HirLayout) titled = new_three_boxes (300);
  g_autoptr (HirSizes) sizes = hir_sizes_new_empty ();
  HirSizesEdge edge = { 0, 2, HIR_EDGE_DATA };
  HirSizesGroup group = { -1, 150, 17 };
  HirRect around = hir_rect (10, 50, 180, 50);
  const HirLayoutEdge *route;

  g_array_append_val (sizes->edges, edge);
  hir_layout_shorten_edges (in_the_way, sizes);
  g_assert_cmpuint (g_array_index (in_the_way->edges, HirLayoutEdge, 0).n_points, ==, 7);
  hir_layout_shorten_edges (aside, sizes);
  route = &g_array_index (aside->edges, HirLayoutEdge, 0);
  g_assert_cmpuint (route->n_points, ==, 4);
  for (guint i = 0; i < 4; i++)
    g_assert_cmpfloat (g_array_index (aside->points, HirPoint, route->first_point + i).x, ==, 50);
  /* Through the title of a group. */
  g_array_append_val (titled->groups, around);
  g_array_append_val (sizes->groups, group);
  hir_layout_shorten_edges (titled, sizes);
  g_assert_cmpuint (g_array_index (titled->edges, HirLayoutEdge, 0).n_points, ==, 7);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program-order/order", test_order);
  g_test_add_func ("/program-order/fusion", test_fusion_has_none);
  g_test_add_func ("/program-order/shared-position", test_shared_position);
  g_test_add_func ("/program-order/routes", test_routes);
  return g_test_run ();
}
