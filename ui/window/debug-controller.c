#include <string.h>

#include "debugger/break-memory.h"
#include "window/debug-controller-private.h"
#include "window/window-panes.h"

#define PANEL_HEIGHT 190

static const struct
{
  const char *action, *line;
} moves[] = {
  [HIR_DEBUG_CONTINUE] = { "win.debug-continue", "continue" },
  [HIR_DEBUG_INTO] = { "win.debug-into", "step" },
  [HIR_DEBUG_OVER] = { "win.debug-over", "next" },
  [HIR_DEBUG_FINISH] = { "win.debug-finish", "finish" },
  [HIR_DEBUG_BACK] = { "win.debug-back", "back" },
  [HIR_DEBUG_BACK_ITERATION] = { "win.debug-back-iteration", "back iteration" },
};

/* Called when the run has ended. Breakpoints are kept for the next run. */
static void
end (HirDebugController *self)
{
  self->is_debugging = FALSE;
  self->has_state = FALSE;
  self->pointer = 0;
  g_queue_clear_full (self->sent, (GDestroyNotify) hir_debug_sent_free);
  g_clear_pointer (&self->place, g_free);
  hir_debug_controller_update_slow (self);
  hir_debug_page_set_state (self->page, NULL);
  hir_debug_watches_end (self->watches);
  hir_debug_watches_show (self);
  hir_debug_breaks_forget_numbers (self->breaks);
  hir_debug_breakpoints_show (self);
  hir_window_update (self->window);
}

static gboolean
on_restart (gpointer user_data)
{
  HirWindow *window = user_data;

  if (window->document != NULL)
    gtk_widget_activate_action (GTK_WIDGET (window), "win.debug", NULL);
  return G_SOURCE_REMOVE;
}

static void
on_state_changed (HirDebugController *self)
{
  if (!self->is_debugging || hir_document_get_is_running (self->window->document))
    return;
  end (self);
  if (self->restarts)
    g_idle_add_full (G_PRIORITY_DEFAULT, on_restart, g_object_ref (self->window), g_object_unref);
  self->restarts = FALSE;
}

/* Called before the window handles the signal, so that has_shown_program is still FALSE for a new
 * document. */
static void
on_program_changed (HirDebugController *self)
{
  if (!self->window->has_shown_program)
    {
      hir_debug_breakpoints_open (self);
      hir_debug_watches_show (self);
    }
  hir_debug_breakpoints_bind (self);
}

/* Stores where the ranks are. Selects the next instruction, so that graph and inspector show it, if
 * the program has moved. */
static void
show_pointer (HirDebugController *self, const HirDebugState *state, gboolean has_moved)
{
  g_autoptr (GArray) places = g_array_new (FALSE, FALSE, sizeof (HirDebugPlace));
  const HirDebugStateRank *rank =
      state->focus < state->ranks->len ? state->ranks->pdata[state->focus] : NULL;

  for (guint i = 0; i < state->ranks->len; i++)
    {
      const HirDebugStateRank *one = state->ranks->pdata[i];
      HirDebugPlace place = { one->rank, one->instruction, one->iteration };

      g_array_append_val (places, place);
    }
  hir_selection_set_debug_places (self->window->selection, places, state->focus,
                                  state->round < self->last_round);
  self->pointer = rank != NULL ? rank->instruction : 0;
  if (rank != NULL && has_moved)
    hir_window_select_on_rank (self->window, rank->rank, rank->instruction);
}

/* Returns a text such as "Stopped on rank 1 before program line 12, Allgather T5 in iteration 5",
 * or NULL.
 */
static char *
dup_place (const HirDebugState *state)
{
  const HirDebugStateRank *rank =
      state->focus < state->ranks->len ? state->ranks->pdata[state->focus] : NULL;

  if (!state->is_running || rank == NULL)
    return NULL;
  if (*state->failure != '\0')
    return g_strdup_printf ("Program failed: %s", state->failure);
  if (state->is_over)
    return g_strdup ("Stopped at the end of the program");
  return state->ranks->len > 1 ? g_strdup_printf ("Stopped on rank %d %s", rank->rank, rank->place)
                               : g_strdup_printf ("Stopped %s", rank->place);
}

/* Returns @line with the line of an instruction in place of its id, as a user enters it. */
static char *
dup_echo (HirDebugController *self, const char *line)
{
  const char *at = strchr (line, '@');

  for (guint i = 0; at != NULL && i < self->breaks->len; i++)
    {
      const HirBreak *item = self->breaks->pdata[i];
      g_autofree char *id = g_strdup_printf ("@%016" G_GINT64_MODIFIER "x", item->id);

      if (item->id != 0 && *item->where != '\0' && g_str_has_prefix (at, id))
        return g_strdup_printf ("%.*s%s%s", (int) (at - line), line, item->where, at + strlen (id));
    }
  return g_strdup (line);
}

