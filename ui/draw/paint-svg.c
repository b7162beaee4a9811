#include "draw/paint-svg.h"

#include <math.h>
#include <string.h>

/* For this many bars, one path per color is shorter than single rectangles. */
#define MIN_ROW 4
#define ITEMS_A_LOOK 1024

typedef struct
{
  GString *out;
  const HirDisplayList *list;
  HirMeasure *measure;
  guint n_clips; /* number of clip paths; the next id */
  guint depth;   /* open clips */
} Writer;

/* Writes two decimals without trailing zeros, in every locale with a point. */
static void
put_number (GString *out, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];
  gsize length;

  g_ascii_formatd (text, sizeof text, "%.2f", value);
  length = strlen (text);
  while (length > 0 && text[length - 1] == '0')
    text[--length] = '\0';
  if (length > 0 && text[length - 1] == '.')
    text[--length] = '\0';
  g_string_append (out, strcmp (text, "-0") == 0 ? "0" : text);
}

static void
put_attribute (GString *out, const char *name, double value)
{
  g_string_append_printf (out, " %s=\"", name);
  put_number (out, value);
  g_string_append_c (out, '"');
}

static void
put_color (GString *out, const char *name, HirColor color)
{
  if (color >> 24 == 0)
    {
      g_string_append_printf (out, " %s=\"none\"", name);
      return;
    }
  g_string_append_printf (out, " %s=\"#%06x\"", name, color & 0xffffffu);
  if (color >> 24 != 255)
    {
      g_autofree char *opacity = g_strconcat (name, "-opacity", NULL);

      put_attribute (out, opacity, (color >> 24) / 255.0);
    }
}

static void
put_stroke (GString *out, const HirDrawItem *item)
{
  put_color (out, "stroke", item->stroke);
  if (item->stroke >> 24 == 0)
    return;
  put_attribute (out, "stroke-width", item->line_width);
  if (item->dash == HIR_DASH_DASHED)
    g_string_append (out, " stroke-dasharray=\"5 4\"");
  else if (item->dash == HIR_DASH_DOTTED)
    g_string_append (out, " stroke-dasharray=\"2 3\"");
}

static void
put_rect (GString *out, const HirRect *rect, double inset)
{
  g_string_append (out, "<rect");
  put_attribute (out, "x", rect->x + inset);
  put_attribute (out, "y", rect->y + inset);
  put_attribute (out, "width", MAX (rect->width - 2 * inset, 0.01));
  put_attribute (out, "height", MAX (rect->height - 2 * inset, 0.01));
}

static void
put_point (GString *out, const HirPoint *point)
{
  put_number (out, point->x);
  g_string_append_c (out, ' ');
  put_number (out, point->y);
}

static void
put_path (Writer *writer, const HirDrawItem *item)
{
  const HirPoint *points = hir_display_list_get_points (writer->list, item);
  GString *out = writer->out;

  g_string_append (out, "<path d=\"M");
  put_point (out, &points[0]);
  for (guint i = 1; i < item->n; i++)
    {
      if (item->kind != HIR_DRAW_BEZIER)
        g_string_append_c (out, 'L');
      else
        g_string_append_c (out, i % 3 == 1 ? 'C' : ' ');
      put_point (out, &points[i]);
    }
  if (item->kind == HIR_DRAW_POLYGON)
    g_string_append_c (out, 'Z');
  g_string_append_c (out, '"');
  put_color (out, "fill", item->fill);
  put_stroke (out, item);
  g_string_append (out, "/>\n");
}

/* Writes the width that Pango measured as textLength, so that the text keeps its size if the
 * reader's font differs. */
static void
put_text (Writer *writer, const HirDrawItem *item)
{
  GString *out = writer->out;
  const char *text = hir_display_list_get_text (writer->list, item);
  HirFont font = (HirFont) item->font;
  double width = 0, height = 0, baseline = 0, x = item->rect.x, room = item->rect.width;
  g_autofree char *shown =
      room > 0 ? hir_measure_dup_fitted (writer->measure, font, item->radius, text, room)
               : g_strdup (text);
  g_autofree char *escaped = hir_text_dup_xml (shown);

  hir_measure_text (writer->measure, font, item->radius, shown, &width, &height);
  hir_measure_get_line (writer->measure, font, item->radius, &baseline, NULL);
  if (item->align == HIR_ALIGN_CENTER)
    x += ((room > 0 ? room : 0) - width) / 2;
  else if (item->align == HIR_ALIGN_END)
    x += (room > 0 ? room : 0) - width;

  g_string_append_printf (out, "<text class=\"%s\"",
                          font == HIR_FONT_MONO        ? "m"
                          : font == HIR_FONT_SANS_BOLD ? "b"
                                                       : "s");
  put_attribute (out, "x", x);
  put_attribute (out, "y", item->rect.y + (item->rect.height - height) / 2 + baseline);
  put_attribute (out, "font-size", item->radius);
  if (width > 0)
    put_attribute (out, "textLength", width);
  put_color (out, "fill", item->fill);
  g_string_append_printf (out, ">%s</text>\n", escaped);
}

