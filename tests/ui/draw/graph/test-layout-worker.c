/* Graphviz in its process. This program is its own worker, as hirscope is. */
#include "draw/graph/lanes.h"
#include "draw/graph/layout-worker.h"
#include "draw/graph/union.h"
#include "sample.h"

#include <string.h>

static HirSizes *
measure_graph (const HirGraph *graph)
{
  g_autoptr (HirMeasure) measure = hir_measure_new ();

  return hir_sizes_new (graph, measure);
}

/* Sanitizers and busy machines are slow; only the tests of time give less. */
#define PATIENT_MS 60000

static void
test_dot (void)
{
  HirGraph *graph = sample_graph_ag_matmul ();
  g_autoptr (HirSizes) sizes = measure_graph (graph);
  g_autoptr (HirLayouter) layouter = hir_layouter_new (NULL, PATIENT_MS);
  g_autoptr (HirLayouter) other = hir_layouter_new (NULL, PATIENT_MS);
  g_autoptr (HirLayout) layout = hir_layouter_run (layouter, sizes, NULL);
  g_autoptr (HirLayout) again = hir_layouter_run (layouter, sizes, NULL);
  g_autoptr (HirLayout) anew = hir_layouter_run (other, sizes, NULL);

  g_assert_cmpint (layout->kind, ==, HIR_LAYOUT_DOT);
  g_assert_null (layout->note);
  sample_check_layout (layout, sizes);
  /* From memory the second time; the same from another process. */
  g_assert_true (layout == again);
  sample_check_layouts_equal (layout, anew);
  for (guint i = 0; i < sizes->edges->len; i++)
    {
      const HirSizesEdge *edge = &g_array_index (sizes->edges, HirSizesEdge, i);
      const HirLayoutEdge *path = &g_array_index (layout->edges, HirLayoutEdge, i);
      const HirPoint *points =
          (const HirPoint *) (gpointer) layout->points->data + path->first_point;
      HirRect from = g_array_index (layout->nodes, HirRect, edge->from);
      HirRect to = g_array_index (layout->nodes, HirRect, edge->to);
      const float slack = 3;

      /* Begins and ends at its boxes. */
      g_assert_cmpuint (path->n_points, >=, 4);
      from = hir_rect (from.x - slack, from.y - slack, from.width + 2 * slack,
                       from.height + 2 * slack);
      to = hir_rect (to.x - slack, to.y - slack, to.width + 2 * slack, to.height + 2 * slack);
      g_assert_true (hir_rect_contains (&from, points[0].x, points[0].y));
      g_assert_true (
          hir_rect_contains (&to, points[path->n_points - 1].x, points[path->n_points - 1].y));
    }
  hir_graph_free (graph);
}

static void
test_random (void)
{
  for (guint i = 0; i < 12; i++)
    {
      HirGraph *graph = sample_graph_random (i < 3 ? i : i * 12, i);
      g_autoptr (HirSizes) sizes = measure_graph (graph);
      g_autoptr (HirLayouter) layouter = hir_layouter_new (NULL, PATIENT_MS);
      g_autoptr (HirLayout) layout = hir_layouter_run (layouter, sizes, NULL);

      g_assert_cmpint (layout->kind, ==, HIR_LAYOUT_DOT);
      sample_check_layout (layout, sizes);
      hir_graph_free (graph);
    }
}

/* Room for the title: no box of the group reaches into its first line. */
static void
test_titles_have_room (void)
{
  HirGraph *graph = sample_graph_ag_matmul ();
  g_autoptr (HirSizes) sizes = measure_graph (graph);
  g_autoptr (HirLayouter) layouter = hir_layouter_new (NULL, PATIENT_MS);
  g_autoptr (HirLayout) layout = hir_layouter_run (layouter, sizes, NULL);
  const HirRect *group = &g_array_index (layout->groups, HirRect, 0);
  const HirSizesGroup *title = &g_array_index (sizes->groups, HirSizesGroup, 0);

  g_assert_cmpfloat (group->width, >=, title->title_width);
  for (guint i = 0; i < sizes->nodes->len; i++)
    {
      const HirRect *rect = &g_array_index (layout->nodes, HirRect, i);

      if (g_array_index (sizes->nodes, HirSizesNode, i).group == 0)
        g_assert_cmpfloat (rect->y, >=, group->y + title->title_height);
      else
        g_assert_false (hir_rect_overlaps (rect, group));
    }
  hir_graph_free (graph);
}

