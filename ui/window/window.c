#include "window/window.h"

#include "base/control-words.h"
#include "base/focus.h"
#include "base/links.h"
#include "base/names.h"
#include "config.h"
#include "document/document-edit.h"
#include "passes/pass-list.h"
#include "testing/report.h"
#include "window/bisect-controller.h"
#include "window/check-controller.h"
#include "window/debug-controller.h"
#include "window/export-controller.h"
#include "window/mismatch-controller.h"
#include "window/runs-controller.h"
#include "window/text-file-controller.h"
#include "window/tour.h"
#include "window/window-attach.h"
#include "window/window-axis.h"
#include "window/window-edit.h"
#include "window/window-event.h"
#include "window/window-layout.h"
#include "window/window-open.h"
#include "window/window-panes.h"

G_DEFINE_FINAL_TYPE (HirWindow, hir_window, ADW_TYPE_APPLICATION_WINDOW)

/* Hides the panes of the program for a trace of another profiler. */
static void
arrange_panes (HirWindow *self)
{
  gboolean has_passes = hir_window_has_passes (self);

  if (!has_passes)
    {
      hir_window_close_bottom (self, HIR_BOTTOM_CHECK);
      hir_window_close_bottom (self, HIR_BOTTOM_DEBUGGER);
      hir_window_close_bottom (self, HIR_BOTTOM_BISECT);
    }
  hir_window_arrange_panes (self);
  if (hir_graph_tabs_set_has_graph (&self->graph_tabs, has_passes) || !has_passes)
    hir_window_share_room (self);
}

/* Selects the options of the run that was opened, so that Run repeats it. @is_new: another document
 * is displayed, whose runs use the preferences unless it is a recording. */
static void
follow_recording (HirWindow *self, gboolean is_new)
{
  HirRunEntry *run = hir_document_get_shown_run (self->document);

  if (is_new && self->recorded != NULL)
    {
      g_clear_pointer (&self->recorded, hir_run_entry_unref);
      hir_run_controls_restore (&self->run_controls, self->settings);
    }
  if (run == NULL || run == self->recorded || run->kind != HIR_RUN_KIND_RECORDING ||
      !run->has_settings)
    return;
  g_clear_pointer (&self->recorded, hir_run_entry_unref);
  self->recorded = hir_run_entry_ref (run);
  hir_run_controls_select (&self->run_controls, &run->settings);
}

/* Called if loading was cancelled and no document was open before. */
static void
show_nothing (HirWindow *self)
{
  self->is_partial = FALSE;
  self->has_shown_program = FALSE;
  hir_selection_set_program (self->selection, NULL);
  adw_window_title_set_title (self->title, "Hirscope");
  adw_window_title_set_subtitle (self->title, "");
  hir_window_show_title (self);
  hir_gallery_refresh_recent (HIR_GALLERY (self->gallery));
  gtk_stack_set_visible_child_name (self->pages, "gallery");
  hir_window_update_actions (self);
}

/* Returns a subtitle for a recording or trace, with the number of ranks. */
static char *
dup_kind (HirWindow *self)
{
  HirTrace *trace = hir_document_get_trace (self->document);
  const char *kind = hir_window_has_passes (self) ? "recording" : "trace";
  g_autoptr (GHashTable) ranks = g_hash_table_new (NULL, NULL);

  for (guint i = 0; trace != NULL && i < hir_trace_get_n_tracks (trace); i++)
    g_hash_table_add (ranks, GINT_TO_POINTER (hir_trace_get_track (trace, i)->rank));
  return g_hash_table_size (ranks) > 1
             ? g_strdup_printf ("%s \302\267 %u ranks", kind, g_hash_table_size (ranks))
             : g_strdup (kind);
}

/* Shortens long titles, because GTK lays out the whole text even if most of it is cut off. */
static void
set_title (HirWindow *self, const char *title, const char *subtitle)
{
  g_autofree char *first = hir_text_dup_line (title);
  g_autofree char *second = hir_text_dup_line (subtitle);

  adw_window_title_set_title (self->title, first);
  adw_window_title_set_subtitle (self->title, second);
}

