/* Commands that start and move the program, and select ranks; and the report of each stop. */
#include <string.h>

#include "brief.h"
#include "debugger/console-private.h"
#include "diagnostic.h"

static void
append_place (HirConsole *console, guint i, GString *out)
{
  HirDebugRun *run = hir_debugger_get_run (console->debugger);
  HirProgramPoint point;

  g_string_append_printf (out, "rank %d", hir_debug_run_get_rank (run, i));
  if (hir_debug_run_is_inside (run, i))
    g_string_append (out, " is inside its instruction and waits for another rank\n");
  else if (!hir_debug_run_peek (run, i, &point))
    g_string_append (out, " has ended\n");
  else
    {
      if (point.iteration >= 0)
        g_string_append_printf (out, ", iteration %d", point.iteration);
      g_string_append (out, ": ");
      hir_console_append_instruction (console, i, point.expr, out);
      g_string_append_c (out, '\n');
    }
}

static void
show_place (HirConsole *console, GString *out)
{
  HirDebugRun *run = hir_debugger_get_run (console->debugger);
  g_autofree char *waits = NULL;

  if (run == NULL)
    return;
  append_place (console, hir_debugger_get_rank (console->debugger), out);
  waits = hir_debug_run_describe_waits (run);
  g_string_append (out, waits);
}

static void
append_report (HirConsole *console, GString *out)
{
  HirDebugRun *run = hir_debugger_get_run (console->debugger);
  const HirCheckReport *report = hir_session_get_report (hir_debug_run_get_session (run));
  g_autofree char *text = report != NULL ? hir_check_report_format (report) : NULL;

  if (text == NULL)
    return;
  g_string_append_printf (out, "%s%s", text, g_str_has_suffix (text, "\n") ? "" : "\n");
  console->check_outcome = MAX (console->check_outcome, hir_check_report_get_outcome (report));
}

static void
append_method (const HirDebugStop *stop, GString *out)
{
  if (stop->went_back && stop->n_replayed > 0)
    g_string_append_printf (out, "(replayed from %s: %" G_GUINT64_FORMAT " step%s)\n",
                            stop->method == HIR_DEBUG_BY_CHECKPOINT ? "a checkpoint" : "the start",
                            stop->n_replayed, stop->n_replayed == 1 ? "" : "s");
}

static void
append_breakpoint (HirConsole *console, const HirDebugStop *stop, GString *out)
{
  g_string_append_printf (out, "%s %u, ", stop->kind == HIR_STOP_WATCH ? "Watch" : "Breakpoint",
                          stop->breakpoint);
  if (stop->error != NULL)
    g_string_append_printf (out, "condition without a value: %s\n", stop->error);
  if (stop->writer == NULL)
    return;
  g_string_append_printf (out, "written by rank %d",
                          hir_debug_run_get_rank (hir_debugger_get_run (console->debugger),
                                                  stop->i));
  if (stop->writer_iteration >= 0)
    g_string_append_printf (out, ", iteration %d", stop->writer_iteration);
  g_string_append (out, ": ");
  hir_console_append_instruction (console, stop->i, stop->writer, out);
  g_string_append_c (out, '\n');
}

static void
append_failure (const HirDebugStop *stop, GString *out)
{
  if (stop->error_pos.line > 0)
    g_string_append_printf (out, "The program has failed (line %u of its source): %s\n",
                            stop->error_pos.line, stop->error);
  else
    g_string_append_printf (out, "The program has failed: %s\n", stop->error);
}

static void
append_end (HirDebugRun *run, GString *out)
{
  gint64 unused;

  g_string_append_printf (out, "The program has ended, after %" G_GUINT64_FORMAT " steps",
                          hir_debug_run_get_round (run));
  if (hir_debug_run_get_modelled_ns (run, 0, &unused))
    g_string_append_printf (out, " and %.3f µs on the modelled clock",
                            (double) hir_session_get_elapsed_ns (hir_debug_run_get_session (run)) /
                                1000);
  g_string_append (out, ".\n");
}

static void
append_stop (HirConsole *console, const HirDebugStop *stop, GString *out)
{
  HirDebugRun *run = hir_debugger_get_run (console->debugger);

  append_method (stop, out);
  switch (stop->kind)
    {
    case HIR_STOP_BREAK:
    case HIR_STOP_WATCH:
      append_breakpoint (console, stop, out);
      break;
    case HIR_STOP_ASKED:
      g_string_append (out, "Stopped.\n");
      if (hir_debug_run_is_over (run))
        g_string_append (
            out,
            "All work is issued but not finished (see info streams); continue waits for it.\n");
      break;
    case HIR_STOP_ENDED:
      append_end (run, out);
      append_report (console, out);
      return;
    case HIR_STOP_HELD:
      g_string_append (
          out, hir_debugger_get_alone (console->debugger)
                   ? "This rank cannot continue alone; use 'rank together' to step all ranks.\n"
                   : "No rank can continue.\n");
      break;
    case HIR_STOP_BEGIN:
      g_string_append (out, "At the start of the program.\n");
      break;
    case HIR_STOP_FAILED:
      append_failure (stop, out);
      return;
    default:
      break;
    }
  show_place (console, out);
}

