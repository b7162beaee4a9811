#include "base/names.h"
#include "document/document-edit.h"
#include "passes/pass-list.h"
#include "window/shortcuts.h"
#include "window/window-axis.h"
#include "window/window-bisect.h"
#include "window/window-check.h"
#include "window/window-debug.h"
#include "window/window-edit.h"
#include "window/window-export.h"
#include "window/window-copy.h"
#include "window/window-graph.h"
#include "window/window-home.h"
#include "window/window-layout.h"
#include "window/window-private.h"
#include "window/window-save.h"

static const int stream_numbers[] = { 1, 2, 3, 4, 6, 8 };

void
hir_window_toast (HirWindow *self, const char *text)
{
  g_autofree char *markup = g_markup_escape_text (text, -1);
  AdwToast *toast = adw_toast_new (markup);

  adw_toast_set_timeout (toast, 4);
  adw_toast_overlay_add_toast (self->toasts, toast);
}

void
hir_window_alert (HirWindow *self, const char *what, const char *why)
{
  GtkWidget *dialog = adw_message_dialog_new (GTK_WINDOW (self), what, NULL);

  adw_message_dialog_set_body (ADW_MESSAGE_DIALOG (dialog), why);
  adw_message_dialog_add_response (ADW_MESSAGE_DIALOG (dialog), "close", "_Close");
  gtk_window_present (GTK_WINDOW (dialog));
}

static void
next_step (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);
  int step = hir_pass_list_get_next (HIR_PASS_LIST (self->passes), 1);

  if (step >= 0)
    hir_selection_set_step (self->selection, (guint) step);
}

static void
previous_step (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);
  int step = hir_pass_list_get_next (HIR_PASS_LIST (self->passes), -1);

  if (step >= 0)
    hir_selection_set_step (self->selection, (guint) step);
}

/* Around: behind the last comes the first. */
static void
change_rank (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);
  HirRankPrograms *ranks = hir_selection_get_ranks (self->selection);
  int shown = hir_selection_get_rank_program (self->selection);
  int n = ranks != NULL ? (int) ranks->programs->len : 0;
  int by = g_str_equal (name, "win.next-rank") ? 1 : n - 1;

  if (shown >= 0 && n > 1)
    hir_selection_set_rank_program (self->selection, (guint) ((shown + by) % n));
}

int
hir_window_get_n_streams (HirWindow *self)
{
  return stream_numbers[gtk_drop_down_get_selected (self->streams)];
}

static void
run (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);
  g_auto (HirRunSettings) settings;

  hir_run_settings_init (&settings);
  settings.n_streams = hir_window_get_n_streams (self);
  settings.backend =
      gtk_toggle_button_get_active (self->gpu) ? HIR_BACKEND_CUDA : HIR_BACKEND_CPU;
  settings.model_clock = settings.backend == HIR_BACKEND_CPU &&
                         gtk_drop_down_get_selected (self->clock) == 0;
  settings.check = TRUE;
  hir_document_run (self->document, &settings);
}

static void
stop (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hir_document_stop_run (HIR_WINDOW (widget)->document);
}

static void
on_open_response (GtkNativeDialog *dialog, int response, gpointer user_data)
{
  HirWindow *self = user_data;

  if (response == GTK_RESPONSE_ACCEPT)
    {
      g_autoptr (GListModel) chosen = gtk_file_chooser_get_files (GTK_FILE_CHOOSER (dialog));
      GSList *files = NULL;
      gboolean done;

      for (guint i = 0; i < g_list_model_get_n_items (chosen); i++)
        files = g_slist_append (files, g_list_model_get_item (chosen, i));
      done = hir_window_open_files (self, files);
      g_slist_free_full (files, g_object_unref);
      if (!done)
        hir_window_alert (self, "This can't be opened", "It is not a file of this machine.");
    }
  g_clear_object (&self->chooser);
}

