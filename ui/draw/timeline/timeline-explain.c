#include "draw/timeline/timeline-explain.h"

#include <math.h>

#include "draw/timeline/timeline-links.h"

#define PATH_PX 2.0
#define HALO_PX 4.5
#define BELOW 1.0          /* of the path below the lower edge of a bar: its label stays clear */
#define LABEL_SIDE_PX 3.0f /* from a label to a vertical piece of the path */
#define LABEL_SHARE 0.6f   /* of the font size, from the middle of a label to its upper edge */
#define SHADE 0.28
#define STRIP_PX 3.0 /* height of the strips in the header of a rank */

HirColor
hir_timeline_span_get_color (const HirTheme *theme, HirSpanKind kind)
{
  switch (kind)
    {
    case HIR_SPAN_EXPOSED:
      return theme->edge[HIR_EDGE_COMM];
    case HIR_SPAN_IDLE:
      return theme->dim_text;
    case HIR_SPAN_WAITING:
    case HIR_N_SPAN_KINDS:
    default:
      return theme->removed;
    }
}

/* Draws the spans of one kind. Adjacent ones in a column of pixels are one rectangle. */
static void
draw_spans (const HirTimelineScene *scene,
            HirDisplayList *list,
            const GArray *spans,
            HirRect plot,
            HirColor color)
{
  double ns_per_px = (double) (scene->end_ns - scene->start_ns) / MAX (plot.width, 1);
  guint i = hir_spans_find (spans, scene->start_ns);

  while (i < spans->len)
    {
      const HirLostSpan *span = &g_array_index (spans, HirLostSpan, i);
      double x0, x1;

      if (span->start_ns >= scene->end_ns)
        return;
      x0 = MAX (hir_timeline_scene_get_x (scene, span->start_ns), plot.x);
      x1 = MIN (hir_timeline_scene_get_x (scene, span->end_ns), plot.x + plot.width);
      if (!scene->exact)
        x1 = MAX (x1, x0 + 1);
      hir_display_list_add_rect (list, hir_rect (x0, plot.y, x1 - x0, plot.height), color);
      i = x1 - x0 > 1 ? i + 1
                      : MAX (i + 1, hir_spans_find (spans, span->start_ns + (gint64) ns_per_px));
    }
}

void
hir_timeline_spans_draw (const HirTimelineScene *scene,
                         HirDisplayList *list,
                         const HirTimelineRow *row,
                         double y)
{
  const HirTrack *track =
      row->is_header ? NULL : hir_trace_get_track (scene->rows->trace, row->track);
  HirRect plot =
      hir_rect (scene->header_width, y, scene->width - scene->header_width, row->height - 1);

  if (scene->explain == NULL || scene->shades == 0 ||
      (track != NULL && !hir_track_is_of_device (track)))
    return;
  if (row->is_header)
    plot = hir_rect (plot.x, y + row->height - 1 - STRIP_PX, plot.width, STRIP_PX);
  for (guint i = 0; i < scene->explain->devices->len; i++)
    {
      const HirDeviceSpans *device = g_ptr_array_index (scene->explain->devices, i);

      if (device->rank != row->rank || (track != NULL && device->device != track->device))
        continue;
      for (guint kind = 0; kind < HIR_N_SPAN_KINDS; kind++)
        if (scene->shades & (1u << kind))
          draw_spans (scene, list, device->spans[kind], plot,
                      hir_color_mix (scene->theme->background,
                                     hir_timeline_span_get_color (scene->theme, (HirSpanKind) kind),
                                     row->is_header ? 1 : SHADE));
    }
}

/* A line under construction. */
typedef struct
{
  const HirTimelineScene *scene;
  HirDisplayList *list;
  GArray *points;   /* HirPoint */
  gboolean is_idle; /* nothing runs: dashed */
  GArray *labels;   /* HirRect, by x: the path does not cross them */
  float widest;     /* of the labels */
} Line;

static int
compare_labels (gconstpointer a, gconstpointer b)
{
  const HirRect *x = a, *y = b;

  return (x->x > y->x) - (x->x < y->x);
}

/* Collects the texts that are drawn so far. */
static void
collect_labels (Line *line)
{
  for (guint i = 0; i < line->list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (line->list, i);
      HirRect box = item->rect;
      double width;

      if (item->kind != HIR_DRAW_TEXT || item->align != HIR_ALIGN_START)
        continue;
      width = hir_measure_get_width (line->scene->measure, (HirFont) item->font, item->radius,
                                     hir_display_list_get_text (line->list, item));
      if (box.width <= 0 || width < box.width)
        box.width = (float) width;
      box.x -= LABEL_SIDE_PX;
      box.width += 2 * LABEL_SIDE_PX;
      box.y += box.height / 2 - LABEL_SHARE * item->radius;
      box.height = 2 * LABEL_SHARE * item->radius;
      line->widest = MAX (line->widest, box.width);
      g_array_append_val (line->labels, box);
    }
  g_array_sort (line->labels, compare_labels);
}

