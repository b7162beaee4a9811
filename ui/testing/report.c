#include "testing/report.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "explain/predict-window.h"
#include "testing/report-rest.h"
#include "testing/report-widgets.h"
#include "trace/comm-records.h"
#include "window/check-controller.h"
#include "window/export-controller.h"
#include "window/load-strip.h"

/* Maximum number of reported nodes. */
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
  gint64 frame_us, frame_cpu_us;    /* when the current frame began, likewise */
  GString *frames;                  /* JSON: times of the frames since the last report */
  HirReportRest *rest;              /* NULL if there is no pipe for requests */
  guint64 rest_reported;            /* the last request that was answered */
  gboolean must_report;
} Report;

/* Adds the partners of the selected event on other ranks. */
static void
add_partners (HirJsonOut *json, HirWindow *window)
{
  HirTrace *trace = hir_selection_get_trace (window->selection);
  g_autoptr (GArray) refs = NULL;
  guint track, index;

  hir_json_out_begin (json, "partners", '[');
  if (hir_selection_get_event (window->selection, &track, &index))
    refs = hir_trace_dup_partners (trace, track, index, MAX_PLACES);
  for (guint i = 0; refs != NULL && i < refs->len; i++)
    {
      const HirEventRef *ref = &g_array_index (refs, HirEventRef, i);
      HirEvent event;

      hir_trace_get_event (trace, ref->track, ref->index, &event);
      hir_json_out_begin (json, NULL, '{');
      hir_json_out_add_int (json, "rank", hir_trace_get_track (trace, ref->track)->rank);
      hir_json_out_add_int (json, "iteration", event.iteration);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
}

/* Adds the groups of the timeline, from top to bottom. */
static void
add_groups (HirJsonOut *json, HirWindow *window)
{
  double x, y, at_x, at_y;
  gboolean is_folded;
  int rank;

  hir_json_out_begin (json, "groups", '[');
  for (guint i = 0;
       i < MAX_PLACES &&
       hir_timeline_view_get_rank_position (window->timeline, i, &rank, &is_folded, &x, &y);
       i++)
    {
      if (!hir_report_get_place (GTK_WIDGET (window->timeline), x, y, &at_x, &at_y))
        continue;
      hir_json_out_begin (json, NULL, '{');
      hir_json_out_add_int (json, "rank", rank);
      hir_json_out_add_bool (json, "folded", is_folded);
      hir_report_add_place (json, at_x, at_y);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
}

static void
add_ranks (HirJsonOut *json, HirWindow *window)
{
  HirRankPrograms *ranks = hir_selection_get_ranks (window->selection);

  hir_json_out_begin (json, "rank_programs", '[');
  for (guint i = 0; ranks != NULL && i < ranks->programs->len; i++)
    {
      g_autofree char *label = hir_rank_program_dup_label (hir_rank_programs_get (ranks, i));

      hir_report_add_string (json, NULL, label);
    }
  hir_json_out_end (json, ']');
  hir_json_out_add_int (json, "rank_program", hir_selection_get_rank_program (window->selection));
  hir_json_out_add_int (json, "rank", hir_selection_get_rank (window->selection));
}

static void
add_nodes (HirJsonOut *json, HirWindow *window)
{
  HirProgramView *view = hir_selection_get_view (window->selection);
  GArray *ids =
      hir_selection_get_nodes_at (window->selection, hir_selection_get_step (window->selection));

  hir_json_out_begin (json, "selected", '[');
  for (guint i = 0; view != NULL && i < MIN (ids->len, MAX_PLACES); i++)
    {
      guint64 id = g_array_index (ids, guint64, i);
      const HirNodeInfo *info = hir_program_view_lookup (view, id);

      hir_json_out_begin (json, NULL, '{');
      hir_report_add_id (json, "id", id);
      hir_report_add_string (json, "kind", info != NULL ? info->kind : NULL);
      hir_report_add_string (json, "label", info != NULL ? info->label : NULL);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
}

/* Adds all other toplevels, such as dialogs. */
static void
add_dialogs (HirJsonOut *json, HirWindow *window)
{
  GListModel *toplevels = gtk_window_get_toplevels ();

  hir_json_out_begin (json, "dialogs", '[');
  for (guint i = 0; i < g_list_model_get_n_items (toplevels); i++)
    {
      g_autoptr (GtkWidget) toplevel = g_list_model_get_item (toplevels, i);

      if (toplevel == GTK_WIDGET (window) || !gtk_widget_get_mapped (toplevel))
        continue;
      hir_json_out_begin (json, NULL, '{');
      hir_report_add_string (json, "kind", G_OBJECT_TYPE_NAME (toplevel));
      hir_report_add_font (json, "font", toplevel);
      if (ADW_IS_MESSAGE_DIALOG (toplevel))
        {
          AdwMessageDialog *dialog = ADW_MESSAGE_DIALOG (toplevel);

          hir_report_add_string (json, "heading", adw_message_dialog_get_heading (dialog));
          hir_report_add_string (json, "body", adw_message_dialog_get_body (dialog));
        }
      if (HIR_IS_PREDICT_WINDOW (toplevel))
        {
          g_autofree char *errors = hir_predict_window_dup_errors (HIR_PREDICT_WINDOW (toplevel));

          hir_report_add_string (json, "result",
                                 hir_predict_window_get_result (HIR_PREDICT_WINDOW (toplevel)));
          hir_report_add_string (json, "errors", errors);
        }
      hir_report_add_controls (json, toplevel);
      hir_report_add_silent (json, toplevel);
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
}

/* Adds the tables of the statistics: an array of rows per section, starting with the header, and
 * the position of the kernels. */
static void
add_stats (HirJsonOut *json, HirWindow *window)
{
  HirStatsCanvas *canvas = hir_stats_page_get_canvas (window->stats);
  HirStatsScene scene;
  double at_x = 0, at_y = 0, y, height;

  hir_report_add_string (json, "stats_title", hir_stats_page_get_title (window->stats));
  if (!gtk_widget_get_mapped (GTK_WIDGET (canvas)) ||
      !hir_stats_canvas_get_scene (canvas, &scene) ||
      !hir_report_get_place (GTK_WIDGET (canvas), 0, 0, &at_x, &at_y))
    {
      hir_json_out_add_raw (json, "stats", "null");
      return;
    }
  y = at_y + hir_stats_scene_get_kernel_y (&scene, 0, &height) - scene.scroll_y;
  hir_json_out_begin (json, "stats", '{');
  hir_json_out_add_bool (json, "busy", hir_stats_page_get_is_busy (window->stats));
  hir_json_out_add_int (json, "kernels_y", (int) y);
  hir_json_out_add_int (json, "x", (int) at_x);
  hir_report_add_string (json, "title", hir_stats_page_get_title (window->stats));
  for (guint s = 0; s < HIR_N_STATS_SECTIONS; s++)
    {
      HirStatsSection section = (HirStatsSection) s;
      int n = (int) MIN (hir_stats_scene_get_n_rows (&scene, section), MAX_PLACES);

      hir_json_out_begin (json, hir_stats_section_get_title (section), '[');
      for (int row = -1; row < n; row++)
        {
          hir_json_out_begin (json, NULL, '[');
          for (guint column = 0; column < hir_stats_section_get_n_columns (section); column++)
            {
              g_autofree char *cell = hir_stats_scene_dup_cell (&scene, section, row, column);

              hir_report_add_string (json, NULL, cell);
            }
          hir_json_out_end (json, ']');
        }
      hir_json_out_end (json, ']');
    }
  hir_json_out_end (json, '}');
}

/* Adds the rows of the explanation, and what the timeline displays of it. */
/* Adds the links of row @i of the explanation; the canvas is at (@x, @y). */
static void
add_links (HirJsonOut *json, const HirExplainScene *scene, guint i, double x, double y)
{
  const HirExplainRow *row = &g_array_index (scene->layout->rows, HirExplainRow, i);

  hir_json_out_begin (json, "links", '[');
  for (guint k = 0; k < row->links->len; k++)
    {
      const HirExplainLink *link = &g_array_index (row->links, HirExplainLink, k);
      HirRect rect = hir_explain_row_get_link_rect (row, k);

      hir_json_out_begin (json, NULL, '{');
      hir_report_add_string (json, "target", link->target);
      hir_json_out_add_bool (json, "chosen",
                             scene->selected.row == (int) i && scene->selected.link == (int) k);
      hir_json_out_add_int (json, "x", (int) (x + rect.x + rect.width / 2));
      hir_json_out_add_int (json, "y",
                            (int) (y + row->y + rect.y + rect.height / 2 - scene->scroll_y));
      hir_json_out_end (json, '}');
    }
  hir_json_out_end (json, ']');
}

static void
add_explain (HirJsonOut *json, HirWindow *window)
{
  HirExplainCanvas *canvas = hir_explain_page_get_canvas (window->explain);
  HirExplainScene scene;
  double x = 0, y = 0;
  int percent;

  hir_json_out_begin (json, "explain", '{');
  hir_report_add_string (json, "title", hir_explain_page_get_title (window->explain));
  hir_json_out_add_bool (json, "shown", gtk_widget_get_mapped (GTK_WIDGET (canvas)));
  hir_json_out_add_bool (json, "busy", hir_explaining_get_progress (window->explaining, &percent));
  hir_json_out_add_bool (json, "computed", hir_explaining_get (window->explaining) != NULL);
  hir_json_out_add_bool (json, "simulating", hir_explaining_is_simulating (window->explaining));
  hir_json_out_add_bool (json, "path", hir_explaining_get_shows_path (window->explaining));
  hir_json_out_add_int (json, "shades", hir_explaining_get_shades (window->explaining));
  hir_json_out_begin (json, "rows", '[');
  if (gtk_widget_get_mapped (GTK_WIDGET (canvas)) &&
      hir_explain_canvas_get_scene (canvas, &scene) &&
      hir_report_get_place (GTK_WIDGET (canvas), 0, 0, &x, &y))
    for (guint i = 0; i < MIN (scene.layout->rows->len, MAX_PLACES); i++)
      {
        const HirExplainRow *row = &g_array_index (scene.layout->rows, HirExplainRow, i);
        g_autofree char *text = g_strjoinv (" ", row->lines);

        hir_json_out_begin (json, NULL, '{');
        hir_report_add_string (json, "text", text);
        hir_report_add_string (json, "time", row->time != NULL ? row->time : "");
        hir_json_out_add_uint (json, "pieces", row->loss != NULL ? row->loss->pieces->len : 0);
        hir_json_out_add_uint (json, "piece", (int) i == scene.selected.row ? scene.piece : 0);
        hir_json_out_add_int (json, "x", (int) x + 40);
        hir_json_out_add_int (json, "y", (int) (y + row->y + row->height / 2 - scene.scroll_y));
        add_links (json, &scene, i, x, y);
        hir_json_out_end (json, '}');
      }
  hir_json_out_end (json, ']');
  hir_json_out_end (json, '}');
}

static void
add_interval (HirJsonOut *json, const char *key, gint64 start_ns, gint64 end_ns)
{
  hir_json_out_begin (json, key, '[');
  hir_json_out_add_int (json, NULL, start_ns);
  hir_json_out_add_int (json, NULL, end_ns);
  hir_json_out_end (json, ']');
}

static void
add_state (HirJsonOut *json, HirWindow *window)
{
  HirProgramView *view = hir_selection_get_view (window->selection);
  HirTrace *trace = hir_selection_get_trace (window->selection);
  GskRenderer *renderer = gtk_native_get_renderer (GTK_NATIVE (window));
  guint track, index;
  gint64 start_ns, end_ns;
  gboolean has_event = hir_selection_get_event (window->selection, &track, &index);

  hir_report_add_string (json, "page", gtk_stack_get_visible_child_name (window->pages));
  hir_report_add_string (json, "renderer", renderer != NULL ? G_OBJECT_TYPE_NAME (renderer) : NULL);
  hir_report_add_string (json, "text_page", hir_text_pane_get_page (window->text));
  hir_report_add_string (json, "found", hir_text_pane_get_search_count (window->text));
  hir_report_add_string (json, "events_found", hir_timeline_search_get_count (window->search));
  hir_report_add_string (json, "title", adw_window_title_get_title (window->title));
  hir_report_add_string (json, "subtitle", adw_window_title_get_subtitle (window->title));
  hir_report_add_string (json, "step", view != NULL ? view->pass_name : NULL);
  hir_json_out_add_uint (json, "script_line",
                         hir_selection_get_script_pos (window->selection).line);
  hir_json_out_add_bool (json, "running", hir_document_get_is_running (window->document));
  hir_json_out_add_bool (json, "lowering", hir_document_get_is_lowering (window->document));
  hir_report_add_string (json, "status", gtk_label_get_text (window->status));
  hir_json_out_add_bool (json, "status_is_cut",
                         pango_layout_is_ellipsized (gtk_label_get_layout (window->status)));
  hir_report_add_string (json, "progress", hir_load_strip_get_text (window->load_strip));
  hir_json_out_add_bool (json, "writing",
                         hir_export_controller_is_writing (window->export_controller));
  hir_json_out_add_bool (json, "spins", gtk_spinner_get_spinning (window->spinner));
  hir_json_out_add_bool (json, "event", has_event);
  if (has_event)
    {
      hir_trace_get_interval (trace, track, index, &start_ns, &end_ns);
      hir_json_out_add_int (json, "event_start_ns", start_ns);
    }
  else
    hir_json_out_add_raw (json, "event_start_ns", "null");
  hir_json_out_add_int (json, "header_width",
                        (int) hir_timeline_view_get_header_width (window->timeline));
  hir_timeline_view_get_shown (window->timeline, &start_ns, &end_ns);
  add_interval (json, "shown_ns", start_ns, end_ns);
  if (trace != NULL)
    {
      hir_trace_get_span (trace, &start_ns, &end_ns);
      add_interval (json, "span_ns", start_ns, end_ns);
    }
  hir_selection_get_range (window->selection, &start_ns, &end_ns);
  add_interval (json, "range_ns", start_ns, end_ns);
  hir_json_out_add_bool (json, "dark",
                         adw_style_manager_get_dark (adw_style_manager_get_default ()));
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
add_check (HirJsonOut *json, HirWindow *window)
{
  HirCheckPage *check = hir_check_controller_get_page (window->check);
  guint64 first, second;

  hir_selection_get_pair (window->selection, &first, &second);
  hir_json_out_begin (json, "check", '{');
  hir_json_out_add_bool (json, "shown", gtk_widget_get_visible (GTK_WIDGET (check)));
  hir_json_out_add_bool (json, "busy", hir_check_page_get_is_busy (check));
  hir_json_out_begin (json, "pair", '[');
  hir_report_add_id (json, NULL, first);
  hir_report_add_id (json, NULL, second);
  hir_json_out_end (json, ']');
  hir_report_add_string (json, "state", hir_check_page_get_state (check));
  hir_report_add_string (json, "title", hir_check_page_get_title (check));
  hir_report_add_lit (json, window);
  hir_json_out_begin (json, "notes", '[');
  hir_report_add_labels (json, GTK_WIDGET (check));
  hir_json_out_end (json, ']');
  hir_json_out_end (json, '}');
}

static gboolean
write_report (gpointer user_data)
{
  Report *report = user_data;
  HirWindow *window = report->window;
  g_autoptr (GString) out = g_string_new (NULL);
  HirJsonOut json = { .out = out };
  gboolean is_same;
  FILE *file;

  report->timeout = 0;
  hir_json_out_begin (&json, NULL, '{');
  add_state (&json, window);
  hir_report_add_font (&json, "font", GTK_WIDGET (window));
  if (gtk_window_get_focus (GTK_WINDOW (window)) != NULL)
    hir_report_add_font (&json, "focus_font", gtk_window_get_focus (GTK_WINDOW (window)));
  add_stats (&json, window);
  add_explain (&json, window);
  hir_report_add_events (&json, window);
  hir_report_add_timeline (&json, window);
  hir_report_add_compare (&json, window);
  add_check (&json, window);
  hir_report_add_debug (&json, window);
  add_groups (&json, window);
  add_partners (&json, window);
  add_ranks (&json, window);
  add_nodes (&json, window);
  hir_report_add_graph (&json, window);
  hir_report_add_controls (&json, GTK_WIDGET (window));
  hir_report_add_silent (&json, GTK_WIDGET (window));
  hir_report_add_home (&json, window);
  hir_json_out_begin (&json, "lines", '[');
  if (gtk_widget_get_mapped (GTK_WIDGET (window->text)))
    hir_report_add_lines (&json, hir_text_pane_get_text_view (window->text));
  hir_json_out_end (&json, ']');
  add_dialogs (&json, window);
  is_same = g_strcmp0 (out->str, report->last) == 0;
  if (report->rest != NULL)
    hir_report_rest_note_report (report->rest, is_same);
  if ((report->must_report || !is_same) && (file = fopen (report->path, "a")) != NULL)
    {
      fprintf (file,
               "%s,\"frames\":[%s],\"rest\":%" G_GUINT64_FORMAT
               ",\"stall_ms\":%.1f,\"stall_cpu_ms\":%.1f}\n",
               out->str, report->frames->str, report->rest_reported,
               (double) report->stall_us / 1000, (double) report->stall_cpu_us / 1000);
      g_string_truncate (report->frames, 0);
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
on_frame_begin (Report *report)
{
  report->frame_us = g_get_monotonic_time ();
  report->frame_cpu_us = get_cpu_us ();
}

static void
on_frame (Report *report)
{
  if (report->frame_us != 0)
    g_string_append_printf (report->frames, "%s%.2f,%.2f", report->frames->len > 0 ? "," : "",
                            (double) (g_get_monotonic_time () - report->frame_us) / 1000,
                            (double) (get_cpu_us () - report->frame_cpu_us) / 1000);
  report->frame_us = 0;
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
      g_signal_connect_swapped (clock, "flush-events", G_CALLBACK (on_frame_begin), report);
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
  g_string_free (report->frames, TRUE);
  g_free (report->path);
  g_free (report->last);
  g_free (report);
}

/* Returns the path of the reports of @window (nullable, transfer full). Each further window has a
 * file with its number: "report.json.2". */
static char *
dup_path (HirWindow *window)
{
  const char *path = g_getenv ("HIRSCOPE_REPORT");
  GListModel *toplevels = gtk_window_get_toplevels ();
  guint n = 1;

  for (guint i = 0; i < g_list_model_get_n_items (toplevels); i++)
    {
      g_autoptr (GtkWidget) other = g_list_model_get_item (toplevels, i);

      n += other != GTK_WIDGET (window) && HIR_IS_WINDOW (other);
    }
  if (path == NULL || *path == '\0')
    return NULL;
  return n > 1 ? g_strdup_printf ("%s.%u", path, n) : g_strdup (path);
}

void
hir_report_attach (HirWindow *window)
{
  static const char *const selection_signals[] = { "program-changed", "ranks-changed",
                                                   "step-changed",    "node-changed",
                                                   "event-changed",   "range-changed" };
  static const char *const document_signals[] = { "program-changed", "trace-changed",
                                                  "state-changed" };
  g_autofree char *path = dup_path (window);
  g_autofree char *asking = NULL;
  Report *report;

  if (path == NULL)
    return;
  report = g_new0 (Report, 1);
  report->window = window;
  asking = g_strconcat (path, ".ask", NULL);
  report->rest =
      hir_report_rest_new (asking, GTK_WIDGET (window), window->document, on_rest, report);
  report->path = g_steal_pointer (&path);
  report->frames = g_string_new (NULL);
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
