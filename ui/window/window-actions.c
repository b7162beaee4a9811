#include "base/names.h"
#include "document/document-edit.h"
#include "passes/pass-list.h"
#include "window/bisect-controller.h"
#include "window/check-controller.h"
#include "window/debug-controller.h"
#include "window/export-controller.h"
#include "window/mismatch-controller.h"
#include "window/palette.h"
#include "window/runs-controller.h"
#include "window/shortcuts.h"
#include "window/text-file-controller.h"
#include "window/window-attach.h"
#include "window/window-axis.h"
#include "window/window-copy.h"
#include "window/window-edit.h"
#include "window/window-event.h"
#include "window/window-events.h"
#include "window/window-graph.h"
#include "window/window-home.h"
#include "window/window-layout.h"
#include "window/window-open.h"
#include "window/window-panes.h"

/* @argument: 1 for the next step, -1 for the previous one. */
static void
change_step (HirWindow *self, GVariant *parameter, int argument)
{
  int step = hir_pass_list_get_next (HIR_PASS_LIST (self->passes), argument);

  if (step >= 0)
    hir_selection_set_step (self->selection, (guint) step);
}

/* @argument: 1 or -1. Wraps around. */
static void
change_rank (HirWindow *self, GVariant *parameter, int argument)
{
  HirRankPrograms *ranks = hir_selection_get_ranks (self->selection);
  int shown = hir_selection_get_rank_program (self->selection);
  int n = ranks != NULL ? (int) ranks->programs->len : 0;

  if (shown >= 0 && n > 1)
    hir_selection_set_rank_program (self->selection, (guint) ((shown + n + argument) % n));
}

static void
run (HirWindow *self, GVariant *parameter, int argument)
{
  g_auto (HirRunSettings) settings;

  hir_run_controls_get_settings (&self->run_controls, &settings);
  if (self->layout.maximized == HIR_PANE_NONE)
    hir_window_raise_timeline (self);
  hir_document_run (self->document, &settings);
}

static void
toggle_baseline (HirWindow *self, GVariant *parameter, int argument)
{
  GtkToggleButton *baseline = self->run_controls.baseline;

  gtk_toggle_button_set_active (baseline, !gtk_toggle_button_get_active (baseline));
}

static void
stop (HirWindow *self, GVariant *parameter, int argument)
{
  hir_document_stop_run (self->document);
}

static void
show_gallery (HirWindow *self, GVariant *parameter, int argument)
{
  hir_gallery_refresh_recent (HIR_GALLERY (self->gallery));
  gtk_stack_set_visible_child_name (self->pages, "gallery");
  hir_window_update (self);
}

static void
find (HirWindow *self, GVariant *parameter, int argument)
{
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));

  /* Searches the focused pane. The default is the text. */
  if (focus != NULL && gtk_widget_is_ancestor (focus, GTK_WIDGET (self->events)))
    hir_events_page_find (self->events);
  else if (!hir_window_has_passes (self) || focus == GTK_WIDGET (self->timeline))
    hir_timeline_search_open (self->search);
  else
    hir_text_pane_find (self->text);
}

static void
show_page (HirWindow *self, GVariant *parameter, int argument)
{
  hir_text_pane_show (self->text, g_variant_get_string (parameter, NULL));
}

static void
cancel_loading (HirWindow *self, GVariant *parameter, int argument)
{
  hir_document_cancel_loading (self->document);
  hir_document_cancel_lowering (self->document);
  hir_check_controller_drop_run (self->check);
  /* The previous document stays open. */
  self->has_shown_program |= hir_document_get_program (self->document) != NULL;
}

static void
keep_loaded (HirWindow *self, GVariant *parameter, int argument)
{
  hir_document_stop_loading (self->document);
}

/* Cancels a running operation first. */
static void
clear_selection (HirWindow *self, GVariant *parameter, int argument)
{
  const char *const *paths;
  guint64 done, total;

  /* A short lowering is not cancelled. */
  if (hir_document_get_loading (self->document, &paths, &done, &total) ||
      gtk_widget_get_visible (self->load_strip))
    {
      cancel_loading (self, parameter, argument);
      return;
    }
  if (hir_stats_page_cancel (self->stats) || hir_explaining_cancel (self->explaining) ||
      hir_events_page_cancel (self->events) || hir_window_restore_panes (self))
    return;
  hir_selection_clear_range (self->selection);
  hir_selection_clear (self->selection);
}

