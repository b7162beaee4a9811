#include "window/window-edit.h"

#include "document/document-edit.h"
#include "passes/pass-list.h"
#include "passes/program-menu.h"
#include "program/program-dump.h"
#include "program/request-edit.h"
#include "selection/changing-pass.h"
#include "window/debug-controller.h"
#include "window/outdated-strip.h"
#include "window/parameter-menu.h"
#include "window/runs-controller.h"
#include "window/window-open.h"
#include "window/window-private.h"

/* Returns the request whose passes can be changed, or NULL. */
static HirRequest *
get_edit (HirWindow *self)
{
  HirRequest *request = hir_document_get_edit (self->document);

  return request != NULL && !hir_program_is_dump (request->source) ? request : NULL;
}

/* Passes of an earlier run are only displayed. Returns TRUE if one is, and says so. */
static gboolean
shows_run (HirWindow *self)
{
  if (hir_document_shows_run (self->document))
    hir_window_toast (self, "These are the passes of the displayed run; press Show Current to "
                            "change them");
  return hir_document_shows_run (self->document);
}

void
hir_window_enable_pass (HirWindow *self, GVariant *parameter, int argument)
{
  g_autoptr (HirRequest) request = NULL;
  g_autofree char *what = NULL;
  const char *pass;
  gboolean enabled;

  if (get_edit (self) == NULL)
    return;
  g_variant_get (parameter, "(&sb)", &pass, &enabled);
  request = hir_request_with_pass (get_edit (self), pass, enabled);
  what = g_strdup_printf ("%s %s", pass, enabled ? "on" : "off");
  hir_document_edit (self->document, request, what);
}

void
hir_window_set_option (HirWindow *self, GVariant *parameter, int argument)
{
  g_autoptr (HirRequest) request = NULL;
  g_autoptr (GError) error = NULL;
  g_autofree char *what = NULL;
  const char *pass, *option, *value;

  if (get_edit (self) == NULL)
    return;
  g_variant_get (parameter, "(&s&s&s)", &pass, &option, &value);
  request = hir_request_with_option (get_edit (self), pass, option, value, &error);
  if (request == NULL)
    {
      hir_window_toast (self, error->message);
      return;
    }
  what = g_strdup_printf ("%s.%s=%s", pass, option, value);
  hir_document_edit (self->document, request, what);
}

static void
change_pipeline (HirWindow *self, HirPipelineKind kind)
{
  g_autoptr (HirRequest) request = hir_request_with_pipeline (get_edit (self), kind);
  g_autofree char *what =
      g_strdup_printf ("Pipeline %s", kind == HIR_PIPELINE_HOSTIR ? "Host IR" : "Executor");

  hir_document_edit (self->document, request, what);
}

void
hir_window_set_pipeline (HirWindow *self, GVariant *parameter, int argument)
{
  const char *name = g_variant_get_string (parameter, NULL);
  const char *hostir = hir_pipeline_kind_get_name (HIR_PIPELINE_HOSTIR);

  if (get_edit (self) != NULL)
    change_pipeline (self,
                     g_str_equal (name, hostir) ? HIR_PIPELINE_HOSTIR : HIR_PIPELINE_EXECUTOR);
}

void
hir_window_switch_pipeline (HirWindow *self, GVariant *parameter, int argument)
{
  HirRequest *request = get_edit (self);

  if (request != NULL && !shows_run (self))
    change_pipeline (self, request->pipeline == HIR_PIPELINE_HOSTIR ? HIR_PIPELINE_EXECUTOR
                                                                    : HIR_PIPELINE_HOSTIR);
}

void
hir_window_choose_parameters (HirWindow *self, GVariant *parameter, int argument)
{
  const char *function = g_variant_get_string (parameter, NULL);
  g_autoptr (HirRequest) request = NULL;

  if (get_edit (self) == NULL)
    return;
  request = hir_request_with_function (get_edit (self), function);
  hir_document_edit (self->document, request, function);
}

void
hir_window_open_parameters (HirWindow *self, GVariant *parameter, int argument)
{
  if (gtk_widget_get_visible (self->parameters))
    gtk_menu_button_popup (GTK_MENU_BUTTON (self->parameters));
  else
    gtk_widget_activate_action (GTK_WIDGET (self), "win.palette", NULL);
}

