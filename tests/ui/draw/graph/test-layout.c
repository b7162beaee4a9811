/* Tests layouts without a worker: sizes, serialization, lanes, rows. */
#include "draw/graph/lanes.h"
#include "draw/graph/layout-wire.h"
#include "draw/graph/layout.h"
#include "sample.h"

#include <string.h>

static HirSizes *
measure_graph (const HirGraph *graph)
{
  g_autoptr (HirMeasure) measure = hir_measure_new ();

  return hir_sizes_new (graph, measure);
}

static void
test_sizes (void)
{
  HirGraph *graph = hir_graph_new_empty ();
  g_autoptr (HirSizes) sizes = NULL;
  g_autofree char *long_name = g_strnfill (10240, 'm');

  sample_add_node (graph, 1, HIR_GRAPH_OP, -1, "a", "");
  sample_add_node (graph, 2, HIR_GRAPH_OP, -1, "HirAliasSelect T5 of T3", "");
  sample_add_node (graph, 3, HIR_GRAPH_OP, -1, long_name, "sub");
  sizes = measure_graph (graph);
  const HirSizesNode *nodes = (const HirSizesNode *) (gpointer) sizes->nodes->data;
  g_assert_cmpfloat (nodes[0].width, ==, HIR_NODE_MIN_WIDTH);
  g_assert_cmpfloat (nodes[1].width, >, nodes[0].width);
  g_assert_cmpfloat (nodes[2].width, ==, HIR_NODE_MAX_WIDTH);
  g_assert_cmpfloat (nodes[2].height, >, nodes[1].height);
  hir_graph_free (graph);
}

static void
test_hash (void)
{
  HirGraph *graph = sample_graph_ag_matmul (), *other = sample_graph_ag_matmul ();
  g_autoptr (HirSizes) a = measure_graph (graph), b = measure_graph (other);
  guint32 index = 3;

  g_assert_cmphex (hir_sizes_hash (a), ==, hir_sizes_hash (b));
  g_array_index (b->edges, HirSizesEdge, 3).kind ^= 1;
  g_assert_cmphex (hir_sizes_hash (a), !=, hir_sizes_hash (b));
  g_array_index (b->edges, HirSizesEdge, 3).kind ^= 1;
  g_array_append_val (b->order, index);
  g_assert_cmphex (hir_sizes_hash (a), !=, hir_sizes_hash (b));
  hir_graph_free (graph);
  hir_graph_free (other);
}

static void
test_wire (void)
{
  HirGraph *graph = sample_graph_random (200, 3);
  g_autoptr (HirSizes) sizes = measure_graph (graph), sizes_back = NULL;
  g_autoptr (HirLayout) layout = hir_lanes_new_layered (sizes), layout_back = NULL;
  g_autoptr (GBytes) sizes_bytes = hir_sizes_to_bytes (sizes);
  g_autoptr (GBytes) layout_bytes = hir_layout_to_bytes (layout);
  g_autoptr (GError) error = NULL;

  sizes_back = hir_sizes_new_from_bytes (sizes_bytes, &error);
  g_assert_no_error (error);
  g_assert_cmphex (hir_sizes_hash (sizes), ==, hir_sizes_hash (sizes_back));
  layout_back = hir_layout_new_from_bytes (layout_bytes, sizes, &error);
  g_assert_no_error (error);
  sample_check_layouts_equal (layout, layout_back);
  g_assert_cmpfloat (layout->width, ==, layout_back->width);
  hir_graph_free (graph);
}

/* Truncated or modified data is rejected or gives a valid layout, but never a crash. */
static void
test_wire_broken (void)
{
  HirGraph *graph = sample_graph_random (40, 3);
  g_autoptr (HirSizes) sizes = measure_graph (graph);
  g_autoptr (HirLayout) layout = hir_lanes_new_layered (sizes);
  GRand *rand = g_rand_new_with_seed (1);
  guint n_rejected = 0;

  for (int what = 0; what < 2; what++)
    {
      g_autoptr (GBytes) bytes = what ? hir_layout_to_bytes (layout) : hir_sizes_to_bytes (sizes);
      gsize size = g_bytes_get_size (bytes);

      for (int i = 0; i < 3000; i++)
        {
          g_autofree guint8 *copy = g_memdup2 (g_bytes_get_data (bytes, NULL), size);
          gsize length = i % 2 ? size : (gsize) g_rand_int_range (rand, 0, (gint32) size);
          g_autoptr (GBytes) broken = NULL;
          g_autoptr (GError) error = NULL;
          g_autoptr (HirSizes) sizes_back = NULL;
          g_autoptr (HirLayout) layout_back = NULL;

          for (int k = 0; k < 1 + i % 3; k++)
            copy[g_rand_int_range (rand, 0, (gint32) size)] ^= (guint8) (1u << (i % 8));
          broken = g_bytes_new (copy, length);
          if (what == 0)
            sizes_back = hir_sizes_new_from_bytes (broken, &error);
          else
            layout_back = hir_layout_new_from_bytes (broken, sizes, &error);
          g_assert_true ((sizes_back != NULL || layout_back != NULL) == (error == NULL));
          n_rejected += error != NULL;
          if (sizes_back != NULL)
            hir_layout_unref (hir_lanes_new_layered (sizes_back));
        }
    }
  g_assert_cmpuint (n_rejected, >, 3000);
  g_rand_free (rand);
  hir_graph_free (graph);
}

