/* Reports tracks, minimap and account of the timeline. */
#include "draw/timeline/timeline-arrange.h"
#include "testing/report-widgets.h"
#include "testing/report.h"
#include "window/window-private.h"

#define MAX_TRACKS 200

static void
append_tracks (GString *out, HirWindow *window)
{
  HirTrace *trace = hir_selection_get_trace (window->selection);
  guint n = 0;

  g_string_append (out, ",\"tracks\":[");
  for (guint i = 0; i < MAX_TRACKS; i++)
    {
      HirTimelineTrackPlace place;
      double x, y;

      if (trace == NULL || !hir_timeline_view_get_track_place (window->timeline, i, &place))
        break;
      if (!hir_report_get_place (GTK_WIDGET (window->timeline), place.x, place.y, &x, &y))
        continue;
      g_string_append (out, n++ > 0 ? ",{\"name\":" : "{\"name\":");
      hir_report_append_string (out, hir_trace_get_track (trace, place.track)->name);
      g_string_append_printf (out,
                              ",\"rank\":%d,\"pinned\":%s,\"folded\":%s,\"cursor\":%s,"
                              "\"lanes\":%u,\"x\":%d,\"y\":%d}",
                              hir_trace_get_track (trace, place.track)->rank,
                              place.is_pinned ? "true" : "false",
                              place.is_folded ? "true" : "false",
                              place.has_cursor ? "true" : "false", place.n_lanes, (int) x, (int) y);
    }
  g_string_append_c (out, ']');
}

static void
append_minimap (GString *out, HirWindow *window)
{
  HirTimelineMinimap *minimap = hir_timeline_pane_get_minimap (window->timeline_pane);
  double x0, x1, at_x0 = 0, at_x1 = 0, y = 0;
  gboolean is_ready = hir_timeline_minimap_get_window (minimap, &x0, &x1);

  if (!gtk_widget_get_mapped (GTK_WIDGET (minimap)) ||
      !hir_report_get_place (GTK_WIDGET (minimap), x0, 8, &at_x0, &y) ||
      !hir_report_get_place (GTK_WIDGET (minimap), x1, 8, &at_x1, &y))
    {
      g_string_append (out, ",\"minimap\":null");
      return;
    }
  g_string_append_printf (out, ",\"minimap\":{\"ready\":%s,\"x0\":%d,\"x1\":%d,\"y\":%d}",
                          is_ready ? "true" : "false", (int) at_x0, (int) at_x1, (int) y);
}

void
hir_report_append_lit (GString *out, HirWindow *window)
{
  HirTrace *trace = hir_selection_get_trace (window->selection);
  const HirTimelinePair *pair = hir_timeline_view_get_pair (window->timeline);
  const char *note = pair != NULL ? hir_timeline_pair_get_note (pair) : NULL;

  g_string_append (out, ",\"lit\":[");
  for (guint i = 0; pair != NULL && i < 2; i++)
    {
      char hex[17] = "";
      HirEvent event = { 0 };
      double x = -1, y = -1;
      const HirEventRef *at = &pair->at[i];

      g_string_append (out, i > 0 ? "," : "");
      if (!pair->has[i])
        {
          g_string_append (out, "null");
          continue;
        }
      hir_trace_get_event (trace, at->track, at->index, &event);
      hir_id_to_hex (event.instruction, hex);
      (void) hir_timeline_view_get_event_position (window->timeline, at->track, at->index, &x, &y);
      g_string_append (out, "{\"track\":");
      hir_report_append_string (out, hir_trace_get_track (trace, at->track)->name);
      g_string_append_printf (out,
                              ",\"rank\":%d,\"instruction\":\"%s\",\"iteration\":%d,"
                              "\"start_ns\":%" G_GINT64_FORMAT ",\"end_ns\":%" G_GINT64_FORMAT
                              ",\"x\":%d,\"y\":%d}",
                              hir_trace_get_track (trace, at->track)->rank, hex, event.iteration,
                              event.start_ns, event.end_ns, (int) x, (int) y);
    }
  g_string_append (out, "],\"lit_note\":");
  hir_report_append_string (out, note != NULL ? note : "");
}

void
hir_report_append_timeline (GString *out, HirWindow *window)
{
  append_tracks (out, window);
  append_minimap (out, window);
  g_string_append_printf (out, ",\"scroll_y\":%d",
                          (int) gtk_adjustment_get_value (
                              hir_timeline_view_get_adjustment (window->timeline)));
  g_string_append (out, ",\"account\":");
  hir_report_append_string (out, hir_account_button_get_text (window->account));
}
