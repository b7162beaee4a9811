#include "draw/graph/graph-scene.h"
#include "draw/graph/group-titles.h"
#include "draw/graph/lanes.h"
#include "draw/paint-svg.h"
#include "sample.h"

#include <string.h>

typedef struct
{
  HirGraph *graph;
  HirMeasure *measure;
  HirSizes *sizes;
  HirLayout *layout;
  HirDisplayList *list;
  HirGraphScene scene;
} Fixture;

static void
set_up (Fixture *fixture, HirGraph *graph)
{
  fixture->graph = graph;
  fixture->measure = hir_measure_new ();
  fixture->sizes = hir_sizes_new (graph, fixture->measure);
  fixture->layout = hir_lanes_new (graph, fixture->sizes);
  fixture->list = hir_display_list_new ();
  fixture->scene = (HirGraphScene){
    .graph = graph, .layout = fixture->layout, .theme = hir_theme_get (TRUE), .zoom = 1
  };
}

static void
tear_down (Fixture *fixture)
{
  hir_display_list_free (fixture->list);
  hir_layout_unref (fixture->layout);
  hir_sizes_free (fixture->sizes);
  hir_measure_free (fixture->measure);
  hir_graph_free (fixture->graph);
}

static guint
count (const HirDisplayList *list, HirDrawKind kind)
{
  guint n = 0;

  for (guint i = 0; i < list->items->len; i++)
    n += hir_display_list_get_item (list, i)->kind == kind;
  return n;
}

static guint
count_stroke (const HirDisplayList *list, HirColor color)
{
  guint n = 0;

  for (guint i = 0; i < list->items->len; i++)
    n += hir_display_list_get_item (list, i)->stroke == color;
  return n;
}

static guint
count_fill (const HirDisplayList *list, HirColor color)
{
  guint n = 0;

  for (guint i = 0; i < list->items->len; i++)
    n += hir_display_list_get_item (list, i)->kind == HIR_DRAW_ROUND_RECT &&
         hir_display_list_get_item (list, i)->fill == color;
  return n;
}

static void
draw (Fixture *fixture)
{
  hir_display_list_clear (fixture->list);
  hir_graph_scene_draw (&fixture->scene, fixture->list);
}

static guint
count_values (const HirGraph *graph)
{
  guint n = 0;

  for (guint i = 0; i < graph->edges->len; i++)
    {
      HirEdgeKind kind = g_array_index (graph->edges, HirGraphEdge, i).kind;

      n += kind != HIR_EDGE_SYNC && kind != HIR_EDGE_ORDER;
    }
  return n;
}

static void
test_everything_is_there (void)
{
  Fixture f;
  guint n;

  set_up (&f, sample_graph_ag_matmul ());
  draw (&f);
  n = f.graph->nodes->len;
  /* Boxes, the group, and two ports per edge with a value. */
  g_assert_cmpuint (count (f.list, HIR_DRAW_ROUND_RECT), ==, n + 1 + 2 * count_values (f.graph));
  g_assert_cmpuint (count (f.list, HIR_DRAW_BEZIER), ==, f.graph->edges->len);
  g_assert_cmpuint (count (f.list, HIR_DRAW_POLYGON), ==, f.graph->edges->len);
  /* Two per node, the title of the group and those of the lanes. */
  g_assert_cmpuint (count (f.list, HIR_DRAW_TEXT), ==, 2 * n + 1 + f.layout->lanes->len);
  g_assert_cmpuint (f.list->hits->len, ==, n + 1);
  tear_down (&f);
}

static void
test_hits (void)
{
  Fixture f;

  set_up (&f, sample_graph_ag_matmul ());
  draw (&f);
  for (guint i = 0; i < f.graph->nodes->len; i++)
    {
      const HirRect *rect = &g_array_index (f.layout->nodes, HirRect, i);
      const HirHit *hit = hir_display_list_get_hit (f.list, rect->x + 5, rect->y + 5);

      g_assert_nonnull (hit);
      g_assert_cmpuint (hit->tag, ==, HIR_HIT_NODE);
      g_assert_cmpuint (hit->id, ==, g_array_index (f.graph->nodes, HirGraphNode, i).id);
    }
  const HirRect *group = &g_array_index (f.layout->groups, HirRect, 0);
  const HirHit *hit = hir_display_list_get_hit (f.list, group->x + 3, group->y + 3);
  g_assert_cmpuint (hit->id, ==, 10);
  g_assert_cmpuint (hit->tag, ==, HIR_HIT_GROUP);
  tear_down (&f);
}