static void
put_clip (Writer *writer, const HirDrawItem *item)
{
  GString *out = writer->out;

  g_string_append_printf (out, "<clipPath id=\"c%u\">", writer->n_clips);
  put_rect (out, &item->rect, 0);
  g_string_append_printf (out, "/></clipPath><g clip-path=\"url(#c%u)\">\n", writer->n_clips);
  writer->n_clips++;
  writer->depth++;
}

/* A bar of a row. Bars do not overlap, so their order is irrelevant. */
typedef struct
{
  HirRect rect;
  HirColor color;
  float radius;
  HirColor edge; /* 0 if none; otherwise the color of the @edge_width px inside the rectangle */
  float edge_width;
} RowBar;

/* The path of bars with the same appearance. x and y are the start of the last bar in hundredths;
 * the next one is relative to it. */
typedef struct
{
  GString *path;
  HirColor color;
  float radius;
  gint64 x, y;
} BarPath;

static gint64
to_hundredths (double value)
{
  return (gint64) floor (value * 100 + 0.5);
}

/* Writes the shortest form that path data allows: .5, -3. @is_next: second number of a pair, which
 * needs a space unless it has a sign. */
static void
put_hundredths (GString *out, gint64 value, gboolean is_next)
{
  guint64 size = value < 0 ? (guint64) -value : (guint64) value;
  guint rest = (guint) (size % 100);

  if (value < 0)
    g_string_append_c (out, '-');
  else if (is_next)
    g_string_append_c (out, ' ');
  if (size >= 100 || rest == 0)
    g_string_append_printf (out, "%" G_GUINT64_FORMAT, size / 100);
  if (rest == 0)
    return;
  g_string_append_c (out, '.');
  g_string_append_c (out, (char) ('0' + rest / 10));
  if (rest % 10 != 0)
    g_string_append_c (out, (char) ('0' + rest % 10));
}

/* Draws rounded corners as a thick line around a smaller rectangle, which needs no arcs. */
static void
put_bar_path (BarPath *bars, const RowBar *bar)
{
  gint64 x = to_hundredths (bar->rect.x + bar->radius),
         y = to_hundredths (bar->rect.y + bar->radius);
  gint64 width = MAX (to_hundredths (bar->rect.x + bar->rect.width - bar->radius) - x, 1);
  gint64 height = MAX (to_hundredths (bar->rect.y + bar->rect.height - bar->radius) - y, 1);
  GString *path = bars->path;
  gboolean is_first = path->len == 0;

  g_string_append_c (path, is_first ? 'M' : 'm');
  put_hundredths (path, is_first ? x : x - bars->x, FALSE);
  put_hundredths (path, is_first ? y : y - bars->y, TRUE);
  g_string_append_c (path, 'h');
  put_hundredths (path, width, FALSE);
  g_string_append_c (path, 'v');
  put_hundredths (path, height, FALSE);
  g_string_append_c (path, 'h');
  put_hundredths (path, -width, FALSE);
  g_string_append_c (path, 'z');
  bars->x = x;
  bars->y = y;
}

static BarPath *
get_bar_path (GArray *paths, const RowBar *bar)
{
  BarPath added = { .color = bar->color, .radius = bar->radius };

  for (guint i = 0; i < paths->len; i++)
    {
      BarPath *path = &g_array_index (paths, BarPath, i);

      if (path->color == bar->color && path->radius == bar->radius)
        return path;
    }
  added.path = g_string_new (NULL);
  g_array_append_val (paths, added);
  return &g_array_index (paths, BarPath, paths->len - 1);
}

/* A bar with an edge becomes a bar in the edge color and a smaller one inside. */
static void
add_bar_to_paths (GArray *edges, GArray *paths, RowBar bar)
{
  if (bar.edge != 0)
    {
      RowBar edge = bar;

      edge.color = bar.edge;
      put_bar_path (get_bar_path (edges, &edge), &edge);
      bar.rect =
          hir_rect (bar.rect.x + bar.edge_width, bar.rect.y + bar.edge_width,
                    bar.rect.width - 2 * bar.edge_width, bar.rect.height - 2 * bar.edge_width);
      bar.radius -= bar.edge_width;
    }
  put_bar_path (get_bar_path (paths, &bar), &bar);
}