/* A line that starts with a tab requests completions, see HIR_CONTROL_DEBUG. */
static void
answer (HirDebugController *self, const char *line, const HirDebugState *state)
{
  HirDebugConsole *console = hir_debug_page_get_console (self->page);
  g_autofree char *echo = dup_echo (self, line);

  if (*line == '\t')
    hir_debug_console_complete (console, line + 1, state->text);
  else
    hir_debug_console_add_answer (console, echo, state->text, state->error);
}

static void
on_debugged (HirDebugController *self, guint number, const HirDebugState *state)
{
  g_autofree char *line = NULL;
  gboolean has_moved = FALSE;
  guint key = 0;
  HirDebugSent *sent;

  if (!self->is_debugging)
    return;
  sent = g_queue_peek_head (self->sent);
  if (sent != NULL && sent->number == number)
    {
      answer (self, sent->text, state);
      key = sent->key;
      line = g_strdup (sent->text);
      hir_debug_sent_free (g_queue_pop_head (self->sent));
    }
  self->n_answers++;
  g_free (self->place);
  self->place = dup_place (state);
  hir_debug_controller_update_slow (self);
  hir_debug_page_set_state (self->page, state);
  /* Before the program has started, answers belong to breakpoints. */
  if (state->is_running)
    {
      guint64 before = self->pointer;

      has_moved = !self->has_state || self->round != state->round;
      self->has_state = TRUE;
      self->round = state->round;
      self->last_round = MAX (self->last_round, self->round);
      show_pointer (self, state, has_moved || before == 0);
    }
  hir_debug_watches_answer (self, line, state, has_moved);
  hir_debug_breakpoints_take (self, key, state);
  hir_window_update (self->window);
}

void
hir_window_debug (HirWindow *window, GVariant *parameter, int argument)
{
  HirDebugController *self = window->debugger;
  HirProgram *program = hir_document_get_program (window->document);
  g_auto (HirRunSettings) settings = { 0 };

  if (self->is_debugging || program == NULL || !hir_document_can_run (window->document))
    return;
  hir_run_controls_get_settings (&window->run_controls, &settings);
  settings.debug = TRUE;
  hir_document_run (window->document, &settings);
  if (!hir_document_get_is_running (window->document))
    return;
  self->is_debugging = TRUE;
  self->last_round = 0;
  hir_debug_controller_show_panel (self);
  hir_window_leave_statistics (window);
  hir_selection_set_step (window->selection, program->views->len - 1);
  hir_text_pane_show (window->text, "ir");
  hir_debug_breakpoints_send (self);
  hir_debug_watches_send (self);
  hir_debug_controller_send (self, "start", 0);
}

void
hir_window_debug_restart (HirWindow *window, GVariant *parameter, int argument)
{
  window->debugger->restarts = window->debugger->is_debugging;
  hir_document_stop_run (window->document);
}

void
hir_window_debug_move (HirWindow *window, GVariant *parameter, int argument)
{
  hir_debug_controller_send (window->debugger, moves[argument].line, 0);
}

void
hir_window_debug_pause (HirWindow *window, GVariant *parameter, int argument)
{
  hir_document_pause (window->document);
}

void
hir_window_debug_stop (HirWindow *window, GVariant *parameter, int argument)
{
  hir_document_stop_run (window->document);
}

void
hir_window_debug_close (HirWindow *window, GVariant *parameter, int argument)
{
  HirDebugController *self = window->debugger;

  if (self->is_debugging)
    hir_document_stop_run (window->document);
  hir_window_close_bottom (window, HIR_BOTTOM_DEBUGGER);
  hir_window_update (window);
}

void
hir_window_debug_line (HirWindow *window, GVariant *parameter, int argument)
{
  HirDebugController *self = window->debugger;

  if (self->is_debugging)
    hir_debug_controller_send (self, g_variant_get_string (parameter, NULL), 0);
  else
    hir_debug_console_add_answer (hir_debug_page_get_console (self->page),
                                  g_variant_get_string (parameter, NULL), "",
                                  "no program is being debugged; press F6 to start");
}

void
hir_window_debug_complete (HirWindow *window, GVariant *parameter, int argument)
{
  g_autofree char *line = g_strconcat ("\t", g_variant_get_string (parameter, NULL), NULL);

  if (window->debugger->is_debugging)
    hir_debug_controller_send (window->debugger, line, 0);
}

void
hir_window_debug_show (HirWindow *window, GVariant *parameter, int argument)
{
  hir_selection_set_node (window->selection, g_variant_get_uint64 (parameter));
}

