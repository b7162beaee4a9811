#include "draw/timeline/timeline-bars.h"

#include "draw/timeline/function-name.h"

#include <math.h>
#include <string.h>

/* Narrower bars have no rounded corners, and no text. */
#define ROUND_WIDTH 6.0
#define LABEL_WIDTH 26.0
/* If there are many bars, narrower ones are merged into columns. On screen, the limit is higher,
 * because bars up to ROUND_WIDTH have square corners and look like columns anyway. */
#define MIN_BAR 3.0
#define MIN_SCREEN_BAR (ROUND_WIDTH + 1)
#define LABEL_PX 11.5
#define LEAST_LABEL_PX 9.0 /* smaller labels are illegible */
#define LEAST_PREFIX 28.0  /* three letters and an ellipsis */

typedef struct
{
  const HirTimelineScene *scene;
  HirDisplayList *list;
  const HirTimelineRow *row;
  double y;
} Bars;

static gboolean
is_related (const HirTimelineScene *scene, guint64 instruction)
{
  if (instruction == 0)
    return FALSE;
  return instruction == scene->related ||
         (scene->related_set != NULL && g_hash_table_contains (scene->related_set, &instruction));
}

static HirColor
get_color (const HirTimelineScene *scene, const HirEvent *event)
{
  HirColor color = hir_timeline_rows_get_color (scene->rows, scene->theme,
                                                (HirEventKind) event->kind, event->name);

  /* Fades work that does not belong to the program. */
  return event->phase == HIR_PHASE_PROGRAM ? color : hir_color_fade (color, 0.5);
}

/* Issues are marks that are lower than work. */
static HirRect
get_mark (HirRect rect)
{
  return (HirRect){ rect.x, rect.y + 3, rect.width, MAX (rect.height - 6, 2) };
}

static gboolean
fits (const Bars *bars, const char *text, double px, double room)
{
  return hir_measure_get_width (bars->scene->measure, HIR_FONT_SANS, px, text) <= room;
}

/* Removes ends of @name at underscores until it fits: "ncclDevKernel_AllGather_RING_LL" becomes
 * "ncclDevKernel_AllGather". Returns FALSE if no end fits. */
static gboolean
drop_ends (const Bars *bars, char *name, double px, double room)
{
  for (char *end; (end = strrchr (name, '_')) != NULL && end > name;)
    {
      *end = '\0';
      if (fits (bars, name, px, room))
        return TRUE;
    }
  return FALSE;
}

/* Adds "matmul · 5" if it fits, otherwise "matmul", otherwise less. Without its iteration, the name
 * "T7_matmul" would read like iteration 7. Shows a prefix only if it is long enough to distinguish
 * names. */
static void
add_label (const Bars *bars, const HirEvent *event, HirRect rect, HirColor ink)
{
  const char *name = hir_trace_get_string (bars->scene->rows->trace, event->name), *text = NULL;
  double x = rect.x + 5, room = rect.width - 8, px = MIN (LABEL_PX, rect.height - 2);
  gboolean has_iteration = event->iteration >= 0;
  g_autofree char *full = NULL, *op = NULL, *op_full = NULL, *short_full = NULL, *ends = NULL;
  const char *abbreviation;

  if (room < LABEL_WIDTH - 10 || px < LEAST_LABEL_PX || name == NULL)
    return;
  if (event->kind == HIR_EVENT_KERNEL || event->kind == HIR_EVENT_COMMUNICATION)
    op = hir_dup_function_name (name);
  if (op == NULL)
    op = hir_dup_op_name (name);
  abbreviation = hir_get_abbreviation (name);
  if (has_iteration)
    {
      full = g_strdup_printf ("%s · %d", name, event->iteration);
      op_full = op != NULL ? g_strdup_printf ("%s · %d", op, event->iteration) : NULL;
      short_full =
          abbreviation != NULL ? g_strdup_printf ("%s · %d", abbreviation, event->iteration) : NULL;
    }
  const char *const tries[] = { full, op_full,    op_full == NULL ? name : NULL,
                                op,   short_full, abbreviation };
  for (guint i = 0; i < G_N_ELEMENTS (tries) && text == NULL; i++)
    if (tries[i] != NULL && fits (bars, tries[i], px, room))
      text = tries[i];
  ends = g_strdup (op != NULL ? op : name);
  if (text == NULL && drop_ends (bars, ends, px, room))
    text = ends;
  /* A label that fits has no box, so that rounding cannot truncate it. */
  if (text != NULL)
    hir_display_list_add_text (bars->list, hir_rect (x, rect.y, 0, rect.height), text,
                               HIR_FONT_SANS, px, ink, HIR_ALIGN_START);
  else if (room >= LEAST_PREFIX)
    hir_display_list_add_text (bars->list, hir_rect (x, rect.y, room, rect.height),
                               op != NULL ? op : name, HIR_FONT_SANS, px, ink, HIR_ALIGN_START);
}