static void
test_selection_and_changes (void)
{
  g_autoptr (GHashTable) selected = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (GHashTable) changes = g_hash_table_new (g_int64_hash, g_int64_equal);
  guint64 ids[] = { SAMPLE_MATMUL, 59, 60, 7 };
  Fixture f;

  set_up (&f, sample_graph_ag_matmul ());
  draw (&f);
  g_assert_cmpuint (count_stroke (f.list, f.scene.theme->accent), ==, 0);
  g_hash_table_add (selected, &ids[0]);
  g_hash_table_insert (changes, &ids[1], GUINT_TO_POINTER (HIR_CHANGE_CREATED));
  g_hash_table_insert (changes, &ids[2], GUINT_TO_POINTER (HIR_CHANGE_CREATED));
  g_hash_table_insert (changes, &ids[3], GUINT_TO_POINTER (HIR_CHANGE_CHANGED));
  f.scene.selected = selected;
  f.scene.changes = changes;
  draw (&f);
  /* The box and the three values that it reads. */
  g_assert_cmpuint (count_stroke (f.list, f.scene.theme->accent), ==, 1 + 3);
  /* A change is a bar in the box, which keeps the colors of its kind. */
  g_assert_cmpuint (count_fill (f.list, f.scene.theme->created), ==, 2);
  g_assert_cmpuint (count_fill (f.list, f.scene.theme->changed), ==, 1);
  g_assert_cmpuint (count_fill (f.list, f.scene.theme->node[HIR_GRAPH_COMM].fill), ==, 2);
  HirGraphMark mark = { 59, 0xffaa00ff };
  f.scene.marks = &mark;
  f.scene.n_marks = 1;
  draw (&f);
  g_assert_cmpuint (count_stroke (f.list, 0xffaa00ff), ==, 1);
  tear_down (&f);
}

static void
test_detail (void)
{
  Fixture f;
  guint n;

  set_up (&f, sample_graph_ag_matmul ());
  n = f.graph->nodes->len;
  f.scene.zoom = 0.4;
  draw (&f);
  g_assert_cmpuint (count (f.list, HIR_DRAW_TEXT), ==, n + 1 + f.layout->lanes->len);
  f.scene.zoom = 0.1;
  draw (&f);
  g_assert_cmpuint (count (f.list, HIR_DRAW_TEXT), ==, 0);
  g_assert_cmpuint (count (f.list, HIR_DRAW_POLYGON), ==, 0);
  g_assert_cmpuint (f.list->hits->len, ==, n + 1);
  tear_down (&f);
}

static void
test_culling (void)
{
  Fixture f;
  guint all;

  set_up (&f, sample_graph_random (2000, 1));
  draw (&f);
  all = f.list->items->len;
  f.scene.visible = hir_rect (0, 0, 400, 300);
  draw (&f);
  g_assert_cmpuint (f.list->items->len, >, 0);
  g_assert_cmpuint (f.list->items->len * 5, <, all);
  tear_down (&f);
}

/* Names that broke the drawings of other tools. */
static void
test_names (void)
{
  static const char *const names[] = {
    "{a|b} -> c", "\"quoted\" & <i>",          "line\nbreak", "\\N \\l",
    "",           "\303\274 \360\237\230\200", "\377\376"
  };
  HirGraph *graph = hir_graph_new_empty ();
  g_autofree char *svg = NULL, *long_name = g_strnfill (10240, 'n');
  GMarkupParser parser = { NULL };
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, NULL, NULL);
  g_autoptr (GError) error = NULL;
  Fixture f;

  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    sample_add_node (graph, i + 1, HIR_GRAPH_OP,
                     (int) sample_add_group (graph, 100 + i, -1, names[i]), names[i], names[i]);
  sample_add_node (graph, 50, HIR_GRAPH_OP, -1, long_name, long_name);
  set_up (&f, graph);
  draw (&f);
  svg = hir_paint_svg (f.list, f.layout->width, f.layout->height, 0, 0, NULL, NULL);
  g_assert_true (g_markup_parse_context_parse (context, svg, -1, &error));
  g_assert_no_error (error);
  g_assert_nonnull (strstr (svg, "{a|b} -&gt; c"));
  tear_down (&f);
}

