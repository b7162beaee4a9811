/* Tests complete figures. If HIR_PICTURES is a folder, they are stored there for inspection. */
#include "draw/report/figure.h"
#include "draw/timeline/timeline-arrange.h"
#include "sample.h"
#include "trace/track-set.h"
#include "view/program-view.h"

#include <cairo.h>
#include <glib/gstdio.h>
#include <string.h>

static char *folder;

static char *
get_path (const char *name)
{
  return g_build_filename (folder, name, NULL);
}

static char *
write_timeline (const char *name, const HirFigureOptions *options)
{
  g_autoptr (HirTrace) trace = sample_trace_ag_matmul ();
  g_autofree char *path = get_path (name);
  g_autoptr (GError) error = NULL;
  char *data = NULL;

  g_assert_true (hir_figure_write_timeline (trace, options, path, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &data, NULL, &error));
  return data;
}

static void
test_timeline_svg (void)
{
  static const char *const streams[] = { "0/Stream*", NULL };
  HirFigureOptions options = { .format = HIR_FIGURE_SVG, .legend = TRUE, .title = "ag_matmul" };
  g_autoptr (HirTrace) trace = sample_trace_ag_matmul ();
  g_autoptr (GArray) tracks = NULL;
  g_autofree char *svg = write_timeline ("timeline.svg", &options);
  g_autofree char *again = write_timeline ("timeline.svg", &options);

  g_assert_cmpstr (svg, ==, again);
  g_assert_nonnull (strstr (svg, "width=\"180mm\""));
  g_assert_nonnull (strstr (svg, ">matmul · 5</text>"));
  g_assert_nonnull (strstr (svg, ">Stream 3</text>"));
  g_assert_nonnull (strstr (svg, ">Allgather</text>"));
  g_assert_true (hir_track_set_find (trace, streams, &tracks, NULL));
  options.tracks = tracks;
  options.width_mm = 90;
  g_autofree char *part = write_timeline ("part.svg", &options);
  g_assert_nonnull (strstr (part, "width=\"90mm\""));
  g_assert_null (strstr (part, ">NCCL</text>"));
}

static void
test_timeline_png (void)
{
  HirFigureOptions options = { .format = HIR_FIGURE_PNG,
                               .legend = TRUE,
                               .dark = TRUE,
                               .dpi = 150,
                               .width_mm = 250,
                               .height_mm = 90 };
  g_autofree char *data = write_timeline ("timeline.png", &options),
                  *path = get_path ("timeline.png");
  cairo_surface_t *surface = cairo_image_surface_create_from_png (path);

  g_assert_cmpint (cairo_image_surface_get_width (surface), ==, 1477);
  g_assert_cmpint (cairo_image_surface_get_height (surface), ==, 532);
  cairo_surface_destroy (surface);
}

static void
test_timeline_pdf (void)
{
  HirFigureOptions options = { .format = HIR_FIGURE_PDF,
                               .range_start_ns = 400000,
                               .range_end_ns = 1600000 };
  g_autofree char *data = write_timeline ("timeline.pdf", &options);

  g_assert_true (g_str_has_prefix (data, "%PDF-"));
}

