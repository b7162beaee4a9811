/* Connects the debugger panel with the document: runs the program in the debugger, steps it, shows
 * where it is paused, and keeps its breakpoints. Main thread only. */
#pragma once

#include "debugger/debug-page.h"
#include "window/window-private.h"

G_BEGIN_DECLS

/* Arguments of hir_window_debug_move(). */
typedef enum
{
  HIR_DEBUG_CONTINUE,
  HIR_DEBUG_INTO,
  HIR_DEBUG_OVER,
  HIR_DEBUG_FINISH,
  HIR_DEBUG_BACK,
  HIR_DEBUG_BACK_ITERATION,
} HirDebugCommand;

/* Creates the controller and its hidden panel. */
HirDebugController *hir_debug_controller_new (HirWindow *window);

/* Follows the document. Call once, before the window does. */
void hir_debug_controller_connect (HirDebugController *self);

/* Stops following the document. Call before the document is released. */
void hir_debug_controller_disconnect (HirDebugController *self);

/* Frees @self. */
void hir_debug_controller_free (HirDebugController *self);

/* Returns the panel (borrowed). */
HirDebugPage *hir_debug_controller_get_page (HirDebugController *self);

/* Makes the panel visible. */
void hir_debug_controller_show_panel (HirDebugController *self);

/* Returns TRUE while a program is being debugged. */
gboolean hir_debug_controller_is_debugging (HirDebugController *self);

/**
 * hir_debug_controller_dup_status:
 * @is_paused: (out): whether the program is paused
 *
 * Returns: (transfer full): the status of the debugged program, or NULL if no program is debugged
 */
char *hir_debug_controller_dup_status (HirDebugController *self, gboolean *is_paused);

/* Enables the actions that are available now. */
void hir_debug_controller_update_actions (HirDebugController *self, gboolean in_workspace);

/* Stores the current breakpoints and watches for the recording at @path, too. */
void hir_debug_breakpoints_store_for (HirDebugController *self, const char *path);

/* `win.debug`: starts the program in the debugger. */
void hir_window_debug (HirWindow *window, GVariant *parameter, int argument);

/* `win.debug-continue` and others: sends the command of the HirDebugCommand @argument. */
void hir_window_debug_move (HirWindow *window, GVariant *parameter, int argument);

/* `win.debug-pause`: pauses the program. */
void hir_window_debug_pause (HirWindow *window, GVariant *parameter, int argument);

/* `win.debug-stop`: ends the program. */
void hir_window_debug_stop (HirWindow *window, GVariant *parameter, int argument);
/* `win.debug-restart`: ends the run and debugs the program again with the options of the header
 * bar. */
void hir_window_debug_restart (HirWindow *window, GVariant *parameter, int argument);

/* `win.debug-close`: ends the program and hides the panel. */
void hir_window_debug_close (HirWindow *window, GVariant *parameter, int argument);

/* `win.debug-line`: sends the console command @parameter. */
void hir_window_debug_line (HirWindow *window, GVariant *parameter, int argument);

/* `win.debug-complete`: requests the completions of the command prefix @parameter. */
void hir_window_debug_complete (HirWindow *window, GVariant *parameter, int argument);

/* `win.debug-show`: selects the instruction @parameter. */
void hir_window_debug_show (HirWindow *window, GVariant *parameter, int argument);

/* `win.watch`: moves the focus to the entry of watched expressions, with the selected tensor. */
void hir_window_watch (HirWindow *window, GVariant *parameter, int argument);

/* `win.watch-add`: watches the expression @parameter. */
void hir_window_watch_add (HirWindow *window, GVariant *parameter, int argument);

/* `win.watch-delete`: removes the watched expression @parameter. */
void hir_window_watch_delete (HirWindow *window, GVariant *parameter, int argument);

/* `win.break`: toggles the breakpoint of the selected instruction. */
void hir_window_break (HirWindow *window, GVariant *parameter, int argument);

/* `win.break-at`: toggles the breakpoint of the instruction @parameter. */
void hir_window_break_at (HirWindow *window, GVariant *parameter, int argument);

/* `win.break-add`: adds the breakpoint or watchpoint described by @parameter, for example `12 rank
 * 1` or `watch T5`. The list of breakpoints shows errors. */
void hir_window_break_add (HirWindow *window, GVariant *parameter, int argument);

/* `win.break-change`: replaces a breakpoint; @parameter is its key and its new description. */
void hir_window_break_change (HirWindow *window, GVariant *parameter, int argument);

/* `win.break-delete`: deletes the breakpoint with the key @parameter. */
void hir_window_break_delete (HirWindow *window, GVariant *parameter, int argument);

/* `win.break-enable`: enables or disables a breakpoint; @parameter is its key and the state. */
void hir_window_break_enable (HirWindow *window, GVariant *parameter, int argument);

G_END_DECLS