void
hir_timeline_bars_draw_hollow (const HirTheme *theme,
                               HirDisplayList *list,
                               HirRect rect,
                               HirColor color)
{
  HirColor ground = theme->background;

  if (rect.width < ROUND_WIDTH)
    hir_display_list_add_rect (list, rect, hir_color_mix (ground, color, 0.55));
  else
    hir_display_list_add_round_rect (list, rect, 2.5, hir_color_mix (ground, color, 0.22),
                                     hir_color_mix (ground, color, 0.8), 1, HIR_DASH_NONE);
}

static void
add_body (const Bars *bars, const HirEvent *event, HirRect rect)
{
  HirColor color = get_color (bars->scene, event);

  if (event->kind == HIR_EVENT_SYNC)
    {
      hir_timeline_bars_draw_hollow (bars->scene->theme, bars->list, rect, color);
      if (rect.width >= ROUND_WIDTH)
        add_label (bars, event, rect, bars->scene->theme->dim_text);
      return;
    }
  /* With round corners, rows of hundreds of issue marks would look like beads. */
  if (event->kind == HIR_EVENT_ISSUE && rect.width <= 40)
    {
      hir_display_list_add_rect (bars->list, get_mark (rect), color);
      return;
    }
  if (rect.width >= ROUND_WIDTH)
    hir_display_list_add_round_rect (bars->list, rect, 2.5, color, 0, 0, HIR_DASH_NONE);
  else
    hir_display_list_add_rect (bars->list, rect, color);
  add_label (bars, event, rect, hir_timeline_rows_get_ink (bars->scene->rows, color));
}

/* Rounds to whole pixels, at least one: bars are sharp, equally high and fast to paint. */
static HirRect
snap (HirRect rect)
{
  float left = roundf (rect.x), top = roundf (rect.y);
  float right = roundf (rect.x + rect.width), bottom = roundf (rect.y + rect.height);

  return (HirRect){ left, top, MAX (right - left, 1), MAX (bottom - top, 1) };
}

/* @x0, @x1: clipped to the plot and 4 pixels on either side */
static void
add_bar (const Bars *bars, const HirEvent *event, guint index, double x0, double x1)
{
  const HirTimelineScene *scene = bars->scene;
  guint lane = hir_timeline_rows_get_lane (scene->rows, bars->row->track, index);
  double top, height, width = MAX (x1 - x0, 1);
  gboolean selected = scene->has_selection && scene->selected_track == bars->row->track &&
                      scene->selected_index == index;
  gboolean hovered =
      scene->has_hover && scene->hovered_track == bars->row->track && scene->hovered_index == index;
  HirRect rect;

  hir_timeline_row_get_band (bars->row, lane, bars->y, &top, &height);
  /* A gap of one pixel separates neighbors. */
  if (width > HIR_TIMELINE_CRACK)
    width -= 1;
  rect = hir_rect (x0, top, width, height);
  if (!scene->exact)
    rect = snap (rect);
  /* Highlights a thin bar as a whole, because an outline would hide it. */
  if (!selected && width < ROUND_WIDTH + 2 && (hovered || is_related (scene, event->instruction)))
    {
      hir_display_list_add_rect (bars->list, rect, scene->theme->accent);
      return;
    }
  add_body (bars, event, rect);
  if (selected)
    hir_display_list_add_round_rect (bars->list,
                                     hir_rect (rect.x - 1.5, rect.y - 1.5, MAX (rect.width, 2) + 3,
                                               rect.height + 3),
                                     3.5, 0, scene->theme->text, 2, HIR_DASH_NONE);
  else if (hovered || is_related (scene, event->instruction))
    hir_display_list_add_round_rect (bars->list,
                                     hir_rect (rect.x - 1, rect.y - 1, MAX (rect.width, 1) + 2,
                                               rect.height + 2),
                                     3, 0, scene->theme->accent, 1.5, HIR_DASH_NONE);
}