/* @argument: 1 to zoom in, -1 to zoom out. */
static void
zoom_graph (HirWindow *self, GVariant *parameter, int argument)
{
  hir_graph_view_zoom (self->graph, argument > 0 ? 1.25 : 0.8);
}

static void
fit_graph (HirWindow *self, GVariant *parameter, int argument)
{
  hir_graph_view_fit (self->graph);
}

/* @argument: 1 to zoom in, -1 to zoom out. */
static void
zoom_timeline (HirWindow *self, GVariant *parameter, int argument)
{
  hir_timeline_view_zoom (self->timeline, argument > 0 ? 1.3 : 1 / 1.3);
}

static void
fit_timeline (HirWindow *self, GVariant *parameter, int argument)
{
  hir_timeline_view_fit (self->timeline);
}

static void
fold (HirWindow *self, GVariant *parameter, int argument)
{
  hir_timeline_view_fold_all (self->timeline);
}

static void
show_explain (HirWindow *self, GVariant *parameter, int argument)
{
  gtk_toggle_button_set_active (self->graph_tabs.show_explain, TRUE);
  gtk_widget_grab_focus (GTK_WIDGET (self->explain));
}

static void
toggle_path (HirWindow *self, GVariant *parameter, int argument)
{
  hir_explaining_set_shows_path (self->explaining,
                                 !hir_explaining_get_shows_path (self->explaining));
}

/* @argument: a HirSpanKind. */
static void
toggle_shade (HirWindow *self, GVariant *parameter, int argument)
{
  hir_explaining_set_shades (self->explaining,
                             hir_explaining_get_shades (self->explaining) ^ (1u << argument));
}

/* @argument: whether to go forward. */
static void
go_to_lost_time (HirWindow *self, GVariant *parameter, int argument)
{
  hir_explaining_go (self->explaining, argument);
}

static void
show_shortcuts (HirWindow *self, GVariant *parameter, int argument)
{
  hir_shortcuts_present (GTK_WINDOW (self), !hir_window_has_passes (self) ||
                                                gtk_window_get_focus (GTK_WINDOW (self)) ==
                                                    GTK_WIDGET (self->timeline));
}

static void
close_window (HirWindow *self, GVariant *parameter, int argument)
{
  gtk_window_close (GTK_WINDOW (self));
}

static const char *get_keys (const char *name);

static void
show_palette (HirWindow *self, GVariant *parameter, int argument)
{
  hir_palette_present (self, get_keys);
}

/* An action and its keys, "" if it has none. Keys without a modifier activate an action only if no
 * text entry handles them first. */
typedef struct
{
  const char *name;
  const char *parameter_type; /* nullable */
  void (*activate) (HirWindow *self, GVariant *parameter, int argument);
  int argument;
  const char *keys;
} Action;

