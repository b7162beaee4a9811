#include "testing/report.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "testing/report-graph.h"
#include "testing/report-rest.h"
#include "testing/report-widgets.h"
#include "trace/comm-records.h"
#include "window/check-controller.h"
#include "window/export-controller.h"
#include "window/load-strip.h"
#include "window/window-private.h"

/* Maximum number of reported bars and nodes. */
#define MAX_PLACES 500
#define SETTLE_MS 60
#define BEAT_MS 5

typedef struct
{
  HirWindow *window; /* borrowed; owns the report */
  char *path;
  char *last; /* the last report; identical reports are not written */
  GdkFrameClock *clock;
  guint timeout;
  guint heartbeat;
  gint64 beat_us;                   /* monotonic time of the last beat */
  gint64 stall_us;                  /* longest time between beats since the last report */
  gint64 beat_cpu_us, stall_cpu_us; /* likewise in CPU time of this thread */
  HirReportRest *rest;              /* NULL if there is no pipe for requests */
  guint64 rest_reported;            /* the last request that was answered */
  gboolean must_report;
} Report;

static const char *
json_boolean (gboolean value)
{
  return value ? "true" : "false";
}

static void
append_bars (GString *out, HirWindow *window)
{
  HirTrace *trace = hir_selection_get_trace (window->selection);
  guint n = 0;

  g_string_append (out, ",\"bars\":[");
  for (guint track = 0; trace != NULL && track < hir_trace_get_n_tracks (trace); track++)
    {
      for (guint i = 0; i < hir_trace_get_track_n_events (trace, track) && n < MAX_PLACES; i++)
        {
          double x, y, at_x, at_y;
          HirEvent event;
          char hex[17];

          if (!hir_timeline_view_get_event_position (window->timeline, track, i, &x, &y) ||
              !hir_report_get_place (GTK_WIDGET (window->timeline), x, y, &at_x, &at_y))
            continue;
          hir_trace_get_event (trace, track, i, &event);
          hir_id_to_hex (event.instruction, hex);
          g_string_append (out, n++ > 0 ? ",{\"name\":" : "{\"name\":");
          hir_report_append_string (out, hir_trace_get_string (trace, event.name));
          g_string_append (out, ",\"track\":");
          hir_report_append_string (out, hir_trace_get_track (trace, track)->name);
          g_string_append_printf (out, ",\"rank\":%d", hir_trace_get_track (trace, track)->rank);
          g_string_append_printf (out,
                                  ",\"device\":%s,\"instruction\":\"%s\",\"iteration\":%d,\"start_"
                                  "ns\":%" G_GINT64_FORMAT ",\"end_ns\":%" G_GINT64_FORMAT
                                  ",\"x\":%d,\"y\":%d}",
                                  json_boolean (hir_trace_get_track (trace, track)->kind !=
                                                HIR_TRACK_HOST),
                                  hex, event.iteration, event.start_ns, event.end_ns, (int) at_x,
                                  (int) at_y);
        }
    }
  g_string_append_c (out, ']');
}

/* Appends the partners of the selected event on other ranks. */
static void
append_partners (GString *out, HirWindow *window)
{
  HirTrace *trace = hir_selection_get_trace (window->selection);
  g_autoptr (GArray) refs = NULL;
  guint track, index;

  g_string_append (out, ",\"partners\":[");
  if (hir_selection_get_event (window->selection, &track, &index))
    refs = hir_trace_dup_partners (trace, track, index, MAX_PLACES);
  for (guint i = 0; refs != NULL && i < refs->len; i++)
    {
      const HirEventRef *ref = &g_array_index (refs, HirEventRef, i);
      HirEvent event;

      hir_trace_get_event (trace, ref->track, ref->index, &event);
      g_string_append_printf (out, "%s{\"rank\":%d,\"iteration\":%d}", i > 0 ? "," : "",
                              hir_trace_get_track (trace, ref->track)->rank, event.iteration);
    }
  g_string_append_c (out, ']');
}

/* Appends the groups of the timeline, from top to bottom. */
static void
append_groups (GString *out, HirWindow *window)
{
  double x, y, at_x, at_y;
  gboolean is_folded;
  int rank;

  g_string_append (out, ",\"groups\":[");
  for (guint i = 0;
       i < MAX_PLACES &&
       hir_timeline_view_get_rank_position (window->timeline, i, &rank, &is_folded, &x, &y);
       i++)
    if (hir_report_get_place (GTK_WIDGET (window->timeline), x, y, &at_x, &at_y))
      g_string_append_printf (out, "%s{\"rank\":%d,\"folded\":%s,\"x\":%d,\"y\":%d}",
                              i > 0 ? "," : "", rank, json_boolean (is_folded), (int) at_x,
                              (int) at_y);
  g_string_append_c (out, ']');
}