static void
on_program_changed (HirWindow *self)
{
  HirProgram *program = hir_document_get_program (self->document);
  HirRequest *request = hir_document_get_request (self->document);
  GPtrArray *diagnostics = hir_document_get_diagnostics (self->document);
  g_autofree char *name = NULL;
  g_autofree char *subtitle = NULL;

  if (program == NULL && diagnostics->len == 0)
    {
      show_nothing (self);
      return;
    }
  /* If the previous document was restored, its text is already known. */
  self->is_partial = self->is_partial && hir_document_get_is_partial (self->document);
  arrange_panes (self);
  hir_timeline_view_set_document (self->timeline, hir_document_get_recording_path (self->document));
  hir_selection_set_program (self->selection, program);
  if (program != NULL)
    hir_run_controls_follow (&self->run_controls, &program->executor);
  follow_recording (self, !self->has_shown_program);
  /* Shows text and errors even if the script does not parse and there is no program. */
  hir_window_show_source (self);
  if (request != NULL)
    {
      name = g_path_get_basename (request->source->path);
      subtitle = request->n_devices > 1
                     ? g_strdup_printf ("%s \xc2\xb7 %" G_GINT64_FORMAT " devices", name,
                                        request->n_devices)
                     : g_strdup (name);
      set_title (self, request->function != NULL ? request->function : name, subtitle);
    }
  else
    {
      name = g_path_get_basename (hir_document_get_recording_path (self->document));
      subtitle = dup_kind (self);
      set_title (self, name, subtitle);
    }
  if (hir_document_get_is_partial (self->document))
    self->is_partial = TRUE;
  else if (!self->has_shown_program)
    hir_window_begin_text (self, self->opening_path);
  hir_window_keep_opened (self);
  hir_window_show_title (self);
  gtk_stack_set_visible_child_name (self->pages, "workspace");
  if (!self->has_shown_program)
    hir_text_pane_show (self->text, "script");
  /* Moves the focus from the gallery to the list of passes, so that Up and Down change the step. */
  if (!self->has_shown_program && hir_window_has_passes (self))
    hir_pass_list_focus (HIR_PASS_LIST (self->passes));
  else if (!self->has_shown_program)
    gtk_widget_grab_focus (GTK_WIDGET (self->timeline));
  if (!self->has_shown_program && diagnostics->len == 0)
    hir_tour_offer (self);
  self->has_shown_program = TRUE;
  if (self->edits_when_shown)
    hir_text_pane_set_editing (self->text, TRUE);
  self->edits_when_shown = FALSE;
  hir_window_update_actions (self);
  hir_check_controller_continue (self->check);
}

/* Switches from the script to the program text when the user leaves the first step. */
static void
on_step_changed (HirWindow *self)
{
  guint step = hir_selection_get_step (self->selection);

  /* Do not switch the page while the user edits the script. */
  if (step != self->last_step && step > 0 && !hir_text_pane_get_editing (self->text) &&
      g_strcmp0 (hir_text_pane_get_page (self->text), "script") == 0)
    hir_text_pane_show (self->text, "ir");
  self->last_step = step;
  hir_window_update_actions (self);
}

static void
on_ranks_changed (HirWindow *self)
{
  hir_selection_set_ranks (self->selection, hir_document_get_ranks (self->document));
  hir_window_update_actions (self);
}

static void
on_trace_changed (HirWindow *self)
{
  /* A run of a recording's program is another document than the file. */
  hir_timeline_view_set_document (self->timeline, hir_document_get_recording_path (self->document));
  hir_selection_set_trace (self->selection, hir_document_get_trace (self->document));
  hir_check_page_set_join (hir_check_controller_get_page (self->check),
                           hir_document_get_join (self->document));
  hir_window_update_bottom (self);
  hir_window_update_actions (self);
}

/* A program that is paused at a breakpoint is not busy. */
static void
show_state (HirWindow *self)
{
  gboolean is_paused = FALSE;
  g_autofree char *debugging = hir_debug_controller_dup_status (self->debugger, &is_paused);
  g_autofree char *status = hir_control_words_dup (
      debugging != NULL ? debugging : hir_document_get_status (self->document));
  gboolean busy = (hir_document_get_is_running (self->document) && !is_paused) ||
                  hir_document_get_is_lowering (self->document);

  /* The reason of a rejected change is cut at its line, so it is whole here. */
  gtk_label_set_wrap (self->status, debugging == NULL && hir_window_is_rejected (self));
  hir_links_set_text (self->status, status, NULL, NULL);
  hir_names_set_tooltip (GTK_WIDGET (self->status), status);
  gtk_spinner_set_spinning (self->spinner, busy);
  gtk_widget_set_visible (GTK_WIDGET (self->spinner), busy);
}

