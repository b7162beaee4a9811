#include "window/window-event.h"

#include <stdio.h>
#include <string.h>

#include "inspector/event-facts.h"
#include "inspector/fact-card.h"
#include "selection/gain-place.h"
#include "timeline/event-same.h"
#include "timeline/mark-list.h"
#include "trace/event-names.h"
#include "trace/json-out.h"
#include "window/window-panes.h"

/* Returns the trace if an event is selected, otherwise says so and returns NULL. */
static HirTrace *
get_event (HirWindow *self, guint *track, guint *index)
{
  if (hir_selection_get_event (self->selection, track, index))
    return hir_selection_get_trace (self->selection);
  hir_window_toast (self, "Select an event first");
  return NULL;
}

void
hir_window_select_same (HirWindow *self, GVariant *parameter, int argument)
{
  guint track, index;
  HirTrace *trace = get_event (self, &track, &index);

  if (trace == NULL)
    return;
  if (hir_event_find_same (trace, &track, &index, argument))
    hir_selection_set_event (self->selection, track, index);
  else
    hir_window_toast (self, "No other event has this name");
}

void
hir_window_find_same (HirWindow *self, GVariant *parameter, int argument)
{
  guint track, index;
  HirTrace *trace = get_event (self, &track, &index);
  HirEvent event;

  if (trace == NULL)
    return;
  hir_trace_get_event (trace, track, index, &event);
  hir_timeline_search_find (self->search, hir_trace_get_string (trace, event.name));
}

void
hir_window_zoom_event (HirWindow *self, GVariant *parameter, int argument)
{
  guint track, index;
  HirTrace *trace = get_event (self, &track, &index);
  gint64 start_ns, end_ns, margin_ns;

  if (trace == NULL)
    return;
  hir_trace_get_interval (trace, track, index, &start_ns, &end_ns);
  margin_ns = MAX ((end_ns - start_ns) / 10, 10);
  hir_window_raise_timeline (self);
  hir_timeline_view_show (self->timeline, start_ns - margin_ns, end_ns + margin_ns);
}

void
hir_window_select_launch (HirWindow *self, GVariant *parameter, int argument)
{
  guint track, index, other_track, other_index;
  HirTrace *trace = get_event (self, &track, &index);

  if (trace == NULL)
    return;
  if (hir_event_lookup_counterpart (trace, track, index, &other_track, &other_index))
    hir_selection_set_event (self->selection, other_track, other_index);
  else
    hir_window_toast (self, "The trace has neither a launch nor launched work for this event");
}

/* --- copies ------------------------------------------------------------------------------- */

static char *
dup_text (HirTrace *trace, guint track, guint index)
{
  g_autofree char *title = NULL;
  g_autoptr (GArray) facts = hir_event_dup_facts (trace, track, index, &title);
  GString *text = g_string_new (title);

  for (guint i = 0; i < facts->len; i++)
    {
      const HirFact *fact = &g_array_index (facts, HirFact, i);

      g_string_append_printf (text, "\n%s: %s", fact->name, fact->value);
    }
  g_string_append_c (text, '\n');
  return g_string_free (text, FALSE);
}

static void
add_known (HirJsonOut *json, const char *key, gint64 value, gboolean is_known)
{
  if (is_known)
    hir_json_out_add_int (json, key, value);
  else
    hir_json_out_add_raw (json, key, "null");
}

/* Returns an object with the columns of the table events of `hirscope query`. */
static char *
dup_json (const HirTrace *trace, guint track, guint index)
{
  const HirTrack *info = hir_trace_get_track (trace, track);
  HirJsonOut json = { .out = g_string_new (NULL) };
  HirEvent event;
  char hex[17];

  hir_trace_get_event (trace, track, index, &event);
  hir_json_out_begin (&json, NULL, '{');
  hir_json_out_add_int (&json, "id", (gint64) ((guint64) track << 32 | index));
  hir_json_out_add_string (&json, "name", hir_trace_get_string (trace, event.name));
  hir_json_out_add_string (&json, "kind", hir_event_kind_get_name ((HirEventKind) event.kind));
  hir_json_out_add_int (&json, "track", track);
  hir_json_out_add_int (&json, "rank", info->rank);
  hir_json_out_add_int (&json, "device", info->device);
  hir_json_out_add_int (&json, "stream", info->stream);
  hir_json_out_add_int (&json, "start_ns", event.start_ns);
  hir_json_out_add_int (&json, "end_ns", event.end_ns);
  hir_json_out_add_int (&json, "dur_ns", event.end_ns - event.start_ns);
  add_known (&json, "correlation", event.correlation, event.correlation != 0);
  add_known (&json, "iteration", event.iteration, event.iteration >= 0);
  hir_id_to_hex (event.instruction, hex);
  hir_json_out_add_string (&json, "instruction", event.instruction != 0 ? hex : NULL);
  hir_json_out_end (&json, '}');
  g_string_append_c (json.out, '\n');
  return g_string_free (json.out, FALSE);
}

