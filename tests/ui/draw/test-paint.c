/* The two painters make one picture; and SVG has the texts as texts. */
#include "draw/cards/device-scene.h"
#include "draw/cards/domain-scene.h"
#include "draw/graph/graph-scene.h"
#include "draw/graph/lanes.h"
#include "draw/paint-cairo.h"
#include "draw/paint-pixels.h"
#include "draw/paint-svg.h"
#include "draw/timeline/timeline-scene.h"
#include "sample.h"

#include <math.h>
#include <string.h>

#define WIDTH 640
#define HEIGHT 420

static cairo_surface_t *
new_surface (void)
{
  cairo_surface_t *surface = cairo_image_surface_create (CAIRO_FORMAT_ARGB32, WIDTH, HEIGHT);
  cairo_t *cr = cairo_create (surface);

  cairo_set_source_rgb (cr, 0.1, 0.12, 0.11);
  cairo_paint (cr);
  cairo_destroy (cr);
  return surface;
}

/* The largest difference of a channel, and the share of pixels that differ by more than @level. */
static int
compare (cairo_surface_t *a, cairo_surface_t *b, int level, double *share)
{
  const guint8 *p, *q;
  int largest = 0;
  guint n = 0;

  cairo_surface_flush (a);
  cairo_surface_flush (b);
  p = cairo_image_surface_get_data (a);
  q = cairo_image_surface_get_data (b);
  for (int i = 0; i < WIDTH * HEIGHT; i++)
    {
      int worst = 0;

      for (int c = 0; c < 4; c++)
        worst = MAX (worst, ABS (p[i * 4 + c] - q[i * 4 + c]));
      largest = MAX (largest, worst);
      n += worst > level;
    }
  *share = (double) n / (WIDTH * HEIGHT);
  return largest;
}

static void
check_same (const HirDisplayList *list, double scale, double dx, double dy, int most)
{
  cairo_surface_t *by_cairo = new_surface (), *by_hand = new_surface (), *blank = new_surface ();
  cairo_t *cr = cairo_create (by_cairo);
  double share;
  int largest;

  cairo_translate (cr, dx, dy);
  cairo_scale (cr, scale, scale);
  hir_paint_cairo (list, cr, NULL);
  cairo_destroy (cr);
  hir_paint_pixels (list, by_hand, scale, dx, dy, NULL);
  largest = compare (by_cairo, by_hand, 6, &share);
  g_test_message ("scale %.2f: largest difference %d, %.4f %% differ", scale, largest, share * 100);
  g_assert_cmpint (largest, <=, most);
  g_assert_cmpfloat (share, <=, 0.002);
  /* It did draw something. */
  compare (by_cairo, blank, 6, &share);
  g_assert_cmpfloat (share, >, 0.01);
  cairo_surface_destroy (by_cairo);
  cairo_surface_destroy (by_hand);
  cairo_surface_destroy (blank);
}

static void
test_rects (void)
{
  g_autoptr (HirDisplayList) list = hir_display_list_new ();
  GRand *rand = g_rand_new_with_seed (4);

  for (int i = 0; i < 300; i++)
    {
      HirRect rect =
          hir_rect (g_rand_double_range (rand, -40, WIDTH), g_rand_double_range (rand, -40, HEIGHT),
                    g_rand_double_range (rand, 0.1, 60), g_rand_double_range (rand, 0.1, 40));

      hir_display_list_add_rect (list, rect, g_rand_int (rand) | (i % 3 ? 0xff000000u : 0));
    }
  check_same (list, 1, 0, 0, 4);
  check_same (list, 1.5, -100.3, 7.7, 4);
  check_same (list, 0.37, 40, 40, 4);
  g_rand_free (rand);
}

/* Columns on whole pixels, and in between; opaque, seen through and empty. */
static void
test_columns (void)
{
  g_autoptr (HirDisplayList) list = hir_display_list_new ();
  g_autofree HirColor *colors = g_new0 (HirColor, 500);
  g_autofree char *svg = NULL;
  GRand *rand = g_rand_new_with_seed (7);

  for (int strip = 0; strip < 6; strip++)
    {
      for (int i = 10; i < 490; i++)
        colors[i] = i % 9 < 2   ? 0
                    : i % 9 < 5 ? colors[i - 1]
                                : g_rand_int (rand) | (strip < 4 ? 0xff000000u : 0);
      if (strip == 3)
        hir_display_list_push_clip (list, hir_rect (33, 0, 400, 300));
      hir_display_list_add_columns (list,
                                    hir_rect (20, 20 + strip * 30, 500 + (strip % 2) * 33.5, 20),
                                    colors, 500);
    }
  hir_display_list_pop_clip (list);
  check_same (list, 1, 0, 0, 4);
  check_same (list, 2, -100, -40, 4);
  check_same (list, 1.3, 5, 7.7, 8);
  svg = hir_paint_svg (list, WIDTH, HEIGHT, 0, 0, NULL, NULL);
  g_assert_nonnull (strstr (svg, "M34 20h"));
  g_rand_free (rand);
}