static void
on_state_changed (HirWindow *self)
{
  gboolean running = hir_document_get_is_running (self->document);

  if (self->is_partial && !hir_document_get_is_partial (self->document))
    {
      self->is_partial = FALSE;
      hir_window_begin_text (self, self->opening_path);
    }
  follow_recording (self, FALSE);
  show_state (self);
  gtk_button_set_label (self->run, running ? "Stop" : "Run");
  gtk_actionable_set_action_name (GTK_ACTIONABLE (self->run), running ? "win.stop" : "win.run");
  gtk_widget_set_tooltip_text (GTK_WIDGET (self->run),
                               running ? "Stop the run and keep what was recorded"
                                       : "Run the program and record it (Space)");
  if (running)
    {
      gtk_widget_remove_css_class (GTK_WIDGET (self->run), "suggested-action");
      gtk_widget_add_css_class (GTK_WIDGET (self->run), "destructive-action");
    }
  else
    {
      gtk_widget_remove_css_class (GTK_WIDGET (self->run), "destructive-action");
      gtk_widget_add_css_class (GTK_WIDGET (self->run), "suggested-action");
    }
  hir_window_update_actions (self);
}

/* Shows the current text with its errors. Switches to the script after an error in it. */
static void
on_edited (HirWindow *self)
{
  GPtrArray *diagnostics = hir_document_get_diagnostics (self->document);
  const HirDiagnostic *first = diagnostics->len > 0 ? diagnostics->pdata[0] : NULL;

  hir_window_show_source (self);
  hir_window_show_title (self);
  if (first != NULL && first->pos.line > 0 && hir_document_is_outdated (self->document) &&
      !hir_document_get_is_lowering (self->document))
    hir_text_pane_show (self->text, "script");
  hir_window_update_actions (self);
}

static void
on_failed (HirWindow *self, const char *what, const char *why)
{
  /* The previous document is still open. */
  self->has_shown_program |= hir_document_get_program (self->document) != NULL;
  hir_window_alert (self, what, why);
}

static gboolean
on_drop (GtkDropTarget *target, const GValue *value, double x, double y, gpointer user_data)
{
  g_autoptr (GSList) files = gdk_file_list_get_files (g_value_get_boxed (value));
  g_autoptr (GPtrArray) paths = g_ptr_array_new_with_free_func (g_free);

  for (GSList *file = files; file != NULL; file = file->next)
    if (g_file_peek_path (file->data) != NULL)
      g_ptr_array_add (paths, g_file_get_path (file->data));
  if (paths->len == 0)
    return FALSE;
  g_ptr_array_add (paths, NULL);
  if (!hir_window_attach_paths (user_data, (const char *const *) paths->pdata))
    hir_window_open_paths (user_data, (const char *const *) paths->pdata);
  return TRUE;
}

static gboolean
on_close_request (HirWindow *self, gpointer user_data)
{
  hir_window_store_layout (self);
  return FALSE;
}

static void
on_gallery_open (HirGallery *gallery, const char *spec, gpointer user_data)
{
  hir_window_reopen (user_data, spec);
}

static void
on_update (HirWindow *self)
{
  show_state (self);
  hir_window_update_actions (self);
}

/* A run ends with its window. */
static void
hir_window_dispose (GObject *object)
{
  HirWindow *self = HIR_WINDOW (object);

#if HIR_TESTING
  g_object_set_data (G_OBJECT (self), "hir-report", NULL);
#endif
  if (self->document != NULL)
    {
      hir_debug_controller_disconnect (self->debugger);
      g_clear_pointer (&self->bisect, hir_bisect_controller_free);
      g_clear_pointer (&self->runs, hir_runs_controller_free);
      g_clear_pointer (&self->mismatch, hir_mismatch_controller_free);
      g_signal_handlers_disconnect_by_data (self->document, self);
      hir_document_stop_run (self->document);
    }
  g_clear_pointer (&self->history, hir_selection_history_free);
  if (self->selection != NULL)
    g_signal_handlers_disconnect_by_data (self->selection, self);
  g_clear_pointer (&self->opening_path, g_free);
  g_clear_pointer (&self->recorded, hir_run_entry_unref);
  g_clear_object (&self->chooser);
  g_clear_object (&self->document);
  g_clear_object (&self->explaining);
  g_clear_object (&self->selection);
  g_clear_object (&self->settings);
  G_OBJECT_CLASS (hir_window_parent_class)->dispose (object);
}

