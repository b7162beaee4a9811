#include "window/palette-items.h"

#include "base/recent.h"
#include "document/document-edit.h"
#include "window/check-controller.h"
#include "window/parameter-menu.h"
#include "window/window-private.h"

#define MAX_RECENT 20

typedef struct
{
  const char *action, *title;
} Title;

static const Title titles[] = {
  { "win.run", "Run" },
  { "win.run-baseline", "Measure each instruction alone after the run, or not" },
  { "win.stop", "Stop the run" },
  { "win.runs", "Runs: show, compare, pin" },
  { "win.compare-previous", "Compare with the previous run" },
  { "win.run-both", "Run with the old and the new options and compare" },
  { "win.run-restore", "Restore the deleted run" },
  { "win.run-leave", "Show the current program instead of an earlier run" },
  { "win.next-step", "Next pass" },
  { "win.previous-step", "Previous pass" },
  { "win.next-rank", "Show the program of the next ranks" },
  { "win.previous-rank", "Show the program of the previous ranks" },
  { "win.open", "Open a script or a recording" },
  { "win.gallery", "Gallery of examples" },
  { "win.find", "Find in the text or the timeline" },
  { "win.page::script", "Show the script" },
  { "win.page::ir", "Show the program text" },
  { "win.page::diff", "Show the difference from the previous pass" },
  { "win.page::cuda", "Show the CUDA C of the selection" },
  { "win.clear-selection", "Clear selection and range" },
  { "win.graph-zoom-in", "Zoom in the graph" },
  { "win.graph-zoom-out", "Zoom out the graph" },
  { "win.graph-fit", "Show all of the graph" },
  { "win.timeline-zoom-in", "Zoom in the timeline" },
  { "win.timeline-zoom-out", "Zoom out the timeline" },
  { "win.timeline-fit", "Show all of the timeline" },
  { "win.timeline-fold", "Fold or unfold all ranks" },
  { "win.explain", "Explain where the time went" },
  { "win.predict", "Predict the run with changes\xe2\x80\xa6" },
  { "win.events", "Events table" },
  { "win.events-sql", "Query the trace by SQL" },
  { "win.events-save", "Save the rows of the events table" },
  { "win.event-next-same", "Select the next event of the same name" },
  { "win.event-previous-same", "Select the previous event of the same name" },
  { "win.event-find-same", "Find all events of the same name" },
  { "win.event-list-same", "List all events of the same name" },
  { "win.event-launch", "Select the launch, or the launched work" },
  { "win.event-zoom", "Zoom to the event" },
  { "win.selection-back", "Go back to the previous selection" },
  { "win.selection-forward", "Go forward to the next selection" },
  { "win.timeline-path", "Show or hide the critical path" },
  { "win.shade-exposed", "Shade exposed communication and copies" },
  { "win.shade-idle", "Shade idle gaps" },
  { "win.shade-waiting", "Shade waiting for other ranks" },
  { "win.next-lost-time", "Go to the next lost time" },
  { "win.previous-lost-time", "Go to the previous lost time" },
  { "win.save", "Save the recording" },
  { "win.export::chrome", "Export a Chrome trace" },
  { "win.export::perfetto", "Export a Perfetto trace" },
  { "win.export::nsight", "Export tables for Nsight Systems" },
  { "win.export::csv", "Export all events as CSV" },
  { "win.export::html", "Export a report (HTML)" },
  { "win.export::explanation", "Export the explanation (text or JSON)" },
  { "win.cancel-export", "Cancel the export" },
  { "win.export::timeline", "Export the timeline as SVG, PDF or PNG" },
  { "win.export-program::graph", "Export the graph as SVG, PDF or PNG" },
  { "win.export-program::text", "Export the program text" },
  { "win.save-cuda", "Save the CUDA C of the selection" },
  { "win.copy-timeline", "Copy a picture of the timeline" },
  { "win.copy-graph", "Copy a picture of the graph" },
  { "win.toggle-passes", "Show or hide the passes" },
  { "win.toggle-inspector", "Show or hide the inspector" },
  { "win.toggle-timeline", "Show or hide the timeline" },
  { "win.text-wrap", "Wrap long lines of text" },
  { "win.text-abbreviate", "Hide or show domains and meshes in program text" },
  { "win.maximize-pane", "Maximize the pane, or show all panes" },
  { "win.preferences", "Preferences" },
  { "win.tour", "Take the tour" },
  { "win.shortcuts", "Keyboard shortcuts" },
  { "win.close", "Close the window" },
  { "app.about", "About Hirscope" },
  { "app.quit", "Quit" },
  { "app.style::light", "Light style" },
  { "app.style::dark", "Dark style" },
  { "app.style::default", "System style" },
  { "win.undo", "Undo the last change" },
  { "win.redo", "Redo the last change" },
  { "win.toggle-pass", "Enable or disable the pass" },
  { "win.pass-options", "Open the options of the pass" },
  { "win.default-passes", "Reset all passes and options" },
  { "win.switch-pipeline", "Lower by the other pipeline" },
  { "win.parameters", "Choose the function or its parameters" },
  { "win.devices", "Set the number of devices" },
  { "win.inputs", "Set the shapes (sizes) of the inputs" },
  { "win.copy-command", "Copy the equivalent command" },
  { "win.find-pass", "Find a pass" },
  { "win.hide-quiet", "Hide or show passes without effect" },
  { "win.first-touch", "Go to the first pass that changed the selection" },
  { "win.show-rejected", "Show the rejected program" },
  { "win.edit", "Edit the script" },
  { "win.cancel-loading", "Cancel loading or lowering" },
  { "win.keep-loaded", "Stop loading and keep the events read so far" },
  { "win.graph-stop-layout", "Cancel the layout of the graph" },
  { "win.graph-lanes", "Switch between graph and lanes" },
  { "win.graph-diff", "Highlight differences in the graph" },
  { "win.graph-near", "Show only nodes near the selection" },
  { "win.graph-near-more", "Show more nodes near the selection" },
  { "win.graph-near-less", "Show fewer nodes near the selection" },
  { "win.graph-near-direction", "Near: both directions, before, or after" },
  { "win.graph-fold", "Fold or unfold the loop in the graph" },
  { "win.graph-unfold-all", "Unfold all loops in the graph" },
  { "win.mark", "Set a mark in the timeline" },
  { "win.list-marks", "List the marks of the timeline" },
  { "win.text-fold", "Fold or unfold the loop in the text" },
  { "win.text-unfold-all", "Unfold all loops in the text" },
  { "win.graph-mark", "Highlight the selection" },
  { "win.graph-unmark", "Remove the highlight of the selection" },
  { "win.graph-card", "Show the card of the selection" },
  { "win.graph-legend", "Show or hide the legend of the graph" },
  { "win.graph-map", "Show or hide the map of the graph" },
  { "win.animate", "Turn animation on or off" },
  { "win.debug", "Debug the program" },
  { "win.debug-continue", "Debug: continue to the next breakpoint" },
  { "win.debug-pause", "Debug: pause" },
  { "win.debug-into", "Debug: step into" },
  { "win.debug-over", "Debug: step over" },
  { "win.debug-finish", "Debug: step out of the loop" },
  { "win.debug-back", "Debug: step back one instruction" },
  { "win.debug-back-iteration", "Debug: go back to the start of the iteration" },
  { "win.debug-stop", "Debug: end the run" },
  { "win.debug-restart", "Debug: start again with the options of the header bar" },
  { "win.find-wrong", "Debug: find the first incorrect result" },
  { "win.debug-close", "Debug: close the panel" },
  { "win.break", "Toggle a breakpoint on the selected instruction" },
  { "win.watch", "Watch an expression in the debugger" },
  { "win.check", "Check synchronization" },
  { "win.check-close", "Close the synchronization check" },
  { "win.compare", "Compare with another step\xe2\x80\xa6" },
  { "win.compare-end", "Compare with the previous step again" },
  { "win.side-by-side", "Show differences side by side or inline" },
  { "win.next-difference", "Next difference" },
  { "win.previous-difference", "Previous difference" },
  { "win.axis-menu", "Change the schedule of an axis" },
  { "win.bisect", "Bisect: find the first incorrect pass" },
  { "win.bisect-ask", "Bisect by pattern\xe2\x80\xa6" },
  { "win.bisect-stop", "Cancel the bisection" },
  { "win.bisect-diff", "Show the changes of the pass that was found" },
  { "win.check-cancel", "Cancel the synchronization check" },
  { "win.attach-trace", "Attach a trace of another profiler to the program\xe2\x80\xa6" },
  { "win.attach-program", "Attach the program to the trace\xe2\x80\xa6" },
  { "win.compare-trace", "Compare with another recording" },
  { "win.save-any", "Save the text or the recording" },
  { "win.save-text", "Save the text" },
  { "win.save-text-as", "Save the text under another name" },
};

