#include "debugger/break-memory.h"
#include "window/window-debug-private.h"

#define PANEL_HEIGHT 190
#define KEY "hir-debugging"
/* A step is done before anybody could read that it is under way. */
#define SLOW_MS 250

/* A line that was sent and not answered. */
typedef struct
{
  guint number;
  guint key; /* of the breakpoint that it tells of, 0: of none */
  char *text;
} Sent;

static void
sent_free (gpointer data)
{
  Sent *sent = data;

  g_free (sent->text);
  g_free (sent);
}

static void
debugging_free (gpointer data)
{
  HirDebugging *self = data;

  g_ptr_array_unref (self->breaks);
  g_queue_free_full (self->sent, sent_free);
  g_clear_handle_id (&self->slow, g_source_remove);
  g_free (self->place);
  hir_document_memory_free (self->memory);
  g_free (self->document);
  g_free (self);
}

HirDebugging *
hir_window_get_debugging (HirWindow *window)
{
  return g_object_get_data (G_OBJECT (window), KEY);
}

void
hir_window_debug_show_panel (HirWindow *window)
{
  gtk_widget_set_visible (GTK_WIDGET (hir_window_get_debugging (window)->page), TRUE);
}

static gboolean
on_slow (gpointer user_data)
{
  HirWindow *window = user_data;
  HirDebugging *self = hir_window_get_debugging (window);

  self->slow = 0;
  self->is_slow = TRUE;
  hir_window_show_state (window);
  return G_SOURCE_REMOVE;
}

/* Whether an answer is awaited, and since when that is worth a word. */
static void
update_slow (HirWindow *window, HirDebugging *self)
{
  if (g_queue_is_empty (self->sent))
    {
      g_clear_handle_id (&self->slow, g_source_remove);
      self->is_slow = FALSE;
    }
  else if (self->slow == 0 && !self->is_slow)
    {
      self->slow = g_timeout_add (SLOW_MS, on_slow, window);
    }
  hir_window_show_state (window);
}

void
hir_window_debug_send (HirWindow *window, const char *line, guint key)
{
  HirDebugging *self = hir_window_get_debugging (window);
  guint number = hir_document_debug (window->document, line);
  Sent *sent;

  if (number == 0)
    return;
  sent = g_new (Sent, 1);
  sent->number = number;
  sent->key = key;
  sent->text = g_strdup (line);
  g_queue_push_tail (self->sent, sent);
  update_slow (window, self);
  hir_window_update_actions (window);
}

/* The run has gone, whoever ended it; what stands in the list is for the next one. */
static void
end (HirWindow *window, HirDebugging *self)
{
  self->is_debugging = FALSE;
  self->has_state = FALSE;
  self->pointer = 0;
  g_queue_clear_full (self->sent, sent_free);
  g_clear_pointer (&self->place, g_free);
  update_slow (window, self);
  hir_debug_page_set_state (self->page, NULL);
  hir_debug_breaks_forget_numbers (self->breaks);
  hir_window_breaks_show (window);
  hir_window_update_actions (window);
}

static void
on_state_changed (HirWindow *window)
{
  HirDebugging *self = hir_window_get_debugging (window);

  if (self != NULL && self->is_debugging && !hir_document_get_is_running (window->document))
    end (window, self);
}

/* Before the window itself hears of it: then it has not shown a program of a new document yet. */
static void
on_program_changed (HirWindow *window)
{
  if (!window->has_shown_program)
    hir_window_breaks_open (window);
  hir_window_breaks_bind (window);
}

/* Selected too: so the graph goes there, and the inspector tells of it. */
static void
show_pointer (HirWindow *window, HirDebugging *self, const HirDebugState *state)
{
  HirRankPrograms *ranks = hir_selection_get_ranks (window->selection);
  const HirDebugStateRank *rank =
      state->focus < state->ranks->len ? state->ranks->pdata[state->focus] : NULL;
  int entry = ranks != NULL && rank != NULL ? hir_rank_programs_find (ranks, rank->rank) : -1;
  HirProgram *program;

  self->pointer = rank != NULL ? rank->instruction : 0;
  if (rank != NULL)
    hir_selection_set_debug_place (window->selection, rank->rank, rank->iteration,
                                   state->round < self->last_round);
  if (entry >= 0 && entry != hir_selection_get_rank_program (window->selection))
    hir_selection_set_rank_program (window->selection, (guint) entry);
  program = hir_selection_get_program (window->selection);
  if (self->pointer == 0 || program == NULL || program->views->len == 0)
    return;
  hir_selection_set_step (window->selection, program->views->len - 1);
  hir_selection_set_node (window->selection, self->pointer);
}