/* Returns the number of the labels that start before @x. */
static guint
find_label (const GArray *labels, float x)
{
  guint low = 0, high = labels->len;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (g_array_index (labels, HirRect, middle).x < x)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

static void
add_point (Line *line, double x, double y)
{
  const HirPoint point = { (float) x, (float) y };
  const HirPoint *last =
      line->points->len > 0 ? &g_array_index (line->points, HirPoint, line->points->len - 1) : NULL;

  if (last == NULL || last->x != point.x || last->y != point.y)
    g_array_append_val (line->points, point);
}

static void
draw_line (
    const HirTheme *theme, HirDisplayList *list, const HirPoint *points, guint n, gboolean is_idle)
{
  hir_display_list_add_polyline (list, points, n, theme->background, HALO_PX, HIR_DASH_NONE);
  hir_display_list_add_polyline (list, points, n, theme->text, PATH_PX,
                                 is_idle ? HIR_DASH_DOTTED : HIR_DASH_NONE);
}

void
hir_timeline_path_draw_sample (const HirTheme *theme, HirDisplayList *list, HirRect rect)
{
  float y = rect.y + rect.height / 2;
  const HirPoint points[] = { { rect.x, y }, { rect.x + rect.width, y } };

  draw_line (theme, list, points, G_N_ELEMENTS (points), FALSE);
}

/* Draws the line and starts a new one at its end. */
static void
end_line (Line *line)
{
  const HirPoint *points = (const HirPoint *) line->points->data;
  guint n = line->points->len;

  if (n > 1)
    draw_line (line->scene->theme, line->list, points, n, line->is_idle);
  if (n > 1)
    g_array_remove_range (line->points, 0, n - 1);
}

static int
compare_tops (gconstpointer a, gconstpointer b)
{
  const HirRect *x = *(const HirRect *const *) a, *y = *(const HirRect *const *) b;

  return (x->y > y->y) - (x->y < y->y);
}

/* Adds a vertical piece to another row, with a gap at each label in between. */
static void
add_vertical (Line *line, float x, float y)
{
  g_autoptr (GPtrArray) crossed = g_ptr_array_new ();
  float from = g_array_index (line->points, HirPoint, line->points->len - 1).y;
  gboolean is_down = y > from;

  for (guint i = find_label (line->labels, x - line->widest); i < line->labels->len; i++)
    {
      HirRect *label = &g_array_index (line->labels, HirRect, i);

      if (label->x > x)
        break;
      if (label->x + label->width > x && label->y + label->height > MIN (from, y) &&
          label->y < MAX (from, y))
        g_ptr_array_add (crossed, label);
    }
  g_ptr_array_sort (crossed, compare_tops);
  for (guint i = 0; i < crossed->len; i++)
    {
      const HirRect *label = crossed->pdata[is_down ? i : crossed->len - 1 - i];
      float top = CLAMP (label->y, MIN (from, y), MAX (from, y));
      float bottom = CLAMP (label->y + label->height, MIN (from, y), MAX (from, y));

      add_point (line, x, is_down ? top : bottom);
      end_line (line);
      g_array_set_size (line->points, 0);
      from = is_down ? bottom : top;
      add_point (line, x, from);
    }
  add_point (line, x, y);
}

static gboolean
is_idle_part (const HirPathPart *part)
{
  return part->kind == HIR_PATH_GAP || part->kind == HIR_PATH_HOST_GAP ||
         part->kind == HIR_PATH_LAUNCH || part->kind == HIR_PATH_START;
}

static void
draw_repetition (Line *line, const GArray *path)
{
  const HirTimelineScene *scene = line->scene;
  double ns_per_px =
      (double) (scene->end_ns - scene->start_ns) / MAX (scene->width - scene->header_width, 1);
  guint i = hir_path_find_part (path, scene->start_ns);

  while (i < path->len)
    {
      const HirPathPart *part = &g_array_index (path, HirPathPart, i);
      gint64 next_ns = MAX (part->end_ns, part->start_ns + (gint64) ns_per_px);
      HirRect bar;

      if (part->start_ns > scene->end_ns)
        break;
      if (hir_timeline_links_get_place (scene, part->track, part->index, &bar))
        {
          double x0 = CLAMP (hir_timeline_scene_get_x (scene, part->start_ns), -1e5, 1e5);
          double x1 = CLAMP (hir_timeline_scene_get_x (scene, part->end_ns), -1e5, 1e5);
          double y = bar.y + bar.height + BELOW;

          if (is_idle_part (part) != line->is_idle)
            {
              end_line (line);
              line->is_idle = is_idle_part (part);
            }
          if (line->points->len > 0)
            add_vertical (line, (float) x0, (float) y);
          add_point (line, x0, y);
          add_point (line, x1, y);
        }
      /* Of the parts in one column of pixels, the first is drawn. */
      i = MAX (i + 1, hir_path_find_part (path, next_ns - 1));
    }
  end_line (line);
  g_array_set_size (line->points, 0);
}

void
hir_timeline_path_draw (const HirTimelineScene *scene, HirDisplayList *list)
{
  Line line = { .scene = scene, .list = list };

  if (scene->explain == NULL || !scene->shows_path)
    return;
  line.points = g_array_new (FALSE, FALSE, sizeof (HirPoint));
  line.labels = g_array_new (FALSE, FALSE, sizeof (HirRect));
  collect_labels (&line);
  for (guint i = 0; i < scene->explain->repetitions->len; i++)
    {
      const HirRepetition *repetition =
          &g_array_index (scene->explain->repetitions, HirRepetition, i);

      if (repetition->end_ns > scene->start_ns && repetition->start_ns < scene->end_ns)
        draw_repetition (&line, repetition->path);
    }
  g_array_unref (line.points);
  g_array_unref (line.labels);
}