static void
open_file (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);
  g_autoptr (GtkFileFilter) known = gtk_file_filter_new ();
  g_autoptr (GtkFileFilter) all = gtk_file_filter_new ();

  g_clear_object (&self->chooser);
  self->chooser = gtk_file_chooser_native_new ("Open a Script or a Recording", GTK_WINDOW (self),
                                               GTK_FILE_CHOOSER_ACTION_OPEN, "_Open", "_Cancel");
  gtk_file_chooser_set_select_multiple (GTK_FILE_CHOOSER (self->chooser), TRUE);
  gtk_file_filter_set_name (known, "Scripts and traces");
  gtk_file_filter_add_pattern (known, "*.py");
  gtk_file_filter_add_pattern (known, "*.hirs");
  gtk_file_filter_add_pattern (known, "*.json");
  gtk_file_filter_add_pattern (known, "*.json.gz");
  gtk_file_filter_add_pattern (known, "*.sqlite");
  gtk_file_filter_set_name (all, "All files");
  gtk_file_filter_add_pattern (all, "*");
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (self->chooser), known);
  gtk_file_chooser_add_filter (GTK_FILE_CHOOSER (self->chooser), all);
  g_signal_connect (self->chooser, "response", G_CALLBACK (on_open_response), self);
  gtk_native_dialog_show (GTK_NATIVE_DIALOG (self->chooser));
}

static void
show_gallery (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);

  hir_gallery_refresh_recent (HIR_GALLERY (self->gallery));
  gtk_stack_set_visible_child_name (self->pages, "gallery");
  hir_window_update_actions (self);
}

static void
find (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);

  /* What has the focus is searched; the text, where both could be. */
  if (!hir_window_has_passes (self) ||
      gtk_window_get_focus (GTK_WINDOW (self)) == GTK_WIDGET (self->timeline))
    hir_timeline_search_open (self->search);
  else
    hir_text_pane_find (self->text);
}

static void
show_page (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hir_text_pane_show (HIR_WINDOW (widget)->text, g_variant_get_string (parameter, NULL));
}

static void
cancel_loading (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);

  hir_document_cancel_loading (self->document);
  hir_document_cancel_lowering (self->document);
  self->runs_when_lowered = FALSE;
  /* What was open still is. */
  self->has_shown_program |= hir_document_get_program (self->document) != NULL;
}

static void
keep_loaded (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hir_document_stop_loading (HIR_WINDOW (widget)->document);
}

/* Escape ends what is under way first. */
static void
clear_selection (GtkWidget *widget, const char *name, GVariant *parameter)
{
  const char *const *paths;
  guint64 done, total;

  /* A lowering that takes a blink is not asked to stop. */
  if (hir_document_get_loading (HIR_WINDOW (widget)->document, &paths, &done, &total) ||
      gtk_widget_get_visible (HIR_WINDOW (widget)->load_strip))
    {
      cancel_loading (widget, name, parameter);
      return;
    }
  if (hir_stats_page_cancel (HIR_WINDOW (widget)->stats))
    return;
  hir_selection_set_range (HIR_WINDOW (widget)->selection, 0, 0);
  hir_selection_clear (HIR_WINDOW (widget)->selection);
}

static void
zoom (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);

  if (g_str_equal (name, "win.graph-zoom-in"))
    hir_graph_view_zoom (self->graph, 1.25);
  else if (g_str_equal (name, "win.graph-zoom-out"))
    hir_graph_view_zoom (self->graph, 0.8);
  else if (g_str_equal (name, "win.graph-fit"))
    hir_graph_view_fit (self->graph);
  else if (g_str_equal (name, "win.timeline-zoom-in"))
    hir_timeline_view_zoom (self->timeline, 1.3);
  else if (g_str_equal (name, "win.timeline-zoom-out"))
    hir_timeline_view_zoom (self->timeline, 1 / 1.3);
  else
    hir_timeline_view_fit (self->timeline);
}

static void
fold (GtkWidget *widget, const char *name, GVariant *parameter)
{
  hir_timeline_view_fold_all (HIR_WINDOW (widget)->timeline);
}

static void
show_shortcuts (GtkWidget *widget, const char *name, GVariant *parameter)
{
  HirWindow *self = HIR_WINDOW (widget);

  hir_shortcuts_present (GTK_WINDOW (widget),
                         !hir_window_has_passes (self) ||
                             gtk_window_get_focus (GTK_WINDOW (self)) == GTK_WIDGET (self->timeline));
}

static void
close_window (GtkWidget *widget, const char *name, GVariant *parameter)
{
  gtk_window_close (GTK_WINDOW (widget));
}

/* An action and the keys that stand for it; "" where it is for menus and buttons only. Keys without
 * a modifier reach an action only where no text entry takes them first. */