/* Other words for an action, in lower case; what they begin with finds the action. */
static const Title other_words[] = {
  { "win.run", "execute start measure record" },
  { "win.explain",
    "overlap idle exposed slow bottleneck critical path lost time why wait stall profile" },
  { "win.timeline-path", "bottleneck longest" },
  { "win.shade-exposed", "overlap hidden communication bottleneck" },
  { "win.shade-idle", "gaps bubbles" },
  { "win.shade-waiting", "stragglers imbalance skew" },
  { "win.predict", "what if faster simulate estimate streams" },
  { "win.devices", "gpus ranks world processes mesh parameters" },
  { "win.inputs", "input dimensions parameters arguments" },
  { "win.parameters", "pytest parametrize arguments test def" },
  { "win.check", "race races hazards deadlock missing redundant verify" },
  { "win.debug", "step breakpoint" },
  { "win.find-wrong", "numerics mismatch nan error" },
  { "win.bisect", "numerics mismatch wrong regression" },
  { "win.compare-trace", "diff regression faster slower" },
  { "win.compare-previous", "diff regression faster slower" },
  { "win.switch-pipeline", "host ir executor" },
  { "win.export::timeline", "save picture image figure screenshot" },
  { "win.export-program::graph", "save picture image figure screenshot" },
  { "win.copy-timeline", "save image figure screenshot clipboard" },
  { "win.copy-graph", "save image figure screenshot clipboard" },
  { "win.export::html", "save share summary" },
  { "win.save", "store write hirs" },
  { "win.runs", "history earlier previous" },
  { "win.events", "kernels list rows" },
  { "win.events-sql", "database select tables" },
  { "win.preferences", "settings options theme font" },
  { "win.shortcuts", "help keys" },
  { "win.tour", "help introduction" },
  { "win.edit", "change source text" },
  { "win.attach-trace", "profiler kineto nsight join" },
  { "win.mark", "bookmark" },
  { "app.style::dark", "theme night" },
  { "app.style::light", "theme" },
};