static const Action actions[] = {
  { "win.next-step", NULL, change_step, 1, "j" },
  { "win.previous-step", NULL, change_step, -1, "k" },
  { "win.pass-enable", "(sb)", hir_window_enable_pass, 0, "" },
  { "win.pass-option", "(sss)", hir_window_set_option, 0, "" },
  { "win.toggle-pass", NULL, hir_window_toggle_pass, 0, "x" },
  { "win.pass-options", NULL, hir_window_open_pass_options, 0, "o" },
  { "win.pipeline", "s", hir_window_set_pipeline, 0, "" },
  { "win.switch-pipeline", NULL, hir_window_switch_pipeline, 0, "q" },
  { "win.default-passes", NULL, hir_window_default_passes, 0, "" },
  { "win.choose-parameters", "s", hir_window_choose_parameters, 0, "" },
  { "win.parameters", NULL, hir_window_open_parameters, 0, "<Control><Shift>m" },
  { "win.devices", NULL, hir_window_open_program_menu, FALSE, "<Control><Shift>n" },
  { "win.inputs", NULL, hir_window_open_program_menu, TRUE, "<Control><Shift>i" },
  { "win.copy-command", NULL, hir_window_copy_command, 0, "" },
  { "win.find-pass", NULL, hir_window_find_pass, 0, "<Control><Shift>f" },
  { "win.hide-quiet", NULL, hir_window_toggle_quiet, 0, "<Control>h" },
  { "win.first-touch", NULL, hir_window_first_touch, 0, "t" },
  { "win.edit", NULL, hir_window_toggle_editing, 0, "F2" },
  { "win.edit-axis", "(tuux)", hir_window_edit_axis, 0, "" },
  { "win.split-axis", "(tuu)", hir_window_split_axis, 0, "" },
  { "win.axis-menu", NULL, hir_window_open_axis_menu, 0, "Menu|<Shift>F10" },
  { "win.bisect", NULL, hir_window_bisect, 0, "<Control>b" },
  { "win.bisect-ask", NULL, hir_window_bisect_ask, 0, "<Control><Shift>b" },
  { "win.bisect-text", "s", hir_window_bisect_text, 0, "" },
  { "win.bisect-stop", NULL, hir_window_bisect_stop, 0, "" },
  { "win.bisect-diff", NULL, hir_window_bisect_diff, 0, "" },
  { "win.undo", NULL, hir_window_undo, 0, "<Control>z" },
  { "win.redo", NULL, hir_window_redo, 0, "<Control><Shift>z|<Control>y" },
  { "win.show-rejected", NULL, hir_window_show_rejected, 0, "" },
  { "win.next-rank", NULL, change_rank, 1, "r" },
  { "win.previous-rank", NULL, change_rank, -1, "<Shift>r" },
  { "win.run", NULL, run, 0, "F5" },
  { "win.run-baseline", NULL, toggle_baseline, 0, "" },
  { "win.stop", NULL, stop, 0, "<Shift>F5" },
  { "win.debug", NULL, hir_window_debug, 0, "F6" },
  { "win.debug-continue", NULL, hir_window_debug_move, HIR_DEBUG_CONTINUE, "F8" },
  { "win.debug-pause", NULL, hir_window_debug_pause, 0, "<Shift>F8" },
  { "win.debug-into", NULL, hir_window_debug_move, HIR_DEBUG_INTO, "F11" },
  { "win.debug-over", NULL, hir_window_debug_move, HIR_DEBUG_OVER, "F10" },
  { "win.debug-finish", NULL, hir_window_debug_move, HIR_DEBUG_FINISH, "<Shift>F11" },
  { "win.debug-back", NULL, hir_window_debug_move, HIR_DEBUG_BACK, "<Control>F10" },
  { "win.debug-back-iteration", NULL, hir_window_debug_move, HIR_DEBUG_BACK_ITERATION,
    "<Control><Shift>F10" },
  { "win.debug-stop", NULL, hir_window_debug_stop, 0, "" },
  { "win.debug-restart", NULL, hir_window_debug_restart, 0, "" },
  { "win.debug-close", NULL, hir_window_debug_close, 0, "<Shift>F6" },
  { "win.debug-line", "s", hir_window_debug_line, 0, "" },
  { "win.debug-complete", "s", hir_window_debug_complete, 0, "" },
  { "win.debug-show", "t", hir_window_debug_show, 0, "" },
  { "win.find-wrong", NULL, hir_window_find_mismatch, 0, "<Control>F6" },
  { "win.find-wrong-end", NULL, hir_window_find_mismatch_end, 0, "" },
  { "win.find-wrong-show", NULL, hir_window_find_mismatch_show, 0, "" },
  { "win.find-wrong-break", NULL, hir_window_find_mismatch_break, 0, "" },
  { "win.break", NULL, hir_window_break, 0, "b" },
  { "win.break-at", "t", hir_window_break_at, 0, "" },
  { "win.break-add", "s", hir_window_break_add, 0, "" },
  { "win.break-change", "(us)", hir_window_break_change, 0, "" },
  { "win.break-delete", "u", hir_window_break_delete, 0, "" },
  { "win.break-enable", "(ub)", hir_window_break_enable, 0, "" },
  { "win.watch", NULL, hir_window_watch, 0, "<Control><Shift>w" },
  { "win.watch-add", "s", hir_window_watch_add, 0, "" },
  { "win.watch-delete", "s", hir_window_watch_delete, 0, "" },
  { "win.check", NULL, hir_window_check, 0, "F7" },
  { "win.check-cancel", NULL, hir_window_check_cancel, 0, "" },
  { "win.check-close", NULL, hir_window_check_close, 0, "<Shift>F7" },
  { "win.check-fix", "i", hir_window_check_fix, 0, "" },
  { "win.open", NULL, hir_window_choose_file, 0, "<Control>o" },
  { "win.attach", NULL, hir_window_attach, 0, "<Control>j" },
  { "win.attach-trace", NULL, hir_window_attach, 0, "" },
  { "win.attach-program", NULL, hir_window_attach, 0, "" },
  { "win.compare-trace", NULL, hir_window_compare_trace, 0, "<Control><Shift>o" },
  { "win.compare-previous", NULL, hir_window_compare_previous, 0, "<Control><Shift>c" },
  { "win.runs", NULL, hir_window_show_runs, 0, "<Control>r" },
  { "win.run-show", "u", hir_window_show_run, 0, "" },
  { "win.run-leave", NULL, hir_window_leave_run, 0, "" },
  { "win.run-compare", "u", hir_window_compare_run, 0, "" },
  { "win.run-rename", "(us)", hir_window_rename_run, 0, "" },
  { "win.run-delete", "u", hir_window_delete_run, 0, "" },
  { "win.run-restore", NULL, hir_window_restore_run, 0, "" },
  { "win.run-both", NULL, hir_window_run_both, 0, "" },
  { "win.run-both-end", NULL, hir_window_end_run_both, 0, "" },
  { "win.gallery", NULL, show_gallery, 0, "<Control>g" },
  { "win.find", NULL, find, 0, "<Control>f|slash" },
  { "win.page", "s", show_page, 0, "" },
  { "win.cancel-loading", NULL, cancel_loading, 0, "" },
  { "win.keep-loaded", NULL, keep_loaded, 0, "" },
  { "win.clear-selection", NULL, clear_selection, 0, "Escape" },
  { "win.graph-zoom-in", NULL, zoom_graph, 1, "" },
  { "win.graph-zoom-out", NULL, zoom_graph, -1, "" },
  { "win.graph-fit", NULL, fit_graph, 0, "" },
  { "win.graph-stop-layout", NULL, hir_window_graph_stop_layout, 0, "" },
  { "win.graph-lanes", NULL, hir_window_graph_toggle_lanes, 0, "v" },
  { "win.graph-diff", NULL, hir_window_graph_toggle_diff, 0, "g" },
  { "win.graph-near", NULL, hir_window_graph_toggle_near, 0, "n" },
  { "win.graph-near-more", NULL, hir_window_graph_change_hops, 1, "period" },
  { "win.graph-near-less", NULL, hir_window_graph_change_hops, -1, "comma" },
  { "win.graph-near-direction", NULL, hir_window_graph_turn_direction, 0, "u" },
  { "win.graph-fold", NULL, hir_window_graph_fold, 0, "" },
  { "win.graph-unfold-all", NULL, hir_window_graph_unfold_all, 0, "" },
  { "win.graph-mark", NULL, hir_window_graph_mark, 0, "m" },
  { "win.graph-unmark", NULL, hir_window_graph_unmark, 0, "<Shift>m" },
  { "win.graph-card", NULL, hir_window_graph_toggle_card, 0, "i" },
  { "win.graph-legend", NULL, hir_window_graph_toggle_setting, HIR_SETTING_LEGEND, "l" },
  { "win.graph-map", NULL, hir_window_graph_toggle_setting, HIR_SETTING_MAP, "<Shift>l" },
  { "win.animate", NULL, hir_window_animate, 0, "<Shift>a" },
  { "win.text-fold", NULL, hir_window_text_fold, 0, "z" },
  { "win.text-unfold-all", NULL, hir_window_text_unfold_all, 0, "<Shift>z" },
  { "win.text-wrap", NULL, hir_window_text_toggle_wrap, 0, "<Alt>z" },
  { "win.text-abbreviate", NULL, hir_window_text_toggle_abbreviations, 0, "<Alt>x" },
  { "win.compare", NULL, hir_window_compare, 0, "c" },
  { "win.compare-end", NULL, hir_window_compare_end, 0, "<Shift>c" },
  { "win.side-by-side", NULL, hir_window_side_by_side, 0, "y" },
  { "win.next-difference", NULL, hir_window_go_difference, TRUE, "p" },
  { "win.previous-difference", NULL, hir_window_go_difference, FALSE, "<Shift>p" },
  { "win.timeline-zoom-in", NULL, zoom_timeline, 1, "" },
  { "win.timeline-zoom-out", NULL, zoom_timeline, -1, "" },
  { "win.timeline-fit", NULL, fit_timeline, 0, "" },
  { "win.timeline-fold", NULL, fold, 0, "e" },
  { "win.mark", NULL, hir_window_set_mark, 0, "<Control>d" },
  { "win.list-marks", NULL, hir_window_list_marks, 0, "<Control><Shift>d" },
  { "win.marks", "i", hir_window_list_marks, 0, "" },
  { "win.explain", NULL, show_explain, 0, "<Shift>e" },
  { "win.events", NULL, hir_window_show_events, FALSE, "<Control>e" },
  { "win.events-sql", NULL, hir_window_show_events, TRUE, "<Control><Shift>e" },
  { "win.events-save", NULL, hir_window_save_events, 0, "" },
  { "win.event-next-same", NULL, hir_window_select_same, TRUE, "greater" },
  { "win.event-previous-same", NULL, hir_window_select_same, FALSE, "less" },
  { "win.event-find-same", NULL, hir_window_find_same, 0, "" },
  { "win.event-list-same", NULL, hir_window_filter_events, 0, "" },
  { "win.event-zoom", NULL, hir_window_zoom_event, 0, "" },
  { "win.event-launch", NULL, hir_window_select_launch, 0, "" },
  { "win.event-copy", "s", hir_window_copy_event, 0, "" },
  { "win.selection-back", NULL, hir_window_go_selection, FALSE, "<Alt>Left" },
  { "win.selection-forward", NULL, hir_window_go_selection, TRUE, "<Alt>Right" },
  { "win.predict", NULL, hir_window_predict, 0, "<Control><Shift>p" },
  { "win.link", "s", hir_window_follow_link, 0, "" },
  { "win.timeline-path", NULL, toggle_path, 0, "<Shift>d" },
  { "win.shade-exposed", NULL, toggle_shade, HIR_SPAN_EXPOSED, "<Shift>x" },
  { "win.shade-idle", NULL, toggle_shade, HIR_SPAN_IDLE, "<Shift>i" },
  { "win.shade-waiting", NULL, toggle_shade, HIR_SPAN_WAITING, "<Shift>w" },
  { "win.next-lost-time", NULL, go_to_lost_time, TRUE, "<Shift>j" },
  { "win.previous-lost-time", NULL, go_to_lost_time, FALSE, "<Shift>k" },
  { "win.save", NULL, hir_window_save, 0, "" },
  { "win.save-any", NULL, hir_window_save_any, 0, "<Control>s" },
  { "win.save-text", NULL, hir_window_save_text, 0, "" },
  { "win.save-text-as", NULL, hir_window_save_text_as, 0, "<Control><Shift>s" },
  { "win.file-reload", NULL, hir_window_answer_changed_file, TRUE, "" },
  { "win.file-keep", NULL, hir_window_answer_changed_file, FALSE, "" },
  { "win.draft-restore", NULL, hir_window_restore_draft, 0, "" },
  { "win.draft-discard", NULL, hir_window_discard_draft, 0, "" },
  { "win.draft-next", NULL, hir_window_offer_next_draft, 0, "" },
  { "win.save-cuda", NULL, hir_window_save_cuda, 0, "" },
  { "win.export", "s", hir_window_export, 0, "" },
  { "win.export-program", "s", hir_window_export, 0, "" },
  { "win.cancel-export", NULL, hir_window_cancel_export, 0, "<Shift>Escape" },
  { "win.copy-graph", NULL, hir_window_copy_graph, 0, "<Control><Shift>g" },
  { "win.copy-timeline", NULL, hir_window_copy_timeline, 0, "<Control><Shift>t" },
  { "win.palette", NULL, show_palette, 0, "<Control>p" },
  { "win.preferences", NULL, hir_window_show_preferences, 0, "<Control>comma" },
  { "win.tour", NULL, hir_window_take_tour, 0, "" },
  { "win.open-path", "s", hir_window_open_path, 0, "" },
  { "win.toggle-passes", NULL, hir_window_toggle_pane, HIR_SETTING_SHOW_PASSES, "F4" },
  { "win.toggle-inspector", NULL, hir_window_toggle_pane, HIR_SETTING_SHOW_INSPECTOR, "F9" },
  { "win.toggle-timeline", NULL, hir_window_toggle_pane, HIR_SETTING_SHOW_TIMELINE, "F12" },
  { "win.maximize-pane", NULL, hir_window_maximize_pane, 0, "<Control>m" },
  { "win.restore-panes", NULL, hir_window_show_all_panes, 0, "" },
  { "win.shortcuts", NULL, show_shortcuts, 0, "<Control>question|F1" },
  { "win.close", NULL, close_window, 0, "<Control>w" },
};

