/* Actions of the run history, and the offer to run before and after a change. */
#pragma once

#include "window/window-private.h"

G_BEGIN_DECLS

/* Creates the controller. Call after the window was built. Free with
 * hir_runs_controller_free(). */
HirRunsController *hir_runs_controller_new (HirWindow *window);
void hir_runs_controller_free (HirRunsController *self);

/* Saves all pinned runs that are only in the cache to a folder that the user chooses, then closes
 * the window. */
void hir_runs_controller_save_and_close (HirRunsController *self);
/* Returns the names of these runs (transfer full), "fast, slow"; NULL if there are none. */
char *hir_runs_controller_dup_unsaved (HirRunsController *self);

/* `win.runs`: opens the list of runs. */
void hir_window_show_runs (HirWindow *window, GVariant *parameter, int argument);
/* `win.run-show` (u): displays a run. */
void hir_window_show_run (HirWindow *window, GVariant *parameter, int argument);
/* `win.run-leave`: displays the current program and its last run again. */
void hir_window_leave_run (HirWindow *window, GVariant *parameter, int argument);
/* `win.run-compare` (u): compares a run with the displayed one. */
void hir_window_compare_run (HirWindow *window, GVariant *parameter, int argument);
/* `win.compare-previous`: compares the displayed run with the one before it. */
void hir_window_compare_previous (HirWindow *window, GVariant *parameter, int argument);
/* `win.run-rename` (us): pins a run under a name, or unpins it if the name is "". */
void hir_window_rename_run (HirWindow *window, GVariant *parameter, int argument);
/* `win.run-delete` (u): deletes a run; a toast offers to undo this. */
void hir_window_delete_run (HirWindow *window, GVariant *parameter, int argument);
/* `win.run-restore`: undoes the last deletion, and no later changes. */
void hir_window_restore_run (HirWindow *window, GVariant *parameter, int argument);
/* Returns TRUE if `win.run-restore` has an effect. @self is nullable. */
gboolean hir_runs_controller_can_restore (HirRunsController *self);
/* `win.run-both`: runs with the options of the last run and with the current ones, and compares. */
void hir_window_run_both (HirWindow *window, GVariant *parameter, int argument);
/* `win.run-both-end`: hides the offer until the next change. */
void hir_window_end_run_both (HirWindow *window, GVariant *parameter, int argument);

G_END_DECLS
