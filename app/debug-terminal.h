/* Lines that a person types: with history, editing and completion where standard input is a
 * terminal; and Ctrl-C, which stops what runs and not the program. */
#pragma once

#include <glib.h>

#include "debugger/console.h"

G_BEGIN_DECLS

typedef struct _HirTerminal HirTerminal;

/* Borrows @console, which is asked how a word may go on. */
HirTerminal *hir_terminal_new (HirConsole *console, const char *prompt);
void hir_terminal_free (HirTerminal *terminal);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirTerminal, hir_terminal_free)

/* TRUE: somebody types. */
gboolean hir_terminal_is_interactive (const HirTerminal *terminal);
/* The next line without its newline, newly allocated; NULL at the end of standard input. */
char *hir_terminal_read (HirTerminal *terminal);

/* From now on Ctrl-C calls @stop, on a thread of its own. */
void hir_terminal_watch_interrupts (HirTerminal *terminal,
                                    void (*stop) (gpointer user_data),
                                    gpointer user_data);

G_END_DECLS