void
hir_window_open_program_menu (HirWindow *self, GVariant *parameter, int argument)
{
  hir_program_menu_open (self->program_menu, argument);
}

void
hir_window_toggle_pass (HirWindow *self, GVariant *parameter, int argument)
{
  if (!shows_run (self))
    hir_pass_list_toggle_pass (HIR_PASS_LIST (self->passes));
}

void
hir_window_open_pass_options (HirWindow *self, GVariant *parameter, int argument)
{
  if (!shows_run (self) && !hir_pass_list_open_options (HIR_PASS_LIST (self->passes)))
    hir_window_toast (self, "This pass has no options");
}

void
hir_window_default_passes (HirWindow *self, GVariant *parameter, int argument)
{
  g_autoptr (HirRequest) request = NULL;

  if (get_edit (self) == NULL || shows_run (self))
    return;
  request = hir_request_with_default_passes (get_edit (self));
  hir_document_edit (self->document, request, "Reset passes");
}

void
hir_window_copy_command (HirWindow *self, GVariant *parameter, int argument)
{
  HirRequest *request = hir_document_get_edit (self->document);
  g_autofree char *words = NULL;
  g_autofree char *command = NULL;

  if (request == NULL)
    return;
  words = hir_request_dup_words (request);
  command = g_strconcat ("hirscope ", words, NULL);
  gdk_clipboard_set_text (gtk_widget_get_clipboard (GTK_WIDGET (self)), command);
  hir_window_toast (self, command);
}

/* Flushes pending text first, so that it can be undone. */
void
hir_window_undo (HirWindow *self, GVariant *parameter, int argument)
{
  hir_script_text_flush (hir_text_pane_get_script (self->text));
  /* It may say what is undone. */
  hir_window_dismiss_toast (self);
  hir_document_undo (self->document);
}

void
hir_window_redo (HirWindow *self, GVariant *parameter, int argument)
{
  hir_script_text_flush (hir_text_pane_get_script (self->text));
  hir_document_redo (self->document);
}

/* --- text
 * --------------------------------------------------------------------------------------- */

/* Returns the warnings of @program (nullable): HirDiagnostic* borrowed from it. */
static GPtrArray *
dup_warnings (const HirProgram *program)
{
  GPtrArray *warnings = g_ptr_array_new ();

  for (guint i = 0; program != NULL && i < program->notes->len; i++)
    if (((const HirDiagnostic *) program->notes->pdata[i])->code == HIR_WARNING)
      g_ptr_array_add (warnings, program->notes->pdata[i]);
  return warnings;
}

void
hir_window_show_source (HirWindow *self)
{
  HirRequest *request = hir_document_get_request (self->document);
  HirProgram *program = hir_document_get_program (self->document);
  GPtrArray *diagnostics = hir_document_get_diagnostics (self->document);
  g_autoptr (GPtrArray) refusal = NULL;
  g_autoptr (GPtrArray) warnings = dup_warnings (program);
  const char *function;

  /* A pass rejected the document that was opened. */
  if (diagnostics->len == 0 && program != NULL && program->error != NULL)
    {
      refusal = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_diagnostic_free);
      g_ptr_array_add (refusal, hir_diagnostic_new_from_error (program->error));
      diagnostics = refusal;
    }
  if (diagnostics->len == 0)
    diagnostics = warnings;
  function = request != NULL && request->function != NULL  ? request->function
             : program != NULL && program->request != NULL ? program->request->function
                                                           : NULL;
  hir_text_pane_set_source (self->text, request != NULL ? request->source : NULL,
                            request != NULL ? function : NULL,
                            request != NULL ? diagnostics : NULL);
  hir_parameter_menu_update (self->parameters, request, function);
}

static void
on_text_changed (HirWindow *self, const char *text)
{
  HirRequest *request = hir_document_get_edit (self->document);
  g_autoptr (HirRequest) changed = NULL;

  if (request == NULL)
    return;
  changed = hir_request_with_text (request, NULL, text);
  hir_document_edit (self->document, changed, "Edit of the script");
}

static void
leave (HirWindow *self)
{
  hir_text_pane_set_editing (self->text, FALSE);
  hir_pass_list_focus (HIR_PASS_LIST (self->passes));
}

/* Opens a copy of the displayed host program in a new window. The script, its passes and its runs
 * stay in this one. */
