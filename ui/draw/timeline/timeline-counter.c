#include "draw/timeline/timeline-counter.h"

#include "draw/timeline/ticks.h"

#include <math.h>

#define MARGIN 3.0
#define NOTE_PX 9.5
#define LINE 1.5
#define DOT 5.0
#define OVERLAP 0.5

typedef struct
{
  const HirTimelineScene *scene;
  HirDisplayList *list;
  const HirTimelineRow *row;
  const HirColumns *samples;
  const HirCounterIndex *index;
  double top, height; /* of the plotted area */
  double low, high;   /* values at the bottom and top; the range includes zero */
  HirColor area, line;
} Counter;

/* Returns the first sample at or after @time_ns. */
static guint
find_first (const HirColumns *samples, guint from, gint64 time_ns)
{
  guint low = from, high = samples->n;

  while (low < high)
    {
      guint middle = low + (high - low) / 2;

      if (hir_columns_get_start (samples, middle) < time_ns)
        low = middle + 1;
      else
        high = middle;
    }
  return low;
}

gboolean
hir_timeline_counter_find (const HirTrace *trace, guint track, gint64 time_ns, guint *index)
{
  const HirColumns *samples = hir_trace_get_columns (trace, track);
  guint after = find_first (samples, 0, time_ns + 1);
  gint64 first_ns, last_ns;

  hir_trace_get_span (trace, &first_ns, &last_ns);
  if (after == 0 || time_ns > last_ns)
    return FALSE;
  *index = after - 1;
  return TRUE;
}

static double
get_y (const Counter *counter, double value)
{
  double share = (value - counter->low) / (counter->high - counter->low);

  return counter->top + (1 - share) * counter->height;
}

static double
snap (const Counter *counter, double y)
{
  return counter->scene->exact ? y : round (y);
}

/* Draws the columns from @x0 to @x1: a line over the values in @range, and the area from there to
 * zero. */
static void
add_run (const Counter *counter, double x0, double x1, const HirCounterRange *range)
{
  double zero = snap (counter, get_y (counter, 0));
  double top = snap (counter, get_y (counter, range->max));
  double bottom = snap (counter, get_y (counter, range->min));

  /* Without rounding to whole pixels, gaps between neighbors would be visible. */
  if (counter->scene->exact)
    x1 += OVERLAP;

  hir_display_list_add_rect (counter->list,
                             hir_rect (x0, MIN (top, zero), x1 - x0, fabs (zero - MIN (top, zero))),
                             counter->area);
  if (bottom > zero)
    hir_display_list_add_rect (counter->list, hir_rect (x0, zero, x1 - x0, bottom - zero),
                               counter->area);
  hir_display_list_add_rect (counter->list,
                             hir_rect (x0, top, x1 - x0,
                                       MAX (bottom - top,
                                            counter->scene->exact ? 1 : round (LINE))),
                             counter->line);
}

/* Returns the range of a column with samples [@from, @to) and the value before them. Returns FALSE
 * if there is no value. */
static gboolean
get_column (const Counter *counter, guint from, guint to, HirCounterRange *range)
{
  if (from > 0)
    from--;
  if (from >= to)
    return FALSE;
  *range = hir_counter_index_get_range (counter->index, from, to);
  return TRUE;
}

static gboolean
looks_the_same (const Counter *counter, const HirCounterRange *a, const HirCounterRange *b)
{
  return snap (counter, get_y (counter, a->min)) == snap (counter, get_y (counter, b->min)) &&
         snap (counter, get_y (counter, a->max)) == snap (counter, get_y (counter, b->max));
}