static void
put_bar_paths (GString *out, GArray *paths)
{
  for (guint i = 0; i < paths->len; i++)
    {
      BarPath *path = &g_array_index (paths, BarPath, i);

      g_string_append (out, "<path d=\"");
      g_string_append_len (out, path->path->str, (gssize) path->path->len);
      g_string_append_c (out, '"');
      put_color (out, "fill", path->color);
      if (path->radius > 0)
        {
          put_color (out, "stroke", path->color);
          put_attribute (out, "stroke-width", 2 * path->radius);
          g_string_append (out, " class=\"r\"");
        }
      g_string_append (out, "/>\n");
      g_string_free (path->path, TRUE);
    }
}

/* Writes one path per appearance, which takes a quarter of the bytes. */
static void
put_bars (GString *out, const GArray *bars)
{
  g_autoptr (GArray) edges = g_array_new (FALSE, FALSE, sizeof (BarPath));
  g_autoptr (GArray) paths = g_array_new (FALSE, FALSE, sizeof (BarPath));

  for (guint i = 0; i < bars->len; i++)
    add_bar_to_paths (edges, paths, g_array_index (bars, RowBar, i));
  put_bar_paths (out, edges);
  put_bar_paths (out, paths);
}

static void
put_columns (Writer *writer, const HirDrawItem *item)
{
  const HirColor *colors = hir_display_list_get_columns (writer->list, item);
  double each = (double) item->rect.width / item->n;
  g_autoptr (GArray) bars = g_array_new (FALSE, FALSE, sizeof (RowBar));

  for (guint from = 0, to; from < item->n; from = to)
    {
      RowBar bar = { .color = colors[from] };

      to = hir_display_list_get_run (writer->list, item, from);
      bar.rect = hir_rect (item->rect.x + from * each, item->rect.y, (to - from) * each,
                           item->rect.height);
      if (bar.color >> 24 != 0)
        g_array_append_val (bars, bar);
    }
  put_bars (writer->out, bars);
}

/* If @bar, which is drawn after @last, leaves only a left part of it visible, reduces @last to this
 * part and returns TRUE. */
static gboolean
cut_bar (RowBar *last, const RowBar *bar)
{
  float right = last->rect.x + last->rect.width;

  if (bar->rect.x >= right)
    return TRUE;
  if (bar->rect.x <= last->rect.x || bar->rect.x + bar->rect.width < right ||
      bar->color >> 24 != 255 || bar->radius > 0 || last->radius > 0)
    return FALSE;
  last->rect.width = bar->rect.x - last->rect.x;
  return TRUE;
}

/* Returns whether @item can be part of a path of bars. */
static gboolean
get_bar (const HirDrawItem *item, RowBar *bar)
{
  float least = MIN (item->rect.width, item->rect.height);

  *bar = (RowBar){ .rect = item->rect, .color = item->fill };
  if (item->kind == HIR_DRAW_RECT)
    return TRUE;
  if (item->kind != HIR_DRAW_ROUND_RECT || item->fill >> 24 != 255 || item->dash != HIR_DASH_NONE)
    return FALSE;
  bar->radius = item->radius;
  if (item->stroke >> 24 != 0)
    {
      bar->edge = item->stroke;
      bar->edge_width = item->line_width;
      /* The corner radius refers to the middle of the edge. */
      bar->radius += item->line_width / 2;
    }
  return 2 * bar->radius <= least && (bar->edge == 0 || bar->edge >> 24 == 255) &&
         bar->radius >= bar->edge_width;
}

/* Returns whether @item is the label of @bar. A label is inside its bar, so that it can follow all
 * bars. */
static gboolean
is_label (const HirDrawItem *item, const RowBar *bar)
{
  return item->kind == HIR_DRAW_TEXT && item->align == HIR_ALIGN_START &&
         item->rect.x >= bar->rect.x && item->rect.y >= bar->rect.y &&
         item->rect.y + item->rect.height <= bar->rect.y + bar->rect.height;
}

/* Writes consecutive bars of one row from item @from on, and their labels, if there are enough of
 * them. Returns the number of items. */