/* In a comparison of two snapshots, changes have their color and other items are faded. */
static void
test_diff (void)
{
  HirGraph *graph = sample_graph_ag_matmul ();
  HirColor quiet;
  Fixture f;

  g_array_index (graph->nodes, HirGraphNode, 0).change = HIR_CHANGE_CREATED;
  g_array_index (graph->nodes, HirGraphNode, 1).change = HIR_CHANGE_REMOVED;
  g_array_index (graph->nodes, HirGraphNode, 2).change = HIR_CHANGE_CHANGED;
  g_array_index (graph->edges, HirGraphEdge, 0).change = HIR_CHANGE_REMOVED;
  set_up (&f, graph);
  f.scene.is_diff = TRUE;
  draw (&f);
  g_assert_cmpuint (count_stroke (f.list, f.scene.theme->created), ==, 1);
  g_assert_cmpuint (count_stroke (f.list, f.scene.theme->changed), ==, 1);
  /* A removed box and an edge, both dashed. */
  g_assert_cmpuint (count_stroke (f.list, f.scene.theme->removed), ==, 2);
  for (guint i = 0; i < f.list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (f.list, i);

      if (item->stroke == f.scene.theme->removed)
        g_assert_cmpint (item->dash, ==, HIR_DASH_DASHED);
    }
  quiet = hir_color_fade (f.scene.theme->node[HIR_GRAPH_COMM].stroke, 0.5);
  g_assert_cmpuint (count_stroke (f.list, quiet), ==, 2);
  g_assert_cmpuint (count_stroke (f.list, f.scene.theme->node[HIR_GRAPH_COMM].stroke), ==, 0);
  tear_down (&f);
}

/* The triangle of a group, or of a folded box, receives clicks before the items below. */
static void
test_fold (void)
{
  HirGraph *graph = sample_graph_ag_matmul ();
  HirGraphNode *box = &g_array_index (graph->nodes, HirGraphNode, 0);
  const HirHit *hit;
  HirRect title;
  Fixture f;
  guint n_marks = 0;

  box->kind = HIR_GRAPH_FOLD;
  set_up (&f, graph);
  draw (&f);
  for (guint i = 0; i < f.list->hits->len; i++)
    n_marks += g_array_index (f.list->hits, HirHit, i).tag == HIR_HIT_FOLD;
  g_assert_cmpuint (n_marks, ==, 1);
  f.scene.can_fold = TRUE;
  draw (&f);
  title = hir_group_title_get_rect (graph, f.layout, 0, TRUE);
  hit = hir_display_list_get_hit (f.list, title.x - HIR_FOLD_MARK + 2, title.y + 6);
  g_assert_cmpuint (hit->tag, ==, HIR_HIT_FOLD);
  g_assert_cmpuint (hit->id, ==, g_array_index (graph->groups, HirGraphGroup, 0).id);
  tear_down (&f);
}

/* Boxes of instructions have a gutter for breakpoints; tensors and other snapshots have none.
 * Inside of a box, only the disc of a breakpoint belongs to the gutter. A set breakpoint is a disc,
 * a disabled one a ring. */
static void
test_breaks (void)
{
  guint64 on = SAMPLE_MATMUL;
  g_autoptr (GHashTable) breaks = g_hash_table_new (g_int64_hash, g_int64_equal);
  guint n_boxes = 0, n_edges = 0;
  const HirHit *hit;
  const HirRect *rect;
  Fixture f;

  set_up (&f, sample_graph_ag_matmul ());
  draw (&f);
  for (guint i = 0; i < f.list->hits->len; i++)
    g_assert_cmpint (g_array_index (f.list->hits, HirHit, i).tag, !=, HIR_HIT_BREAK);
  f.scene.can_break = TRUE;
  f.scene.breaks = breaks;
  draw (&f);
  for (guint i = 0; i < f.graph->nodes->len; i++)
    n_boxes += g_array_index (f.graph->nodes, HirGraphNode, i).kind != HIR_GRAPH_TENSOR;
  for (guint i = 0; i < f.list->hits->len; i++)
    n_edges += g_array_index (f.list->hits, HirHit, i).tag == HIR_HIT_BREAK;
  g_assert_cmpuint (n_edges, ==, n_boxes + f.graph->groups->len);
  g_assert_cmpuint (count_fill (f.list, 0xffe03338), ==, 0);
  for (guint i = 0; i < f.graph->nodes->len; i++)
    {
      rect = &g_array_index (f.layout->nodes, HirRect, i);
      hit = hir_display_list_get_hit (f.list, rect->x + 0.5, rect->y + 13);
      g_assert_cmpint (hit->tag, ==, HIR_HIT_NODE);
    }
  g_hash_table_insert (breaks, &on, GUINT_TO_POINTER (HIR_GRAPH_BREAK_ON));
  draw (&f);
  g_assert_cmpuint (count_fill (f.list, 0xffe03338), ==, 1);
  g_hash_table_insert (breaks, &on, GUINT_TO_POINTER (HIR_GRAPH_BREAK_OFF));
  draw (&f);
  g_assert_cmpuint (count_fill (f.list, 0xffe03338), ==, 0);
  g_assert_cmpuint (count_stroke (f.list, 0xffe03338), ==, 1);
  for (guint i = 0; i < f.graph->nodes->len; i++)
    if (g_array_index (f.graph->nodes, HirGraphNode, i).id == on)
      {
        rect = &g_array_index (f.layout->nodes, HirRect, i);
        hit = hir_display_list_get_hit (f.list, rect->x, rect->y + rect->height / 2);
        g_assert_nonnull (hit);
        g_assert_cmpint (hit->tag, ==, HIR_HIT_BREAK);
        g_assert_cmpuint (hit->id, ==, on);
        hit = hir_display_list_get_hit (f.list, rect->x + rect->width / 2,
                                        rect->y + rect->height / 2);
        g_assert_cmpint (hit->tag, ==, HIR_HIT_NODE);
      }
  tear_down (&f);
}