static gboolean
move (const HirConsoleCall *call, HirDebugMove what, guint64 count, int tensor, GError **error)
{
  HirConsole *console = call->console;
  g_auto (HirDebugStop) stop = { 0 };
  GError *cause = NULL;

  if (!hir_debugger_move (console->debugger, what, count, tensor, &stop, &cause))
    return hir_console_pass_error (call, 0, cause, error);
  append_stop (console, &stop, call->out);
  hir_console_show_displays (console, call->out);
  return TRUE;
}

static gboolean
read_count (const HirConsoleCall *call, guint64 *count, GError **error)
{
  *count = 1;
  return *call->arguments == '\0' ||
         g_ascii_string_to_unsigned (call->arguments, 10, 1, G_MAXUINT32, count, NULL) ||
         hir_console_reject (call, 0, error, "the count must be a number, 1 or more");
}

gboolean
hir_console_move (const HirConsoleCall *call, int data, GError **error)
{
  HirDebugMove what = (HirDebugMove) data;
  HirDebugger *debugger = call->console->debugger;
  guint64 count;

  if (!read_count (call, &count, error))
    return FALSE;
  /* One move per breakpoint, so that each passed breakpoint is reported. */
  while (what == HIR_MOVE_CONTINUE && count-- > 1)
    if (!move (call, what, 1, -1, error) ||
        hir_debug_run_is_finished (hir_debugger_get_run (debugger)))
      return TRUE;
  return move (call, what, MAX (count, 1), -1, error);
}

gboolean
hir_console_back (const HirConsoleCall *call, int data, GError **error)
{
  g_auto (GStrv) words = g_strsplit_set (call->arguments, " \t", 2);
  const char *first = words[0] != NULL ? words[0] : "";
  guint64 count, name;

  if (*first != '\0' && g_str_has_prefix ("iteration", first))
    return move (call, HIR_MOVE_BACK_ITERATION, 1, -1, error);
  if (*first != '\0' && g_str_has_prefix ("write", first))
    {
      g_autofree char *tensor = words[1] != NULL ? g_strstrip (g_strdup (words[1])) : NULL;

      if (tensor == NULL || (*tensor != 'T' && *tensor != 't') ||
          !g_ascii_string_to_unsigned (tensor + 1, 10, 0, G_MAXINT, &name, NULL))
        return hir_console_reject (call, 0, error, "no tensor given; usage: back write T5");
      return move (call, HIR_MOVE_BACK_WRITE, 1, (int) name, error);
    }
  if (!read_count (call, &count, NULL))
    return hir_console_reject (call, 0, error,
                               "invalid argument; usage: back [N | iteration | write T5]");
  return move (call, HIR_MOVE_BACK, count, -1, error);
}

/* @data is TRUE for run, which continues at once, and FALSE for start. */
gboolean
hir_console_start (const HirConsoleCall *call, int data, GError **error)
{
  HirConsole *console = call->console;
  HirDebugRun *run;
  g_auto (HirDebugStop) stop = { 0 };
  GError *cause = NULL;

  if (!hir_debugger_start (console->debugger, &cause))
    return hir_console_pass_error (call, 0, cause, error);
  run = hir_debugger_get_run (console->debugger);
  g_string_append (call->out, hir_session_get_inputs_text (hir_debug_run_get_session (run)));
  if (data && !hir_debugger_stop_here (console->debugger, &stop))
    return move (call, HIR_MOVE_CONTINUE, 1, -1, error);
  append_stop (console, &stop, call->out);
  hir_console_show_displays (console, call->out);
  return TRUE;
}

static gboolean
find_rank (const HirConsoleCall *call, const char *word, guint *i, GError **error)
{
  HirDebugger *debugger = call->console->debugger;
  HirDebugRun *run = hir_debugger_get_run (debugger);
  guint64 number;
  int found;

  if (!g_ascii_string_to_unsigned (word, 10, 0, G_MAXINT, &number, NULL))
    return hir_console_reject (call, 0, error, "invalid rank; usage: rank [N] [alone | together]");
  found = run != NULL ? hir_debug_run_find_rank (run, (gint64) number)
          : number < hir_debugger_get_n_ranks (debugger) ? (int) number
                                                         : -1;
  if (found < 0)
    return hir_console_reject (call, 0, error,
                               "there is no rank %" G_GUINT64_FORMAT "; see info devices", number);
  *i = (guint) found;
  return TRUE;
}