static void
edit_program (HirWindow *self)
{
  HirProgramView *view = hir_selection_get_view (self->selection);
  g_autoptr (HirRequest) request = NULL;
  g_autofree char *what = NULL;

  /* The click has changed the state of the button. */
  hir_text_pane_set_editing (self->text, FALSE);
  if (view == NULL || !view->is_host)
    {
      hir_text_pane_show (self->text, "script");
      hir_text_pane_set_editing (self->text, TRUE);
      hir_window_toast (self, "A fusion is edited in its script, a host program as a copy");
      return;
    }
  request = hir_request_with_printed (hir_document_get_request (self->document), view->pass_name,
                                      view->text);
  what = g_strdup_printf ("Editable copy of the program after %s; the original stays open in its "
                          "own window",
                          view->pass_name);
  hir_window_open_copy (self, request, what);
}

void
hir_window_toggle_editing (HirWindow *self, GVariant *parameter, int argument)
{
  if (g_str_equal (hir_text_pane_get_page (self->text), "ir"))
    {
      edit_program (self);
      return;
    }
  hir_document_leave_run (self->document);
  if (hir_text_pane_get_editing (self->text) &&
      g_str_equal (hir_text_pane_get_page (self->text), "script"))
    leave (self);
  else
    hir_text_pane_set_editing (self->text, TRUE);
}

void
hir_window_edit_connect (HirWindow *self)
{
  HirScriptText *script = hir_text_pane_get_script (self->text);

  self->outdated = hir_outdated_strip_new (self->document);
  gtk_box_append (hir_text_pane_get_strip (self->text), self->outdated);
  g_signal_connect_swapped (script, "changed", G_CALLBACK (on_text_changed), self);
  g_signal_connect_swapped (script, "leave", G_CALLBACK (leave), self);
}

void
hir_window_find_pass (HirWindow *self, GVariant *parameter, int argument)
{
  hir_pass_list_find (HIR_PASS_LIST (self->passes));
}

void
hir_window_toggle_quiet (HirWindow *self, GVariant *parameter, int argument)
{
  hir_pass_list_toggle_quiet (HIR_PASS_LIST (self->passes));
  hir_window_update (self);
}

/* Selects the first pass that changed the node; from there the next one, and wraps around. */
void
hir_window_first_touch (HirWindow *self, GVariant *parameter, int argument)
{
  int step = (int) hir_selection_get_step (self->selection);
  int first = hir_selection_find_changing_pass (self->selection, 0);
  int found = first;
  g_autofree char *text = NULL;

  if (hir_selection_get_node (self->selection) == 0)
    {
      hir_window_toast (self, "Select a line or a box first");
      return;
    }
  for (int at = first; at >= 0 && at <= step;
       at = hir_selection_find_changing_pass (self->selection, at))
    if (at == step)
      found = hir_selection_find_changing_pass (self->selection, at);
  if (first < 0)
    {
      hir_window_toast (self, "No pass changed the selected node");
      return;
    }
  if (found < 0)
    found = first;
  hir_selection_set_step (self->selection, (guint) found);
  hir_text_pane_show (self->text, "diff");
  text = g_strdup_printf ("%s %s", hir_selection_get_view (self->selection)->pass_name,
                          found == first ? "changed it first" : "changed it again");
  hir_window_toast (self, text);
}

void
hir_window_show_rejected (HirWindow *self, GVariant *parameter, int argument)
{
  hir_document_show_rejected (self->document, !hir_document_shows_rejected (self->document));
}