/* Bars side by side are one path a colour in SVG; where one lies on the next, what is seen of it.
 * What is under a bar, or seen through one, keeps its place. */
static void
test_svg_rows (void)
{
  g_autoptr (HirDisplayList) list = hir_display_list_new ();
  g_autofree char *svg = NULL;
  const char *red, *hidden;

  for (int i = 0; i < 6; i++)
    hir_display_list_add_rect (list, hir_rect (10 + 2 * i, 20, i == 2 ? 3 : 2, 8),
                               i % 2 ? 0xff00ff00 : 0xffff0000);
  hir_display_list_add_rect (list, hir_rect (10, 40, 9, 8), 0xff0000ff);
  for (int i = 0; i < 4; i++)
    hir_display_list_add_rect (list, hir_rect (12 + i, 40, 1, 8), 0x80ff0000);
  svg = hir_paint_svg (list, WIDTH, HEIGHT, 0, 0, NULL, NULL);
  red = strstr (svg, "<path d=\"M10 20h2v8h-2zm4 0h2v8h-2zm4 0h2v8h-2z\" fill=\"#ff0000\"/>");
  g_assert_nonnull (red);
  g_assert_nonnull (strstr (svg, "M12 20h2v8h-2zm4 0h2v8h-2zm4 0h2v8h-2z"));
  hidden = strstr (svg, "<rect x=\"10\" y=\"40\" width=\"9\"");
  g_assert_nonnull (hidden);
  g_assert_nonnull (strstr (hidden, "M12 40h1v8h-1zm1 0h1v8h-1zm1 0h1v8h-1z"));
}

/* Rounded bars of a row are paths, too, told from where the one before began, in the fewest digits,
 * and what is written on them comes after. */
static void
test_svg_rounded_rows (void)
{
  g_autoptr (HirDisplayList) list = hir_display_list_new ();
  g_autofree char *svg = NULL;

  for (int i = 0; i < 6; i++)
    hir_display_list_add_round_rect (list, hir_rect (9.25 + 12.5 * i, 20, 10.75, 16), 2.5,
                                     i % 2 ? 0xff00ff00 : 0xffff0000, 0, 0, HIR_DASH_NONE);
  hir_display_list_add_text (list, hir_rect (75, 20, 0, 16), "label", HIR_FONT_SANS, 6, 0xff000000,
                             HIR_ALIGN_START);
  hir_display_list_add_round_rect (list, hir_rect (100, 20, 10, 16), 2.5, 0xff0000ff, 0xff000080, 1,
                                   HIR_DASH_NONE);
  svg = hir_paint_svg (list, WIDTH, HEIGHT, 0, 0, NULL, NULL);
  g_assert_nonnull (
      strstr (svg, "<path d=\"M11.75 22.5h5.75v11h-5.75zm25 0h5.75v11h-5.75zm25 0h5.75v11h-5.75z\" "
                   "fill=\"#ff0000\" stroke=\"#ff0000\" stroke-width=\"5\" "
                   "class=\"r\"/>"));
  /* The edge of 1 px, and what it goes around. */
  g_assert_nonnull (strstr (
      svg, "<path d=\"M103 23h4v10h-4z\" fill=\"#000080\" stroke=\"#000080\" stroke-width=\"6\""));
  g_assert_nonnull (strstr (
      svg, "<path d=\"M103 23h4v10h-4z\" fill=\"#0000ff\" stroke=\"#0000ff\" stroke-width=\"4\""));
  g_assert_nonnull (strstr (strstr (svg, "#0000ff"), ">label</text>"));
}