/* "Stopped on rank 1 before #12 Allgather T5 in iteration 5". */
static char *
dup_place (const HirDebugState *state)
{
  const HirDebugStateRank *rank =
      state->focus < state->ranks->len ? state->ranks->pdata[state->focus] : NULL;

  if (!state->is_running || rank == NULL)
    return NULL;
  if (*state->failure != '\0')
    return g_strdup_printf ("The program has failed: %s", state->failure);
  if (state->is_over)
    return g_strdup ("Stopped at the end of the program");
  return state->ranks->len > 1 ? g_strdup_printf ("Stopped on rank %d %s", rank->rank, rank->place)
                               : g_strdup_printf ("Stopped %s", rank->place);
}

/* What begins with a tab asks for words: see HIR_CONTROL_DEBUG. */
static void
answer (HirDebugging *self, const char *line, const HirDebugState *state)
{
  HirDebugConsole *console = hir_debug_page_get_console (self->page);

  if (*line == '\t')
    hir_debug_console_complete (console, line + 1, state->text);
  else
    hir_debug_console_add_answer (console, line, state->text, state->error);
}

static void
on_debugged (HirWindow *window, guint number, const HirDebugState *state)
{
  HirDebugging *self = hir_window_get_debugging (window);
  guint key = 0;
  Sent *sent;

  if (self == NULL || !self->is_debugging)
    return;
  sent = g_queue_peek_head (self->sent);
  if (sent != NULL && sent->number == number)
    {
      answer (self, sent->text, state);
      key = sent->key;
      sent_free (g_queue_pop_head (self->sent));
    }
  self->n_answers++;
  g_free (self->place);
  self->place = dup_place (state);
  update_slow (window, self);
  hir_debug_page_set_state (self->page, state);
  /* Until it stands somewhere, those of the list are still being told. */
  if (state->is_running)
    {
      gboolean has_moved = !self->has_state || self->round != state->round;
      guint64 before = self->pointer;

      self->has_state = TRUE;
      self->round = state->round;
      self->last_round = MAX (self->last_round, self->round);
      if (has_moved || before == 0)
        show_pointer (window, self, state);
      else if (state->focus < state->ranks->len)
        self->pointer = ((HirDebugStateRank *) state->ranks->pdata[state->focus])->instruction;
    }
  hir_window_breaks_take (window, key, state);
  hir_window_update_actions (window);
}

void
hir_window_debug (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *window = HIR_WINDOW (widget);
  HirDebugging *self = hir_window_get_debugging (window);
  HirProgram *program = hir_document_get_program (window->document);
  g_auto (HirRunSettings) settings = { 0 };

  if (self->is_debugging || program == NULL || !hir_document_can_run (window->document))
    return;
  hir_run_settings_init (&settings);
  settings.n_streams = hir_window_get_n_streams (window);
  settings.backend =
      gtk_toggle_button_get_active (window->gpu) ? HIR_BACKEND_CUDA : HIR_BACKEND_CPU;
  settings.model_clock = settings.backend == HIR_BACKEND_CPU &&
                         gtk_drop_down_get_selected (window->clock) == 0;
  settings.check = TRUE;
  settings.debug = TRUE;
  hir_document_run (window->document, &settings);
  if (!hir_document_get_is_running (window->document))
    return;
  self->is_debugging = TRUE;
  self->last_round = 0;
  hir_window_debug_show_panel (window);
  if (gtk_toggle_button_get_active (window->show_stats))
    gtk_toggle_button_set_active (window->show_graph, TRUE);
  hir_selection_set_step (window->selection, program->views->len - 1);
  hir_text_pane_show (window->text, "ir");
  hir_window_breaks_tell (window);
  hir_window_debug_send (window, "start", 0);
}

void
hir_window_debug_move (GtkWidget *widget, const char *name, GVariant *parameter)
{
  static const struct
  {
    const char *action, *line;
  } moves[] = {
    { "win.debug-continue", "continue" }, { "win.debug-into", "step" },
    { "win.debug-over", "next" },         { "win.debug-finish", "finish" },
    { "win.debug-back", "back" },         { "win.debug-back-iteration", "back iteration" },
  };
  HirWindow *window = HIR_WINDOW (widget);

  for (guint i = 0; i < G_N_ELEMENTS (moves); i++)
    if (g_str_equal (name, moves[i].action))
      hir_window_debug_send (window, moves[i].line, 0);
}

void
hir_window_debug_pause (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hir_document_pause (HIR_WINDOW (widget)->document);
}

void
hir_window_debug_stop (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hir_document_stop_run (HIR_WINDOW (widget)->document);
}