typedef struct
{
  const char *name;
  const char *parameter_type;
  GtkWidgetActionActivateFunc activate;
  const char *keys;
} Action;

static const Action actions[] = {
  { "win.next-step", NULL, next_step, "j|bracketright" },
  { "win.previous-step", NULL, previous_step, "k|bracketleft" },
  { "win.pass-enable", "(sb)", hir_window_enable_pass, "" },
  { "win.pass-option", "(sss)", hir_window_set_option, "" },
  { "win.toggle-pass", NULL, hir_window_toggle_pass, "x" },
  { "win.pass-options", NULL, hir_window_open_pass_options, "o" },
  { "win.default-passes", NULL, hir_window_default_passes, "" },
  { "win.copy-command", NULL, hir_window_copy_command, "" },
  { "win.find-pass", NULL, hir_window_find_pass, "<Control><Shift>f" },
  { "win.hide-quiet", NULL, hir_window_toggle_quiet, "<Control>h" },
  { "win.first-touch", NULL, hir_window_first_touch, "t" },
  { "win.edit", NULL, hir_window_toggle_editing, "F2" },
  { "win.edit-axis", "(tuux)", hir_window_edit_axis, "" },
  { "win.split-axis", "(tuu)", hir_window_split_axis, "" },
  { "win.axis-menu", NULL, hir_window_open_axis_menu, "Menu|<Shift>F10" },
  { "win.bisect", NULL, hir_window_bisect, "<Control>b" },
  { "win.bisect-ask", NULL, hir_window_bisect_ask, "<Control><Shift>b" },
  { "win.bisect-text", "s", hir_window_bisect_text, "" },
  { "win.bisect-stop", NULL, hir_window_bisect_stop, "" },
  { "win.bisect-diff", NULL, hir_window_bisect_diff, "" },
  { "win.undo", NULL, hir_window_undo, "<Control>z" },
  { "win.redo", NULL, hir_window_redo, "<Control><Shift>z|<Control>y" },
  { "win.show-rejected", NULL, hir_window_show_rejected, "" },
  { "win.next-rank", NULL, change_rank, "r" },
  { "win.previous-rank", NULL, change_rank, "<Shift>r" },
  { "win.run", NULL, run, "F5" },
  { "win.stop", NULL, stop, "<Shift>F5" },
  { "win.debug", NULL, hir_window_debug, "F6" },
  { "win.debug-continue", NULL, hir_window_debug_move, "F8" },
  { "win.debug-pause", NULL, hir_window_debug_pause, "<Shift>F8" },
  { "win.debug-into", NULL, hir_window_debug_move, "F11" },
  { "win.debug-over", NULL, hir_window_debug_move, "F10" },
  { "win.debug-finish", NULL, hir_window_debug_move, "<Shift>F11" },
  { "win.debug-back", NULL, hir_window_debug_move, "<Control>F10" },
  { "win.debug-back-iteration", NULL, hir_window_debug_move, "<Control><Shift>F10" },
  { "win.debug-stop", NULL, hir_window_debug_stop, "" },
  { "win.debug-close", NULL, hir_window_debug_close, "<Shift>F6" },
  { "win.debug-line", "s", hir_window_debug_line, "" },
  { "win.debug-complete", "s", hir_window_debug_complete, "" },
  { "win.debug-show", "t", hir_window_debug_show, "" },
  { "win.find-wrong", NULL, hir_window_find_mismatch, "<Control>F6" },
  { "win.find-wrong-end", NULL, hir_window_find_mismatch_end, "" },
  { "win.find-wrong-show", NULL, hir_window_find_mismatch_show, "" },
  { "win.find-wrong-break", NULL, hir_window_find_mismatch_break, "" },
  { "win.break", NULL, hir_window_break, "b" },
  { "win.break-at", "t", hir_window_break_at, "" },
  { "win.break-add", "s", hir_window_break_add, "" },
  { "win.break-change", "(us)", hir_window_break_change, "" },
  { "win.break-delete", "u", hir_window_break_delete, "" },
  { "win.break-enable", "(ub)", hir_window_break_enable, "" },
  { "win.check", NULL, hir_window_check, "F7" },
  { "win.check-cancel", NULL, hir_window_check_cancel, "" },
  { "win.check-close", NULL, hir_window_check_close, "<Shift>F7" },
  { "win.check-fix", "i", hir_window_check_fix, "" },
  { "win.open", NULL, open_file, "<Control>o" },
  { "win.compare-trace", NULL, hir_window_compare_trace, "<Control><Shift>o" },
  { "win.gallery", NULL, show_gallery, "<Control>g" },
  { "win.find", NULL, find, "<Control>f|slash" },
  { "win.page", "s", show_page, "" },
  { "win.cancel-loading", NULL, cancel_loading, "" },
  { "win.keep-loaded", NULL, keep_loaded, "" },
  { "win.clear-selection", NULL, clear_selection, "Escape" },
  { "win.graph-zoom-in", NULL, zoom, "" },
  { "win.graph-zoom-out", NULL, zoom, "" },
  { "win.graph-fit", NULL, zoom, "" },
  { "win.graph-stop-layout", NULL, hir_window_graph_action, "" },
  { "win.graph-lanes", NULL, hir_window_graph_action, "v" },
  { "win.graph-diff", NULL, hir_window_graph_action, "g" },
  { "win.graph-near", NULL, hir_window_graph_action, "n" },
  { "win.graph-near-more", NULL, hir_window_graph_action, "period" },
  { "win.graph-near-less", NULL, hir_window_graph_action, "comma" },
  { "win.graph-near-direction", NULL, hir_window_graph_action, "u" },
  { "win.graph-fold", NULL, hir_window_graph_action, "" },
  { "win.graph-unfold-all", NULL, hir_window_graph_action, "" },
  { "win.graph-mark", NULL, hir_window_graph_action, "m" },
  { "win.graph-unmark", NULL, hir_window_graph_action, "<Shift>m" },
  { "win.graph-card", NULL, hir_window_graph_action, "i" },
  { "win.graph-legend", NULL, hir_window_graph_action, "l" },
  { "win.graph-map", NULL, hir_window_graph_action, "<Shift>l" },
  { "win.animate", NULL, hir_window_animate, "<Shift>a" },
  { "win.text-fold", NULL, hir_window_text_fold, "" },
  { "win.text-unfold-all", NULL, hir_window_text_fold, "" },
  { "win.compare", NULL, hir_window_compare, "c" },
  { "win.compare-end", NULL, hir_window_compare_end, "<Shift>c" },
  { "win.side-by-side", NULL, hir_window_side_by_side, "y" },
  { "win.next-difference", NULL, hir_window_go_difference, "p" },
  { "win.previous-difference", NULL, hir_window_go_difference, "<Shift>p" },
  { "win.timeline-zoom-in", NULL, zoom, "" },
  { "win.timeline-zoom-out", NULL, zoom, "" },
  { "win.timeline-fit", NULL, zoom, "" },
  { "win.timeline-fold", NULL, fold, "e" },
  { "win.save", NULL, hir_window_save, "" },
  { "win.save-any", NULL, hir_window_save_any, "<Control>s" },
  { "win.save-text", NULL, hir_window_save_text, "" },
  { "win.save-text-as", NULL, hir_window_save_text_as, "<Control><Shift>s" },
  { "win.export", "s", hir_window_export, "" },
  { "win.export-program", "s", hir_window_export, "" },
  { "win.cancel-export", NULL, hir_window_cancel_export, "<Shift>Escape" },
  { "win.copy-graph", NULL, hir_window_copy_picture, "<Control><Shift>g" },
  { "win.copy-timeline", NULL, hir_window_copy_picture, "<Control><Shift>t" },
  { "win.palette", NULL, hir_window_show_palette, "<Control>p" },
  { "win.preferences", NULL, hir_window_show_preferences, "<Control>comma" },
  { "win.tour", NULL, hir_window_take_tour, "" },
  { "win.open-path", "s", hir_window_open_path, "" },
  { "win.toggle-passes", NULL, hir_window_toggle_pane, "F4" },
  { "win.toggle-inspector", NULL, hir_window_toggle_pane, "F9" },
  { "win.toggle-timeline", NULL, hir_window_toggle_pane, "F12" },
  { "win.shortcuts", NULL, show_shortcuts, "<Control>question|F1" },
  { "win.close", NULL, close_window, "<Control>w" },
};