static void
hir_window_finalize (GObject *object)
{
  HirWindow *self = HIR_WINDOW (object);

  hir_debug_controller_free (self->debugger);
  hir_text_file_controller_free (self->text_file);
  hir_check_controller_free (self->check);
  g_free (self->export_controller);
  G_OBJECT_CLASS (hir_window_parent_class)->finalize (object);
}

static void
hir_window_class_init (HirWindowClass *klass)
{
  G_OBJECT_CLASS (klass)->dispose = hir_window_dispose;
  G_OBJECT_CLASS (klass)->finalize = hir_window_finalize;
  g_signal_new ("update", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                G_TYPE_NONE, 0);
  g_signal_new ("new-window", G_TYPE_FROM_CLASS (klass), G_SIGNAL_RUN_LAST, 0, NULL, NULL, NULL,
                HIR_TYPE_WINDOW, 0);
  hir_window_class_install_actions (GTK_WIDGET_CLASS (klass));
}

static void
hir_window_init (HirWindow *self)
{
  self->document = hir_document_new ();
  self->selection = hir_selection_new ();
  self->history = hir_selection_history_new (self->selection);
  self->explaining = hir_explaining_new (self->selection);
}

GtkWidget *
hir_window_new (GtkApplication *application, const HirWindowHost *host, HirSettings *settings)
{
  HirWindow *self = g_object_new (HIR_TYPE_WINDOW, "application", application, NULL);
  GtkDropTarget *drop = gtk_drop_target_new (GDK_TYPE_FILE_LIST, GDK_ACTION_COPY);

  self->host = host;
  self->settings = g_object_ref (settings);
  self->debugger = hir_debug_controller_new (self);
  self->check = hir_check_controller_new (self);
  self->export_controller = hir_export_controller_new (self);
  self->text_file = hir_text_file_controller_new (self);
  hir_window_build (self);
  hir_window_install_keys (self);
  self->mismatch = hir_mismatch_controller_new (self);
  hir_debug_controller_connect (self->debugger);
  g_signal_connect (self, "update", G_CALLBACK (on_update), NULL);
  g_signal_connect_swapped (self->document, "program-changed", G_CALLBACK (on_program_changed),
                            self);
  g_signal_connect_swapped (self->document, "ranks-changed", G_CALLBACK (on_ranks_changed), self);
  g_signal_connect_swapped (self->document, "trace-changed", G_CALLBACK (on_trace_changed), self);
  g_signal_connect_swapped (self->document, "state-changed", G_CALLBACK (on_state_changed), self);
  g_signal_connect_swapped (self->document, "edited", G_CALLBACK (on_edited), self);
  g_signal_connect_swapped (self->document, "failed", G_CALLBACK (on_failed), self);
  g_signal_connect_swapped (self->selection, "step-changed", G_CALLBACK (on_step_changed), self);
  g_signal_connect_swapped (self->selection, "node-changed", G_CALLBACK (hir_window_update_history),
                            self);
  g_signal_connect_swapped (self->selection, "event-changed",
                            G_CALLBACK (hir_window_update_history), self);
  hir_window_edit_connect (self);
  hir_window_attach_connect (self);
  hir_window_axis_connect (self);
  self->bisect = hir_bisect_controller_new (self);
  self->runs = hir_runs_controller_new (self);
  g_signal_connect (self->gallery, "open", G_CALLBACK (on_gallery_open), self);
  g_signal_connect (drop, "drop", G_CALLBACK (on_drop), self);
  gtk_widget_add_controller (GTK_WIDGET (self), GTK_EVENT_CONTROLLER (drop));
  g_signal_connect (self, "close-request", G_CALLBACK (on_close_request), NULL);
  hir_names_follow (GTK_WINDOW (self));
  hir_focus_return_from_popovers (GTK_WINDOW (self));
#if HIR_TESTING
  hir_report_attach (self);
#endif
  on_state_changed (self);
  return GTK_WIDGET (self);
}