static void
append_ranks (GString *out, HirWindow *window)
{
  HirRankPrograms *ranks = hir_selection_get_ranks (window->selection);

  g_string_append (out, ",\"rank_programs\":[");
  for (guint i = 0; ranks != NULL && i < ranks->programs->len; i++)
    {
      g_autofree char *label = hir_rank_program_dup_label (hir_rank_programs_get (ranks, i));

      g_string_append (out, i > 0 ? "," : "");
      hir_report_append_string (out, label);
    }
  g_string_append_printf (out, "],\"rank_program\":%d,\"rank\":%d",
                          hir_selection_get_rank_program (window->selection),
                          hir_selection_get_rank (window->selection));
}

static void
append_nodes (GString *out, HirWindow *window)
{
  HirProgramView *view = hir_selection_get_view (window->selection);
  GArray *ids =
      hir_selection_get_nodes_at (window->selection, hir_selection_get_step (window->selection));

  g_string_append (out, ",\"selected\":[");
  for (guint i = 0; view != NULL && i < MIN (ids->len, MAX_PLACES); i++)
    {
      guint64 id = g_array_index (ids, guint64, i);
      const HirNodeInfo *info = hir_program_view_lookup (view, id);
      char hex[17];

      hir_id_to_hex (id, hex);
      g_string_append_printf (out, "%s{\"id\":\"%s\",\"kind\":", i > 0 ? "," : "", hex);
      hir_report_append_string (out, info != NULL ? info->kind : NULL);
      g_string_append (out, ",\"label\":");
      hir_report_append_string (out, info != NULL ? info->label : NULL);
      g_string_append_c (out, '}');
    }
  g_string_append_c (out, ']');
}

/* Appends all other toplevels, such as dialogs. */
static void
append_dialogs (GString *out, HirWindow *window)
{
  GListModel *toplevels = gtk_window_get_toplevels ();
  guint n = 0;

  g_string_append (out, ",\"dialogs\":[");
  for (guint i = 0; i < g_list_model_get_n_items (toplevels); i++)
    {
      g_autoptr (GtkWidget) toplevel = g_list_model_get_item (toplevels, i);

      if (toplevel == GTK_WIDGET (window) || !gtk_widget_get_mapped (toplevel))
        continue;
      g_string_append (out, n++ > 0 ? ",{\"kind\":" : "{\"kind\":");
      hir_report_append_string (out, G_OBJECT_TYPE_NAME (toplevel));
      if (ADW_IS_MESSAGE_DIALOG (toplevel))
        {
          g_string_append (out, ",\"heading\":");
          hir_report_append_string (out,
                                    adw_message_dialog_get_heading (ADW_MESSAGE_DIALOG (toplevel)));
          g_string_append (out, ",\"body\":");
          hir_report_append_string (out,
                                    adw_message_dialog_get_body (ADW_MESSAGE_DIALOG (toplevel)));
        }
      g_string_append (out, ",\"controls\":");
      hir_report_append_controls (out, toplevel);
      g_string_append (out, ",\"silent\":");
      hir_report_append_silent (out, toplevel);
      g_string_append_c (out, '}');
    }
  g_string_append_c (out, ']');
}

/* Appends the tables of the statistics: an array of rows per section, starting with the header, and
 * the position of the kernels. */
