/* The debugger's command interpreter, with gdb's commands: a line in, text out. Used by the
 * terminal, by scripts, and by the run process that a window debugs. Call on the debugger's
 * thread. */
#pragma once

#include "debugger/debugger.h"

G_BEGIN_DECLS

typedef struct _HirConsole HirConsole;

/* Creates a console. Borrows @debugger. */
HirConsole *hir_console_new (HirDebugger *debugger);
void hir_console_free (HirConsole *console);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirConsole, hir_console_free)

/**
 * hir_console_run:
 * @line: a command; an empty line repeats the previous command if that can be repeated
 * @out: receives the output, in whole lines
 *
 * Executes one command. A failure of the debugged program is not an error: it is part of @out.
 *
 * Returns: FALSE and sets @error, with the column in @line, if the command is invalid
 */
gboolean hir_console_run (HirConsole *console, const char *line, GString *out, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* Returns TRUE after the quit command. */
gboolean hir_console_is_done (const HirConsole *console);
/* Returns the worst outcome of the checks of all programs that have ended. */
HirCheckOutcome hir_console_get_check_outcome (const HirConsole *console);

/* Stops no longer print displayed expressions, because the caller shows
 * hir_console_displays_to_variant(). */
void hir_console_hide_displays (HirConsole *console);
/* Evaluates all displayed expressions on the displayed rank, for HirDebugState (floating). */
GVariant *hir_console_displays_to_variant (HirConsole *console);

/* Returns the possible completions of the last word of @line: (transfer full), sorted. */
char **hir_console_complete (HirConsole *console, const char *line);

G_END_DECLS
