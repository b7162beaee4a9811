/* Tests the geometry of the graphs of all embedded examples after every pass, laid out by Graphviz
 * alone and for all steps together, and in lanes: no edge crosses a box or the title of a group,
 * and arrowheads are outside of all boxes. Like hirscope, this program is its own layout worker. */
#include "draw/graph/group-titles.h"
#include "draw/graph/lanes.h"
#include "draw/graph/layout-worker.h"
#include "draw/graph/union.h"
#include "program/program.h"
#include "sample.h"

#include <math.h>
#include <string.h>

#define N_SAMPLES 40
#define ARROW 9.0f
#define GLYPH 6.8 /* width of a letter of a title */
#define PATIENT_MS 60000

typedef struct
{
  const char *what;
  const HirGraph *graph;
  const HirLayout *layout;
  guint n_edges, n_boxes, n_heads, n_titles, n_cut; /* edges; violations of each kind */
} Check;

static HirPoint
get_point (const HirPoint *p, float t)
{
  float u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;

  return (HirPoint){ a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x,
                     a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y };
}

static gboolean
is_inside (const HirRect *rect, HirPoint at, float shrink)
{
  return rect->width > 0 && at.x > rect->x + shrink && at.x < rect->x + rect->width - shrink &&
         at.y > rect->y + shrink && at.y < rect->y + rect->height - shrink;
}

static gboolean
is_in_box (const Check *check, HirPoint at)
{
  for (guint i = 0; i < check->layout->nodes->len; i++)
    if (is_inside (&g_array_index (check->layout->nodes, HirRect, i), at, 1))
      return TRUE;
  return FALSE;
}

static gboolean
is_in_title (const Check *check, HirPoint at)
{
  for (guint i = 0; i < check->layout->groups->len; i++)
    {
      HirRect title = hir_group_title_get_rect (check->graph, check->layout, i, TRUE);

      if (is_inside (&title, at, 1))
        return TRUE;
    }
  return FALSE;
}

static void
check_edge (Check *check, guint index)
{
  const HirGraphEdge *edge = &g_array_index (check->graph->edges, HirGraphEdge, index);
  const HirLayoutEdge *path = &g_array_index (check->layout->edges, HirLayoutEdge, index);
  const HirPoint *points =
      (const HirPoint *) (gpointer) check->layout->points->data + path->first_point;
  gboolean in_box = FALSE, in_title = FALSE, in_head = FALSE;
  HirPoint tip, from;
  float length;

  if (path->n_points < 4)
    return;
  tip = points[path->n_points - 1];
  for (guint k = 0; k + 3 < path->n_points; k += 3)
    for (guint s = 0; s <= N_SAMPLES; s++)
      {
        HirPoint at = get_point (points + k, (float) s / N_SAMPLES);

        in_box |= is_in_box (check, at);
        in_title |= is_in_title (check, at);
      }
  from = points[path->n_points - 2];
  for (guint i = path->n_points - 2; i > 0 && hypotf (tip.x - from.x, tip.y - from.y) < 0.5f; i--)
    from = points[i - 1];
  length = MAX (hypotf (tip.x - from.x, tip.y - from.y), 1e-3f);
  for (int side = -1; side <= 1; side++)
    {
      float ux = (tip.x - from.x) / length, uy = (tip.y - from.y) / length;
      HirPoint at = { tip.x - ux * ARROW - side * uy * ARROW * 0.35f,
                      tip.y - uy * ARROW + side * ux * ARROW * 0.35f };

      in_head |= is_in_box (check, at);
    }
  check->n_edges++;
  check->n_boxes += in_box;
  check->n_heads += in_head;
  check->n_titles += in_title;
  if (in_box || in_head || in_title)
    g_test_message ("%s: %s -> %s:%s%s%s", check->what,
                    g_array_index (check->graph->nodes, HirGraphNode, edge->from).title,
                    g_array_index (check->graph->nodes, HirGraphNode, edge->to).title,
                    in_box ? " crosses a box" : "", in_head ? " arrowhead in a box" : "",
                    in_title ? " crosses a title" : "");
}

static void
check_layout (Check *all, const char *what, const HirGraph *graph, const HirLayout *layout)
{
  Check check = { .what = what, .graph = graph, .layout = layout };

  for (guint i = 0; i < graph->groups->len; i++)
    {
      HirRect rect = hir_group_title_get_rect (graph, layout, i, TRUE);
      const char *title = g_array_index (graph->groups, HirGraphGroup, i).title;

      if (rect.width >= GLYPH * strlen (title))
        continue;
      check.n_cut++;
      g_test_message ("%s: title %s is %g wide", what, title, rect.width);
    }

  for (guint i = 0; i < graph->edges->len; i++)
    check_edge (&check, i);
  all->n_edges += check.n_edges;
  all->n_boxes += check.n_boxes;
  all->n_heads += check.n_heads;
  all->n_titles += check.n_titles;
  all->n_cut += check.n_cut;
}

