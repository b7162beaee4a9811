/* The breakpoints in the debugger's panel: each can be switched off and on, changed and deleted; below them the entry of
 * another one. Asks by the actions `win.break-*`. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HIR_TYPE_BREAK_LIST (hir_break_list_get_type ())
G_DECLARE_FINAL_TYPE (HirBreakList, hir_break_list, HIR, BREAK_LIST, GtkWidget)

GtkWidget *hir_break_list_new (void);
/* HirBreak*, borrowed for the call. */
void hir_break_list_set (HirBreakList *self, const GPtrArray *breaks);
/* What it asked for last was done; or makes no sense: it is said beside what was typed, which stays. @column: where in it,
 * from 1; 0: not known. */
void hir_break_list_accept (HirBreakList *self);
void hir_break_list_refuse (HirBreakList *self, const char *why, guint column);
/* What is said of that; "": nothing. */
const char *hir_break_list_get_why (HirBreakList *self);

G_END_DECLS
