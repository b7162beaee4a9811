/* List of breakpoints in the debugger's panel. Each can be enabled, changed and deleted; an
 * entry below adds one. Activates the actions `win.break-*`. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HIR_TYPE_BREAK_LIST (hir_break_list_get_type ())
G_DECLARE_FINAL_TYPE (HirBreakList, hir_break_list, HIR, BREAK_LIST, GtkWidget)

/* Creates an empty list. */
GtkWidget *hir_break_list_new (void);
/* Displays @breaks (HirBreak *, borrowed for the call). */
void hir_break_list_set (HirBreakList *self, const GPtrArray *breaks);
/* Closes the editor or clears the entry, because the last request succeeded. */
void hir_break_list_accept (HirBreakList *self);
/* Displays why the last request was rejected, next to the text, which stays. @column is the
 * position of the error, counted from 1; 0 if unknown. */
void hir_break_list_refuse (HirBreakList *self, const char *why, guint column);
/* Returns the displayed error, or "". For tests. */
const char *hir_break_list_get_why (HirBreakList *self);

G_END_DECLS
