/* Commands for breakpoints: break, tbreak, watch, delete, enable, disable. */
#include <string.h>

#include "debugger/console-private.h"
#include "diagnostic.h"

/* @data is 0 for break, 1 for tbreak, 2 for watch. */
gboolean
hir_console_break (const HirConsoleCall *call, int data, GError **error)
{
  HirConsole *console = call->console;
  HirDebugger *debugger = console->debugger;
  HirBreakpoint *breakpoint;
  GError *cause = NULL;
  HirProgramPoint point;
  g_autofree char *here = NULL;

  /* As in gdb, no argument means the current instruction. */
  if (*call->arguments == '\0' && data != 2 && hir_debugger_get_run (debugger) != NULL &&
      hir_debug_run_peek (hir_debugger_get_run (debugger), hir_debugger_get_rank (debugger),
                          &point))
    here = g_strdup_printf ("%u",
                            hir_instruction_find (hir_debugger_get_numbers (debugger,
                                                                            hir_debugger_get_rank (
                                                                                debugger)),
                                                  point.expr->node.id));
  breakpoint = hir_debugger_add_breakpoint (debugger, data == 2 ? HIR_WATCH : HIR_BREAK,
                                            here != NULL ? here : call->arguments, &cause);
  if (breakpoint == NULL)
    return hir_console_pass_error (call, 0, cause, error);
  breakpoint->is_temporary = data == 1;
  g_string_append_printf (call->out, "%s %u: %s",
                          data == 2   ? "Watch"
                          : data == 1 ? "Temporary breakpoint"
                                      : "Breakpoint",
                          breakpoint->number, breakpoint->text);
  if (breakpoint->ids != NULL && g_hash_table_size (breakpoint->ids) > 1)
    g_string_append_printf (call->out, " (%u instructions)", g_hash_table_size (breakpoint->ids));
  if (breakpoint->is_after && data != 2)
    g_string_append (call->out, ", tested after each write");
  g_string_append_c (call->out, '\n');
  return TRUE;
}

/* Calls @act for each breakpoint number in the arguments, or for all breakpoints if there are
 * none. */
static gboolean
foreach_number (const HirConsoleCall *call,
                gboolean (*act) (HirConsole *console, guint number, int data),
                int data,
                GError **error)
{
  const GPtrArray *all = hir_debugger_get_breakpoints (call->console->debugger);
  g_auto (GStrv) words = g_strsplit_set (call->arguments, " \t,", -1);
  guint64 number;

  if (*call->arguments == '\0')
    {
      for (guint i = all->len; i-- > 0;)
        act (call->console, ((const HirBreakpoint *) g_ptr_array_index (all, i))->number, data);
      return TRUE;
    }
  for (guint i = 0; words[i] != NULL; i++)
    {
      guint offset =
          (guint) g_utf8_pointer_to_offset (call->arguments, strstr (call->arguments, words[i]));

      if (*words[i] == '\0')
        continue;
      if (!g_ascii_string_to_unsigned (words[i], 10, 1, G_MAXUINT, &number, NULL))
        return hir_console_reject (call, offset, error,
                                   "invalid breakpoint number; see info breakpoints");
      if (!act (call->console, (guint) number, data))
        return hir_console_reject (call, offset, error,
                                   "there is no breakpoint %" G_GUINT64_FORMAT
                                   "; see info breakpoints",
                                   number);
    }
  return TRUE;
}

static gboolean
delete_one (HirConsole *console, guint number, int data)
{
  return hir_debugger_delete_breakpoint (console->debugger, number);
}

static gboolean
enable_one (HirConsole *console, guint number, int data)
{
  HirBreakpoint *breakpoint = hir_debugger_lookup_breakpoint (console->debugger, number);

  if (breakpoint == NULL)
    return FALSE;
  breakpoint->is_disabled = !data;
  return TRUE;
}

gboolean
hir_console_delete (const HirConsoleCall *call, int data, GError **error)
{
  return foreach_number (call, delete_one, data, error);
}

gboolean
hir_console_enable (const HirConsoleCall *call, int data, GError **error)
{
  return foreach_number (call, enable_one, data, error);
}
