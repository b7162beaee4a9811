/* Reads command lines, with history, editing and completion if standard input is a terminal. Ctrl-C
 * stops the debugged program, not Hirscope. */
#pragma once

#include <glib.h>

#include "debugger/console.h"

G_BEGIN_DECLS

typedef struct _HirTerminal HirTerminal;

/* Creates a terminal. @console is borrowed; it provides the completions. */
HirTerminal *hir_terminal_new (HirConsole *console, const char *prompt);
void hir_terminal_free (HirTerminal *terminal);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTerminal, hir_terminal_free)

/* Returns TRUE if standard input is a terminal. */
gboolean hir_terminal_is_interactive (const HirTerminal *terminal);
/* Returns the next line without its newline (newly allocated), or NULL at the end of standard
 * input. */
char *hir_terminal_read (HirTerminal *terminal);

/* Makes Ctrl-C call @stop on a dedicated thread. */
void hir_terminal_watch_interrupts (HirTerminal *terminal,
                                    void (*stop) (gpointer user_data),
                                    gpointer user_data);

G_END_DECLS