/* From call to outcome, whatever the graph: the budget, and what starting and drawing rows takes.
 */
static void
check_in_time (HirGraph *graph, gboolean must_be_late)
{
  g_autoptr (HirSizes) sizes = NULL;
  g_autoptr (HirLayouter) layouter = hir_layouter_new (NULL, must_be_late ? 150 : 0);
  g_autoptr (HirLayout) layout = NULL;
  gint64 start = g_get_monotonic_time ();
  double seconds;

  sizes = measure_graph (graph);
  layout = hir_layouter_run (layouter, sizes, NULL);
  seconds = (double) (g_get_monotonic_time () - start) / 1e6;
  g_test_message ("%u nodes, %u edges: %.3f s, %s", sizes->nodes->len, sizes->edges->len, seconds,
                  layout->note != NULL ? layout->note : "by dot");
  /* Twice what is promised, as this machine may be busy; without a budget it would be minutes. */
  g_assert_cmpfloat (seconds, <, 2.0);
  if (must_be_late)
    {
      g_assert_cmpint (layout->kind, ==, HIR_LAYOUT_LANES);
      g_assert_nonnull (layout->note);
    }
  g_assert_cmpuint (layout->nodes->len, ==, graph->nodes->len);
  hir_graph_free (graph);
}

static void
test_thousand_nodes (void)
{
  check_in_time (sample_graph_random (1000, 5), FALSE);
}

static void
test_budget (void)
{
  HirGraph *graph = sample_graph_random (4000, 7);
  GRand *rand = g_rand_new_with_seed (8);

  for (int i = 0; i < 6000; i++)
    {
      guint a = (guint) g_rand_int_range (rand, 0, 3999);

      sample_add_edge (graph, a, (guint) g_rand_int_range (rand, (gint32) a + 1, 4000),
                       HIR_EDGE_DATA);
    }
  g_rand_free (rand);
  check_in_time (graph, TRUE);
}

static void
test_broken_worker (void)
{
  static const char *const programs[] = { "/bin/false", "/bin/echo", "/nonexistent/hirscope" };
  HirGraph *graph = sample_graph_ag_matmul ();
  g_autoptr (HirSizes) sizes = measure_graph (graph);
  g_autoptr (HirLayout) lanes = hir_lanes_new (graph, sizes);

  for (guint i = 0; i < G_N_ELEMENTS (programs); i++)
    {
      g_autoptr (HirLayouter) layouter = hir_layouter_new (programs[i], PATIENT_MS);
      g_autoptr (HirLayout) rows = hir_layouter_run (layouter, sizes, NULL);
      g_autoptr (HirLayout) given = hir_layouter_run (layouter, sizes, lanes);

      g_assert_cmpint (rows->kind, ==, HIR_LAYOUT_LANES);
      g_assert_nonnull (rows->note);
      sample_check_layout (rows, sizes);
      g_assert_true (given->nodes == lanes->nodes && given->points == lanes->points);
      g_assert_cmpstr (given->note, ==, rows->note);
      g_assert_null (lanes->note);
    }
  hir_graph_free (graph);
}

static void
on_done (GObject *source, GAsyncResult *result, gpointer user_data)
{
  GAsyncResult **kept = user_data;

  *kept = g_object_ref (result);
}

static void
test_cancel (void)
{
  HirGraph *graph = sample_graph_random (3000, 5);
  g_autoptr (HirSizes) sizes = measure_graph (graph);
  g_autoptr (HirLayouter) layouter = hir_layouter_new (NULL, PATIENT_MS);
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  g_autoptr (GAsyncResult) result = NULL;
  g_autoptr (GError) error = NULL;
  gint64 start = g_get_monotonic_time ();

  hir_layouter_run_async (layouter, sizes, NULL, cancellable, on_done, &result);
  /* It may not answer before the main loop runs, nor hold it up. */
  g_assert_null (result);
  for (int i = 0; i < 5; i++)
    g_main_context_iteration (NULL, FALSE);
  g_cancellable_cancel (cancellable);
  while (result == NULL)
    g_main_context_iteration (NULL, TRUE);
  g_assert_null (hir_layouter_run_finish (result, &error));
  g_assert_error (error, G_IO_ERROR, G_IO_ERROR_CANCELLED);
  g_assert_cmpint (g_get_monotonic_time () - start, <, 5000000);
  hir_graph_free (graph);
}

