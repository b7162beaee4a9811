/* Debugger console: output, and an entry with history (Up, Down) and completion (Tab). Activates
 * `win.debug-line` and `win.debug-complete`. */
#pragma once

#include <gtk/gtk.h>

G_BEGIN_DECLS

#define HIR_TYPE_DEBUG_CONSOLE (hir_debug_console_get_type ())
G_DECLARE_FINAL_TYPE (HirDebugConsole, hir_debug_console, HIR, DEBUG_CONSOLE, GtkWidget)

/* Creates an empty console. */
GtkWidget *hir_debug_console_new (void);
/* Appends a command, its output and its error (nullable). */
void hir_debug_console_add_answer (HirDebugConsole *self,
                                   const char *line,
                                   const char *text,
                                   const char *error);
/* Completes the last word of @line with @words, one per line: inserts their common prefix, and
 * lists them if there are several. Does nothing if the entry has changed meanwhile. */
void hir_debug_console_complete (HirDebugConsole *self, const char *line, const char *words);
/* Returns the whole output (transfer full). For tests. */
char *hir_debug_console_dup_said (HirDebugConsole *self);

G_END_DECLS