/* Order, clips and rounded corners, by hand and by cairo in turns. */
static void
test_mixed (void)
{
  g_autoptr (HirDisplayList) list = hir_display_list_new ();
  HirPoint curve[4] = { { 20, 20 }, { 300, 30 }, { 100, 400 }, { 600, 380 } };

  hir_display_list_add_rect (list, hir_rect (10, 10, 300, 200), 0xff204060);
  hir_display_list_add_bezier (list, curve, 4, 0xffffd040, 3, HIR_DASH_DASHED);
  hir_display_list_add_rect (list, hir_rect (200, 100, 200, 200), 0x8040a060);
  hir_display_list_push_clip (list, hir_rect (50.5, 50.25, 380, 260));
  for (int i = 0; i < 40; i++)
    hir_display_list_add_round_rect (list, hir_rect (i * 16.3, 60 + i * 7.1, 60 + i, 16), 3,
                                     0xff3071c6 + (HirColor) i * 0x010203u, 0, 0, HIR_DASH_NONE);
  hir_display_list_add_text (list, hir_rect (60, 200, 200, 30), "clipped · text",
                             HIR_FONT_SANS_BOLD, 22, 0xffffffff, HIR_ALIGN_CENTER);
  hir_display_list_push_clip (list, hir_rect (0, 0, 100, 400));
  hir_display_list_add_rect (list, hir_rect (0, 250, 640, 30), 0xffc04020);
  hir_display_list_pop_clip (list);
  hir_display_list_add_rect (list, hir_rect (300, 280, 640, 10), 0xffc0c020);
  hir_display_list_pop_clip (list);
  hir_display_list_add_round_rect (list, hir_rect (400, 300, 200, 90), 9, 0xff303034, 0xff57e389, 2,
                                   HIR_DASH_DASHED);
  hir_display_list_add_rect (list, hir_rect (0, 410, 640, 5), 0xffffffff);
  check_same (list, 1, 0, 0, 32);
  check_same (list, 1.5, -50, -60, 32);
  check_same (list, 0.6, 11.5, 9.25, 32);
}

static void
test_graph (void)
{
  HirGraph *graph = sample_graph_ag_matmul ();
  g_autoptr (HirMeasure) measure = hir_measure_new ();
  g_autoptr (HirSizes) sizes = hir_sizes_new (graph, measure);
  g_autoptr (HirLayout) layout = hir_lanes_new (graph, sizes);
  g_autoptr (HirDisplayList) list = hir_display_list_new ();
  HirGraphScene scene = {
    .graph = graph, .layout = layout, .theme = hir_theme_get (TRUE), .zoom = 1
  };

  hir_graph_scene_draw (&scene, list);
  check_same (list, 0.8, 10, 10, 32);
  hir_graph_free (graph);
}

static void
test_timeline (void)
{
  g_autoptr (HirTrace) trace = sample_trace_ag_matmul ();
  g_autoptr (HirTimelineRows) rows = hir_timeline_rows_new (trace, NULL);
  g_autoptr (HirMeasure) measure = hir_measure_new ();
  g_autoptr (HirDisplayList) list = hir_display_list_new ();
  HirTimelineScene scene = { .rows = rows,
                             .theme = hir_theme_get (TRUE),
                             .measure = measure,
                             .end_ns = 3500000,
                             .width = WIDTH,
                             .height = HEIGHT,
                             .header_width = 100 };

  hir_timeline_scene_draw (&scene, list);
  check_same (list, 1, 0, 0, 32);
}

static void
test_scenes (void)
{
  HirNodeInfo *info = hir_node_info_new (1, FALSE);
  g_autoptr (HirMeasure) measure = hir_measure_new ();
  g_autoptr (HirDomainTree) tree = NULL;
  g_autoptr (HirDeviceGrid) grid = NULL;

  info->kind = g_strdup ("TensorView");
  hir_node_info_add_fact (info, "mesh", "DeviceMesh{{0 1}{2 3}}", 0);
  hir_node_info_add_fact (info, "logical domain", "[iS0{i0}, rS1{i2}, bS2{1}]", 0);
  hir_node_info_add_fact (info, "loop domain", "[ideviceIdx.x3{2}, iS4{8}, rS1{i2}, bS2{1}]", 0);
  hir_node_info_add_fact (info, "transform",
                          "Split: iS0{i0} by factor 8 -> ideviceIdx.x3{2}, iS4{8}", 0);
  tree = hir_domain_tree_new (info);
  grid = hir_device_grid_new (info);
  for (guint dark = 0; dark < 2; dark++)
    {
      HirDomainScene domains = { tree, hir_theme_get (dark == 1), measure, 260, 3 };
      HirDeviceScene devices = { grid, tree, hir_theme_get (dark == 1), measure, 260, 2, 1, -1 };
      g_autoptr (HirDisplayList) list = hir_display_list_new ();

      /* As the card paints it: corners are a mixture with what is behind them. */
      hir_display_list_add_rect (list, hir_rect (-50, -50, 900, 900), domains.theme->background);
      hir_domain_scene_draw (&domains, list);
      check_same (list, 1, 20, 20, 40);
      check_same (list, 1.5, 20, 20, 40);
      hir_display_list_clear (list);
      hir_display_list_add_rect (list, hir_rect (-50, -50, 900, 900), domains.theme->background);
      hir_device_scene_draw (&devices, list);
      check_same (list, 1.5, 20, 20, 40);
    }
  hir_node_info_free (info);
}

