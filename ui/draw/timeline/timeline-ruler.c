#include "draw/timeline/timeline-ruler.h"

#include <math.h>

#include "draw/timeline/ticks.h"
#include "draw/timeline/timeline-marks.h"

#define NOTE_PX 10.0
#define TICK_PX 11.0
#define LEAST_ROOM 64.0 /* first estimate of the distance of two labels */
#define GAP 26.0

typedef struct
{
  const HirTimelineScene *scene;
  HirDisplayList *list;
  gint64 zero; /* zero of the labels on the trace's clock: the first event plus the base */
  gint64 step, largest;
  double free_from; /* labels further left would overlap the base */
} Ruler;

static double
get_width (const Ruler *ruler, double px, const char *text)
{
  return hir_measure_get_width (ruler->scene->measure, HIR_FONT_SANS, px, text);
}

/* Draws a note in the corner if times are modelled. Returns the right end of the note, or 0. */
static double
draw_clock (const Ruler *ruler)
{
  static const char note[] = "modelled time";
  const HirTimelineScene *scene = ruler->scene;

  if (g_strcmp0 (hir_trace_get_meta (scene->rows->trace, "clock"), "model") != 0)
    return 0;
  hir_display_list_add_text (ruler->list,
                             hir_rect (8, 0, scene->header_width - 12, HIR_TIMELINE_RULER_HEIGHT),
                             note, HIR_FONT_SANS, NOTE_PX, scene->theme->link, HIR_ALIGN_START);
  return 8 + get_width (ruler, NOTE_PX, note);
}

/* Draws the base in the corner next to the labels, or before the first label if there is no
 * space. */
static void
draw_base (Ruler *ruler, gint64 base, double taken)
{
  const HirTimelineScene *scene = ruler->scene;
  g_autofree char *text = hir_ticks_dup_base (base);
  double width = get_width (ruler, TICK_PX, text);
  double x = scene->header_width - width - 4;

  if (x < taken + 8)
    {
      x = scene->header_width + 4;
      ruler->free_from = x + width + 6;
    }
  hir_display_list_add_text (ruler->list, hir_rect (x, 0, 0, HIR_TIMELINE_RULER_HEIGHT), text,
                             HIR_FONT_SANS, TICK_PX, scene->theme->text, HIR_ALIGN_START);
}

/* Selects as many ticks as there is space for labels; the longest labels are at the ends. */
static void
choose_step (Ruler *ruler)
{
  const HirTimelineScene *scene = ruler->scene;
  double room = LEAST_ROOM, plot = scene->width - scene->header_width;
  gint64 start = scene->start_ns - ruler->zero, end = scene->end_ns - ruler->zero;

  ruler->largest = MAX (ABS (start), ABS (end));
  ruler->step = hir_ticks_get_step (end - start, plot / room);
  for (int tries = 0; tries < 3; tries++)
    {
      g_autofree char *first = hir_ticks_dup_label (start, ruler->step, ruler->largest);
      g_autofree char *last = hir_ticks_dup_label (end, ruler->step, ruler->largest);

      room = MAX (get_width (ruler, TICK_PX, first), get_width (ruler, TICK_PX, last)) + GAP;
      ruler->step = hir_ticks_get_step (end - start, plot / room);
    }
}

void
hir_timeline_ruler_draw (const HirTimelineScene *scene,
                         double taken_from,
                         double taken_to,
                         HirDisplayList *list)
{
  const HirTheme *theme = scene->theme;
  Ruler ruler = { .scene = scene, .list = list };
  double taken = draw_clock (&ruler);
  gint64 last, base;

  hir_trace_get_span (scene->rows->trace, &ruler.zero, &last);
  base = hir_ticks_get_base (scene->start_ns - ruler.zero, scene->end_ns - ruler.zero);
  if (base != 0)
    draw_base (&ruler, base, taken);
  ruler.zero += base;
  choose_step (&ruler);
  for (gint64 t = hir_ticks_get_first (scene->start_ns - ruler.zero, ruler.step);
       t + ruler.zero <= scene->end_ns; t += ruler.step)
    {
      double x = floor (hir_timeline_scene_get_x (scene, t + ruler.zero));
      g_autofree char *label = hir_ticks_dup_label (t, ruler.step, ruler.largest);
      double width = get_width (&ruler, TICK_PX, label);

      hir_display_list_add_rect (list, hir_rect (x, 6, 1, scene->height - 6), theme->line);
      if (x + 5 >= ruler.free_from && x + 6 + width <= scene->width &&
          (x + 8 + width <= taken_from || x + 2 >= taken_to))
        {
          /* Above the flags of marks. */
          double height = hir_timeline_marks_cover (scene, x + 5, x + 5 + width)
                              ? HIR_TIMELINE_RULER_HEIGHT - HIR_TIMELINE_FLAG_HEIGHT
                              : HIR_TIMELINE_RULER_HEIGHT;

          hir_display_list_add_text (list, hir_rect (x + 5, 0, 0, height), label, HIR_FONT_SANS,
                                     TICK_PX, theme->dim_text, HIR_ALIGN_START);
        }
    }
}