static void
get_sides (const Bars *bars, const HirEvent *event, double *x0, double *x1)
{
  *x0 = hir_timeline_scene_get_x (bars->scene, event->start_ns);
  *x1 = hir_timeline_scene_get_x (bars->scene, event->end_ns);
  *x0 = MAX (*x0, bars->scene->header_width - 4);
  *x1 = MIN (*x1, bars->scene->width + 4);
}

/* Draws each bar. If there are more than @limit, returns FALSE and draws nothing. */
static gboolean
draw_each (const Bars *bars, guint limit)
{
  const HirTrace *trace = bars->scene->rows->trace;
  guint track = bars->row->track, n = hir_trace_get_track_n_events (trace, track);
  guint first = hir_trace_find_first (trace, track, bars->scene->start_ns - 1);
  HirEvent event;

  if (n - first > limit)
    {
      hir_trace_get_event (trace, track, first + limit, &event);
      if (event.start_ns < bars->scene->end_ns)
        return FALSE;
    }
  for (guint i = first; i < n; i++)
    {
      double x0, x1;

      hir_trace_get_event (trace, track, i, &event);
      if (event.start_ns > bars->scene->end_ns)
        break;
      if (event.end_ns < bars->scene->start_ns)
        continue;
      get_sides (bars, &event, &x0, &x1);
      add_bar (bars, &event, i, x0, x1);
    }
  return TRUE;
}

/* Returns the opacity of a column in 1/256: lower if partly busy, but always visible. */
static inline guint
get_column_strength (const HirTimelineColumn *column)
{
  /* In 1/256: for work of the program, its waits, other work, and other waits. */
  static const guint factors[4] = { 256, 141, 128, 70 };
  guint which = (hir_timeline_column_get_kind (column) == HIR_EVENT_SYNC) |
                (guint) (hir_timeline_column_get_phase (column) != HIR_PHASE_PROGRAM) << 1;
  float busy = column->n == 1 ? 1 : MIN (column->share, 1);

  return ((102 + (guint) (154 * busy)) * factors[which]) >> 8;
}

/* Blends two opaque colors, two channels at a time. */
static inline HirColor
mix_columns (HirColor ground, HirColor color, guint strength)
{
  guint32 rb = (ground & 0xff00ff) * (256 - strength) + (color & 0xff00ff) * strength;
  guint32 g = (ground & 0xff00) * (256 - strength) + (color & 0xff00) * strength;

  return 0xff000000u | (rb >> 8 & 0xff00ff) | (g >> 8 & 0xff00);
}

/* Uses opaque colors, which are painted fastest. */
static void
add_columns (
    const Bars *bars, const HirTimelineColumn *columns, guint n, HirRect rect, HirColor *colors)
{
  const HirTheme *theme = bars->scene->theme;
  gboolean has_ink = FALSE;

  for (guint i = 0; i < n; i++)
    {
      const HirTimelineColumn *column = &columns[i];

      colors[i] = 0;
      if (column->n == 0)
        continue;
      has_ink = TRUE;
      if ((column->key & HIR_TIMELINE_COLUMN_SHINES) != 0)
        colors[i] = theme->accent;
      else
        colors[i] =
            mix_columns (theme->background,
                         hir_timeline_rows_get_color (bars->scene->rows, theme,
                                                      hir_timeline_column_get_kind (column),
                                                      hir_timeline_column_get_name (column)),
                         get_column_strength (column));
    }
  if (has_ink)
    hir_display_list_add_columns (bars->list, rect, colors, n);
}

static void
add_wide (guint index, const HirEventBrief *brief, gpointer user_data)
{
  const Bars *bars = user_data;
  HirEvent event;
  double x0, x1;

  hir_trace_get_event (bars->scene->rows->trace, bars->row->track, index, &event);
  get_sides (bars, &event, &x0, &x1);
  add_bar (bars, &event, index, x0, x1);
}

