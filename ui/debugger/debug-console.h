/* What the debugger says, and a line for its words: Up and Down go through those that were typed, Tab completes. Asks by
 * `win.debug-line` and `win.debug-complete`. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HIR_TYPE_DEBUG_CONSOLE (hir_debug_console_get_type ())
G_DECLARE_FINAL_TYPE (HirDebugConsole, hir_debug_console, HIR, DEBUG_CONSOLE, GtkWidget)

GtkWidget *hir_debug_console_new (void);
/* A line that was done, what it said, and (nullable) why it was not. */
void hir_debug_console_add_answer (HirDebugConsole *self, const char *line, const char *text, const char *error);
/* What the last word of @line may be, a line each: what they share is typed; several are listed. Nothing where another line
 * stands there by now. */
void hir_debug_console_complete (HirDebugConsole *self, const char *line, const char *words);
/* All that was said: newly allocated. */
char *hir_debug_console_dup_said (HirDebugConsole *self);

G_END_DECLS