void
hir_window_copy_event (HirWindow *self, GVariant *parameter, int argument)
{
  guint track, index;
  HirTrace *trace = get_event (self, &track, &index);
  g_autofree char *text = NULL;

  if (trace == NULL)
    return;
  text = g_str_equal (g_variant_get_string (parameter, NULL), "json")
             ? dup_json (trace, track, index)
             : dup_text (trace, track, index);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), text);
  hir_window_toast (self, "Event copied to the clipboard");
}

void
hir_window_go_selection (HirWindow *self, GVariant *parameter, int argument)
{
  (void) hir_selection_history_go (self->history, argument);
  hir_window_update_history (self);
}

void
hir_window_update_history (HirWindow *self)
{
  gboolean in_workspace = hir_window_in_workspace (self);

  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.selection-back",
                                 in_workspace &&
                                     hir_selection_history_can_go (self->history, FALSE));
  gtk_widget_action_set_enabled (GTK_WIDGET (self), "win.selection-forward",
                                 in_workspace &&
                                     hir_selection_history_can_go (self->history, TRUE));
}

/* --- links and marks ------------------------------------------------------------------------- */

static void
go_to_line (HirWindow *self, guint line)
{
  /* The program may be older than a script with errors. */
  if (!hir_selection_set_line (self->selection, line) &&
      hir_document_get_diagnostics (self->document)->len == 0)
    hir_window_toast (self, "This line of the script created no instruction");
  hir_text_pane_go_to (self->text, line);
}

static void
go_to_rank (HirWindow *self, int rank)
{
  HirRankPrograms *ranks = hir_selection_get_ranks (self->selection);

  hir_window_select_on_rank (self, rank, 0);
  if (hir_selection_get_trace (self->selection) != NULL)
    {
      hir_window_raise_bottom (self, HIR_BOTTOM_TIMELINE);
      hir_timeline_view_go_to_rank (self->timeline, rank);
    }
  else if (ranks == NULL || ranks->programs->len < 2)
    hir_window_toast (self, "All ranks have this program; a run shows their tracks");
}

/* Selects the instruction of the last program that names the default stream, or that makes another
 * stream the current one. Returns FALSE if there is none. */
static gboolean
go_to_stream_instruction (HirWindow *self, gboolean is_default)
{
  const char *kind = is_default ? "GetCurrentStream" : "SetCurrentStream";
  HirProgram *program = hir_selection_get_program (self->selection);
  guint last = program != NULL && program->views->len > 0 ? program->views->len - 1 : G_MAXUINT;
  HirProgramView *view = last != G_MAXUINT ? program->views->pdata[last] : NULL;

  for (guint i = 0; view != NULL && i < view->spans->len; i++)
    {
      guint64 id = g_array_index (view->spans, HirSpan, i).id;
      const HirNodeInfo *info = hir_program_view_lookup (view, id);
      const HirFact *fact =
          info != NULL && g_str_equal (info->kind, kind) ? hir_fact_find (info, "stream") : NULL;

      if (fact == NULL || g_str_has_prefix (fact->value, HIR_DEFAULT_STREAM_NAME) != is_default)
        continue;
      hir_selection_set_step (self->selection, last);
      hir_selection_set_node (self->selection, id);
      return TRUE;
    }
  return FALSE;
}

/* Goes to the track of stream @number of the displayed rank, or to its instruction. */
static void
go_to_stream (HirWindow *self, gint64 number)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  int rank = hir_selection_get_rank (self->selection);

  for (guint i = 0; trace != NULL && i < hir_trace_get_n_tracks (trace); i++)
    {
      const HirTrack *track = hir_trace_get_track (trace, i);

      if (track->kind == HIR_TRACK_STREAM && track->rank == rank && track->stream == number)
        {
          hir_window_raise_bottom (self, HIR_BOTTOM_TIMELINE);
          hir_timeline_view_go_to_track (self->timeline, i);
          return;
        }
    }
  if (!go_to_stream_instruction (self, number == HIR_DEFAULT_STREAM))
    hir_window_toast (self, "Neither timeline nor program has such a stream");
}

/* Selects the tensor with this printed name in the displayed step, otherwise in the last one. */
static void
go_to_tensor (HirWindow *self, guint number)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  g_autofree char *name = g_strdup_printf ("T%u", number);
  guint steps[2] = { hir_selection_get_step (self->selection) };

  for (guint s = 0; program != NULL && program->views->len > 0 && s < G_N_ELEMENTS (steps); s++)
    {
      HirProgramView *view;

      steps[1] = program->views->len - 1;
      view = program->views->pdata[steps[s]];
      for (guint i = 0; i < view->spans->len; i++)
        {
          guint64 id = g_array_index (view->spans, HirSpan, i).id;
          const HirNodeInfo *info = hir_program_view_lookup (view, id);
          const HirFact *fact = info != NULL ? hir_fact_find (info, "name") : NULL;

          if (fact == NULL || info->is_expr || !g_str_equal (fact->value, name))
            continue;
          hir_selection_set_step (self->selection, steps[s]);
          hir_selection_set_node (self->selection, id);
          return;
        }
    }
  hir_window_toast (self, "The program has no tensor of this name");
}