/* The matmul goes into the loop, a Set becomes an Allgather: what is as before stays where it is.
 */
static void
test_union (void)
{
  HirGraph *graphs[2] = { sample_graph_ag_matmul (), sample_graph_ag_matmul () };
  g_autoptr (HirMeasure) measure = hir_measure_new ();
  g_autoptr (HirUnion) all = NULL;
  g_autoptr (HirLayouter) layouter = hir_layouter_new (NULL, PATIENT_MS);
  g_autoptr (HirLayout) layout = NULL;
  g_autoptr (GPtrArray) views =
      g_ptr_array_new_with_free_func ((GDestroyNotify) hir_program_view_unref);
  HirLayout *parts[2];
  HirGraphNode *set = &g_array_index (graphs[0]->nodes, HirGraphNode, 8);
  guint n_same = 0;

  set->id = set->key = 900;
  g_free (set->title);
  set->title = g_strdup ("Set");
  /* Other indices in the other snapshot. */
  sample_add_node (graphs[1], 901, HIR_GRAPH_MEMORY, -1, "ALLOCATE T9", "i0");
  sample_add_edge (graphs[1], graphs[1]->nodes->len - 1, 10, HIR_EDGE_DATA);
  for (guint i = 0; i < 2; i++)
    g_ptr_array_add (views, hir_program_view_new_empty ());
  all = hir_union_new_from_views (views, (const HirGraph *const *) graphs, measure);
  g_assert_cmpuint (hir_union_get_sizes (all)->nodes->len, ==, graphs[0]->nodes->len + 2);
  layout = hir_layouter_run (layouter, hir_union_get_sizes (all), NULL);
  sample_check_layout (layout, hir_union_get_sizes (all));
  for (guint i = 0; i < 2; i++)
    parts[i] = hir_union_project (all, layout, i);
  for (guint i = 0; i < graphs[0]->nodes->len; i++)
    {
      HirRect a = g_array_index (parts[0]->nodes, HirRect, i);
      HirRect b = g_array_index (parts[1]->nodes, HirRect, i);
      gboolean same = memcmp (&a, &b, sizeof a) == 0;

      n_same += same;
      g_assert_true (same == (i != 8));
    }
  g_assert_cmpuint (n_same, ==, graphs[0]->nodes->len - 1);
  g_assert_cmpuint (parts[1]->nodes->len, ==, graphs[1]->nodes->len);
  g_assert_cmpfloat (parts[0]->width, ==, parts[1]->width);
  for (guint i = 0; i < 2; i++)
    {
      hir_layout_unref (parts[i]);
      hir_graph_free (graphs[i]);
    }
}

static void
test_seed (void)
{
  HirGraph *graph = sample_graph_ag_matmul ();
  g_autoptr (HirSizes) sizes = measure_graph (graph);
  g_autoptr (HirLayouter) layouter = hir_layouter_new (NULL, PATIENT_MS);
  g_autoptr (HirLayout) before = hir_layouter_run (layouter, sizes, NULL), after = NULL;

  hir_sizes_seed (sizes, graph, graph, before);
  g_assert_cmpuint (sizes->order->len, ==, graph->nodes->len);
  for (guint i = 1; i < sizes->order->len; i++)
    {
      guint a = g_array_index (sizes->order, guint32, i - 1),
            b = g_array_index (sizes->order, guint32, i);

      g_assert_cmpfloat (g_array_index (before->nodes, HirRect, a).x, <=,
                         g_array_index (before->nodes, HirRect, b).x);
    }
  after = hir_layouter_run (layouter, sizes, NULL);
  sample_check_layout (after, sizes);
  hir_graph_free (graph);
}

int
main (int argc, char **argv)
{
  if (argc == 2 && strcmp (argv[1], "--layout-worker") == 0)
    return hir_layout_worker_main ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/layout-worker/dot", test_dot);
  g_test_add_func ("/layout-worker/random", test_random);
  g_test_add_func ("/layout-worker/titles", test_titles_have_room);
  g_test_add_func ("/layout-worker/thousand-nodes", test_thousand_nodes);
  g_test_add_func ("/layout-worker/budget", test_budget);
  g_test_add_func ("/layout-worker/broken", test_broken_worker);
  g_test_add_func ("/layout-worker/cancel", test_cancel);
  g_test_add_func ("/layout-worker/union", test_union);
  g_test_add_func ("/layout-worker/seed", test_seed);
  return g_test_run ();
}
