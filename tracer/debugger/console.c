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
    "start or restart the program, and run to the first breakpoint" },
  { "start", NULL, hir_console_start, FALSE, 0, "",
    "start or restart the program, and stop before its first instruction" },
  { "step", "s,si,stepi", hir_console_move, HIR_MOVE_STEP, HIR_REPEATS, "[N]",
    "step to the next instruction, into loops\n"
    "Steps all ranks, or only the displayed one (see rank). N: number of steps." },
  { "next", "n,ni,nexti", hir_console_move, HIR_MOVE_NEXT, HIR_REPEATS, "[N]",
    "run to the next instruction at this loop depth, stepping over loops" },
  { "finish", "fin", hir_console_move, HIR_MOVE_FINISH, HIR_REPEATS, "",
    "run until the current loop or branch is left" },
  { "until", "u", hir_console_move, HIR_MOVE_UNTIL, HIR_REPEATS, "",
    "like next, but only forward in the text: leaves a loop at its end" },
  { "continue", "c,fg", hir_console_move, HIR_MOVE_CONTINUE, HIR_REPEATS, "[N]",
    "run to the next breakpoint or the end; N: ignore N - 1 breakpoints" },
  { "back", "bk,rs,reverse-step", hir_console_back, HIR_MOVE_BACK, HIR_REPEATS,
    "[N | iteration | write T5]",
    "go back N steps, to the start of the iteration, or before the last write to a tensor\n"
    "Uses the undo log, up to its bound (see info undo). Further back, the program is replayed from\n"
    "a checkpoint or its start; all values are the same." },
  { "reverse-next", "rn", hir_console_move, HIR_MOVE_REVERSE_NEXT, HIR_REPEATS, "[N]",
    "go back to the previous instruction at this loop depth, over loops" },
  { "reverse-finish", NULL, hir_console_move, HIR_MOVE_REVERSE_FINISH, HIR_REPEATS, "",
    "go back to before the current loop or branch" },
  { "reverse-continue", "rc", hir_console_move, HIR_MOVE_REVERSE_CONTINUE, HIR_REPEATS, "",
    "go back to the previous breakpoint or the start\n"
    "A watchpoint, or a breakpoint that is tested after writes, stops after the write, as forwards.\n"
    "If there is one, the program is replayed to find it." },
  { "break", "b,br", hir_console_break, PLAIN, HIR_TAKES_PLACE,
    "[WHERE] [iteration N] [rank N] [stream N] [if EXPR]",
    "stop before instructions\n"
    "WHERE: 12 (a line of the program, see list), T5 (instructions that write it), Communication, matmul,\n"
    "Allgather (a kind, op or collective), FILE.py:40 (instructions from a line of the script).\n"
    "EXPR: StreamIdx == 5 && rank == 1, isnan(T5), max(T5) > 10.\n"
    "With T5 and an EXPR that reads T5, stops after the write, like watch. Where EXPR has no value,\n"
    "stops and says why; without WHERE, continues." },
  { "tbreak", "tb", hir_console_break, TEMPORARY, HIR_TAKES_PLACE,
    "[WHERE] [iteration N] [rank N] [stream N] [if EXPR]",
    "like break, but deleted at the first stop" },
  { "watch", "wa", hir_console_break, PLAIN + 2, HIR_TAKES_PLACE, "T5 [rank N] [if EXPR]",
    "stop after an instruction that writes the memory of a tensor" },
  { "delete", "d", hir_console_delete, 0, 0, "[N ...]", "delete breakpoints, or all without N" },
  { "disable", NULL, hir_console_enable, FALSE, 0, "[N ...]",
    "disable breakpoints, or all without N" },
  { "enable", NULL, hir_console_enable, TRUE, 0, "[N ...]",
    "enable breakpoints, or all without N" },
  { "print", "p,inspect", hir_console_print, 0, HIR_TAKES_VALUE, "[/a | /g] EXPR",
    "print a number, or a tensor: shape, statistics, histogram, first elements\n"
    "print T5, print T5[0:2, 3], print StreamIdx * 2, print max(T5).\n"
    "Indices are in the order of the tensor's logical axes, those of the script, on this device.\n"
    "/a: on all devices. /g: gathered from all shards." },
  { "x", NULL, hir_console_page, 0, HIR_REPEATS | HIR_TAKES_VALUE, "T5[...] [ROW [COLUMN]]",
    "print a page of elements; an empty line prints the next page" },
  { "display", NULL, hir_console_display, 0, HIR_TAKES_VALUE, "[[/a | /g] EXPR]",
    "print an expression at each stop; without EXPR, print all now" },
  { "undisplay", NULL, hir_console_undisplay, 0, 0, "[N ...]",
    "delete displayed expressions, or all without N" },
  { "info", "i", hir_console_info, 0, 0, "WHAT",
    "show breakpoints, streams, devices, buffers, communications, undo, clock or display" },
  { "list", "l", hir_console_list, 0, HIR_REPEATS, "[N | A,B]",
    "list the program, around the current position, around line N, or from line A to B\n"
    "The lines are those of the tab Program and of hirscope lower. => marks the next instruction,\n"
    "B a breakpoint." },
  { "where", "bt,backtrace", hir_console_where, 0, 0, "",
    "show the loops around the current position" },
  { "rank", "thread", hir_console_rank, 0, 0, "[N] [alone | together]",
    "select a rank; step it alone and hold the others, or step all together" },
  { "set", NULL, hir_console_set, 0, 0, "undo SIZE | checkpoints N",
    "set the size of the undo log (64M, 1G, 0), or the steps between checkpoints (0: automatic)\n"
    "Checkpoints use at most half of the size (see info undo)." },
  { "help", "h,?", help, 0, 0, "[COMMAND]", "list all commands, or describe one" },
  { "quit", "q,exit", quit, 0, 0, "", "leave the debugger" },
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

HirCheckOutcome
hir_console_get_check_outcome (const HirConsole *console)
{
  return console->check_outcome;
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
                       "Commands may be abbreviated. An empty line repeats commands such as "
                       "step, next and list.\n");
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

      if (expr == NULL)
        continue;
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
                                   : command->run == help             ? commands
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