/* Without a step, an instruction that the displayed step does not have is one of the last step. */
static void
go_to_node (HirWindow *self, const char *target)
{
  const char *hex = strchr (target, '/');
  HirProgramView *view = hir_selection_get_view (self->selection);
  guint64 id;

  if (hex == NULL || !hir_id_from_hex (hex + 1, &id))
    return;
  if (g_str_has_prefix (target, "step"))
    hir_selection_set_step (self->selection, (guint) g_ascii_strtoull (target + 4, NULL, 10));
  else if (view != NULL && hir_program_view_lookup (view, id) == NULL)
    hir_selection_set_step (self->selection,
                            hir_selection_get_program (self->selection)->views->len - 1);
  hir_selection_set_node (self->selection, id);
}

/* Selects the instruction in @line of the last program. */
static void
go_to_printed_line (HirWindow *self, guint line)
{
  HirProgram *program = hir_selection_get_program (self->selection);
  guint last = program != NULL && program->views->len > 0 ? program->views->len - 1 : G_MAXUINT;
  guint64 id =
      last != G_MAXUINT ? hir_gain_find_instruction (program->views->pdata[last], line) : 0;

  if (id == 0)
    {
      hir_window_toast (self, "The program has no such instruction");
      return;
    }
  hir_selection_set_step (self->selection, last);
  hir_selection_set_node (self->selection, id);
}

/* Selects the first event with this name, a string of the trace. */
static void
go_to_name (HirWindow *self, guint name)
{
  HirTrace *trace = hir_selection_get_trace (self->selection);
  guint found = G_MAXUINT, index = 0;
  gint64 start_ns = G_MAXINT64;

  for (guint t = 0; trace != NULL && t < hir_trace_get_n_tracks (trace); t++)
    for (guint i = 0; i < hir_trace_get_track_n_events (trace, t); i++)
      {
        HirEvent event;

        hir_trace_get_event (trace, t, i, &event);
        if (event.start_ns >= start_ns)
          break;
        if (event.name != name)
          continue;
        start_ns = event.start_ns;
        found = t;
        index = i;
        break;
      }
  if (found != G_MAXUINT)
    hir_selection_set_event (self->selection, found, index);
}

void
hir_window_follow_link (HirWindow *self, GVariant *parameter, int argument)
{
  const char *target = g_variant_get_string (parameter, NULL);
  HirTrace *trace = hir_selection_get_trace (self->selection);
  gint64 time_ns;
  guint first, second;

  if (sscanf (target, "line/%u", &first) == 1)
    go_to_line (self, first);
  else if (sscanf (target, "rank/%u", &first) == 1)
    go_to_rank (self, (int) first);
  else if (sscanf (target, "stream/%u", &first) == 1)
    go_to_stream (self, first);
  else if (sscanf (target, "tensor/%u", &first) == 1)
    go_to_tensor (self, first);
  else if (sscanf (target, "instruction/%u", &first) == 1)
    go_to_printed_line (self, first);
  else if (sscanf (target, "name/%u", &first) == 1)
    go_to_name (self, first);
  else if (sscanf (target, "track/%u", &first) == 1)
    {
      hir_window_raise_bottom (self, HIR_BOTTOM_TIMELINE);
      hir_timeline_view_go_to_track (self->timeline, first);
    }
  else if (sscanf (target, "time/%" G_GINT64_FORMAT, &time_ns) == 1)
    {
      hir_window_raise_bottom (self, HIR_BOTTOM_TIMELINE);
      hir_timeline_view_go_to_time (self->timeline, time_ns);
    }
  else if (sscanf (target, "event/%u/%u", &first, &second) != 2)
    go_to_node (self, target);
  else if (trace != NULL && first < hir_trace_get_n_tracks (trace) &&
           second < hir_trace_get_track_n_events (trace, first))
    hir_selection_set_event (self->selection, first, second);
}

void
hir_window_set_mark (HirWindow *self, GVariant *parameter, int argument)
{
  g_autofree char *message = NULL;
  int mark = hir_timeline_view_add_mark (self->timeline, &message);

  hir_window_toast (self, message);
  if (mark >= 0)
    hir_mark_list_open (self->marks, mark);
}

void
hir_window_list_marks (HirWindow *self, GVariant *parameter, int argument)
{
  if (hir_timeline_view_get_marks (self->timeline)->len == 0)
    hir_window_toast (self, "No marks; Ctrl+D sets one at the pointer or the selection");
  else
    hir_mark_list_open (self->marks, parameter != NULL ? g_variant_get_int32 (parameter) : 0);
}
