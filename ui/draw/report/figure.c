#include "draw/report/figure.h"

#include "draw/graph/graph-scene.h"
#include "draw/graph/lanes.h"
#include "draw/paint-cairo.h"
#include "draw/paint-svg.h"
#include "draw/report/figure-hover.h"
#include "draw/timeline/timeline-arrange.h"
#include "draw/timeline/timeline-legend.h"
#include "draw/timeline/timeline-scene.h"
#include "trace/text-out.h"

#include <cairo-pdf.h>
#include <math.h>
#include <string.h>

#define MM_PER_INCH 25.4
#define POINTS_PER_MM (72.0 / MM_PER_INCH)
/* Text size of the scenes in their own pixels. */
#define SCENE_FONT_PX 11.5
#define MAX_MM 5000.0
/* cairo's limit for the side of an image. */
#define MAX_PIXELS 32000

/* A finished figure: the list, and its size in list pixels and on paper. */
typedef struct
{
  HirDisplayList *list;
  double width, height;
  double width_mm;
  HirColor background;
  const char *title;
  const HirTimelineScene *scene; /* NULL for a graph */
  HirExportProgress *progress;   /* nullable */
} Picture;

gboolean
hir_figure_format_from_path (const char *path, HirFigureFormat *format)
{
  static const char *const endings[] = { ".svg", ".pdf", ".png" };
  g_autofree char *lower = g_ascii_strdown (path, -1);

  for (guint i = 0; i < G_N_ELEMENTS (endings); i++)
    if (g_str_has_suffix (lower, endings[i]))
      {
        *format = (HirFigureFormat) i;
        return TRUE;
      }
  return FALSE;
}

/* Returns FALSE and sets @error if the figure was cancelled and is incomplete. */
static gboolean
check_cancelled (HirExportProgress *progress, const char *path, GError **error)
{
  if (hir_export_progress_should_continue (progress, NULL))
    return TRUE;
  hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "%s was not written: it was cancelled", path);
  return FALSE;
}

static cairo_status_t
append_bytes (void *closure, const unsigned char *data, unsigned int length)
{
  g_byte_array_append (closure, data, length);
  return CAIRO_STATUS_SUCCESS;
}

static void
paint (const Picture *picture, cairo_t *cr, double scale)
{
  HirColor c = picture->background;

  /* Fills the whole page, including a last partial pixel. */
  cairo_set_source_rgba (cr, ((c >> 16) & 255) / 255.0, ((c >> 8) & 255) / 255.0, (c & 255) / 255.0,
                         (c >> 24) / 255.0);
  cairo_paint (cr);
  cairo_scale (cr, scale, scale);
  hir_paint_cairo (picture->list, cr, picture->progress);
}

static gboolean
write_pdf (const Picture *picture, const char *path, HirExportProgress *progress, GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  double scale = picture->width_mm * POINTS_PER_MM / picture->width;
  cairo_surface_t *surface =
      cairo_pdf_surface_create_for_stream (append_bytes, bytes, picture->width * scale,
                                           picture->height * scale);
  cairo_t *cr = cairo_create (surface);
  cairo_status_t status;

  if (picture->title != NULL)
    cairo_pdf_surface_set_metadata (surface, CAIRO_PDF_METADATA_TITLE, picture->title);
  paint (picture, cr, scale);
  cairo_destroy (cr);
  cairo_surface_finish (surface);
  status = cairo_surface_status (surface);
  cairo_surface_destroy (surface);
  if (!check_cancelled (picture->progress, path, error))
    return FALSE;
  if (status != CAIRO_STATUS_SUCCESS)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "the PDF cannot be created: %s",
                     cairo_status_to_string (status));
      return FALSE;
    }
  return hir_text_out_write_bytes (path, (const char *) bytes->data, bytes->len, progress, error);
}