static void
check_rejected (const HirFigureOptions *options, const char *path, const char *word)
{
  g_autoptr (HirTrace) trace = sample_trace_ag_matmul ();
  g_autoptr (GError) error = NULL;

  g_assert_false (hir_figure_write_timeline (trace, options, path, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
  g_assert_nonnull (strstr (error->message, word));
  g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
}

static void
test_rejected (void)
{
  g_autofree char *path = get_path ("none.svg"), *nowhere = get_path ("no/such/folder.svg");
  g_autoptr (HirTrace) trace = sample_trace_ag_matmul ();
  g_autoptr (GError) error = NULL;

  check_rejected (&(HirFigureOptions){ .range_start_ns = 5, .range_end_ns = 2 }, path, "range");
  check_rejected (&(HirFigureOptions){ .range_start_ns = 1000000000, .range_end_ns = 2000000000 },
                  path, "range");
  check_rejected (&(HirFigureOptions){ .width_mm = 1e9 }, path, "out of range");
  check_rejected (&(HirFigureOptions){ .width_mm = 4000, .dpi = 2000, .format = HIR_FIGURE_PNG },
                  path, "too large");

  g_assert_false (
      hir_figure_write_timeline (trace, &(HirFigureOptions){ .width_mm = 0 }, nowhere, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_RUN);
  g_assert_nonnull (strstr (error->message, "no/such"));
}

/* The export of a long track can be cancelled while its legend is computed, while it is drawn and
 * while it is written. */
static void
test_looks (void)
{
  HirTraceBuilder *builder = hir_trace_builder_new ();
  const HirTrack info = { .name = (char *) "Stream 7", .stream = 7 };
  const guint n = 200000;
  g_autoptr (HirTrace) trace = NULL;

  hir_trace_builder_add_track (builder, &info);
  for (guint i = 0; i < n; i++)
    {
      const HirEvent event = { .start_ns = i * 10, .end_ns = i * 10 + 5, .iteration = -1 };

      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  trace = hir_trace_builder_finish (builder);
  for (HirFigureFormat format = HIR_FIGURE_SVG; format <= HIR_FIGURE_PNG; format++)
    {
      g_autofree char *path = get_path ("looks");
      g_autoptr (GCancellable) cancellable = g_cancellable_new ();
      g_autoptr (GError) error = NULL;
      HirExportProgress watch;
      HirFigureOptions options = { .format = format,
                                   .legend = TRUE,
                                   .hover = TRUE,
                                   .progress = &watch,
                                   .range_end_ns = 30000,
                                   .width_mm = 4000,
                                   .dpi = 50 };

      hir_export_progress_init (&watch, cancellable);
      g_assert_true (hir_figure_write_timeline (trace, &options, path, &error));
      g_assert_no_error (error);
      /* The legend is measured and drawn. The range has 3,000 bars. */
      g_assert_cmpuint (watch.n_looks, >=, 2 + 2 + 2);
      g_cancellable_cancel (cancellable);
      g_unlink (path);
      g_assert_false (hir_figure_write_timeline (trace, &options, path, &error));
      g_assert_error (error, HIR_ERROR, HIR_ERROR_CANCELLED);
      g_assert_nonnull (strstr (error->message, "was not written: it was cancelled"));
      g_assert_false (g_file_test (path, G_FILE_TEST_EXISTS));
    }
}

static guint
count (const char *text, const char *part)
{
  guint n = 0;

  while ((text = strstr (text, part)) != NULL)
    {
      text += strlen (part);
      n++;
    }
  return n;
}

/* A color of several kernels has one legend entry with their common family. Long names are
 * truncated. The legend has only what is in the range. */
static void
test_legend (void)
{
  static const char *const names[] = {
    "exp",
    "add",
    "add",
    "mul",
    "mul",
    "mul",
    "neg",
    "sqrt",
    "ampere_sgemm",
    "reduce_kernel_of_a_long_name_that_nobody_can_read",
    "softmax",
    "void at::native::reduce_kernel<512, 1, ReduceOp<float>>(ReduceOp<float>)",
    "void at::native::reduce_kernel<128, 4, ReduceOp<float>>(ReduceOp<float>)",
    "void at::native::(anonymous namespace)::CatArrayBatchedCopy<int>(int)",
    "matmul"
  };
  HirTraceBuilder *builder = hir_trace_builder_new ();
  const HirTrack info = { .name = (char *) "Stream 7", .stream = 7 };
  HirFigureOptions options = { .format = HIR_FIGURE_SVG, .legend = TRUE, .range_end_ns = 1395 };
  g_autofree char *path = get_path ("legend.svg"), *svg = NULL;
  g_autoptr (HirTrace) trace = NULL;
  g_autoptr (GError) error = NULL;

  hir_trace_builder_add_track (builder, &info);
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    {
      const HirEvent event = { .start_ns = i * 100,
                               .end_ns = i * 100 + 9,
                               .iteration = -1,
                               .name = hir_trace_builder_intern (builder, names[i]),
                               .kind = HIR_EVENT_KERNEL };

      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  trace = hir_trace_builder_finish (builder);
  g_assert_true (hir_figure_write_timeline (trace, &options, path, &error));
  g_assert_no_error (error);
  g_assert_true (g_file_get_contents (path, &svg, NULL, &error));
  g_assert_cmpuint (count (svg, ">pointwise: mul, add, exp, neg and 1 more<"), ==, 1);
  g_assert_cmpuint (count (svg, ">ampere_sgemm<"), ==, 1);
  g_assert_cmpuint (
      count (
          svg,
          ">reductions: reduce_kernel, reduce_kernel_of_a_long_name_that_nobod\342\200\246, softmax<"),
      ==, 1);
  g_assert_cmpuint (count (svg, ">CatArrayBatchedCopy<"), >=, 1);
  g_assert_null (strstr (svg, "matmul"));
}

/* A folded rank draws its longest work only: the legend has nothing else, and no hidden track. */
static void
test_folded_legend (void)
{
  static const char *const names[] = { "matmul", "softmax" };
  HirTraceBuilder *builder = hir_trace_builder_new ();
  HirFigureOptions options = { .format = HIR_FIGURE_SVG, .legend = TRUE };
  g_autoptr (GKeyFile) arrangement = g_key_file_new ();
  g_autofree char *path = get_path ("folded-legend.svg"), *open_svg = NULL, *svg = NULL;

  for (int t = 0; t < 2; t++)
    hir_trace_builder_add_track (builder, &(HirTrack){ .name = (char *) "Stream", .stream = t });
  for (guint t = 0; t < 2; t++)
    {
      HirEvent event = {
        .track = t, .end_ns = t == 0 ? 100000 : 50000, .iteration = -1, .kind = HIR_EVENT_KERNEL
      };

      event.name = hir_trace_builder_intern (builder, names[t]);
      g_assert_true (hir_trace_builder_add (builder, &event, NULL));
    }
  g_autoptr (HirTrace) trace = hir_trace_builder_finish (builder);
  HirTimelineRows *rows = hir_timeline_rows_new (trace, NULL);

  g_assert_true (hir_figure_write_timeline (trace, &options, path, NULL));
  g_assert_true (g_file_get_contents (path, &open_svg, NULL, NULL));
  g_assert_nonnull (strstr (open_svg, "softmax"));
  hir_timeline_rows_set_all_collapsed (rows, TRUE);
  hir_timeline_rows_save_arrangement (rows, arrangement, HIR_FIGURE_ARRANGEMENT);
  options.arrangement = arrangement;
  g_assert_true (hir_figure_write_timeline (trace, &options, path, NULL));
  g_assert_true (g_file_get_contents (path, &svg, NULL, NULL));
  g_assert_nonnull (strstr (svg, ">matmul<"));
  g_assert_null (strstr (svg, "softmax"));
  hir_timeline_rows_free (rows);
}

static void
test_formats (void)
{
  HirFigureFormat format = HIR_FIGURE_SVG;

  g_assert_true (hir_figure_format_from_path ("a.PNG", &format));
  g_assert_cmpint (format, ==, HIR_FIGURE_PNG);
  g_assert_true (hir_figure_format_from_path ("b/c.pdf", &format));
  g_assert_cmpint (format, ==, HIR_FIGURE_PDF);
  g_assert_false (hir_figure_format_from_path ("svg", &format));
}

static void
write_graph (const char *name, gboolean dark, gboolean by_dot)
{
  HirGraph *graph = sample_graph_ag_matmul ();
  g_autoptr (HirLayouter) layouter = by_dot ? hir_layouter_new (NULL, 60000) : NULL;
  g_autoptr (GHashTable) changes = g_hash_table_new (g_int64_hash, g_int64_equal);
  guint64 ids[] = { 59, 60, 64 };
  HirFigureOptions options = { .dark = dark, .legend = TRUE };
  g_autofree char *path = get_path (name);
  g_autoptr (GError) error = NULL;

  g_hash_table_insert (changes, &ids[0], GUINT_TO_POINTER (HIR_CHANGE_CREATED));
  g_hash_table_insert (changes, &ids[1], GUINT_TO_POINTER (HIR_CHANGE_CREATED));
  g_hash_table_insert (changes, &ids[2], GUINT_TO_POINTER (HIR_CHANGE_CHANGED));
  g_assert_true (hir_figure_format_from_path (name, &options.format));
  g_assert_true (hir_figure_write_graph (graph, changes, layouter, &options, path, &error));
  g_assert_no_error (error);
  hir_graph_free (graph);
}

static void
test_graph (void)
{
  g_autofree char *path = get_path ("graph.svg"), *svg = NULL;

  write_graph ("graph.svg", FALSE, TRUE);
  write_graph ("graph-dark.png", TRUE, TRUE);
  write_graph ("graph-light.png", FALSE, TRUE);
  write_graph ("lanes-dark.png", TRUE, FALSE);
  write_graph ("graph.pdf", FALSE, TRUE);
  g_assert_true (g_file_get_contents (path, &svg, NULL, NULL));
  g_assert_nonnull (strstr (svg, ">HirAliasSelect T5</text>"));
  g_assert_nonnull (strstr (svg, ">FOR StreamIdx in iStreamIdx11{i0}</text>"));
}

static void
test_empty_graph (void)
{
  g_autoptr (HirGraph) graph = hir_graph_new_empty ();
  g_autofree char *path = get_path ("empty.svg");
  HirFigureOptions options = { .format = HIR_FIGURE_SVG };
  g_autoptr (GError) error = NULL;

  g_assert_true (hir_figure_write_graph (graph, NULL, NULL, &options, path, &error));
  g_assert_no_error (error);
}

static void
remove_folder (void)
{
  GDir *dir = g_dir_open (folder, 0, NULL);

  for (const char *name; (name = g_dir_read_name (dir)) != NULL;)
    {
      g_autofree char *path = get_path (name);

      g_unlink (path);
    }
  g_dir_close (dir);
  g_rmdir (folder);
}

int
main (int argc, char **argv)
{
  const char *kept = g_getenv ("HIR_PICTURES");
  int outcome;

  if (argc == 2 && strcmp (argv[1], "--layout-worker") == 0)
    return hir_layout_worker_main ();
  g_test_init (&argc, &argv, NULL);
  folder = kept != NULL ? g_strdup (kept) : g_dir_make_tmp ("hirscope-figure-XXXXXX", NULL);
  g_test_add_func ("/figure/timeline-svg", test_timeline_svg);
  g_test_add_func ("/figure/timeline-png", test_timeline_png);
  g_test_add_func ("/figure/timeline-pdf", test_timeline_pdf);
  g_test_add_func ("/figure/rejected", test_rejected);
  g_test_add_func ("/figure/formats", test_formats);
  g_test_add_func ("/figure/looks", test_looks);
  g_test_add_func ("/figure/legend", test_legend);
  g_test_add_func ("/figure/folded-legend", test_folded_legend);
  g_test_add_func ("/figure/graph", test_graph);
  g_test_add_func ("/figure/empty-graph", test_empty_graph);
  outcome = g_test_run ();
  if (kept == NULL)
    remove_folder ();
  g_free (folder);
  return outcome;
}