void
hir_window_debug_close (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *window = HIR_WINDOW (widget);
  HirDebugging *self = hir_window_get_debugging (window);

  if (self->is_debugging)
    hir_document_stop_run (window->document);
  gtk_widget_set_visible (GTK_WIDGET (self->page), FALSE);
  hir_window_update_actions (window);
}

void
hir_window_debug_line (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *window = HIR_WINDOW (widget);
  HirDebugging *self = hir_window_get_debugging (window);

  if (self->is_debugging)
    hir_window_debug_send (window, g_variant_get_string (parameter, NULL), 0);
  else
    hir_debug_console_add_answer (hir_debug_page_get_console (self->page),
                                  g_variant_get_string (parameter, NULL), "",
                                  "the program is not being debugged; F6 begins");
}

void
hir_window_debug_complete (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *window = HIR_WINDOW (widget);
  g_autofree char *line = g_strconcat ("\t", g_variant_get_string (parameter, NULL), NULL);

  if (hir_window_get_debugging (window)->is_debugging)
    hir_window_debug_send (window, line, 0);
}

void
hir_window_debug_show (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hir_selection_set_node (HIR_WINDOW (widget)->selection, g_variant_get_uint64 (parameter));
}

char *
hir_window_debug_dup_status (HirWindow *window, gboolean *is_standing)
{
  HirDebugging *self = hir_window_get_debugging (window);
  const Sent *sent = self != NULL ? g_queue_peek_head (self->sent) : NULL;

  *is_standing = FALSE;
  if (self == NULL || !self->is_debugging)
    return NULL;
  *is_standing = self->place != NULL && !self->is_slow;
  if (self->is_slow && sent != NULL)
    return g_strdup_printf ("Debugging: %s\xe2\x80\xa6", sent->text);
  return self->place != NULL ? g_strdup (self->place)
                             : g_strdup ("Starting the program\xe2\x80\xa6");
}

void
hir_window_debug_update_actions (HirWindow *window, gboolean in_workspace)
{
  static const char *const moves[] = { "win.debug-continue", "win.debug-into",
                                       "win.debug-over",     "win.debug-finish",
                                       "win.debug-back",     "win.debug-back-iteration" };
  HirDebugging *self = hir_window_get_debugging (window);
  GtkWidget *widget = GTK_WIDGET (window);
  gboolean is_debugging = self != NULL && self->is_debugging;
  HirProgram *program = hir_document_get_program (window->document);

  for (guint i = 0; i < G_N_ELEMENTS (moves); i++)
    gtk_widget_action_set_enabled (widget, moves[i], is_debugging);
  gtk_widget_action_set_enabled (widget, "win.debug",
                                 in_workspace && !hir_document_get_is_running (window->document) &&
                                     hir_document_can_run (window->document));
  gtk_widget_action_set_enabled (widget, "win.debug-pause",
                                 is_debugging && !g_queue_is_empty (self->sent));
  gtk_widget_action_set_enabled (widget, "win.debug-stop", is_debugging);
  gtk_widget_action_set_enabled (widget, "win.break",
                                 in_workspace && program != NULL && hir_window_has_passes (window));
}

GtkWidget *
hir_window_create_debug (HirWindow *window, GtkWidget *above)
{
  GtkWidget *paned = gtk_paned_new (GTK_ORIENTATION_VERTICAL);
  GtkWidget *page = hir_debug_page_new (window->selection, window->document);
  HirDebugging *self = g_new0 (HirDebugging, 1);

  self->page = HIR_DEBUG_PAGE (page);
  self->breaks = hir_debug_breaks_new ();
  self->memory = hir_break_memory_new ();
  self->sent = g_queue_new ();
  g_object_set_data_full (G_OBJECT (window), KEY, self, debugging_free);
  gtk_widget_set_size_request (page, -1, PANEL_HEIGHT);
  gtk_widget_set_visible (page, FALSE);
  gtk_paned_set_start_child (GTK_PANED (paned), above);
  gtk_paned_set_end_child (GTK_PANED (paned), page);
  gtk_paned_set_shrink_start_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_shrink_end_child (GTK_PANED (paned), FALSE);
  gtk_paned_set_resize_end_child (GTK_PANED (paned), FALSE);
  gtk_widget_set_vexpand (paned, TRUE);
  return paned;
}

void
hir_window_debug_connect (HirWindow *window)
{
  hir_window_mismatch_connect (window);
  g_signal_connect_swapped (window->document, "state-changed", G_CALLBACK (on_state_changed),
                            window);
  g_signal_connect_swapped (window->document, "program-changed", G_CALLBACK (on_program_changed),
                            window);
  g_signal_connect_swapped (window->document, "ranks-changed", G_CALLBACK (hir_window_breaks_bind),
                            window);
  g_signal_connect_swapped (window->document, "debugged", G_CALLBACK (on_debugged), window);
}