gboolean
hir_debug_controller_is_debugging (HirDebugController *self)
{
  return self->is_debugging;
}

char *
hir_debug_controller_dup_status (HirDebugController *self, gboolean *is_paused)
{
  const HirDebugSent *sent = g_queue_peek_head (self->sent);

  *is_paused = FALSE;
  if (!self->is_debugging)
    return NULL;
  *is_paused = self->place != NULL && !self->is_slow;
  if (self->is_slow && sent != NULL)
    return g_strdup_printf ("Debugging: %s\xe2\x80\xa6", sent->text);
  return self->place != NULL ? g_strdup (self->place)
                             : g_strdup ("Starting the program\xe2\x80\xa6");
}

void
hir_debug_controller_update_actions (HirDebugController *self, gboolean in_workspace)
{
  HirWindow *window = self->window;
  GtkWidget *widget = GTK_WIDGET (window);
  HirProgram *program = hir_document_get_program (window->document);

  for (guint i = 0; i < G_N_ELEMENTS (moves); i++)
    gtk_widget_action_set_enabled (widget, moves[i].action, self->is_debugging);
  gtk_widget_action_set_enabled (widget, "win.debug",
                                 in_workspace && !hir_document_get_is_running (window->document) &&
                                     hir_document_can_run (window->document));
  gtk_widget_action_set_enabled (widget, "win.debug-pause",
                                 self->is_debugging && !g_queue_is_empty (self->sent));
  /* F10 is a key of the debugger then. */
  gtk_widget_set_tooltip_text (window->menu, self->is_debugging ? "Menu" : "Menu (F10)");
  gtk_widget_action_set_enabled (widget, "win.debug-stop", self->is_debugging);
  gtk_widget_action_set_enabled (widget, "win.debug-restart", self->is_debugging);
  gtk_widget_action_set_enabled (widget, "win.break",
                                 in_workspace && program != NULL && hir_window_has_passes (window));
}

HirDebugController *
hir_debug_controller_new (HirWindow *window)
{
  HirDebugController *self = g_new0 (HirDebugController, 1);
  GtkWidget *page = hir_debug_page_new (window->selection, window->document);

  self->window = window;
  self->page = HIR_DEBUG_PAGE (page);
  self->breaks = hir_debug_breaks_new ();
  self->watches = hir_debug_watches_new ();
  self->memory = hir_break_memory_new ();
  self->sent = g_queue_new ();
  gtk_widget_set_size_request (page, -1, PANEL_HEIGHT);
  return self;
}

/* The options of a session do not change while it runs. */
static void
on_option (HirDebugController *self)
{
  AdwToast *toast;

  if (!self->is_debugging)
    return;
  toast = adw_toast_new ("The debugged program keeps its options; the change applies to the next "
                         "session");
  adw_toast_set_button_label (toast, "Restart");
  adw_toast_set_action_name (toast, "win.debug-restart");
  adw_toast_overlay_add_toast (self->window->toasts, toast);
}

static void
connect_options (HirDebugController *self)
{
  HirRunControls *controls = &self->window->run_controls;

  g_signal_connect_swapped (controls->streams, "notify::selected", G_CALLBACK (on_option), self);
  g_signal_connect_swapped (controls->clock, "notify::selected", G_CALLBACK (on_option), self);
  g_signal_connect_swapped (controls->gpu, "toggled", G_CALLBACK (on_option), self);
}

void
hir_debug_controller_connect (HirDebugController *self)
{
  HirDocument *document = self->window->document;

  connect_options (self);

  g_signal_connect_swapped (document, "state-changed", G_CALLBACK (on_state_changed), self);
  g_signal_connect_swapped (document, "program-changed", G_CALLBACK (on_program_changed), self);
  g_signal_connect_swapped (document, "ranks-changed", G_CALLBACK (hir_debug_breakpoints_bind),
                            self);
  g_signal_connect_swapped (document, "debugged", G_CALLBACK (on_debugged), self);
}

void
hir_debug_controller_disconnect (HirDebugController *self)
{
  g_signal_handlers_disconnect_by_data (self->window->run_controls.streams, self);
  g_signal_handlers_disconnect_by_data (self->window->run_controls.clock, self);
  g_signal_handlers_disconnect_by_data (self->window->run_controls.gpu, self);
  g_signal_handlers_disconnect_by_data (self->window->document, self);
}

void
hir_debug_controller_free (HirDebugController *self)
{
  g_ptr_array_unref (self->breaks);
  hir_debug_watches_free (self->watches);
  g_queue_free_full (self->sent, (GDestroyNotify) hir_debug_sent_free);
  g_clear_handle_id (&self->slow, g_source_remove);
  g_free (self->place);
  hir_document_memory_free (self->memory);
  g_free (self->document);
  g_free (self);
}
