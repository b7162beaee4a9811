#include "timeline-rig.h"

#include <string.h>

void
timeline_rig_set_up (TimelineRig *rig, HirTrace *trace, double header_width)
{
  rig->trace = trace;
  rig->rows = hir_timeline_rows_new (trace, NULL);
  rig->measure = hir_measure_new ();
  rig->list = hir_display_list_new ();
  rig->scene = (HirTimelineScene){
    .rows = rig->rows,
    .theme = hir_theme_get (TRUE),
    .measure = rig->measure,
    .width = RIG_WIDTH,
    .height = HIR_TIMELINE_RULER_HEIGHT + rig->rows->height,
    .header_width = header_width,
  };
  hir_trace_get_span (trace, &rig->scene.start_ns, &rig->scene.end_ns);
}

void
timeline_rig_tear_down (TimelineRig *rig)
{
  hir_display_list_free (rig->list);
  hir_measure_free (rig->measure);
  hir_timeline_rows_free (rig->rows);
  hir_trace_unref (rig->trace);
}

void
timeline_rig_draw (TimelineRig *rig)
{
  hir_display_list_clear (rig->list);
  hir_timeline_scene_draw (&rig->scene, rig->list);
}

gboolean
list_has_text (const HirDisplayList *list, const char *text)
{
  for (guint i = 0; i < list->items->len; i++)
    {
      const HirDrawItem *item = hir_display_list_get_item (list, i);

      if (item->kind == HIR_DRAW_TEXT && strcmp (hir_display_list_get_text (list, item), text) == 0)
        return TRUE;
    }
  return FALSE;
}
