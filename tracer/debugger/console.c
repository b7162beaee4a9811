#include "debugger/console.h"

#include <string.h>

#include "brief.h"
#include "debugger/console-private.h"

static gboolean
note_depth (HirExpr *expr, guint depth, gpointer user_data)
{
  g_array_append_val ((GArray *) user_data, depth);
  return TRUE;
}

static void
unref_array (gpointer data)
{
  g_array_unref (data);
}

static void
display_free (gpointer data)
{
  HirConsoleDisplay *display = data;

  g_free (display->text);
  g_free (display);
}

HirConsole *
hir_console_new (HirDebugger *debugger)
{
  HirConsole *console = g_new0 (HirConsole, 1);

  console->debugger = debugger;
  console->depths = g_ptr_array_new_with_free_func (unref_array);
  for (guint i = 0; i < hir_debugger_get_n_ranks (debugger); i++)
    {
      GArray *depths = g_array_new (FALSE, FALSE, sizeof (guint));

      hir_container_foreach_expr (hir_debugger_get_program (debugger, i), note_depth, depths);
      g_ptr_array_add (console->depths, depths);
    }
  console->displays = g_ptr_array_new_with_free_func (display_free);
  console->page_row = -1;
  return console;
}

void
hir_console_free (HirConsole *console)
{
  g_ptr_array_unref (console->depths);
  g_ptr_array_unref (console->displays);
  g_free (console->last);
  g_free (console);
}

gboolean
hir_console_is_done (const HirConsole *console)
{
  return console->is_done;
}

gboolean
hir_console_has_failed_check (const HirConsole *console)
{
  return console->has_failed_check;
}

gboolean
hir_console_refuse (
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
                   "the program is not being run; type run or start");
  return run;
}

void
hir_console_append_instruction (HirConsole *console, guint i, const HirExpr *expr, GString *out)
{
  g_autofree char *label = hir_brief_expr_label (expr);

  g_string_append_printf (out, "#%u %s",
                          hir_instruction_find (hir_debugger_get_numbers (console->debugger, i),
                                                expr->node.id),
                          label);
}

/* The first word of @line, without what is glued to it ("p/g"); *@rest: what follows, in @line. */
static char *
split (const char *line, const char **rest)
{
  gsize n = strcspn (line, " \t/");

  *rest = line + n;
  while (g_ascii_isspace (**rest))
    (*rest)++;
  return g_strndup (line, n);
}

/* What is to be done; NULL: nothing. */
static const char *
get_line (HirConsole *console, const char *text)
{
  while (g_ascii_isspace (*text))
    text++;
  if (*text != '\0' && *text != '#')
    return text;
  return *text == '\0' ? console->last : NULL;
}

gboolean
hir_console_run (HirConsole *console, const char *text, GString *out, GError **error)
{
  const HirConsoleCommand *command;
  g_autofree char *line = NULL;
  g_autofree char *word = NULL;
  const char *rest;
  const char *given = get_line (console, text);
  gboolean ok, is_new;

  if (given == NULL)
    return TRUE;
  line = g_strchomp (g_utf8_make_valid (given, -1));
  is_new = given != console->last;
  word = split (line, &rest);
  command = hir_console_find (hir_console_get_commands (), word, error);
  if (command == NULL)
    return FALSE;
  /* What goes on is meant to go on only when it is repeated. */
  if (is_new)
    {
      console->list_next =
          command->run == hir_console_list && *rest == '\0' ? console->list_next : 0;
      console->page_row = -1;
    }
  hir_debugger_clear_stop (console->debugger);
  ok = command->run (&(HirConsoleCall){ console, rest,
                                        1 + (guint) g_utf8_pointer_to_offset (line, rest), out },
                     command->data, error);
  g_free (console->last);
  console->last = (command->flags & HIR_REPEATS) != 0 ? g_steal_pointer (&line) : NULL;
  return ok;
}