void
hir_window_update_edit_actions (HirWindow *self, gboolean in_workspace)
{
  HirPassList *passes = HIR_PASS_LIST (self->passes);
  HirDocument *document = self->document;
  HirProgram *program = hir_document_get_program (document);
  gboolean can_edit = in_workspace && hir_document_get_edit (document) != NULL;
  gboolean has_passes = in_workspace && get_edit (self) != NULL;
  const struct
  {
    const char *name;
    gboolean enabled;
  } actions[] = {
    { "win.next-step", in_workspace && hir_pass_list_get_next (passes, 1) >= 0 },
    { "win.previous-step", in_workspace && hir_pass_list_get_next (passes, -1) >= 0 },
    { "win.toggle-pass", has_passes },
    { "win.pass-options", has_passes },
    { "win.pipeline", has_passes },
    { "win.switch-pipeline", has_passes },
    { "win.default-passes", has_passes },
    { "win.copy-command", can_edit },
    { "win.devices", has_passes },
    { "win.inputs", can_edit },
    { "win.bisect", can_edit && program != NULL && (has_passes || program->views->len > 1) },
    { "win.bisect-ask", in_workspace },
    { "win.find-pass", in_workspace },
    { "win.hide-quiet", in_workspace },
    { "win.first-touch", in_workspace },
    { "win.edit", can_edit },
    { "win.edit-axis", can_edit },
    { "win.axis-menu", in_workspace },
    { "win.choose-parameters", has_passes },
    { "win.parameters", has_passes },
    { "win.save-any", in_workspace },
    { "win.save-text", can_edit },
    { "win.save-text-as", can_edit },
    { "win.undo", in_workspace && hir_document_get_undo (document) != NULL },
    { "win.redo", in_workspace && hir_document_get_redo (document) != NULL },
    { "win.run-restore", hir_runs_controller_can_restore (self->runs) },
  };

  for (guint i = 0; i < G_N_ELEMENTS (actions); i++)
    gtk_widget_action_set_enabled (GTK_WIDGET (self), actions[i].name, actions[i].enabled);
}

/* Returns why @action, which changes passes or searches them, is disabled, or NULL. */
static const char *
get_reason_of_passes (HirWindow *self, const char *action)
{
  static const char *const of_passes[] = { "win.toggle-pass",     "win.pass-options",
                                           "win.switch-pipeline", "win.parameters",
                                           "win.devices",         "win.bisect",
                                           "win.bisect-ask",      "win.edit",
                                           "win.inputs",          NULL };
  HirRequest *request = hir_document_get_edit (self->document);

  if (!g_strv_contains (of_passes, action))
    return NULL;
  if (!hir_window_has_passes (self))
    return "A trace has no program to change or search; attach one with Ctrl+J";
  if (request == NULL)
    return "The document has no script to change";
  if (!hir_program_is_dump (request->source))
    return "No valid program; fix or undo the error in the script first";
  if (g_str_equal (action, "win.bisect"))
    return "A printed program has no passes to search; Ctrl+F6 finds its first incorrect result, "
           "and hirscope bisect --against SCRIPT compares it with a fusion";
  return "A printed program has no passes, functions or devices to change; open its script";
}

const char *
hir_window_get_reason (HirWindow *self, const char *action)
{
  static const struct
  {
    const char *prefix, *reason;
  } reasons[] = {
    { "win.undo", "Nothing to undo" },
    { "win.redo", "Nothing to redo" },
    { "win.next-rank", "All ranks run the displayed program" },
    { "win.previous-rank", "All ranks run the displayed program" },
    { "win.stop", "Nothing is running" },
    { "win.cancel-export", "Nothing is being exported" },
    { "win.debug", "No program is being debugged; F6 starts the debugger" },
    { "win.selection-back", "No earlier selection" },
    { "win.selection-forward", "No later selection" },
    { "win.compare-previous", "No earlier run to compare with; change an option and run again" },
    { "win.attach", "The program and the trace belong together already" },
  };
  static const char *const of_trace[] = { "win.timeline-", "win.mark",         "win.list-marks",
                                          "win.explain",   "win.shade-",       "win.next-lost",
                                          "win.events",    "win.event-",       "win.previous-lost",
                                          "win.predict",   "win.compare-trace" };
  const char *reason = get_reason_of_passes (self, action);

  if (reason != NULL)
    return reason;
  if (g_str_equal (action, "win.run") || g_str_equal (action, "win.check") ||
      g_str_equal (action, "win.debug"))
    return hir_document_get_obstacle (self->document);
  if (g_str_equal (action, "win.debug-pause") && hir_debug_controller_is_debugging (self->debugger))
    return "The program is stopped already";
  for (guint i = 0; i < G_N_ELEMENTS (reasons); i++)
    if (g_str_has_prefix (action, reasons[i].prefix))
      return reasons[i].reason;
  for (guint i = 0; i < G_N_ELEMENTS (of_trace); i++)
    if (g_str_has_prefix (action, of_trace[i]))
      return hir_document_get_trace (self->document) == NULL
                 ? hir_selection_get_advice (self->selection)
                 : "Wait for the end of the run";
  return NULL;
}