static void
test_map (void)
{
  HirRect place = hir_rect (10, 20, 160, 120), shown = hir_rect (0, 0, 50, 40);
  double zoom, dx, dy;
  Fixture f;

  set_up (&f, sample_graph_ag_matmul ());
  hir_display_list_clear (f.list);
  hir_graph_scene_draw_map (&f.scene, f.list, &place, &shown);
  g_assert_cmpuint (count (f.list, HIR_DRAW_RECT), ==, f.graph->nodes->len);
  for (guint i = 0; i < f.list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (f.list, i);

      if (item->kind == HIR_DRAW_RECT)
        g_assert_true (item->rect.x >= place.x && item->rect.y >= place.y &&
                       item->rect.x + item->rect.width <= place.x + place.width + 1.01f &&
                       item->rect.y + item->rect.height <= place.y + place.height + 1.01f);
    }
  g_assert_cmpuint (count_stroke (f.list, f.scene.theme->accent), ==, 1);
  hir_graph_scene_fit_map (f.layout, &place, &zoom, &dx, &dy);
  g_assert_cmpfloat (f.layout->width * zoom, <=, place.width + 0.01);
  g_assert_cmpfloat (f.layout->height * zoom, <=, place.height + 0.01);
  tear_down (&f);
}

/* The legend has one row per kind of box, edge and change that is in the graph. */
static void
test_legend (void)
{
  HirDisplayList *list = hir_display_list_new ();
  g_autoptr (GHashTable) changes = g_hash_table_new (g_int64_hash, g_int64_equal);
  g_autoptr (HirGraph) graph = hir_graph_new_empty ();
  const HirTheme *theme = hir_theme_get (TRUE);
  guint64 id = 2;
  guint32 rows;

  g_assert_cmpuint (hir_graph_scene_get_legend (graph, NULL, FALSE), ==, 0);
  sample_add_node (graph, 1, HIR_GRAPH_TENSOR, -1, "T0", "");
  sample_add_node (graph, 2, HIR_GRAPH_OP, -1, "neg", "");
  sample_add_node (graph, 3, HIR_GRAPH_TENSOR, -1, "T1", "");
  sample_add_edge (graph, 0, 1, HIR_EDGE_DATA);
  sample_add_edge (graph, 1, 2, HIR_EDGE_DATA);
  rows = hir_graph_scene_get_legend (graph, NULL, FALSE);
  hir_graph_scene_draw_legend (theme, list, rows, 1, 0, 0);
  g_assert_cmpuint (count (list, HIR_DRAW_TEXT), ==, 3);
  g_assert_cmpfloat (hir_graph_scene_draw_legend (theme, NULL, rows, 3, 0, 0) * 3, ==,
                     hir_graph_scene_draw_legend (theme, NULL, rows, 1, 0, 0));
  g_hash_table_insert (changes, &id, GUINT_TO_POINTER (HIR_CHANGE_CHANGED));
  g_assert_cmpuint (hir_graph_scene_get_legend (graph, changes, FALSE), !=, rows);
  g_assert_cmpuint (hir_graph_scene_get_legend (graph, changes, TRUE), ==, rows);
  g_array_index (graph->edges, HirGraphEdge, 1).change = HIR_CHANGE_REMOVED;
  g_assert_cmpuint (hir_graph_scene_get_legend (graph, NULL, FALSE), ==, rows);
  g_assert_cmpuint (hir_graph_scene_get_legend (graph, NULL, TRUE), !=, rows);
  hir_display_list_free (list);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/graph-scene/everything", test_everything_is_there);
  g_test_add_func ("/graph-scene/hits", test_hits);
  g_test_add_func ("/graph-scene/selection", test_selection_and_changes);
  g_test_add_func ("/graph-scene/detail", test_detail);
  g_test_add_func ("/graph-scene/culling", test_culling);
  g_test_add_func ("/graph-scene/names", test_names);
  g_test_add_func ("/graph-scene/diff", test_diff);
  g_test_add_func ("/graph-scene/fold", test_fold);
  g_test_add_func ("/graph-scene/breaks", test_breaks);
  g_test_add_func ("/graph-scene/map", test_map);
  g_test_add_func ("/graph-scene/legend", test_legend);
  return g_test_run ();
}
