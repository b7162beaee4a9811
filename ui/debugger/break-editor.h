/* One breakpoint in a popover: where, and what else must be so. Asks by `win.break-add` and `win.break-change`. */
#pragma once

#include <gtk/gtk.h>

#include "debugger/debug-breaks.h"

G_BEGIN_DECLS

#define HIR_TYPE_BREAK_EDITOR (hir_break_editor_get_type ())
G_DECLARE_FINAL_TYPE (HirBreakEditor, hir_break_editor, HIR, BREAK_EDITOR, GtkPopover)

/* @item: NULL for a new one. Borrowed for the call. */
GtkWidget *hir_break_editor_new (const HirBreak *item);
/* What it asked for last makes no sense; it stays open. */
void hir_break_editor_refuse (HirBreakEditor *self, const char *why);
const char *hir_break_editor_get_why (HirBreakEditor *self);

G_END_DECLS