static const HirRect *
get_node (const HirLayout *layout, const HirGraph *graph, guint64 id)
{
  for (guint i = 0; i < graph->nodes->len; i++)
    if (g_array_index (graph->nodes, HirGraphNode, i).id == id)
      return &g_array_index (layout->nodes, HirRect, i);
  g_assert_not_reached ();
}

static void
test_lanes (void)
{
  HirGraph *graph = sample_graph_ag_matmul ();
  g_autoptr (HirSizes) sizes = measure_graph (graph);
  g_autoptr (HirLayout) layout = hir_lanes_new (graph, sizes), again = hir_lanes_new (graph, sizes);
  float before = -1;

  sample_check_layout (layout, sizes);
  sample_check_layouts_equal (layout, again);
  g_assert_cmpuint (layout->lanes->len, ==, 3);
  g_assert_cmpstr (g_array_index (layout->lanes, HirLane, 0).title, ==, "Tensors");
  g_assert_cmpstr (g_array_index (layout->lanes, HirLane, 1).title, ==, "Default stream");
  g_assert_cmpstr (g_array_index (layout->lanes, HirLane, 2).title, ==, "Stream StreamIdx % 4");
  /* Program order goes downward. */
  for (guint i = 0; i < graph->nodes->len; i++)
    if (g_array_index (graph->nodes, HirGraphNode, i).kind != HIR_GRAPH_TENSOR)
      {
        g_assert_cmpfloat (g_array_index (layout->nodes, HirRect, i).y, >, before);
        before = g_array_index (layout->nodes, HirRect, i).y;
      }
  const HirLane *stream = &g_array_index (layout->lanes, HirLane, 2);
  const HirRect *matmul = get_node (layout, graph, SAMPLE_MATMUL);
  g_assert_cmpfloat (matmul->x, >=, stream->x);
  g_assert_cmpfloat (matmul->x + matmul->width, <=, stream->x + stream->width);
  /* After SetCurrentStream, nodes are in the column of the first stream again. */
  g_assert_cmpfloat (get_node (layout, graph, 64)->x, <, stream->x);
  hir_graph_free (graph);
}

/* Returns a host program over four streams with inputs, slices and loops. */
static HirGraph *
make_host_graph (guint n, guint32 seed)
{
  HirGraph *graph = hir_graph_new_empty ();
  GRand *rand = g_rand_new_with_seed (seed);
  int group = -1;

  for (guint i = 0; i < n; i++)
    {
      int kind = g_rand_int_range (rand, 0, 6);
      g_autofree char *stream = g_strdup_printf ("Stream %d", g_rand_int_range (rand, 0, 4));

      if (i % 9 == 0)
        group = g_rand_boolean (rand) ? (int) sample_add_group (graph, 1000 + i, -1, "FOR i in i0")
                                      : -1;
      if (i < 3 || i + 2 >= n)
        sample_add_node (graph, i + 1, HIR_GRAPH_TENSOR, -1, "T0", "[i0, i1]");
      else if (kind == 0 || i == 3)
        sample_add_node (graph, i + 1, HIR_GRAPH_STREAM, group, "SetCurrentStream", stream);
      else
        sample_add_node (graph, i + 1, (HirGraphNodeKind) (kind < 4 ? 1 : 2), group, "Set",
                         "T1 → T2");
    }
  for (guint i = 1; i < n; i++)
    sample_add_edge (graph, (guint) g_rand_int_range (rand, 0, (gint32) i), i, HIR_EDGE_DATA);
  sample_add_edge (graph, n - 1, 4, HIR_EDGE_SYNC); /* one upward edge */
  g_rand_free (rand);
  return graph;
}

static void
check_point (const HirLayout *layout, const HirSizesEdge *edge, double x, double y)
{
  for (guint i = 0; i < layout->nodes->len; i++)
    {
      HirRect r = g_array_index (layout->nodes, HirRect, i);

      if (i == edge->from || i == edge->to)
        continue;
      r = hir_rect (r.x + 1, r.y + 1, r.width - 2, r.height - 2);
      g_assert_false (hir_rect_contains (&r, x, y));
    }
}