static void
append_stats (GString *out, HirWindow *window)
{
  HirStatsCanvas *canvas = hir_stats_page_get_canvas (window->stats);
  HirStatsScene scene;
  double at_x = 0, at_y = 0, height;

  g_string_append (out, ",\"stats_title\":");
  hir_report_append_string (out, hir_stats_page_get_title (window->stats));
  if (!gtk_widget_get_mapped (GTK_WIDGET (canvas)) ||
      !hir_stats_canvas_get_scene (canvas, &scene) ||
      !hir_report_get_place (GTK_WIDGET (canvas), 0, 0, &at_x, &at_y))
    {
      g_string_append (out, ",\"stats\":null");
      return;
    }
  g_string_append_printf (out, ",\"stats\":{\"busy\":%s,\"kernels_y\":%d,\"x\":%d,\"title\":",
                          json_boolean (hir_stats_page_get_is_busy (window->stats)),
                          (int) (at_y + hir_stats_scene_get_kernel_y (&scene, 0, &height) -
                                 scene.scroll_y),
                          (int) at_x);
  hir_report_append_string (out, hir_stats_page_get_title (window->stats));
  for (guint s = 0; s < HIR_N_STATS_SECTIONS; s++)
    {
      HirStatsSection section = (HirStatsSection) s;
      int n = (int) MIN (hir_stats_scene_get_n_rows (&scene, section), MAX_PLACES);

      g_string_append_c (out, ',');
      hir_report_append_string (out, hir_stats_section_get_title (section));
      g_string_append (out, ":[");
      for (int row = -1; row < n; row++)
        {
          g_string_append (out, row < 0 ? "[" : ",[");
          for (guint column = 0; column < hir_stats_section_get_n_columns (section); column++)
            {
              g_autofree char *cell = hir_stats_scene_dup_cell (&scene, section, row, column);

              g_string_append (out, column > 0 ? "," : "");
              hir_report_append_string (out, cell);
            }
          g_string_append_c (out, ']');
        }
      g_string_append_c (out, ']');
    }
  g_string_append_c (out, '}');
}

static void
append_state (GString *out, HirWindow *window)
{
  HirProgramView *view = hir_selection_get_view (window->selection);
  GskRenderer *renderer = gtk_native_get_renderer (GTK_NATIVE (window));
  guint track, index;
  gint64 start_ns, end_ns;

  g_string_append (out, "{\"page\":");
  hir_report_append_string (out, gtk_stack_get_visible_child_name (window->pages));
  g_string_append (out, ",\"renderer\":");
  hir_report_append_string (out, renderer != NULL ? G_OBJECT_TYPE_NAME (renderer) : "");
  g_string_append (out, ",\"text_page\":");
  hir_report_append_string (out, hir_text_pane_get_page (window->text));
  g_string_append (out, ",\"found\":");
  hir_report_append_string (out, hir_text_pane_get_search_count (window->text));
  g_string_append (out, ",\"events_found\":");
  hir_report_append_string (out, hir_timeline_search_get_count (window->search));
  g_string_append (out, ",\"title\":");
  hir_report_append_string (out, adw_window_title_get_title (window->title));
  g_string_append (out, ",\"subtitle\":");
  hir_report_append_string (out, adw_window_title_get_subtitle (window->title));
  g_string_append (out, ",\"step\":");
  hir_report_append_string (out, view != NULL ? view->pass_name : NULL);
  g_string_append_printf (out, ",\"script_line\":%u,\"running\":%s,\"lowering\":%s,\"status\":",
                          hir_selection_get_script_pos (window->selection).line,
                          json_boolean (hir_document_get_is_running (window->document)),
                          json_boolean (hir_document_get_is_lowering (window->document)));
  hir_report_append_string (out, gtk_label_get_text (window->status));
  g_string_append (out, ",\"progress\":");
  hir_report_append_string (out, hir_load_strip_get_text (window->load_strip));
  g_string_append_printf (out, ",\"writing\":%s",
                          json_boolean (
                              hir_export_controller_is_writing (window->export_controller)));
  g_string_append_printf (out, ",\"spins\":%s,\"event\":%s",
                          json_boolean (gtk_spinner_get_spinning (window->spinner)),
                          json_boolean (
                              hir_selection_get_event (window->selection, &track, &index)));
  if (hir_selection_get_event (window->selection, &track, &index))
    {
      hir_trace_get_interval (hir_selection_get_trace (window->selection), track, index, &start_ns,
                              &end_ns);
      g_string_append_printf (out, ",\"event_start_ns\":%" G_GINT64_FORMAT, start_ns);
    }
  else
    {
      g_string_append (out, ",\"event_start_ns\":null");
    }
  g_string_append_printf (out, ",\"header_width\":%d",
                          (int) hir_timeline_view_get_header_width (window->timeline));
  hir_timeline_view_get_shown (window->timeline, &start_ns, &end_ns);
  g_string_append_printf (out, ",\"shown_ns\":[%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT "]",
                          start_ns, end_ns);
  if (hir_selection_get_trace (window->selection) != NULL)
    {
      hir_trace_get_span (hir_selection_get_trace (window->selection), &start_ns, &end_ns);
      g_string_append_printf (out, ",\"span_ns\":[%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT "]",
                              start_ns, end_ns);
    }
  hir_selection_get_range (window->selection, &start_ns, &end_ns);
  g_string_append_printf (out, ",\"range_ns\":[%" G_GINT64_FORMAT ",%" G_GINT64_FORMAT "]",
                          start_ns, end_ns);
  g_string_append_printf (out, ",\"dark\":%s",
                          json_boolean (
                              adw_style_manager_get_dark (adw_style_manager_get_default ())));
}