const char *
hir_window_get_keys (const char *action)
{
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    if (g_str_equal (actions[i].name, action))
      return actions[i].keys;
  return NULL;
}

static void
add_key (GtkShortcutController *controller,
         const char *trigger,
         const char *action,
         const char *argument)
{
  GtkShortcut *shortcut =
      gtk_shortcut_new (gtk_shortcut_trigger_parse_string (trigger), gtk_named_action_new (action));

  if (argument != NULL)
    gtk_shortcut_set_arguments (shortcut, g_variant_new_string (argument));
  gtk_shortcut_controller_add_shortcut (controller, shortcut);
}

void
hir_window_class_install_actions (GtkWidgetClass *klass)
{
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_class_install_action (klass, actions[i].name, actions[i].parameter_type,
                                     actions[i].activate);
}

/* A button that was reached by Tab is pressed by the space bar; one that was only clicked is not.
 */
static gboolean
wants_space (HirWindow *self, GtkWidget *focus)
{
  if (focus == NULL)
    return FALSE;
  if (gtk_widget_get_native (focus) != GTK_NATIVE (self) || GTK_IS_EDITABLE (focus) ||
      (GTK_IS_TEXT_VIEW (focus) && gtk_text_view_get_editable (GTK_TEXT_VIEW (focus))))
    return TRUE;
  return gtk_window_get_focus_visible (GTK_WINDOW (self)) &&
         (GTK_IS_BUTTON (focus) || GTK_IS_DROP_DOWN (focus) || GTK_IS_MENU_BUTTON (focus) ||
          gtk_widget_get_ancestor (focus, GTK_TYPE_MENU_BUTTON) != NULL);
}