static void
test_lanes_cross_no_box (void)
{
  for (guint32 seed = 0; seed < 30; seed++)
    {
      HirGraph *graph = make_host_graph (8 + seed * 2, seed);
      g_autoptr (HirSizes) sizes = measure_graph (graph);
      g_autoptr (HirLayout) layout = hir_lanes_new (graph, sizes);

      sample_check_layout (layout, sizes);
      for (guint e = 0; e < layout->edges->len; e++)
        {
          const HirLayoutEdge *path = &g_array_index (layout->edges, HirLayoutEdge, e);

          for (guint k = 0; k + 3 < path->n_points; k += 3)
            for (double t = 0; t <= 1; t += 0.05)
              {
                const HirPoint *p =
                    &g_array_index (layout->points, HirPoint, path->first_point + k);
                double u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t,
                       d = t * t * t;

                check_point (layout, &g_array_index (sizes->edges, HirSizesEdge, e),
                             a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                             a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y);
              }
        }
      hir_graph_free (graph);
    }
}

static void
test_layered (void)
{
  static const guint sizes_of[] = { 0, 1, 2, 13, 60, 400 };

  for (guint i = 0; i < G_N_ELEMENTS (sizes_of); i++)
    {
      HirGraph *graph = sample_graph_random (sizes_of[i], i);
      g_autoptr (HirSizes) sizes = measure_graph (graph);
      g_autoptr (HirLayout) layout = hir_lanes_new_layered (sizes);
      g_autoptr (HirLayout) again = hir_lanes_new_layered (sizes);

      sample_check_layout (layout, sizes);
      sample_check_layouts_equal (layout, again);
      hir_graph_free (graph);
    }
}

/* Nodes of a chain are below each other. */
static void
test_layered_ranks (void)
{
  HirGraph *graph = hir_graph_new_empty ();
  g_autoptr (HirSizes) sizes = NULL;
  g_autoptr (HirLayout) layout = NULL;

  for (guint i = 0; i < 5; i++)
    sample_add_node (graph, i + 1, HIR_GRAPH_OP, -1, "op", "");
  for (guint i = 1; i < 5; i++)
    sample_add_edge (graph, i - 1, i, HIR_EDGE_DATA);
  sample_add_edge (graph, 4, 0, HIR_EDGE_DATA); /* one backward edge */
  sizes = measure_graph (graph);
  layout = hir_lanes_new_layered (sizes);
  for (guint i = 1; i < 5; i++)
    g_assert_cmpfloat (g_array_index (layout->nodes, HirRect, i).y, >,
                       g_array_index (layout->nodes, HirRect, i - 1).y);
  hir_graph_free (graph);
}

static void
test_between (void)
{
  HirGraph *graph = sample_graph_ag_matmul ();
  g_autoptr (HirSizes) sizes = measure_graph (graph);
  g_autoptr (HirLayout) from = hir_lanes_new (graph, sizes), to = hir_lanes_new_layered (sizes);
  g_autoptr (HirLayout) half = NULL;
  g_autofree int *index = g_new (int, graph->nodes->len);

  for (guint i = 0; i < graph->nodes->len; i++)
    index[i] = i == 3 ? -1 : (int) i;
  half = hir_layout_new_between (from, to, index,
                                 (const HirSizesEdge *) (gpointer) sizes->edges->data, 0.5);
  const HirRect *a = &g_array_index (from->nodes, HirRect, 1),
                *b = &g_array_index (to->nodes, HirRect, 1);
  g_assert_cmpfloat_with_epsilon (g_array_index (half->nodes, HirRect, 1).x, (a->x + b->x) / 2,
                                  0.01);
  g_assert_cmpfloat (g_array_index (half->nodes, HirRect, 3).x, ==,
                     g_array_index (to->nodes, HirRect, 3).x);
  g_assert_cmpuint (half->edges->len, ==, to->edges->len);
  hir_graph_free (graph);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/layout/sizes", test_sizes);
  g_test_add_func ("/layout/hash", test_hash);
  g_test_add_func ("/layout/wire", test_wire);
  g_test_add_func ("/layout/wire-broken", test_wire_broken);
  g_test_add_func ("/layout/lanes", test_lanes);
  g_test_add_func ("/layout/lanes-cross-no-box", test_lanes_cross_no_box);
  g_test_add_func ("/layout/layered", test_layered);
  g_test_add_func ("/layout/layered-ranks", test_layered_ranks);
  g_test_add_func ("/layout/between", test_between);
  return g_test_run ();
}