static const Action *
lookup (const char *name)
{
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    if (g_str_equal (actions[i].name, name))
      return &actions[i];
  return NULL;
}

static const char *
get_keys (const char *name)
{
  const Action *action = lookup (name);

  return action != NULL ? action->keys : NULL;
}

static void
on_activate (GtkWidget *widget, const char *name, GVariant *parameter)
{
  const Action *action = lookup (name);

  action->activate (HIR_WINDOW (widget), parameter, action->argument);
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
                                     on_activate);
}

/* Returns whether keys are typed into @focus. */
static gboolean
wants_text (HirWindow *self, GtkWidget *focus)
{
  return focus != NULL &&
         (gtk_widget_get_native (focus) != GTK_NATIVE (self) || GTK_IS_EDITABLE (focus) ||
          (GTK_IS_TEXT_VIEW (focus) && gtk_text_view_get_editable (GTK_TEXT_VIEW (focus))));
}

/* Returns whether @focus handles Space itself. Buttons do so only if the focus is visible, that is,
 * after Tab. */
static gboolean
wants_space (HirWindow *self, GtkWidget *focus)
{
  if (focus == NULL || wants_text (self, focus))
    return focus != NULL;
  return gtk_window_get_focus_visible (GTK_WINDOW (self)) &&
         (GTK_IS_BUTTON (focus) || GTK_IS_DROP_DOWN (focus) || GTK_IS_MENU_BUTTON (focus) ||
          gtk_widget_get_ancestor (focus, GTK_TYPE_MENU_BUTTON) != NULL);
}

