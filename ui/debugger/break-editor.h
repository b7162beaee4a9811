/* Popover that edits one breakpoint: its location and conditions. Activates `win.break-add` or
 * `win.break-change`. */
#pragma once

#include <gtk/gtk.h>

#include "debugger/debug-breaks.h"

G_BEGIN_DECLS

#define HIR_TYPE_BREAK_EDITOR (hir_break_editor_get_type ())
G_DECLARE_FINAL_TYPE (HirBreakEditor, hir_break_editor, HIR, BREAK_EDITOR, GtkPopover)

/* Creates the popover for @item (borrowed for the call), or for a new breakpoint if it is NULL. */
GtkWidget *hir_break_editor_new (const HirBreak *item);
/* Displays why the last request was rejected. The popover stays open. */
void hir_break_editor_refuse (HirBreakEditor *self, const char *why);
/* Returns the displayed error. For tests. */
const char *hir_break_editor_get_why (HirBreakEditor *self);

G_END_DECLS