static const char *
get_words (const char *action)
{
  for (guint i = 0; i < G_N_ELEMENTS (other_words); i++)
    if (g_str_equal (other_words[i].action, action))
      return other_words[i].title;
  return NULL;
}

/* Actions that end something, and what must be open for them. Their keys work without it. */
static gboolean
is_useful (HirWindow *window, const char *action)
{
  static const struct
  {
    const char *action;
    HirBottomTab tab;
  } of_tabs[] = {
    { "win.check-cancel", HIR_BOTTOM_CHECK },       { "win.check-close", HIR_BOTTOM_CHECK },
    { "win.debug-close", HIR_BOTTOM_DEBUGGER },     { "win.bisect-stop", HIR_BOTTOM_BISECT },
    { "win.bisect-diff", HIR_BOTTOM_BISECT },       { "win.find-wrong-end", HIR_BOTTOM_DEBUGGER },
    { "win.find-wrong-show", HIR_BOTTOM_DEBUGGER }, { "win.find-wrong-break", HIR_BOTTOM_DEBUGGER },
  };
  guint track, index;

  for (guint i = 0; i < G_N_ELEMENTS (of_tabs); i++)
    if (g_str_equal (of_tabs[i].action, action) &&
        !gtk_widget_get_visible (GTK_WIDGET (window->bottom.tabs[of_tabs[i].tab])))
      return FALSE;
  if (g_str_has_prefix (action, "win.event-"))
    return hir_selection_get_event (window->selection, &track, &index);
  if (g_str_equal (action, "win.graph-mark") || g_str_equal (action, "win.graph-unmark") ||
      g_str_equal (action, "win.graph-card") || g_str_equal (action, "win.first-touch"))
    return hir_selection_get_node (window->selection) != 0;
  if (g_str_equal (action, "win.cancel-loading"))
    return hir_document_get_is_lowering (window->document);
  if (g_str_equal (action, "win.show-rejected"))
    return hir_document_get_rejected (window->document) != NULL;
  if (g_str_equal (action, "win.restore-panes"))
    return window->layout.maximized != HIR_PANE_NONE;
  return !g_str_equal (action, "win.check-cancel") ||
         hir_check_page_get_is_busy (hir_check_controller_get_page (window->check));
}

