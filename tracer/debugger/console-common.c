/* Helpers for all console commands: errors with a column, command lookup, the current run. */
#include "brief.h"
#include "debugger/console-private.h"
#include "diagnostic.h"

gboolean
hir_console_reject (
    const HirConsoleCall *call, guint offset, GError **error, const char *format, ...)
{
  const HirPos pos = { 1, call->column + offset };
  g_autofree char *message = NULL;
  va_list args;

  va_start (args, format);
  message = g_strdup_vprintf (format, args);
  va_end (args);
  hir_set_error (error, HIR_ERROR_INPUT, &pos, "%s", message);
  return FALSE;
}

gboolean
hir_console_pass_error (const HirConsoleCall *call, guint offset, GError *cause, GError **error)
{
  HirPos pos = hir_error_get_pos (cause);

  pos.column = call->column + offset + (pos.column > 0 ? pos.column - 1 : 0);
  pos.line = 1;
  hir_set_error (error, (HirErrorCode) cause->code, &pos, "%s", cause->message);
  g_error_free (cause);
  return FALSE;
}

HirDebugRun *
hir_console_get_run (const HirConsoleCall *call, GError **error)
{
  HirDebugRun *run = hir_debugger_get_run (call->console->debugger);

  if (run == NULL)
    hir_set_error (error, HIR_ERROR_INPUT, &(HirPos){ 1, 1 },
                   "the program is not running; type run or start");
  return run;
}

void
hir_console_append_instruction (HirConsole *console, guint i, const HirExpr *expr, GString *out)
{
  g_autofree char *label = hir_brief_expr_label (expr);

  g_string_append_printf (out, "program line %u, %s",
                          hir_instruction_find (hir_debugger_get_numbers (console->debugger, i),
                                                expr->node.id),
                          label);
}

static gboolean
has_short (const HirConsoleCommand *command, const char *word)
{
  g_auto (GStrv) shorts = command->shorts != NULL ? g_strsplit (command->shorts, ",", -1) : NULL;

  return shorts != NULL && g_strv_contains ((const char *const *) shorts, word);
}

const HirConsoleCommand *
hir_console_find (const HirConsoleCommand *table, const char *word, GError **error)
{
  const HirConsoleCommand *found = NULL;
  g_autoptr (GString) all = g_string_new (NULL);
  guint n = 0;

  for (const HirConsoleCommand *command = table; command->name != NULL; command++)
    {
      if (g_str_equal (command->name, word) || has_short (command, word))
        return command;
      if (!g_str_has_prefix (command->name, word))
        continue;
      found = command;
      g_string_append_printf (all, "%s%s", n > 0 ? ", " : "", command->name);
      n++;
    }
  if (n == 1)
    return found;
  if (n > 1)
    hir_set_error (error, HIR_ERROR_INPUT, &(HirPos){ 1, 1 }, "'%s' is ambiguous: %s", word,
                   all->str);
  else
    hir_set_error (error, HIR_ERROR_INPUT, &(HirPos){ 1, 1 }, "unknown command '%s'; see help",
                   word);
  return NULL;
}
