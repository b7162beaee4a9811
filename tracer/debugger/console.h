/* The debugger's commands, in gdb's words: a line in, text out. For a terminal, a script, and the
 * process of a run that a window debugs. One thread, but for the request to stop. */
#pragma once

#include "debugger/debugger.h"

G_BEGIN_DECLS

typedef struct _HirConsole HirConsole;

/* Borrows @debugger. */
HirConsole *hir_console_new (HirDebugger *debugger);
void hir_console_free (HirConsole *console);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirConsole, hir_console_free)

/* Does what @line says; an empty one repeats the last where that makes sense. What there is to be
 * shown is appended to @out, whole lines. FALSE and the error, whose position is the column in
 * @line, where it can't be done. A program that fails is no error here: that is told. */
gboolean hir_console_run (HirConsole *console, const char *line, GString *out, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* quit was said. */
gboolean hir_console_is_done (const HirConsole *console);
/* The program has ended, and its numbers are wrong. */
gboolean hir_console_has_failed_check (const HirConsole *console);

/* What the last word of @line may be: newly allocated, sorted, maybe empty. */
char **hir_console_complete (HirConsole *console, const char *line);

G_END_DECLS
