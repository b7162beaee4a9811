/* The command table, help, completion, and the execution of a line. */
#include "debugger/console.h"

#include <string.h>

#include "debugger/console-private.h"
#include "print/print.h"

enum
{
  PLAIN,
  TEMPORARY,
};

static gboolean help (const HirConsoleCall *call, int data, GError **error);
static gboolean quit (const HirConsoleCall *call, int data, GError **error);

static const HirConsoleCommand commands[] = {
  { "run", "r", hir_console_start, TRUE, 0, "",
    "start the program, and go on to the first breakpoint; start again where it runs" },
  { "start", NULL, hir_console_start, FALSE, 0, "",
    "start the program, and stop before its first instruction" },
  { "step", "s,si,stepi", hir_console_move, HIR_MOVE_STEP, HIR_REPEATS, "[N]",
    "to the next instruction, into loops\n"
    "All ranks take a step; where one goes alone (see rank), that one. N: so many times." },
  { "next", "n,ni,nexti", hir_console_move, HIR_MOVE_NEXT, HIR_REPEATS, "[N]",
    "to the next instruction of this depth: over a loop" },
  { "finish", "fin", hir_console_move, HIR_MOVE_FINISH, HIR_REPEATS, "",
    "out of the loop or branch that the rank is in" },
  { "until", "u", hir_console_move, HIR_MOVE_UNTIL, HIR_REPEATS, "",
    "as next, but never up the text: at the end of a loop, out of it" },
  { "continue", "c,fg", hir_console_move, HIR_MOVE_CONTINUE, HIR_REPEATS, "[N]",
    "to the next breakpoint, or the end; N: past N - 1 of them" },
  { "back", "bk,rs,reverse-step", hir_console_back, HIR_MOVE_BACK, HIR_REPEATS,
    "[N | iteration | write T5]",
    "one step back, or N; to the begin of the iteration; before the last write to a tensor\n"
    "What a step changed is kept, up to a bound (info undo). What is no longer kept is come to by\n"
    "running the program again, from a checkpoint or its start: the numbers are the same." },
  { "reverse-next", "rn", hir_console_move, HIR_MOVE_REVERSE_NEXT, HIR_REPEATS, "[N]",
    "back to the instruction before, of this depth: over a loop" },
  { "reverse-finish", NULL, hir_console_move, HIR_MOVE_REVERSE_FINISH, HIR_REPEATS, "",
    "back to before the loop or branch that the rank is in" },
  { "reverse-continue", "rc", hir_console_move, HIR_MOVE_REVERSE_CONTINUE, HIR_REPEATS, "",
    "back to the breakpoint before, or to the begin" },
  { "break", "b,br", hir_console_break, PLAIN, HIR_TAKES_PLACE,
    "[WHERE] [iteration N] [rank N] [stream N] [if EXPR]",
    "stop before instructions\n"
    "WHERE: 12 (its number, see list), T5 (who writes it), Communication, matmul, Allgather (a\n"
    "kind, an op, a collective), FILE.py:40 (what a line of the script became).\n"
    "EXPR: StreamIdx == 5 && rank == 1, isnan(T5), max(T5) > 10." },
  { "tbreak", "tb", hir_console_break, TEMPORARY, HIR_TAKES_PLACE,
    "[WHERE] [iteration N] [rank N] [stream N] [if EXPR]", "the same, for one stop" },
  { "watch", "wa", hir_console_break, PLAIN + 2, HIR_TAKES_PLACE, "T5 [rank N] [if EXPR]",
    "stop after whoever writes a tensor, under whatever name" },
  { "delete", "d", hir_console_delete, 0, 0, "[N ...]", "delete breakpoints; without N, all" },
  { "disable", NULL, hir_console_enable, FALSE, 0, "[N ...]", "keep breakpoints, and pass them" },
  { "enable", NULL, hir_console_enable, TRUE, 0, "[N ...]", "stop at them again" },
  { "print", "p,inspect", hir_console_print, 0, HIR_TAKES_VALUE, "[/a | /g] EXPR",
    "a number, or a tensor: shape, numbers, histogram, a page\n"
    "print T5, print T5[0:2, 3], print StreamIdx * 2, print max(T5).\n"
    "/a: on all devices. /g: gathered, where devices hold parts." },
  { "x", NULL, hir_console_page, 0, HIR_REPEATS | HIR_TAKES_VALUE, "T5[...] [ROW [COLUMN]]",
    "a page of a tensor's numbers; an empty line turns it" },
  { "display", NULL, hir_console_display, 0, HIR_TAKES_VALUE, "[[/a | /g] EXPR]",
    "print it at each stop; without EXPR, now" },
  { "undisplay", NULL, hir_console_undisplay, 0, 0, "[N ...]", "no longer" },
  { "info", "i", hir_console_info, 0, 0, "WHAT",
    "breakpoints, streams, devices, buffers, communications, undo, clock or display" },
  { "list", "l", hir_console_list, 0, HIR_REPEATS, "[N | A,B]",
    "the program, around where the rank stands, around N, or from A to B\n"
    "=> the next instruction, B a breakpoint." },
  { "where", "bt,backtrace", hir_console_where, 0, 0, "", "the loops that the rank is in" },
  { "rank", "thread", hir_console_rank, 0, 0, "[N] [alone | together]",
    "look at another rank; let it go alone, the others held, or all together" },
  { "set", NULL, hir_console_set, 0, 0, "undo SIZE | checkpoints N",
    "the bound of what is kept to go back: 64M, 1G, 0; a checkpoint each N steps, 0: as it costs\n"
    "little. They take half of the bound at most (info undo)." },
  { "help", "h,?", help, 0, 0, "[COMMAND]", "this list, or more on one command" },
  { "quit", "q,exit", quit, 0, 0, "", "leave" },
  { NULL },
};