static gboolean
write_png (const Picture *picture,
           double dpi,
           const char *path,
           HirExportProgress *progress,
           GError **error)
{
  g_autoptr (GByteArray) bytes = g_byte_array_new ();
  double scale = picture->width_mm / MM_PER_INCH * (dpi > 0 ? dpi : 200) / picture->width;
  double width = ceil (picture->width * scale), height = ceil (picture->height * scale);
  cairo_surface_t *surface;
  cairo_status_t status;
  cairo_t *cr;

  if (width > MAX_PIXELS || height > MAX_PIXELS)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "a PNG of %.0f x %.0f pixels is too large; write .svg or .pdf instead", width,
                     height);
      return FALSE;
    }
  surface = cairo_image_surface_create (picture->background >> 24 == 0 ? CAIRO_FORMAT_ARGB32
                                                                       : CAIRO_FORMAT_RGB24,
                                        (int) width, (int) height);
  cr = cairo_create (surface);
  paint (picture, cr, scale);
  cairo_destroy (cr);
  if (!check_cancelled (picture->progress, path, error))
    {
      cairo_surface_destroy (surface);
      return FALSE;
    }
  status = cairo_surface_write_to_png_stream (surface, append_bytes, bytes);
  cairo_surface_destroy (surface);
  if (status != CAIRO_STATUS_SUCCESS)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "the PNG cannot be created: %s",
                     cairo_status_to_string (status));
      return FALSE;
    }
  return hir_text_out_write_bytes (path, (const char *) bytes->data, bytes->len, progress, error);
}

static gboolean
write_picture (const Picture *picture,
               const HirFigureOptions *options,
               const char *path,
               GError **error)
{
  g_autofree char *svg = NULL;

  if (!check_cancelled (options->progress, path, error))
    return FALSE;
  switch (options->format)
    {
    case HIR_FIGURE_PDF:
      return write_pdf (picture, path, options->progress, error);
    case HIR_FIGURE_PNG:
      return write_png (picture, options->dpi, path, options->progress, error);
    case HIR_FIGURE_SVG:
    default:
      svg = hir_paint_svg (picture->list, picture->width, picture->height, picture->width_mm,
                           picture->background, picture->title, options->progress);
      if (svg != NULL && picture->scene != NULL && options->hover)
        svg = hir_figure_add_hover (svg, picture->scene);
      if (!check_cancelled (options->progress, path, error))
        return FALSE;
      return hir_text_out_write_bytes (path, svg, strlen (svg), options->progress, error);
    }
}

static gboolean
check_options (const HirFigureOptions *options, GError **error)
{
  if (options->width_mm >= 0 && options->width_mm <= MAX_MM && options->height_mm >= 0 &&
      options->height_mm <= MAX_MM && options->font_pt >= 0 && options->font_pt <= 200)
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "the figure size is out of range; give at most %.0f mm and 200 pt", MAX_MM);
  return FALSE;
}

static HirColor
get_background (const HirFigureOptions *options)
{
  return options->transparent ? 0 : options->dark ? hir_theme_get (TRUE)->background : 0xffffffff;
}

/* Returns the size of a scene pixel in mm for the requested text size. */
static double
get_mm_per_pixel (const HirFigureOptions *options)
{
  return (options->font_pt > 0 ? options->font_pt : 8) / POINTS_PER_MM / SCENE_FONT_PX;
}

static gboolean
set_range (HirTimelineScene *scene, const HirFigureOptions *options, GError **error)
{
  gint64 start, end;

  hir_trace_get_span (scene->rows->trace, &start, &end);
  scene->start_ns = start;
  scene->end_ns = end;
  if (options->range_start_ns != options->range_end_ns)
    {
      scene->start_ns = start + options->range_start_ns;
      scene->end_ns = start + options->range_end_ns;
      if (scene->start_ns >= scene->end_ns || scene->start_ns >= end || scene->end_ns <= start)
        {
          hir_set_error (error, HIR_ERROR_INPUT, NULL,
                         "the range contains no part of the trace, which lasts %" G_GINT64_FORMAT
                         " ns from 0",
                         end - start);
          return FALSE;
        }
    }
  /* An instant needs a range too, and the last bar must not touch the frame. */
  if (scene->end_ns <= scene->start_ns)
    scene->end_ns = scene->start_ns + 1000;
  else if (options->range_start_ns == options->range_end_ns)
    scene->end_ns += (scene->end_ns - scene->start_ns) / 50 + 1;
  return TRUE;
}