/* Says why keys that run, debug or check a program do nothing. */
static gboolean
say_no_program (HirWindow *self)
{
  if (!hir_window_in_workspace (self) || hir_window_has_passes (self))
    return FALSE;
  hir_window_toast (self, "A trace has no program to run or check; attach one with Ctrl+J");
  return TRUE;
}

/* Runs the program with Space, except in text entries and on buttons. Not a shortcut, because lists
 * and buttons would handle the key first. In the gallery, keys without a modifier do not act on the
 * hidden document. */
static gboolean
on_key_first (GtkEventControllerKey *controller,
              guint keyval,
              guint keycode,
              GdkModifierType state,
              gpointer user_data)
{
  HirWindow *self = user_data;
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  GdkModifierType held = state & gtk_accelerator_get_default_mod_mask ();

  if (!hir_window_in_workspace (self))
    return (held & ~GDK_SHIFT_MASK) == 0 && g_unichar_isgraph (gdk_keyval_to_unicode (keyval)) &&
           !wants_text (self, focus);
  if (held == 0 && keyval >= GDK_KEY_F5 && keyval <= GDK_KEY_F7)
    return say_no_program (self);
  if (keyval != GDK_KEY_space || held != 0 || wants_space (self, focus))
    return FALSE;
  if (say_no_program (self))
    return TRUE;
  gtk_widget_activate_action (GTK_WIDGET (self), "win.run", NULL);
  return TRUE;
}