gboolean
hir_console_rank (const HirConsoleCall *call, int data, GError **error)
{
  HirDebugger *debugger = call->console->debugger;
  g_auto (GStrv) words = g_strsplit_set (call->arguments, " \t", -1);
  guint i = hir_debugger_get_rank (debugger);

  for (guint k = 0; words[k] != NULL; k++)
    {
      if (*words[k] == '\0')
        continue;
      if (g_str_equal (words[k], "alone") || g_str_equal (words[k], "together"))
        hir_debugger_set_alone (debugger, words[k][0] == 'a');
      else if (!find_rank (call, words[k], &i, error))
        return FALSE;
    }
  hir_debugger_set_rank (debugger, i);
  if (hir_debugger_get_n_ranks (debugger) > 1)
    g_string_append (call->out, hir_debugger_get_alone (debugger)
                                    ? "Only this rank steps; the others are held.\n"
                                    : "All ranks step together.\n");
  show_place (call->console, call->out);
  return TRUE;
}

static gboolean
read_size (const char *text, gsize *n_bytes)
{
  char *end;
  guint64 number = g_ascii_strtoull (text, &end, 10);
  guint shift = *end == 'k' || *end == 'K' ? 10 : *end == 'M' ? 20 : *end == 'G' ? 30 : 0;

  end += shift > 0;
  *n_bytes = (gsize) (number << shift);
  return end > text && g_ascii_isdigit (*text) && *end == '\0' &&
         number <= (G_MAXSIZE >> 1 >> shift);
}

gboolean
hir_console_set (const HirConsoleCall *call, int data, GError **error)
{
  g_auto (GStrv) words = g_strsplit_set (call->arguments, " \t", 2);
  guint64 every;
  gsize n_bytes;

  if (words[0] != NULL && g_str_equal (words[0], "checkpoints"))
    {
      if (words[1] == NULL ||
          !g_ascii_string_to_unsigned (g_strstrip (words[1]), 10, 0, G_MAXUINT32, &every, NULL))
        return hir_console_reject (call, 12, error,
                                   "invalid distance; give a number of steps, or 0");
      hir_debugger_set_checkpoints (call->console->debugger, every);
      return TRUE;
    }
  if (words[0] == NULL || !g_str_equal (words[0], "undo"))
    return hir_console_reject (call, 0, error,
                               "unknown setting; usage: set undo SIZE | checkpoints N");
  if (words[1] == NULL || !read_size (g_strstrip (words[1]), &n_bytes))
    return hir_console_reject (call, 5, error,
                               "invalid size; give a number of bytes, such as 64M or 1G");
  hir_debugger_set_undo_bytes (call->console->debugger, n_bytes);
  return TRUE;
}

/* Appends the line of a loop or branch. ELSE is in the line before its first instruction. */
static void
append_frame (const HirConsoleCall *call, guint i, const HirDebugFrame *frame)
{
  const GPtrArray *numbers = hir_debugger_get_numbers (call->console->debugger, i);
  g_autofree char *label = hir_brief_outer_label (frame->expr, frame->is_else);
  const HirExpr *first =
      frame->is_else ? frame->expr->u.branch.else_body.exprs.items[0] : frame->expr;
  guint line = hir_instruction_find (numbers, first->node.id);

  g_string_append_printf (call->out, "program line %u, %s", line - frame->is_else, label);
  if (frame->expr->kind == HIR_EXPR_FOR)
    g_string_append_printf (call->out, ": iteration %" G_GINT64_FORMAT ", to %" G_GINT64_FORMAT,
                            frame->index, frame->stop - 1);
}

gboolean
hir_console_where (const HirConsoleCall *call, int data, GError **error)
{
  HirDebugger *debugger = call->console->debugger;
  HirDebugRun *run = hir_console_get_run (call, error);
  guint i = hir_debugger_get_rank (debugger), n = 0;
  g_autoptr (GArray) frames = NULL;
  HirProgramPoint point;

  if (run == NULL)
    return FALSE;
  frames = hir_debug_run_dup_frames (run, i);
  if (hir_debug_run_peek (run, i, &point))
    {
      g_string_append_printf (call->out, "#%u  ", n++);
      hir_console_append_instruction (call->console, i, point.expr, call->out);
      g_string_append_c (call->out, '\n');
    }
  for (guint k = frames->len; k-- > 0;)
    {
      g_string_append_printf (call->out, "#%u  ", n++);
      append_frame (call, i, &g_array_index (frames, HirDebugFrame, k));
      g_string_append_c (call->out, '\n');
    }
  g_string_append_printf (call->out, "#%u  the program, on rank %d of %u\n", n,
                          hir_debug_run_get_rank (run, i), hir_debug_run_get_n_ranks (run));
  return TRUE;
}