/* Returns whether @action, a detailed name, is enabled. GTK has no query for actions of a widget
 * class, but disables a button with the action. */
static gboolean
can_activate (HirWindow *window, const char *action)
{
  GtkWidget *probe = gtk_button_new ();
  g_autofree char *name = NULL;
  g_autoptr (GVariant) target = NULL;
  gboolean is_enabled;

  gtk_widget_set_visible (probe, FALSE);
  gtk_overlay_add_overlay (window->overlay, probe);
  g_action_parse_detailed_name (action, &name, &target, NULL);
  gtk_actionable_set_action_target_value (GTK_ACTIONABLE (probe), target);
  gtk_actionable_set_action_name (GTK_ACTIONABLE (probe), name);
  is_enabled = gtk_widget_get_sensitive (probe);
  gtk_overlay_remove_overlay (window->overlay, probe);
  return is_enabled && is_useful (window, action);
}

static void
item_free (gpointer data)
{
  HirPaletteItem *item = data;

  g_free (item->title);
  g_free (item->detail);
  g_free (item->action);
  g_free (item->spec);
  g_free (item);
}

/* @detail: (transfer full). */
static HirPaletteItem *
add (GPtrArray *items, const char *kind, const char *title, char *detail)
{
  HirPaletteItem *item = g_new0 (HirPaletteItem, 1);

  item->kind = kind;
  item->title = g_strdup (title);
  item->detail = detail;
  item->step = -1;
  g_ptr_array_add (items, item);
  return item;
}

/* Returns a label such as "Ctrl+P" for the first key of @action, or NULL. */
static char *
dup_keys (HirGetKeysFunc get_keys, const char *action)
{
  const char *keys = get_keys (action);
  g_auto (GStrv) words = g_strsplit (keys != NULL ? keys : "", "|", 2);
  GdkModifierType modifiers;
  guint key;

  if (words[0] == NULL || *words[0] == '\0' || !gtk_accelerator_parse (words[0], &key, &modifiers))
    return NULL;
  return gtk_accelerator_get_label (key, modifiers);
}

static gboolean
has_title (const char *action)
{
  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    if (g_str_equal (titles[i].action, action))
      return TRUE;
  return FALSE;
}

/* Returns a title such as "Graph fit" for "win.graph-fit". */
static char *
title_of_name (const char *action)
{
  char *title = g_strdelimit (g_strdup (strchr (action, '.') + 1), "-", ' ');

  *title = g_ascii_toupper (*title);
  return title;
}

static void
add_action (GPtrArray *items,
            HirWindow *window,
            HirGetKeysFunc get_keys,
            const char *action,
            const char *title)
{
  HirPaletteItem *item;

  if (!can_activate (window, action))
    return;
  item = add (items, "Action", title, dup_keys (get_keys, action));
  item->action = g_strdup (action);
  item->words = get_words (action);
}