/* Forwards unhandled keys: those of pictures to the graph if it is under the pointer or the only
 * picture, otherwise to the timeline; those of its range to the timeline. */
static gboolean
on_key_last (GtkEventControllerKey *controller,
             guint keyval,
             guint keycode,
             GdkModifierType state,
             gpointer user_data)
{
  static const guint keys[] = { GDK_KEY_w,     GDK_KEY_a,     GDK_KEY_s,          GDK_KEY_d,
                                GDK_KEY_plus,  GDK_KEY_equal, GDK_KEY_KP_Add,     GDK_KEY_f,
                                GDK_KEY_minus, GDK_KEY_0,     GDK_KEY_KP_Subtract };
  HirWindow *self = user_data;
  GtkWidget *graph = GTK_WIDGET (self->graph);
  GtkWidget *timeline = GTK_WIDGET (self->timeline);
  GtkWidget *focus = gtk_window_get_focus (GTK_WINDOW (self));
  gboolean is_range = keyval == GDK_KEY_bracketleft || keyval == GDK_KEY_bracketright;
  gboolean is_move = FALSE;

  for (guint i = 0; i < G_N_ELEMENTS (keys); i++)
    is_move |= keys[i] == keyval;
  if ((!is_move && !is_range) || (is_move && focus == graph) || focus == timeline)
    return FALSE;
  if (is_move && gtk_widget_get_mapped (graph) &&
      (!gtk_widget_get_mapped (timeline) ||
       (gtk_widget_get_state_flags (graph) & GTK_STATE_FLAG_PRELIGHT)))
    return gtk_event_controller_key_forward (controller, graph);
  return gtk_widget_get_mapped (timeline) &&
         gtk_event_controller_key_forward (controller, timeline);
}