static void
on_svg_text (GMarkupParseContext *context,
             const char *text,
             gsize length,
             gpointer user_data,
             GError **error)
{
  if (g_strcmp0 (g_markup_parse_context_get_element (context), "text") == 0)
    g_ptr_array_add (user_data, g_strndup (text, length));
}

static void
test_svg (void)
{
  static const char *const labels[] = { "T0[iS0{i0}] -> a|b", "<&> \"quoted\" 'single'",
                                        "\\N \\G {x}", "new\nline", "ü · → …" };
  static const char *const shown[] = { "T0[iS0{i0}] -> a|b", "<&> \"quoted\" 'single'",
                                       "\\N \\G {x}", "new line", "ü · → …" };
  g_autoptr (HirDisplayList) list = hir_display_list_new ();
  g_autoptr (GPtrArray) texts = g_ptr_array_new_with_free_func (g_free);
  GMarkupParser parser = { .text = on_svg_text };
  g_autoptr (GMarkupParseContext) context = g_markup_parse_context_new (&parser, 0, texts, NULL);
  g_autoptr (GError) error = NULL;
  g_autofree char *svg = NULL;

  hir_display_list_push_clip (list, hir_rect (0, 0, 300, 300));
  for (guint i = 0; i < G_N_ELEMENTS (labels); i++)
    hir_display_list_add_text (list, hir_rect (10, 20.0 * i, 280, 20), labels[i], HIR_FONT_MONO, 12,
                               0x80000000, HIR_ALIGN_END);
  hir_display_list_pop_clip (list);
  svg = hir_paint_svg (list, 300, 300, 90, 0xffffffff, "a & b", NULL);
  g_assert_true (g_markup_parse_context_parse (context, svg, -1, &error));
  g_assert_no_error (error);
  g_assert_true (g_markup_parse_context_end_parse (context, &error));
  g_assert_cmpuint (texts->len, ==, G_N_ELEMENTS (labels));
  for (guint i = 0; i < texts->len; i++)
    g_assert_cmpstr (g_ptr_array_index (texts, i), ==, shown[i]);
  g_assert_nonnull (strstr (svg, "width=\"90mm\""));
  g_assert_nonnull (strstr (svg, "<title>a &amp; b</title>"));
  g_assert_nonnull (strstr (svg, "clip-path=\"url(#c0)\""));
  g_assert_nonnull (strstr (svg, "fill-opacity=\"0.5\""));
}

/* A list that ends inside a clip still makes a whole document. */
static void
test_svg_is_closed (void)
{
  g_autoptr (HirDisplayList) list = hir_display_list_new ();
  g_autofree char *svg = NULL;

  hir_display_list_pop_clip (list);
  hir_display_list_push_clip (list, hir_rect (0, 0, 9, 9));
  svg = hir_paint_svg (list, 10, 10, 0, 0, NULL, NULL);
  g_assert_true (g_str_has_suffix (svg, "</g>\n</svg>\n"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/paint/rects", test_rects);
  g_test_add_func ("/paint/columns", test_columns);
  g_test_add_func ("/paint/svg-rows", test_svg_rows);
  g_test_add_func ("/paint/svg-rounded-rows", test_svg_rounded_rows);
  g_test_add_func ("/paint/mixed", test_mixed);
  g_test_add_func ("/paint/graph", test_graph);
  g_test_add_func ("/paint/timeline", test_timeline);
  g_test_add_func ("/paint/scenes", test_scenes);
  g_test_add_func ("/paint/svg", test_svg);
  g_test_add_func ("/paint/svg-is-closed", test_svg_is_closed);
  return g_test_run ();
}
