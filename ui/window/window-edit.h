/* Actions that change the program: passes, options, script, undo and redo. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* `win.pass-enable`: enables or disables a pass; @parameter is its name and the state. */
void hir_window_enable_pass (HirWindow *self, GVariant *parameter, int argument);

/* `win.pass-option`: sets an option; @parameter is pass, option and value. */
void hir_window_set_option (HirWindow *self, GVariant *parameter, int argument);

/* `win.pipeline`: lowers by the pipeline @parameter, "executor" or "hostir". */
void hir_window_set_pipeline (HirWindow *self, GVariant *parameter, int argument);

/* `win.switch-pipeline`: lowers by the other pipeline. */
void hir_window_switch_pipeline (HirWindow *self, GVariant *parameter, int argument);

/* `win.toggle-pass`: enables or disables the focused pass. */
void hir_window_toggle_pass (HirWindow *self, GVariant *parameter, int argument);

/* `win.pass-options`: opens the options of the focused pass. */
void hir_window_open_pass_options (HirWindow *self, GVariant *parameter, int argument);

/* Returns why @action is disabled and how to make it possible, or NULL if there is no more to say.
 */
const char *hir_window_get_reason (HirWindow *self, const char *action);

/* `win.choose-parameters` (s): lowers the function with the parameters that @parameter names, as
 * FUNCTION[ID]. */
void hir_window_choose_parameters (HirWindow *self, GVariant *parameter, int argument);
/* `win.parameters`: opens the menu of parameters. */
void hir_window_open_parameters (HirWindow *self, GVariant *parameter, int argument);
/* `win.devices`, `win.inputs`: opens the menu of devices and inputs; @argument: at the inputs. */
void hir_window_open_program_menu (HirWindow *self, GVariant *parameter, int argument);
/* `win.default-passes`: resets all passes and options. */
void hir_window_default_passes (HirWindow *self, GVariant *parameter, int argument);

/* `win.copy-command`: copies the equivalent command line to the clipboard. */
void hir_window_copy_command (HirWindow *self, GVariant *parameter, int argument);

/* `win.undo`: undoes the last change of script, passes or options, or the deletion of a run or a
 * mark. */
void hir_window_undo (HirWindow *self, GVariant *parameter, int argument);

/* `win.redo`: redoes the last change that was undone. */
void hir_window_redo (HirWindow *self, GVariant *parameter, int argument);

/* `win.find-pass`: opens the search in the list of passes. */
void hir_window_find_pass (HirWindow *self, GVariant *parameter, int argument);

/* `win.hide-quiet`: hides or shows passes without effect. */
void hir_window_toggle_quiet (HirWindow *self, GVariant *parameter, int argument);

/* `win.first-touch`: selects the first, then the next pass that changed the selected node. */
void hir_window_first_touch (HirWindow *self, GVariant *parameter, int argument);

/* `win.show-rejected`: switches between the rejected program and the one before it. */
void hir_window_show_rejected (HirWindow *self, GVariant *parameter, int argument);

/* `win.edit`: makes the displayed text editable or read-only. */
void hir_window_toggle_editing (HirWindow *self, GVariant *parameter, int argument);

G_END_DECLS