/* Merges equal columns into runs. */
static void
draw_columns (const Counter *counter)
{
  const HirTimelineScene *scene = counter->scene;
  double left = scene->header_width, run_x = left;
  gint64 first_ns, last_ns;
  guint n = (guint) MAX (ceil (scene->width - left), 0), from;
  gboolean has_run = FALSE;
  HirCounterRange run = { 0, 0 };

  hir_trace_get_span (scene->rows->trace, &first_ns, &last_ns);
  from = find_first (counter->samples, 0, scene->start_ns);
  for (guint c = 0; c <= n; c++)
    {
      gint64 end_ns = hir_timeline_scene_get_time (scene, left + c + 1);
      HirCounterRange range = { 0, 0 };
      guint to = c < n ? find_first (counter->samples, from, end_ns) : from;
      gboolean has = c < n && hir_timeline_scene_get_time (scene, left + c) <= last_ns &&
                     get_column (counter, from, to, &range);

      if (has_run && (!has || !looks_the_same (counter, &run, &range)))
        add_run (counter, run_x, left + c, &run);
      if (has && (!has_run || !looks_the_same (counter, &run, &range)))
        {
          run = range;
          run_x = left + c;
        }
      has_run = has;
      from = to;
    }
}

static void
mark_sample (const Counter *counter, guint index, HirColor color)
{
  HirEvent sample;
  double x, y;

  if (index >= counter->samples->n)
    return;
  hir_trace_get_event (counter->scene->rows->trace, counter->row->track, index, &sample);
  x = hir_timeline_scene_get_x (counter->scene, sample.start_ns);
  if (x < counter->scene->header_width - DOT || x > counter->scene->width + DOT)
    return;
  x = snap (counter, x);
  y = snap (counter, get_y (counter, hir_event_get_value (&sample)));
  hir_display_list_add_rect (counter->list, hir_rect (x, counter->top, 1, counter->height), color);
  hir_display_list_add_round_rect (counter->list, hir_rect (x - 2, y - 2, DOT, DOT), DOT / 2, color,
                                   0, 0, HIR_DASH_NONE);
}

void
hir_timeline_counter_draw (const HirTimelineScene *scene,
                           HirDisplayList *list,
                           const HirTimelineRow *row,
                           double y)
{
  const HirTheme *theme = scene->theme;
  Counter counter = {
    .scene = scene,
    .list = list,
    .row = row,
    .samples = hir_trace_get_columns (scene->rows->trace, row->track),
    .index = scene->hurries ? hir_timeline_indexes_peek_counter (scene->rows->indexes, row->track)
                            : hir_timeline_indexes_get_counter (scene->rows->indexes, row->track),
    .top = y + MARGIN,
    .height = row->height - 2 * MARGIN - 1,
    .line = hir_theme_get_event_color (theme, HIR_EVENT_COUNTER, NULL),
  };
  HirCounterRange all;

  if (counter.index == NULL || scene->width - scene->header_width < 1)
    return;
  all = hir_counter_index_get_all (counter.index);
  counter.low = MIN (all.min, 0);
  counter.high = MAX (all.max, 0);
  if (counter.high <= counter.low)
    counter.high = counter.low + 1;
  counter.area = hir_color_mix (theme->background, counter.line, 0.4);
  draw_columns (&counter);
  if (scene->has_hover && scene->hovered_track == row->track)
    mark_sample (&counter, scene->hovered_index, theme->accent);
  if (scene->has_selection && scene->selected_track == row->track)
    mark_sample (&counter, scene->selected_index, theme->text);
}

void
hir_timeline_counter_draw_scale (const HirTimelineScene *scene,
                                 HirDisplayList *list,
                                 const HirTimelineRow *row,
                                 double y)
{
  const HirCounterIndex *index =
      scene->hurries ? hir_timeline_indexes_peek_counter (scene->rows->indexes, row->track)
                     : hir_timeline_indexes_get_counter (scene->rows->indexes, row->track);
  double width = HIR_TIMELINE_COUNTER_NOTE - 8, x = scene->header_width - 6 - width;
  double height = NOTE_PX + 3;
  HirCounterRange all;

  if (index == NULL || row->is_folded)
    return;
  all = hir_counter_index_get_all (index);
  g_autofree char *most = hir_number_dup_text (MAX (all.max, 0));
  g_autofree char *least = hir_number_dup_text (MIN (all.min, 0));

  hir_display_list_add_text (list, hir_rect (x, y + 1, width, height), most, HIR_FONT_SANS, NOTE_PX,
                             scene->theme->dim_text, HIR_ALIGN_END);
  hir_display_list_add_text (list, hir_rect (x, y + row->height - height - 2, width, height), least,
                             HIR_FONT_SANS, NOTE_PX, scene->theme->dim_text, HIR_ALIGN_END);
}
