/* The window's actions that step the program, in the panel above the timeline. */
#pragma once

#include <gtk/gtk.h>

#include "window/window-private.h"

G_BEGIN_DECLS

/* The panel, below @above, which it takes room of: both in one widget. */
GtkWidget *hir_window_create_debug (HirWindow *self, GtkWidget *above);
/* After the document was made. */
void hir_window_debug_connect (HirWindow *self);
/* What the line in the header says instead of the document's: where the program stands, or that it goes on.
 * NULL: nothing is being debugged. *@is_standing: it waits for the user. Newly allocated. */
char *hir_window_debug_dup_status (HirWindow *self, gboolean *is_standing);
/* Which of the actions can be used now. */
void hir_window_debug_update_actions (HirWindow *self, gboolean in_workspace);

/* Activate functions of `win.*` actions; window-actions.c says which. */
void hir_window_debug (GtkWidget *widget, const char *name, GVariant *parameter);
/* Continue, into, over, finish, back: by the name of the action. */
void hir_window_debug_move (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_debug_pause (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_debug_stop (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_debug_close (GtkWidget *widget, const char *name, GVariant *parameter);
/* @parameter: a line of debug/console.h. */
void hir_window_debug_line (GtkWidget *widget, const char *name, GVariant *parameter);
/* window-mismatch.c: looks for the first instruction whose result is wrong; ends that, or what it says; goes to it; sets a
 * breakpoint there. */
void hir_window_find_mismatch (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_find_mismatch_end (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_find_mismatch_show (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_find_mismatch_break (GtkWidget *widget, const char *name, GVariant *parameter);
/* @parameter: the begin of one, which is completed. */
void hir_window_debug_complete (GtkWidget *widget, const char *name, GVariant *parameter);
/* @parameter: the instruction to be selected. */
void hir_window_debug_show (GtkWidget *widget, const char *name, GVariant *parameter);
/* window-breaks.c: a breakpoint on the selected instruction, on instruction @parameter; or none there any more. */
void hir_window_break (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_break_at (GtkWidget *widget, const char *name, GVariant *parameter);
/* @parameter: as `break` takes it, or `watch T5`; (us): of the breakpoint of that key. What makes no sense is told where it was
 * typed. */
void hir_window_break_add (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_break_change (GtkWidget *widget, const char *name, GVariant *parameter);
/* Keys of breakpoints: u, (ub). */
void hir_window_break_delete (GtkWidget *widget, const char *name, GVariant *parameter);
void hir_window_break_enable (GtkWidget *widget, const char *name, GVariant *parameter);

/* The breakpoints there are, kept for the recording at @path, too. */
void hir_window_breaks_keep_for (HirWindow *self, const char *path);

G_END_DECLS