/* The space bar runs wherever the focus is, but where it is typed or presses a button: as a
 * shortcut it would come to the window only after lists and buttons took it. */
static gboolean
on_key_first (GtkEventControllerKey *controller,
              guint keyval,
              guint keycode,
              GdkModifierType state,
              gpointer user_data)
{
  HirWindow *self = user_data;

  if (keyval != GDK_KEY_space || (state & gtk_accelerator_get_default_mod_mask ()) != 0 ||
      g_strcmp0 (gtk_stack_get_visible_child_name (self->pages), "workspace") != 0 ||
      wants_space (self, gtk_window_get_focus (GTK_WINDOW (self))))
    return FALSE;
  gtk_widget_activate_action (GTK_WIDGET (self), "win.run", NULL);
  return TRUE;
}

/* Keys that nobody took move what is under the pointer, else the timeline. */
static gboolean
on_key_last (GtkEventControllerKey *controller,
             guint keyval,
             guint keycode,
             GdkModifierType state,
             gpointer user_data)
{
  static const guint keys[] = { GDK_KEY_w,           GDK_KEY_a,           GDK_KEY_s,
                                GDK_KEY_d,           GDK_KEY_plus,        GDK_KEY_equal,
                                GDK_KEY_KP_Add,      GDK_KEY_minus,       GDK_KEY_f,
                                GDK_KEY_0,           GDK_KEY_KP_Subtract, GDK_KEY_z,
                                GDK_KEY_bracketleft, GDK_KEY_bracketright };
  HirWindow *self = user_data;
  GtkWidget *graph = GTK_WIDGET (self->graph);
  GtkWidget *timeline = GTK_WIDGET (self->timeline);
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  gboolean is_move = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    is_move |= keys[i] == keyval;
  if (!is_move || focus == graph || focus == timeline || !gtk_widget_get_mapped (timeline))
    return FALSE;
  return gtk_event_controller_key_forward (controller, gtk_widget_get_mapped (graph) &&
                                                               (gtk_widget_get_state_flags (graph) &
                                                                GTK_STATE_FLAG_PRELIGHT)
                                                           ? graph
                                                           : timeline);
}

static void
add_key_controller (HirWindow *self, GtkPropagationPhase phase, GCallback pressed)
{
  GtkEventController *controller = gtk_event_controller_key_new ();

  gtk_event_controller_set_propagation_phase (controller, phase);
  g_signal_connect (controller, "key-pressed", pressed, self);
  gtk_widget_add_controller (GTK_WIDGET (self), controller);
}

