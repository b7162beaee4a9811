/* Reports tracks, minimap and account of the timeline. */
#include "draw/timeline/timeline-arrange.h"
#include "testing/report-widgets.h"
#include "testing/report.h"

#define MAX_BARS 500
#define MAX_TRACKS 200

static void
add_tracks (HirJsonOut *json, HirWindow *window)
{
  HirTrace *trace = hir_selection_get_trace (window->selection);

  hir_json_out_begin (json, "tracks", '[');
  for (guint i = 0; i < MAX_TRACKS; i++)
    {
      HirTimelineTrackPlace place;
      double x, y;

      if (trace == NULL || !hir_timeline_view_get_track_place (window->timeline, i, &place))
        break;
      if (!hir_report_get_place (GTK_WIDGET (window->timeline), place.x, place.y, &x, &y))
        continue;
      hir_json_out_begin (json, NULL, '{');
      hir_report_add_string (json, "name", hir_trace_get_track (trace, place.track)->name);
      hir_json_out_add_int (json, "rank", hir_trace_get_track (trace, place.track)->rank);
      hir_json_out_add_bool (json, "pinned", place.is_pinned);
      hir_json_out_add_bool (json, "folded", place.is_folded);
      hir_json_out_add_bool (json, "cursor", place.has_cursor);
      hir_json_out_add_bool (json, "selected", place.is_chosen);
      hir_json_out_add_uint (json, "lanes", place.n_lanes);
      hir_json_out_add_int (json, "height", (int) place.height);
      hir_json_out_add_int (json, "bottom", (int) (y + place.bottom - place.y));
      hir_report_add_place (json, x, y);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
}

/* Adds the marks; those that are not visible have no position. */
static void
add_marks (HirJsonOut *json, HirWindow *window)
{
  const GArray *marks = hir_timeline_view_get_marks (window->timeline);
  double x, y;

  hir_json_out_begin (json, "marks", '[');
  for (guint i = 0; i < marks->len; i++)
    {
      const HirTimelineMark *mark = &g_array_index (marks, HirTimelineMark, i);

      hir_json_out_begin (json, NULL, '{');
      hir_report_add_string (json, "name", mark->name);
      hir_json_out_add_int (json, "time_ns", mark->time_ns);
      if (hir_timeline_view_get_mark_place (window->timeline, i, &x, &y) &&
          hir_report_get_place (GTK_WIDGET (window->timeline), x, y, &x, &y))
        hir_report_add_place (json, x, y);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
}

static void
add_minimap (HirJsonOut *json, HirWindow *window)
{
  HirTimelineMinimap *minimap = hir_timeline_pane_get_minimap (window->timeline_pane);
  double x0, x1, at_x0 = 0, at_x1 = 0, y = 0;
  gboolean is_ready = hir_timeline_minimap_get_window (minimap, &x0, &x1);

  if (!gtk_widget_get_mapped (GTK_WIDGET (minimap)) ||
      !hir_report_get_place (GTK_WIDGET (minimap), x0, 8, &at_x0, &y) ||
      !hir_report_get_place (GTK_WIDGET (minimap), x1, 8, &at_x1, &y))
    {
      hir_json_out_add_raw (json, "minimap", "null");
      return;
    }
  hir_json_out_begin (json, "minimap", '{');
  hir_json_out_add_bool (json, "ready", is_ready);
  hir_json_out_add_int (json, "x0", (int) at_x0);
  hir_json_out_add_int (json, "x1", (int) at_x1);
  hir_json_out_add_int (json, "y", (int) y);
  hir_json_out_end (json, '}');
}

static void
add_bar (HirJsonOut *json, HirTrace *trace, guint track, guint index, double x, double y)
{
  const HirTrack *on = hir_trace_get_track (trace, track);
  HirEvent event;

  hir_trace_get_event (trace, track, index, &event);
  hir_json_out_begin (json, NULL, '{');
  hir_report_add_string (json, "name", hir_trace_get_string (trace, event.name));
  hir_report_add_string (json, "track", on->name);
  hir_json_out_add_int (json, "rank", on->rank);
  hir_json_out_add_bool (json, "device", on->kind != HIR_TRACK_HOST);
  hir_report_add_id (json, "instruction", event.instruction);
  hir_json_out_add_int (json, "iteration", event.iteration);
  hir_json_out_add_int (json, "start_ns", event.start_ns);
  hir_json_out_add_int (json, "end_ns", event.end_ns);
  hir_report_add_place (json, x, y);
  hir_json_out_end (json, '}');
}

/* Adds the bars that are in @view, or those scrolled out of it, up to MAX_BARS. */
static void
add_bars (HirJsonOut *json, HirTimelineView *view, HirTrace *trace, gboolean in_view, guint *n)
{
  for (guint track = 0; track < hir_trace_get_n_tracks (trace); track++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, track) && *n < MAX_BARS; i++)
      {
        double x, y, at_x, at_y;

        if (!hir_timeline_view_get_event_position (view, track, i, &x, &y) ||
            in_view != (y >= 0 && y < gtk_widget_get_height (GTK_WIDGET (view))) ||
            !hir_report_get_place (GTK_WIDGET (view), x, y, &at_x, &at_y))
          continue;
        *n += 1;
        add_bar (json, trace, track, i, at_x, at_y);
      }
}

void
hir_report_add_bars (HirJsonOut *json, HirTimelineView *view, HirTrace *trace)
{
  g_autoptr (GHashTable) related = hir_timeline_view_dup_related (view);
  GHashTableIter iter;
  gpointer id;
  guint n = 0;

  hir_json_out_begin (json, "related", '[');
  g_hash_table_iter_init (&iter, related);
  while (g_hash_table_iter_next (&iter, &id, NULL))
    hir_report_add_id (json, NULL, *(guint64 *) id);
  hir_json_out_end (json, ']');

  hir_json_out_begin (json, "bars", '[');
  if (trace != NULL)
    {
      add_bars (json, view, trace, TRUE, &n);
      add_bars (json, view, trace, FALSE, &n);
    }
  hir_json_out_end (json, ']');
}

void
hir_report_add_lit (HirJsonOut *json, HirWindow *window)
{
  HirTrace *trace = hir_selection_get_trace (window->selection);
  const HirTimelinePair *pair = hir_timeline_view_get_pair (window->timeline);

  hir_json_out_begin (json, "lit", '[');
  for (guint i = 0; pair != NULL && i < 2; i++)
    {
      double x = -1, y = -1;
      const HirEventRef *at = &pair->at[i];

      if (!pair->has[i])
        {
          hir_json_out_add_raw (json, NULL, "null");
          continue;
        }
      (void) hir_timeline_view_get_event_position (window->timeline, at->track, at->index, &x, &y);
      add_bar (json, trace, at->track, at->index, x, y);
    }
  hir_json_out_end (json, ']');
  hir_report_add_string (json, "lit_note", pair != NULL ? hir_timeline_pair_get_note (pair) : NULL);
}

void
hir_report_add_timeline (HirJsonOut *json, HirWindow *window)
{
  GtkAdjustment *adjustment = hir_timeline_view_get_adjustment (window->timeline);

  add_tracks (json, window);
  add_minimap (json, window);
  add_marks (json, window);
  hir_report_add_bars (json, window->timeline, hir_selection_get_trace (window->selection));
  hir_json_out_add_int (json, "scroll_y", (int) gtk_adjustment_get_value (adjustment));
  hir_report_add_string (json, "account", hir_account_button_get_text (window->account));
}
