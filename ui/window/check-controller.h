/* Checks the synchronization of the program, in a tab at the bottom of the window. */
#pragma once

#include "debugger/check-page.h"
#include "window/window-private.h"

G_BEGIN_DECLS

/* Creates the controller and its page. */
HirCheckController *hir_check_controller_new (HirWindow *window);
void hir_check_controller_free (HirCheckController *self);

/* Returns the page (borrowed). */
HirCheckPage *hir_check_controller_get_page (HirCheckController *self);

/* Call when a program was lowered: runs and checks it if this was requested before. */
void hir_check_controller_continue (HirCheckController *self);

/* Drops the request to run the program when it is lowered. */
void hir_check_controller_drop_run (HirCheckController *self);

/* `win.check`: shows the page and starts a check. */
void hir_window_check (HirWindow *window, GVariant *parameter, int argument);

/* `win.check-cancel`: cancels the check. */
void hir_window_check_cancel (HirWindow *window, GVariant *parameter, int argument);

/* `win.check-close`: cancels the check and closes its tab. */
void hir_window_check_close (HirWindow *window, GVariant *parameter, int argument);

/* `win.check-fix`: applies the suggestion with index @parameter, or -1 for the selected row. */
void hir_window_check_fix (HirWindow *window, GVariant *parameter, int argument);

G_END_DECLS