/* Returns the CPU time of this thread. */
static gint64
get_cpu_us (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return (gint64) now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static void
append_check (GString *out, HirWindow *window)
{
  HirCheckPage *check = hir_check_controller_get_page (window->check);
  guint64 first, second;

  hir_selection_get_pair (window->selection, &first, &second);
  g_string_append_printf (out,
                          ",\"check\":{\"shown\":%s,\"busy\":%s,\"pair\":[\"%016" G_GINT64_MODIFIER
                          "x\",\"%016" G_GINT64_MODIFIER "x\"],\"state\":\"%s\",\"title\":",
                          json_boolean (gtk_widget_get_visible (GTK_WIDGET (check))),
                          json_boolean (hir_check_page_get_is_busy (check)), first, second,
                          hir_check_page_get_state (check));
  hir_report_append_string (out, hir_check_page_get_title (check));
  hir_report_append_lit (out, window);
  g_string_append_c (out, '}');
}

static gboolean
write_report (gpointer user_data)
{
  Report *report = user_data;
  HirWindow *window = report->window;
  g_autoptr (GString) out = g_string_new (NULL);
  gboolean is_same;
  FILE *file;

  report->timeout = 0;
  append_state (out, window);
  append_stats (out, window);
  hir_report_append_timeline (out, window);
  hir_report_append_compare (out, window);
  append_check (out, window);
  hir_report_append_debug (out, window);
  append_groups (out, window);
  append_partners (out, window);
  append_ranks (out, window);
  append_nodes (out, window);
  append_bars (out, window);
  hir_report_append_graph (out, window);
  g_string_append (out, ",\"controls\":");
  hir_report_append_controls (out, GTK_WIDGET (window));
  g_string_append (out, ",\"silent\":");
  hir_report_append_silent (out, GTK_WIDGET (window));
  hir_report_append_home (out, window);
  g_string_append (out, ",\"lines\":");
  if (gtk_widget_get_mapped (GTK_WIDGET (window->text)))
    hir_report_append_lines (out, hir_text_pane_get_text_view (window->text));
  else
    g_string_append (out, "[]");
  append_dialogs (out, window);
  is_same = g_strcmp0 (out->str, report->last) == 0;
  if (report->rest != NULL)
    hir_report_rest_note_report (report->rest, is_same);
  if ((report->must_report || !is_same) && (file = fopen (report->path, "a")) != NULL)
    {
      fprintf (file, "%s,\"rest\":%" G_GUINT64_FORMAT ",\"stall_ms\":%.1f,\"stall_cpu_ms\":%.1f}\n",
               out->str, report->rest_reported, (double) report->stall_us / 1000,
               (double) report->stall_cpu_us / 1000);
      report->must_report = FALSE;
      fclose (file);
      report->stall_us = report->stall_cpu_us = 0;
      g_free (report->last);
      report->last = g_strdup (out->str);
    }
  report->beat_cpu_us = get_cpu_us ();
  report->beat_us = g_get_monotonic_time ();
  return G_SOURCE_REMOVE;
}

/* Writes a report after changes were drawn, because positions are those of the last frame. */
static void
queue_report (Report *report)
{
  if (report->timeout == 0)
    report->timeout = g_timeout_add (SETTLE_MS, write_report, report);
}

static gboolean
beat (gpointer user_data)
{
  Report *report = user_data;
  gint64 now_us = g_get_monotonic_time ();

  gint64 cpu_us = get_cpu_us ();

  report->stall_us = MAX (report->stall_us, now_us - report->beat_us);
  report->stall_cpu_us = MAX (report->stall_cpu_us, cpu_us - report->beat_cpu_us);
  report->beat_cpu_us = cpu_us;
  report->beat_us = now_us;
  return G_SOURCE_CONTINUE;
}

static void
on_rest (guint64 number, gpointer user_data)
{
  Report *report = user_data;

  report->rest_reported = number;
  report->must_report = TRUE;
  g_clear_handle_id (&report->timeout, g_source_remove);
  write_report (report);
}

static void
on_frame (Report *report)
{
  if (report->rest != NULL)
    hir_report_rest_note_frame (report->rest);
  queue_report (report);
}

/* Every visible change draws a frame, so that a report may be needed after each frame. */
static void
on_map (Report *report)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (GTK_WIDGET (report->window));

  if (report->clock == NULL && clock != NULL)
    {
      report->clock = g_object_ref (clock);
      g_signal_connect_swapped (clock, "after-paint", G_CALLBACK (on_frame), report);
    }
  queue_report (report);
}