static guint
put_row (Writer *writer, guint from)
{
  const HirDisplayList *list = writer->list;
  const HirDrawItem *first = hir_display_list_get_item (list, from);
  g_autoptr (GArray) bars = g_array_new (FALSE, FALSE, sizeof (RowBar));
  guint to;

  for (to = from; to < list->items->len; to++)
    {
      const HirDrawItem *item = hir_display_list_get_item (list, to);
      RowBar bar, *last = bars->len > 0 ? &g_array_index (bars, RowBar, bars->len - 1) : NULL;

      if (last != NULL && is_label (item, last))
        continue;
      if (!get_bar (item, &bar) || item->rect.y != first->rect.y ||
          item->rect.height != first->rect.height || (last != NULL && !cut_bar (last, &bar)))
        break;
      g_array_append_val (bars, bar);
    }
  if (bars->len < MIN_ROW)
    return 0;
  put_bars (writer->out, bars);
  for (guint i = from; i < to; i++)
    if (hir_display_list_get_item (list, i)->kind == HIR_DRAW_TEXT)
      put_text (writer, hir_display_list_get_item (list, i));
  return to - from;
}

static void
put_item (Writer *writer, const HirDrawItem *item)
{
  GString *out = writer->out;
  gboolean has_stroke = item->stroke >> 24 != 0;

  switch ((HirDrawKind) item->kind)
    {
    case HIR_DRAW_RECT:
    case HIR_DRAW_ROUND_RECT:
      put_rect (out, &item->rect, has_stroke ? item->line_width / 2 : 0);
      if (item->kind == HIR_DRAW_ROUND_RECT && item->radius > 0)
        put_attribute (out, "rx", item->radius);
      put_color (out, "fill", item->fill);
      if (has_stroke)
        put_stroke (out, item);
      g_string_append (out, "/>\n");
      break;
    case HIR_DRAW_POLYLINE:
    case HIR_DRAW_BEZIER:
    case HIR_DRAW_POLYGON:
      put_path (writer, item);
      break;
    case HIR_DRAW_TEXT:
      put_text (writer, item);
      break;
    case HIR_DRAW_COLUMNS:
      put_columns (writer, item);
      break;
    case HIR_DRAW_PUSH_CLIP:
      put_clip (writer, item);
      break;
    case HIR_DRAW_POP_CLIP:
      if (writer->depth > 0)
        {
          g_string_append (out, "</g>\n");
          writer->depth--;
        }
      break;
    }
}

static void
put_head (GString *out,
          double width,
          double height,
          double width_mm,
          HirColor background,
          const char *title)
{
  HirRect all = hir_rect (0, 0, width, height);

  g_string_append (out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" version=\"1.1\" viewBox=\"0 0 ");
  put_number (out, width);
  g_string_append_c (out, ' ');
  put_number (out, height);
  g_string_append (out, "\" width=\"");
  put_number (out, width_mm > 0 ? width_mm : width);
  g_string_append (out, width_mm > 0 ? "mm\" height=\"" : "\" height=\"");
  put_number (out, width_mm > 0 ? width_mm * height / width : height);
  g_string_append (out, width_mm > 0 ? "mm\">\n" : "\">\n");
  if (title != NULL)
    {
      g_autofree char *line = hir_text_dup_line (title);
      g_autofree char *escaped = hir_text_dup_xml (line);

      g_string_append_printf (out, "<title>%s</title>\n", escaped);
    }
  g_string_append_printf (out,
                          "<style>text{white-space:pre;font-variant-numeric:tabular-nums}"
                          ".r{stroke-linejoin:round}.s{font-family:%s}"
                          ".b{font-family:%s;font-weight:bold}.m{font-family:%s}</style>\n",
                          hir_font_get_family (HIR_FONT_SANS),
                          hir_font_get_family (HIR_FONT_SANS_BOLD),
                          hir_font_get_family (HIR_FONT_MONO));
  if (background >> 24 != 0)
    {
      put_rect (out, &all, 0);
      put_color (out, "fill", background);
      g_string_append (out, "/>\n");
    }
}

char *
hir_paint_svg (const HirDisplayList *list,
               double width,
               double height,
               double width_mm,
               HirColor background,
               const char *title,
               HirExportProgress *progress)
{
  Writer writer = { .list = list };
  gboolean goes_on = TRUE;

  g_return_val_if_fail (list != NULL && width > 0 && height > 0, NULL);

  writer.out = g_string_new (NULL);
  writer.measure = hir_measure_new ();
  put_head (writer.out, width, height, width_mm, background, title);
  for (guint i = 0, n, looked = 0; i < list->items->len && goes_on; i += MAX (n, 1))
    {
      if (i - looked >= ITEMS_A_LOOK)
        {
          looked = i;
          goes_on = hir_export_progress_should_continue (progress, NULL);
        }
      n = put_row (&writer, i);
      if (n == 0)
        put_item (&writer, hir_display_list_get_item (list, i));
    }
  for (; writer.depth > 0; writer.depth--)
    g_string_append (writer.out, "</g>\n");
  g_string_append (writer.out, "</svg>\n");
  hir_measure_free (writer.measure);
  return g_string_free (writer.out, !goes_on);
}