static void
add_actions (GPtrArray *items, HirWindow *window, HirGetKeysFunc get_keys)
{
  GtkWidgetClass *klass = GTK_WIDGET_GET_CLASS (window);
  const char *action, *property;
  const GVariantType *type;
  GType owner;

  for (guint i = 0; i < G_N_ELEMENTS (titles); i++)
    add_action (items, window, get_keys, titles[i].action, titles[i].title);
  for (guint i = 0; gtk_widget_class_query_action (klass, i, &owner, &action, &type, &property);
       i++)
    {
      g_autofree char *title = NULL;

      /* Skip the palette itself and actions of GTK. */
      if (owner != G_OBJECT_TYPE (window) || type != NULL || has_title (action) ||
          g_str_equal (action, "win.palette"))
        continue;
      title = title_of_name (action);
      add_action (items, window, get_keys, action, title);
    }
}

static void
add_nodes (GPtrArray *items, HirProgramView *view, guint step, GHashTable *seen)
{
  GHashTableIter iter;
  gpointer value;

  g_hash_table_iter_init (&iter, view->nodes);
  while (g_hash_table_iter_next (&iter, NULL, &value))
    {
      const HirNodeInfo *info = value;
      HirPaletteItem *item;

      if (g_str_equal (info->kind, "IterDomain") || !g_hash_table_add (seen, (gpointer) &info->id))
        continue;
      item = add (items, info->is_expr ? "Instruction" : "Tensor", info->label,
                  g_strdup (view->pass_name));
      item->step = (int) step;
      item->node = info->id;
    }
}

static void
add_program (GPtrArray *items, HirWindow *window)
{
  HirProgram *program = hir_selection_get_program (window->selection);
  guint step = hir_selection_get_step (window->selection);
  g_autoptr (GHashTable) seen = g_hash_table_new (g_int64_hash, g_int64_equal);

  if (program == NULL || program->views->len == 0)
    return;
  for (guint i = 0; i < program->views->len; i++)
    {
      const HirProgramView *view = program->views->pdata[i];
      HirPaletteItem *item =
          add (items, "Pass", view->pass_name, g_strdup (view->changed ? NULL : "changed nothing"));

      item->step = (int) i;
    }
  add_nodes (items, program->views->pdata[step], step, seen);
  add_nodes (items, program->views->pdata[program->views->len - 1], program->views->len - 1, seen);
}

/* Those of built-in examples are listed as examples. */
static void
add_functions (GPtrArray *items, HirWindow *window)
{
  HirRequest *request = hir_document_get_edit (window->document);
  g_auto (GStrv) names = hir_parameter_menu_dup_functions (request);

  if (request == NULL || !g_file_test (request->source->path, G_FILE_TEST_EXISTS))
    return;
  for (guint i = 0; names[i] != NULL; i++)
    add (items, "Function", names[i], NULL)->action =
        g_strconcat ("win.choose-parameters::", names[i], NULL);
}

static void
add_files (GPtrArray *items, HirWindow *window)
{
  g_autoptr (GPtrArray) recent = hir_recent_dup (MAX_RECENT);

  for (guint i = 0; i < window->host->n_cards; i++)
    add (items, "Example", window->host->cards[i].title, NULL)->spec =
        g_strdup (window->host->cards[i].spec);
  for (guint i = 0; i < recent->len; i++)
    {
      const HirRecent *file = g_ptr_array_index (recent, i);

      add (items, "Recent file", file->name, g_path_get_dirname (file->path))->spec =
          g_strdup (file->path);
    }
}

GPtrArray *
hir_palette_items_new (HirWindow *window, HirGetKeysFunc get_keys)
{
  GPtrArray *items = g_ptr_array_new_with_free_func (item_free);

  add_actions (items, window, get_keys);
  add_program (items, window);
  add_functions (items, window);
  add_files (items, window);
  return items;
}

void
hir_palette_item_activate (const HirPaletteItem *item, HirWindow *window)
{
  g_autofree char *name = NULL;
  g_autoptr (GVariant) target = NULL;

  if (item->step >= 0)
    hir_selection_set_step (window->selection, (guint) item->step);
  if (item->node != 0)
    hir_selection_set_node (window->selection, item->node);
  if (item->spec != NULL)
    gtk_widget_activate_action (GTK_WIDGET (window), "win.open-path", "s", item->spec);
  if (item->action != NULL && g_action_parse_detailed_name (item->action, &name, &target, NULL))
    gtk_widget_activate_action_variant (GTK_WIDGET (window), name, target);
}