static void
on_other_frame (GtkWidget *window)
{
  Report *report = g_object_get_data (G_OBJECT (window), "hir-report");

  if (report != NULL)
    queue_report (report);
}

static void
on_other_map (GtkWidget *other, GtkWidget *window)
{
  GdkFrameClock *clock = gtk_widget_get_frame_clock (other);

  /* Other main windows write reports themselves. */
  if (HIR_IS_WINDOW (other) || clock == NULL)
    return;
  g_signal_handlers_disconnect_by_func (clock, on_other_frame, window);
  g_signal_connect_object (clock, "after-paint", G_CALLBACK (on_other_frame), window,
                           G_CONNECT_SWAPPED);
}

/* Follows frames of dialogs and other windows. Their type is checked when they are mapped, because
 * a new window does not have its final type yet. */
static void
follow_others (GtkWidget *window)
{
  GListModel *toplevels = gtk_window_get_toplevels ();

  for (guint i = 0; i < g_list_model_get_n_items (toplevels); i++)
    {
      g_autoptr (GtkWidget) other = g_list_model_get_item (toplevels, i);

      if (other == window)
        continue;
      g_signal_handlers_disconnect_by_func (other, on_other_map, window);
      g_signal_connect_object (other, "map", G_CALLBACK (on_other_map), window, G_CONNECT_AFTER);
    }
}

static void
report_free (gpointer data)
{
  Report *report = data;

  g_clear_handle_id (&report->timeout, g_source_remove);
  g_clear_handle_id (&report->heartbeat, g_source_remove);
  if (report->clock != NULL)
    g_signal_handlers_disconnect_by_data (report->clock, report);
  g_clear_object (&report->clock);
  g_clear_pointer (&report->rest, hir_report_rest_free);
  g_signal_handlers_disconnect_by_data (gtk_window_get_toplevels (), report);
  g_signal_handlers_disconnect_by_data (report->window->selection, report);
  g_signal_handlers_disconnect_by_data (report->window->document, report);
  g_signal_handlers_disconnect_by_data (report->window, report);
  g_free (report->path);
  g_free (report->last);
  g_free (report);
}

void
hir_report_attach (HirWindow *window)
{
  static const char *const selection_signals[] = { "program-changed", "ranks-changed",
                                                   "step-changed",    "node-changed",
                                                   "event-changed",   "range-changed" };
  static const char *const document_signals[] = { "program-changed", "trace-changed",
                                                  "state-changed" };
  const char *path = g_getenv ("HIRSCOPE_REPORT");
  g_autofree char *asking = NULL;
  Report *report;

  if (path == NULL || *path == '\0')
    return;
  report = g_new0 (Report, 1);
  report->window = window;
  report->path = g_strdup (path);
  asking = g_strconcat (path, ".ask", NULL);
  report->rest =
      hir_report_rest_new (asking, GTK_WIDGET (window), window->document, on_rest, report);
  report->beat_us = g_get_monotonic_time ();
  report->beat_cpu_us = get_cpu_us ();
  report->heartbeat = g_timeout_add (BEAT_MS, beat, report);
  g_object_set_data_full (G_OBJECT (window), "hir-report", report, report_free);
  for (guint i = 0; i < G_N_ELEMENTS (selection_signals); i++)
    g_signal_connect_swapped (window->selection, selection_signals[i], G_CALLBACK (queue_report),
                              report);
  for (guint i = 0; i < G_N_ELEMENTS (document_signals); i++)
    g_signal_connect_swapped (window->document, document_signals[i], G_CALLBACK (queue_report),
                              report);
  g_signal_connect_swapped (gtk_window_get_toplevels (), "items-changed", G_CALLBACK (queue_report),
                            report);
  g_signal_connect_object (gtk_window_get_toplevels (), "items-changed", G_CALLBACK (follow_others),
                           window, G_CONNECT_SWAPPED);
  g_signal_connect_swapped (window, "map", G_CALLBACK (on_map), report);
}