static gboolean
has_key (const char *triggers, GdkEvent *event)
{
  g_auto (GStrv) words = g_strsplit (triggers, "|", -1);
  gboolean has = FALSE;

  for (char **word = words; *word != NULL && !has; word++)
    {
      g_autoptr (GtkShortcutTrigger) trigger =
          **word != '\0' ? gtk_shortcut_trigger_parse_string (*word) : NULL;

      has = trigger != NULL &&
            gtk_shortcut_trigger_trigger (trigger, event, FALSE) == GDK_KEY_MATCH_EXACT;
    }
  return has;
}

/* Says why a key does nothing. Called for a key that no pane has handled, so that its action is
 * disabled. */
static gboolean
on_key_unused (GtkEventControllerKey *controller,
               guint keyval,
               guint keycode,
               GdkModifierType state,
               gpointer user_data)
{
  HirWindow *self = user_data;
  GdkEvent *event = gtk_event_controller_get_current_event (GTK_EVENT_CONTROLLER (controller));
  const char *reason = NULL;

  if (!hir_window_in_workspace (self))
    return FALSE;
  for (guint i = 0; i < G_N_ELEMENTS (actions) && reason == NULL; i++)
    if (has_key (actions[i].keys, event))
      reason = hir_window_get_reason (self, actions[i].name);
  if (reason != NULL)
    hir_window_toast (self, reason);
  return reason != NULL;
}

/* GtkPaned would move the focus with these keys of the debugger if their actions are disabled. */
static gboolean
on_key_of_paned (GtkEventControllerKey *controller,
                 guint keyval,
                 guint keycode,
                 GdkModifierType state,
                 gpointer user_data)
{
  return (keyval == GDK_KEY_F6 || keyval == GDK_KEY_F8) &&
         on_key_unused (controller, keyval, keycode, state, user_data);
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
  /* Panes, text and menus use some keys of the debugger, of the check and of the history
   * themselves, so these actions get them first. */
  GtkEventController *first = gtk_shortcut_controller_new ();

  /* GTK runs the controllers of a widget in reverse order: this one is the last. */
  add_key_controller (self, GTK_PHASE_BUBBLE, G_CALLBACK (on_key_unused));
  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    {
      g_auto (GStrv) keys = g_strsplit (actions[i].keys, "|", -1);

      for (char **key = keys; *key != NULL; key++)
        {
          if (**key != '\0')
            add_key (g_str_has_prefix (actions[i].name, "win.debug") ||
                             g_str_has_prefix (actions[i].name, "win.check") ||
                             g_str_has_prefix (actions[i].name, "win.selection")
                         ? GTK_SHORTCUT_CONTROLLER (first)
                         : shortcuts,
                     *key, actions[i].name, NULL);
        }
    }
  add_key (shortcuts, "1", "win.page", "script");
  add_key (shortcuts, "2", "win.page", "ir");
  add_key (shortcuts, "3", "win.page", "diff");
  add_key (shortcuts, "4", "win.page", "cuda");
  gtk_widget_add_controller (GTK_WIDGET (self), controller);
  add_key_controller (self, GTK_PHASE_CAPTURE, G_CALLBACK (on_key_of_paned));
  gtk_event_controller_set_propagation_phase (first, GTK_PHASE_CAPTURE);
  gtk_widget_add_controller (GTK_WIDGET (self), first);
  add_key_controller (self, GTK_PHASE_CAPTURE, G_CALLBACK (on_key_first));
  add_key_controller (self, GTK_PHASE_BUBBLE, G_CALLBACK (on_key_last));
  hir_window_update_actions (self);
}