static gboolean
note_depth (HirExpr *expr, guint depth, gpointer user_data)
{
  g_array_append_val ((GArray *) user_data, depth);
  return TRUE;
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
  console->depths = g_ptr_array_new_with_free_func ((GDestroyNotify) g_array_unref);
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

static void
append_row (const HirConsoleCommand *command, GString *out)
{
  g_autofree char *left = g_strdup_printf ("%s %s", command->name, command->arguments);
  int n = (int) strcspn (command->help, "\n");

  g_string_append_printf (out, "%-34s %.*s\n", g_strchomp (left), n, command->help);
}

static void
append_whole (const HirConsoleCommand *command, GString *out)
{
  g_autofree char *left = g_strdup_printf ("%s %s", command->name, command->arguments);

  g_string_append_printf (out, "%s\n", g_strchomp (left));
  if (command->shorts != NULL)
    g_string_append_printf (out, "also: %s\n", command->shorts);
  g_string_append_printf (out, "%s\n", command->help);
}

static gboolean
help (const HirConsoleCall *call, int data, GError **error)
{
  const HirConsoleCommand *command;
  GError *cause = NULL;

  if (*call->arguments == '\0')
    {
      for (command = commands; command->name != NULL; command++)
        append_row (command, call->out);
      g_string_append (call->out,
                       "Any beginning that only one command has will do. An empty line repeats "
                       "step, next, list and the like.\n");
      return TRUE;
    }
  command = hir_console_find (commands, call->arguments, &cause);
  if (command == NULL)
    return hir_console_pass_error (call, 0, cause, error);
  append_whole (command, call->out);
  for (const HirConsoleCommand *info = hir_console_get_infos ();
       command->run == hir_console_info && info->name != NULL; info++)
    append_row (info, call->out);
  return TRUE;
}

static gboolean
quit (const HirConsoleCall *call, int data, GError **error)
{
  call->console->is_done = TRUE;
  return TRUE;
}

/* Returns the first word of @line up to a space or slash ("p/g" is "p"). Sets @rest to the rest. */
static char *
split (const char *line, const char **rest)
{
  gsize n = strcspn (line, " \t/");

  *rest = line + n;
  while (g_ascii_isspace (**rest))
    (*rest)++;
  return g_strndup (line, n);
}

/* Returns the line to execute: @text, the repeated line if @text is empty, NULL for a comment. */
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
  command = hir_console_find (commands, word, error);
  if (command == NULL)
    return FALSE;
  /* list and x continue only if they are repeated; any other command resets their position. */
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

static void
offer (GHashTable *words, const char *word, const char *start)
{
  if (g_ascii_strncasecmp (word, start, strlen (start)) == 0)
    g_hash_table_add (words, g_strdup (word));
}

static void
offer_program (HirConsole *console, GHashTable *words, const char *start, HirConsoleFlags flags)
{
  HirContainer *program =
      hir_debugger_get_program (console->debugger, hir_debugger_get_rank (console->debugger));
  const GPtrArray *numbers =
      hir_debugger_get_numbers (console->debugger, hir_debugger_get_rank (console->debugger));

  for (guint i = 0; i < program->tensors.len; i++)
    {
      g_autofree char *name =
          g_strdup_printf ("T%d", ((const HirTensor *) program->tensors.items[i])->base.name);
      offer (words, name, start);
    }
  for (guint i = 0; (flags & HIR_TAKES_VALUE) != 0 && i < program->named.len; i++)
    offer (words, ((const HirScalar *) program->named.items[i])->named, start);
  if ((flags & HIR_TAKES_PLACE) == 0)
    return;
  for (guint i = 0; i < numbers->len; i++)
    {
      const HirExpr *expr = g_ptr_array_index (numbers, i);

      offer (words, hir_expr_kind_get_info (expr->kind)->name, start);
      offer (words, hir_expr_get_op_name (expr), start);
      if (expr->kind == HIR_EXPR_COMMUNICATION)
        offer (words, hir_comm_type_get_name (expr->u.comm.type), start);
    }
  for (const char *const *word = (const char *const[]){ "iteration", "rank", "stream", "if", NULL };
       *word != NULL; word++)
    offer (words, *word, start);
}

static int
by_text (gconstpointer a, gconstpointer b)
{
  return strcmp (*(const char *const *) a, *(const char *const *) b);
}

char **
hir_console_complete (HirConsole *console, const char *line)
{
  g_autoptr (GHashTable) words = g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
  g_autoptr (GPtrArray) sorted = g_ptr_array_new ();
  const char *space = strrchr (line, ' ');
  const char *start = space != NULL ? space + 1 : line;
  g_autofree char *first = g_strndup (line, strcspn (line, " /"));
  const HirConsoleCommand *command =
      space != NULL ? hir_console_find (commands, first, NULL) : NULL;
  const HirConsoleCommand *table = space == NULL                      ? commands
                                   : command == NULL                  ? NULL
                                   : command->run == hir_console_info ? hir_console_get_infos ()
                                   : command->run == help ? commands
                                                                      : NULL;
  GHashTableIter iter;
  gpointer word;

  for (; table != NULL && table->name != NULL; table++)
    offer (words, table->name, start);
  if (command != NULL && (command->flags & (HIR_TAKES_PLACE | HIR_TAKES_VALUE)) != 0)
    offer_program (console, words, start, command->flags);
  g_hash_table_iter_init (&iter, words);
  while (g_hash_table_iter_next (&iter, &word, NULL))
    g_ptr_array_add (sorted, g_strdup (word));
  g_ptr_array_sort (sorted, by_text);
  g_ptr_array_add (sorted, NULL);
  return (char **) g_ptr_array_free (g_steal_pointer (&sorted), FALSE);
}