void
hir_window_install_keys (HirWindow *self)
{
  GtkEventController *controller = gtk_shortcut_controller_new ();
  GtkShortcutController *shortcuts = GTK_SHORTCUT_CONTROLLER (controller);
  /* Panes, text and menus have uses of their own for some of these: while the program is stepped, it is first. */
  GtkEventController *first = gtk_shortcut_controller_new ();

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      g_auto (GStrv) keys = g_strsplit (actions[i].keys, "|", -1);

      for (char **key = keys; *key != NULL; key++)
        {
          if (**key != '\0')
            add_key (g_str_has_prefix (actions[i].name, "win.debug")
                         ? GTK_SHORTCUT_CONTROLLER (first)
                         : shortcuts,
                     *key, actions[i].name, NULL);
        }
    }
  add_key (shortcuts, "1", "win.page", "script");
  add_key (shortcuts, "2", "win.page", "ir");
  add_key (shortcuts, "3", "win.page", "diff");
  gtk_widget_add_controller (GTK_WIDGET (self), controller);
  gtk_event_controller_set_propagation_phase (first, GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (GTK_WIDGET (self), first);
  add_key_controller (self, GTK_PHASE_CAPTURE, G_CALLBACK (on_key_first));
  add_key_controller (self, GTK_PHASE_BUBBLE, G_CALLBACK (on_key_last));
  hir_window_update_actions (self);
}

void
hir_window_update_actions (HirWindow *self)
{
  GtkWidget *widget = GTK_WIDGET (self);
  HirProgram *program = hir_document_get_program (self->document);
  HirTrace *trace = hir_document_get_trace (self->document);
  /* What is still being loaded can't be kept as if it were all. */
  gboolean running = hir_document_get_is_running (self->document) ||
                     hir_document_get_is_partial (self->document);
  gboolean in_workspace =
      g_strcmp0 (gtk_stack_get_visible_child_name (self->pages), "workspace") == 0;
  HirRankPrograms *ranks = hir_selection_get_ranks (self->selection);
  gboolean has_ranks = ranks != NULL && ranks->programs->len > 1;
  gboolean can_run = in_workspace && hir_window_has_passes (self);

  hir_window_update_edit_actions (self, in_workspace);
  hir_window_debug_update_actions (self, in_workspace);
  hir_stats_page_set_is_partial (self->stats, hir_document_get_is_partial (self->document));
  gtk_widget_set_visible (self->debug, can_run);
  gtk_widget_action_set_enabled (widget, "win.next-rank", in_workspace && has_ranks);
  gtk_widget_action_set_enabled (widget, "win.previous-rank", in_workspace && has_ranks);
  gtk_widget_action_set_enabled (widget, "win.run",
                                 in_workspace && !running && hir_document_can_run (self->document));
  gtk_widget_action_set_enabled (widget, "win.stop",
                                 hir_document_get_is_running (self->document));
  gtk_widget_action_set_enabled (widget, "win.find", in_workspace);
  gtk_widget_action_set_enabled (widget, "win.timeline-fold", in_workspace && trace != NULL);
  gtk_widget_action_set_enabled (widget, "win.compare-trace",
                                 in_workspace && trace != NULL && !running);
  gtk_widget_action_set_enabled (widget, "win.save", trace != NULL && !running);
  gtk_widget_action_set_enabled (widget, "win.export", program != NULL && !running);
  gtk_widget_action_set_enabled (widget, "win.export-program",
                                 program != NULL && !running && hir_window_has_passes (self));
  gtk_widget_action_set_enabled (widget, "win.copy-graph", hir_window_has_passes (self));
  gtk_widget_action_set_enabled (widget, "win.cancel-export", self->under_way != NULL);
  gtk_widget_action_set_enabled (widget, "win.keep-loaded",
                                 hir_document_get_is_partial (self->document));
  gtk_widget_set_sensitive (self->export, in_workspace && program != NULL &&
                                              !hir_document_get_is_partial (self->document));
  gtk_widget_set_visible (self->steps, can_run);
  gtk_widget_set_visible (GTK_WIDGET (self->run), can_run);
  gtk_widget_set_visible (GTK_WIDGET (self->streams), can_run);
  gtk_widget_set_visible (GTK_WIDGET (self->clock), can_run);
  gtk_widget_set_visible (GTK_WIDGET (self->gpu), can_run);
  gtk_widget_set_visible (self->export, in_workspace);
  hir_names_queue (GTK_WINDOW (self));
}