void
hir_window_update_actions (HirWindow *self)
{
  static const char *const of_trace[] = { "win.timeline-fold",
                                          "win.mark",
                                          "win.list-marks",
                                          "win.explain",
                                          "win.timeline-path",
                                          "win.shade-exposed",
                                          "win.shade-idle",
                                          "win.shade-waiting",
                                          "win.next-lost-time",
                                          "win.previous-lost-time",
                                          "win.events",
                                          "win.events-sql",
                                          "win.events-save",
                                          "win.event-next-same",
                                          "win.event-previous-same",
                                          "win.event-find-same",
                                          "win.event-list-same",
                                          "win.event-zoom",
                                          "win.event-launch",
                                          "win.event-copy" };
  GtkWidget *widget = GTK_WIDGET (self);
  HirProgram *program = hir_document_get_program (self->document);
  HirTrace *trace = hir_document_get_trace (self->document);
  /* A partially loaded trace must not be saved as if it were complete. */
  gboolean running =
      hir_document_get_is_running (self->document) || hir_document_get_is_partial (self->document);
  gboolean in_workspace = hir_window_in_workspace (self);
  HirRankPrograms *ranks = hir_selection_get_ranks (self->selection);
  gboolean has_ranks = ranks != NULL && ranks->programs->len > 1;
  gboolean can_run = in_workspace && hir_window_has_passes (self);
  guint n_runs = hir_run_history_get_n (hir_document_get_runs (self->document));
  g_autofree char *advice = hir_document_dup_no_recording (self->document);

  hir_selection_set_advice (self->selection, advice);
  hir_window_update_bottom (self);
  hir_window_update_edit_actions (self, in_workspace);
  hir_window_update_attach_actions (self, in_workspace);
  hir_debug_controller_update_actions (self->debugger, in_workspace);
  hir_stats_page_set_is_partial (self->stats, hir_document_get_is_partial (self->document));
  gtk_widget_set_visible (self->debug, can_run);
  gtk_widget_action_set_enabled (widget, "win.next-rank", in_workspace && has_ranks);
  gtk_widget_action_set_enabled (widget, "win.previous-rank", in_workspace && has_ranks);
  gtk_widget_action_set_enabled (widget, "win.run",
                                 in_workspace && !running && hir_document_can_run (self->document));
  gtk_widget_action_set_enabled (widget, "win.run-baseline", in_workspace && can_run);
  gtk_widget_action_set_enabled (widget, "win.check", can_run && program != NULL);
  gtk_widget_action_set_enabled (widget, "win.stop", hir_document_get_is_running (self->document));
  gtk_widget_action_set_enabled (widget, "win.find", in_workspace);
  for (guint i = 0; i < G_N_ELEMENTS (of_trace); i++)
    gtk_widget_action_set_enabled (widget, of_trace[i], in_workspace && trace != NULL);
  gtk_widget_action_set_enabled (widget, "win.compare-trace",
                                 in_workspace && trace != NULL && !running);
  gtk_widget_action_set_enabled (widget, "win.compare-previous",
                                 in_workspace && n_runs > 1 && !running);
  gtk_widget_action_set_enabled (widget, "win.runs", in_workspace);
  gtk_widget_action_set_enabled (widget, "win.run-leave",
                                 in_workspace && hir_document_shows_run (self->document));
  gtk_widget_action_set_enabled (widget, "win.run-both", in_workspace && n_runs > 0 && !running);
  gtk_widget_action_set_enabled (widget, "win.predict",
                                 in_workspace && trace != NULL && !running && program != NULL &&
                                     program->request != NULL);
  gtk_widget_action_set_enabled (widget, "win.save", trace != NULL && !running);
  gtk_widget_action_set_enabled (widget, "win.export", program != NULL && !running);
  gtk_widget_action_set_enabled (widget, "win.export-program",
                                 program != NULL && !running && hir_window_has_passes (self));
  gtk_widget_action_set_enabled (widget, "win.copy-graph", hir_window_has_passes (self));
  gtk_widget_action_set_enabled (widget, "win.cancel-export",
                                 hir_export_controller_is_writing (self->export_controller));
  gtk_widget_action_set_enabled (widget, "win.keep-loaded",
                                 hir_document_get_is_partial (self->document));
  gtk_widget_set_sensitive (self->export, in_workspace && program != NULL &&
                                              !hir_document_get_is_partial (self->document));
  gtk_widget_set_visible (self->history_buttons, in_workspace);
  hir_window_update_history (self);
  gtk_widget_set_visible (GTK_WIDGET (self->run), can_run);
  hir_run_controls_set_visible (&self->run_controls, can_run);
  gtk_widget_set_visible (self->program_menu,
                          can_run && hir_document_get_edit (self->document) != NULL);
  gtk_widget_set_visible (self->export, in_workspace);
  hir_names_queue (GTK_WINDOW (self));
}