static gboolean
is_asked_for (guint index, gpointer user_data)
{
  const Bars *bars = user_data;
  HirEvent event;

  hir_trace_get_event (bars->scene->rows->trace, bars->row->track, index, &event);
  return is_related (bars->scene, event.instruction);
}

/* Folded rows draw all lanes on top of each other. */
static void
walk_lanes (const Bars *bars,
            const HirTimelineIndex *index,
            guint lane,
            guint n,
            HirTimelineColumn *columns)
{
  const HirTimelineScene *scene = bars->scene;
  gboolean has_related = scene->related != 0 ||
                         (scene->related_set != NULL && g_hash_table_size (scene->related_set) > 0);
  HirTimelineWalk walk = {
    .start_ns = scene->start_ns,
    .end_ns = scene->end_ns,
    .n_columns = n,
    .wide = scene->exact ? MIN_BAR : MIN_SCREEN_BAR,
    .columns = columns,
    .marks = columns + n,
    .add_wide = add_wide,
    .is_asked_for = has_related ? is_asked_for : NULL,
    .user_data = (gpointer) bars,
  };

  memset (columns, 0, 2 * (gsize) n * sizeof *columns);
  if (!bars->row->is_folded)
    {
      hir_timeline_index_walk (index, lane, &walk);
      return;
    }
  for (guint l = 0; l < hir_timeline_index_get_n_lanes (index); l++)
    hir_timeline_index_walk (index, l, &walk);
}

/* If there are too many events for bars, draws wide ones as bars and the others as pixel
 * columns. */
static void
draw_dense (const Bars *bars)
{
  const HirTimelineScene *scene = bars->scene;
  double plot = scene->width - scene->header_width;
  guint n = (guint) MAX (plot, 1);
  const HirTimelineIndex *index =
      scene->hurries ? hir_timeline_indexes_peek (scene->rows->indexes, bars->row->track)
                     : hir_timeline_indexes_get (scene->rows->indexes, bars->row->track);
  g_autofree HirTimelineColumn *columns = NULL;
  g_autofree HirColor *colors = NULL;

  if (index == NULL)
    {
      hir_display_list_add_rect (bars->list,
                                 hir_rect (scene->header_width, bars->y + 3, plot,
                                           bars->row->height - 7),
                                 scene->theme->panel);
      return;
    }
  columns = g_new (HirTimelineColumn, 2 * (gsize) n);
  colors = g_new (HirColor, n);
  for (guint lane = 0; lane < bars->row->n_lanes; lane++)
    {
      double top, height;
      HirRect rect;

      walk_lanes (bars, index, lane, n, columns);
      hir_timeline_row_get_band (bars->row, lane, bars->y, &top, &height);
      rect = hir_rect (scene->header_width, top, plot, height);
      if (!scene->exact)
        rect = snap (rect);
      add_columns (bars, columns, n, rect, colors);
      add_columns (bars, columns + n, n, get_mark (rect), colors);
    }
}

/* Draws this bar again, because columns may cover it. */
static void
draw_on_top (const Bars *bars, guint index)
{
  const HirTimelineScene *scene = bars->scene;
  HirEvent event;
  double x0, x1;

  hir_trace_get_event (scene->rows->trace, bars->row->track, index, &event);
  if (event.end_ns < scene->start_ns || event.start_ns > scene->end_ns)
    return;
  get_sides (bars, &event, &x0, &x1);
  add_bar (bars, &event, index, x0, x1);
}

void
hir_timeline_bars_draw (const HirTimelineScene *scene,
                        HirDisplayList *list,
                        const HirTimelineRow *row,
                        double y)
{
  Bars bars = { .scene = scene, .list = list, .row = row, .y = y };
  double plot = scene->width - scene->header_width;

  if (plot < 1)
    return;
  if (!draw_each (&bars, (guint) (plot * (scene->exact ? 1.5 : 0.25)) + 16))
    {
      draw_dense (&bars);
      if (scene->has_hover && scene->hovered_track == row->track)
        draw_on_top (&bars, scene->hovered_index);
    }
  if (scene->has_selection && scene->selected_track == row->track)
    draw_on_top (&bars, scene->selected_index);
}