gboolean
hir_figure_write_timeline (HirTrace *trace,
                           const HirFigureOptions *options,
                           const char *path,
                           GError **error)
{
  g_autoptr (HirTimelineRows) rows = NULL;
  g_autoptr (HirMeasure) measure = hir_measure_new ();
  g_autoptr (HirDisplayList) list = hir_display_list_new ();
  const HirTheme *theme = hir_theme_get (options->dark);
  HirTimelineScene scene = { .theme = theme,
                             .measure = measure,
                             .progress = options->progress,
                             .exact = TRUE,
                             .explain = options->explain,
                             .shows_path = options->explain != NULL,
                             .has_selection = options->has_selection,
                             .selected_track = options->selected_track,
                             .selected_index = options->selected_index };
  Picture picture = { .list = list,
                      .background = get_background (options),
                      .title = options->title,
                      .progress = options->progress };
  double mm = get_mm_per_pixel (options), legend = 0;

  if (!check_options (options, error))
    return FALSE;
  rows = hir_timeline_rows_new (trace, options->tracks);
  scene.rows = rows;
  if (options->arrangement != NULL)
    hir_timeline_rows_load_arrangement (rows, options->arrangement, HIR_FIGURE_ARRANGEMENT);
  if (!set_range (&scene, options, error))
    return FALSE;
  picture.width_mm = options->width_mm > 0 ? options->width_mm : 180;
  picture.width = picture.width_mm / mm;
  scene.width = picture.width;
  scene.header_width = MIN (hir_timeline_scene_get_header_width (rows, measure), picture.width / 2);
  if (options->legend)
    legend = hir_timeline_legend_draw (&scene, NULL, 8, 0, picture.width - 16) + 12;
  scene.height = HIR_TIMELINE_RULER_HEIGHT + MAX (rows->height, 40) + 4;
  /* A requested height has priority: rows that do not fit are omitted, and unused space stays
   * empty. */
  if (options->height_mm > 0)
    scene.height = MAX (options->height_mm / mm - legend, 10);
  picture.height = scene.height + legend;
  hir_timeline_scene_draw (&scene, list);
  if (options->legend)
    hir_timeline_legend_draw (&scene, list, 8, scene.height + 6, picture.width - 16);
  picture.scene = &scene;
  return write_picture (&picture, options, path, error);
}

/* Writes the part @bounds (layout pixels) of @scene. */
static gboolean
write_scene (const HirGraphScene *scene,
             HirRect bounds,
             const HirFigureOptions *options,
             const char *path,
             GError **error)
{
  g_autoptr (HirDisplayList) drawn = hir_display_list_new (), list = NULL;
  double mm = get_mm_per_pixel (options), margin = 16, legend = options->legend ? 160 : 0;
  Picture picture = { .background = get_background (options),
                      .title = options->title,
                      .progress = options->progress,
                      .width = bounds.width + 2 * margin + legend,
                      .height = bounds.height + 2 * margin };

  hir_graph_scene_draw (scene, drawn);
  picture.list = list = hir_display_list_new_moved (drawn, margin - bounds.x, margin - bounds.y);
  if (options->legend)
    {
      guint32 rows = hir_graph_scene_get_legend (scene->graph, scene->changes, scene->is_diff);
      double height = hir_graph_scene_draw_legend (scene->theme, list, rows, 1,
                                                   bounds.width + 2 * margin, margin);

      picture.height = MAX (picture.height, height + 2 * margin);
    }
  picture.width_mm = picture.width * mm;
  if (options->width_mm > 0)
    picture.width_mm = options->width_mm;
  /* Fits the figure into a box if both sides are given. */
  if (options->height_mm > 0 &&
      picture.width_mm / picture.width * picture.height > options->height_mm)
    picture.width_mm = options->height_mm * picture.width / picture.height;
  return write_picture (&picture, options, path, error);
}

gboolean
hir_figure_write_graph (const HirGraph *graph,
                        GHashTable *changes,
                        HirLayouter *layouter,
                        const HirFigureOptions *options,
                        const char *path,
                        GError **error)
{
  g_autoptr (HirMeasure) measure = hir_measure_new ();
  g_autoptr (HirSizes) sizes = NULL;
  g_autoptr (HirLayout) lanes = NULL, layout = NULL;
  HirGraphScene scene = {
    .graph = graph, .theme = hir_theme_get (options->dark), .changes = changes, .zoom = 1
  };

  if (!check_options (options, error))
    return FALSE;
  sizes = hir_sizes_new (graph, measure);
  lanes = hir_lanes_new (graph, sizes);
  layout = layouter != NULL ? hir_layouter_run (layouter, sizes, lanes) : hir_layout_ref (lanes);
  scene.layout = layout;
  return write_scene (&scene, hir_rect (0, 0, layout->width, layout->height), options, path, error);
}

gboolean
hir_figure_write_picture (const HirPicture *picture,
                          const HirFigureOptions *options,
                          const char *path,
                          GError **error)
{
  HirGraphScene scene = {
    .graph = picture->graph,
    .layout = picture->layout,
    .theme = hir_theme_get (options->dark),
    .changes = picture->changes,
    .is_diff = picture->choice->base != NULL,
    .zoom = 1,
  };

  if (!check_options (options, error))
    return FALSE;
  return write_scene (&scene, hir_layout_get_bounds (picture->layout), options, path, error);
}