static void
check_program (Check *all, const char *name, HirProgram *program, HirMeasure *measure)
{
  g_autoptr (HirLayouter) layouter = hir_layouter_new (NULL, PATIENT_MS);

  for (guint host = 0; host < 2; host++)
    {
      g_autoptr (GPtrArray) kin = g_ptr_array_new ();
      g_autoptr (HirUnion) both = NULL;
      g_autoptr (HirLayout) whole = NULL;

      for (guint i = 0; i < program->views->len; i++)
        if (((HirProgramView *) program->views->pdata[i])->is_host == (host == 1))
          g_ptr_array_add (kin, program->views->pdata[i]);
      if (kin->len == 0)
        continue;
      both = hir_union_new_from_views (kin, NULL, measure);
      whole = hir_layouter_run (layouter, hir_union_get_sizes (both), NULL);
      for (guint i = 0; i < kin->len; i++)
        {
          const HirProgramView *view = kin->pdata[i];
          g_autoptr (HirSizes) sizes = hir_sizes_new (view->graph, measure);
          g_autoptr (HirLayout) lanes = hir_lanes_new (view->graph, sizes);
          g_autoptr (HirLayout) alone = hir_layouter_run (layouter, sizes, NULL);
          g_autoptr (HirLayout) part = hir_union_project (both, whole, i);
          const HirLayout *layouts[] = { lanes, alone, part };
          static const char *const kinds[] = { "lanes", "alone", "all steps" };

          for (guint k = hir_lanes_has_streams (view->graph) ? 0 : 1; k < G_N_ELEMENTS (layouts);
               k++)
            {
              g_autofree char *what =
                  g_strdup_printf ("%s, %s, %s", name, view->pass_name, kinds[k]);

              check_layout (all + k, what, view->graph, layouts[k]);
            }
        }
    }
}

static void
test_examples (gconstpointer data)
{
  const char *file = data;
  g_autofree char *path =
      g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "app", "examples", file, NULL);
  g_autoptr (HirMeasure) measure = hir_measure_new ();
  g_autoptr (GError) error = NULL;
  g_autoptr (HirSource) source = hir_script_load (path, &error);
  g_autoptr (HirScript) script = NULL;
  g_autoptr (GPtrArray) functions = NULL;
  Check all[3] = { 0 };

  g_assert_no_error (error);
  script = hir_script_parse (source, NULL);
  g_assert_nonnull (script);
  functions = hir_script_dup_candidates (script);
  g_assert_cmpuint (functions->len, >, 0);
  for (guint i = 0; i < functions->len; i++)
    {
      const HirScriptFunction *function = functions->pdata[i];
      g_autoptr (HirRequest) request = hir_request_new (source, function->name);
      g_autoptr (HirProgram) program = NULL;

      program = hir_program_new (request, NULL, NULL, NULL);
      if (program != NULL)
        check_program (all, function->name, program, measure);
    }
  for (guint k = 0; k < 3; k++)
    g_test_message ("%s %u: %u edges, %u cross boxes, %u arrowheads in boxes, %u cross titles",
                    file, k, all[k].n_edges, all[k].n_boxes, all[k].n_heads, all[k].n_titles);
  for (guint k = 0; k < 3; k++)
    {
      g_assert_cmpuint (all[k].n_edges, >, 0);
      g_assert_cmpuint (all[k].n_boxes, ==, 0);
      g_assert_cmpuint (all[k].n_heads, ==, 0);
      g_assert_cmpuint (all[k].n_titles, ==, 0);
      /* In lanes, an edge can leave no space for a whole title. */
      if (k > 0)
        g_assert_cmpuint (all[k].n_cut, ==, 0);
    }
}

int
main (int argc, char **argv)
{
  if (argc > 1 && g_str_equal (argv[1], "--layout-worker"))
    return hir_layout_worker_main ();
  g_test_init (&argc, &argv, NULL);
  g_test_add_data_func ("/graph-examples/single-device", "single_device.py", test_examples);
  g_test_add_data_func ("/graph-examples/multi-device", "multi_device.py", test_examples);
  return g_test_run ();
}
