/* The commands info and list. */
#include <string.h>

#include "brief.h"
#include "debugger/console-private.h"
#include "diagnostic.h"

#define LIST_LINES 10

static gboolean
info_breakpoints (const HirConsoleCall *call, int data, GError **error)
{
  const GPtrArray *all = hir_debugger_get_breakpoints (call->console->debugger);

  if (all->len == 0)
    g_string_append (call->out, "No breakpoints; use break to add one.\n");
  for (guint i = 0; i < all->len; i++)
    {
      const HirBreakpoint *breakpoint = g_ptr_array_index (all, i);

      g_string_append_printf (call->out, "%-4u %-10s %s", breakpoint->number,
                              breakpoint->kind == HIR_WATCH ? "watch"
                              : breakpoint->is_temporary    ? "tbreak"
                                                            : "break",
                              breakpoint->text);
      if (breakpoint->is_disabled)
        g_string_append (call->out, "  (disabled)");
      if (breakpoint->n_hits > 0)
        g_string_append_printf (call->out, "  hit %u time%s", breakpoint->n_hits,
                                breakpoint->n_hits == 1 ? "" : "s");
      g_string_append_c (call->out, '\n');
    }
  return TRUE;
}

static void
append_stream (HirConsole *console, guint i, const HirDebugStream *stream, GString *out)
{
  g_string_append_printf (out, "%s %-16s ", stream->is_current ? "*" : " ", stream->name);
  if (!stream->is_known)
    g_string_append (out, "cannot be inspected (device stream)");
  else if (stream->doing == HIR_STREAM_IDLE)
    g_string_append (out, "idle");
  else
    {
      g_string_append_printf (out, "%s %s",
                              stream->doing == HIR_STREAM_WAITING ? "waits in"
                              : stream->doing == HIR_STREAM_HELD  ? "is held before"
                                                                  : "runs",
                              stream->label != NULL ? stream->label : "an event");
      if (stream->expr != NULL)
        g_string_append_printf (out, " (program line %u",
                                hir_instruction_find (hir_debugger_get_numbers (console->debugger,
                                                                                i),
                                                      stream->expr->node.id));
      if (stream->expr != NULL && stream->iteration >= 0)
        g_string_append_printf (out, ", iteration %d", stream->iteration);
      g_string_append (out, stream->expr != NULL ? ")" : "");
      if (stream->waits_for != NULL)
        g_string_append_printf (out, " for %s", stream->waits_for);
      if (stream->n_queued > 0)
        g_string_append_printf (out, "; %u queued", stream->n_queued);
    }
  g_string_append_c (out, '\n');
}

static gboolean
info_streams (const HirConsoleCall *call, int data, GError **error)
{
  HirDebugRun *run = hir_console_get_run (call, error);

  if (run == NULL)
    return FALSE;
  (void) hir_debug_run_quiesce (run);
  for (guint i = 0; i < hir_debug_run_get_n_ranks (run); i++)
    {
      g_autoptr (GPtrArray) streams = hir_debug_run_dup_streams (run, i);

      g_string_append_printf (call->out, "rank %d\n", hir_debug_run_get_rank (run, i));
      for (guint k = 0; k < streams->len; k++)
        append_stream (call->console, i, g_ptr_array_index (streams, k), call->out);
    }
  return TRUE;
}

static gboolean
info_devices (const HirConsoleCall *call, int data, GError **error)
{
  HirDebugger *debugger = call->console->debugger;
  HirDebugRun *run = hir_console_get_run (call, error);

  if (run == NULL)
    return FALSE;
  for (guint i = 0; i < hir_debug_run_get_n_ranks (run); i++)
    {
      HirEvaluator *evaluator = hir_debug_run_get_evaluator (run, i);
      g_autofree char *position = hir_debug_run_describe_place (run, i);
      g_autoptr (GPtrArray) buffers = hir_debug_run_dup_buffers (run, i);
      gsize n_bytes = 0;

      for (guint k = 0; k < buffers->len; k++)
        n_bytes += ((const HirDebugBuffer *) g_ptr_array_index (buffers, k))->size_bytes;
      g_string_append_printf (call->out,
                              "%s rank %-3d %s; on %s; %" G_GSIZE_FORMAT " bytes in %u buffer%s; "
                              "%" G_GUINT64_FORMAT " steps\n",
                              i == hir_debugger_get_rank (debugger) ? "*" : " ",
                              hir_debug_run_get_rank (run, i), position,
                              hir_evaluator_get_current_stream_name (evaluator), n_bytes,
                              buffers->len, buffers->len == 1 ? "" : "s",
                              hir_evaluator_get_n_steps (evaluator));
    }
  return TRUE;
}

static gboolean
info_buffers (const HirConsoleCall *call, int data, GError **error)
{
  guint i = hir_debugger_get_rank (call->console->debugger);
  HirDebugRun *run = hir_console_get_run (call, error);
  g_autoptr (GPtrArray) buffers = NULL;
  gsize n_bytes = 0;

  if (run == NULL)
    return FALSE;
  buffers = hir_debug_run_dup_buffers (run, i);
  for (guint k = 0; k < buffers->len; k++)
    {
      const HirDebugBuffer *buffer = g_ptr_array_index (buffers, k);

      n_bytes += buffer->size_bytes;
      g_string_append_printf (call->out, "T%-5d %12" G_GSIZE_FORMAT " bytes%s",
                              g_array_index (buffer->names, int, 0), buffer->size_bytes,
                              buffer->is_input ? "  input" : "");
      for (guint m = 1; m < buffer->names->len; m++)
        g_string_append_printf (call->out, "%sT%d", m == 1 ? "  shared with " : ", ",
                                g_array_index (buffer->names, int, m));
      g_string_append_c (call->out, '\n');
    }
  g_string_append_printf (call->out, "%u buffer%s, %" G_GSIZE_FORMAT " bytes on rank %d\n",
                          buffers->len, buffers->len == 1 ? "" : "s", n_bytes,
                          hir_debug_run_get_rank (run, i));
  return TRUE;
}

static void
append_ranks (const GArray *ranks, GString *out)
{
  for (guint i = 0; i < ranks->len; i++)
    g_string_append_printf (out, "%s%" G_GINT64_FORMAT, i > 0 ? ", " : "",
                            g_array_index (ranks, gint64, i));
}

/* Appends each unfinished communication with the ranks that have and have not posted it. Returns
 * their number. */
static guint
append_unmet (HirDebugRun *run, GString *out)
{
  g_autoptr (GPtrArray) statuses = hir_debug_run_look_at_comms (run);

  for (guint i = 0; i < statuses->len; i++)
    {
      const HirCommStatus *status = g_ptr_array_index (statuses, i);

      g_string_append_printf (out, "%s: posted by ", status->where);
      append_ranks (status->posted, out);
      if (status->missing->len > 0)
        {
          g_string_append (out, "; not by ");
          append_ranks (status->missing, out);
        }
      g_string_append_c (out, '\n');
    }
  return statuses->len;
}

static gboolean
info_communications (const HirConsoleCall *call, int data, GError **error)
{
  HirDebugRun *run = hir_console_get_run (call, error);
  g_autofree char *waits = NULL;
  guint n;

  if (run == NULL)
    return FALSE;
  (void) hir_debug_run_quiesce (run);
  n = append_unmet (run, call->out);
  for (guint i = 0; i < hir_debug_run_get_n_ranks (run); i++)
    {
      g_autoptr (GPtrArray) pending = hir_debug_run_dup_pending (run, i);

      for (guint k = 0; k < pending->len; k++)
        {
          g_string_append_printf (call->out, "rank %d has posted but not waited for ",
                                  hir_debug_run_get_rank (run, i));
          hir_console_append_instruction (call->console, i, g_ptr_array_index (pending, k),
                                          call->out);
          g_string_append_c (call->out, '\n');
        }
      n += pending->len;
    }
  waits = hir_debug_run_describe_waits (run);
  g_string_append (call->out, waits);
  if (n == 0)
    g_string_append (call->out, "All posted communications are complete and waited for.\n");
  return TRUE;
}

static gboolean
info_undo (const HirConsoleCall *call, int data, GError **error)
{
  HirDebugRun *run = hir_console_get_run (call, error);
  HirUndoLog *log;
  guint64 first, last;
  gsize n_bytes;
  guint n;

  if (run == NULL)
    return FALSE;
  n = hir_debug_run_get_n_checkpoints (run, &first, &last, &n_bytes);
  log = hir_debug_run_get_log (run);
  g_string_append_printf (call->out,
                          "step %" G_GUINT64_FORMAT " of the run; undo log: %u step%s, "
                          "%" G_GSIZE_FORMAT " of %" G_GSIZE_FORMAT
                          " bytes; further back by replay",
                          hir_debug_run_get_round (run), hir_undo_log_get_n_entries (log),
                          hir_undo_log_get_n_entries (log) == 1 ? "" : "s",
                          hir_undo_log_get_bytes (log), hir_undo_log_get_max_bytes (log));
  if (n == 0)
    g_string_append (call->out, " from the start\n");
  else
    g_string_append_printf (
        call->out,
        " from the start or %u checkpoint%s, the last at step %" G_GUINT64_FORMAT
        ", with %" G_GSIZE_FORMAT " bytes\n",
        n, n == 1 ? "" : "s", last, n_bytes);
  return TRUE;
}

static gboolean
info_clock (const HirConsoleCall *call, int data, GError **error)
{
  HirDebugRun *run = hir_console_get_run (call, error);

  if (run == NULL)
    return FALSE;
  for (guint i = 0; i < hir_debug_run_get_n_ranks (run); i++)
    {
      gint64 host_ns;

      if (!hir_debug_run_get_modelled_ns (run, i, &host_ns))
        {
          g_string_append (call->out, "Wall clock: times depend on this machine and on pauses. "
                                      "Use --clock model for reproducible times.\n");
          return TRUE;
        }
      g_string_append_printf (call->out, "rank %d: host at %.3f µs on the modelled clock\n",
                              hir_debug_run_get_rank (run, i), (double) host_ns / 1000);
    }
  return TRUE;
}

static gboolean
info_display (const HirConsoleCall *call, int data, GError **error)
{
  const GPtrArray *displays = call->console->displays;

  if (displays->len == 0)
    g_string_append (call->out, "No expressions are displayed; use display EXPR.\n");
  for (guint i = 0; i < displays->len; i++)
    {
      const HirConsoleDisplay *display = g_ptr_array_index (displays, i);

      g_string_append_printf (call->out, "%u: %s\n", display->number, display->text);
    }
  return TRUE;
}

static const HirConsoleCommand infos[] = {
  { "breakpoints", "break,b", info_breakpoints, 0, 0, "",
    "breakpoints and watchpoints, with hit counts" },
  { "streams", NULL, info_streams, 0, 0, "", "state and queue of each stream" },
  { "devices", "ranks,threads", info_devices, 0, 0, "",
    "position, stream and memory of each rank" },
  { "buffers", NULL, info_buffers, 0, 0, "", "live buffers of the rank and their tensors" },
  { "communications", "comm", info_communications, 0, 0, "",
    "unfinished communications, and which ranks have posted them" },
  { "undo", "record", info_undo, 0, 0, "", "size of the undo log, and checkpoints" },
  { "clock", "time", info_clock, 0, 0, "", "modelled time of each rank (--clock model)" },
  { "display", NULL, info_display, 0, 0, "", "displayed expressions" },
  { NULL },
};

const HirConsoleCommand *
hir_console_get_infos (void)
{
  return infos;
}

gboolean
hir_console_info (const HirConsoleCall *call, int data, GError **error)
{
  const HirConsoleCommand *info;
  GError *cause = NULL;

  if (*call->arguments == '\0')
    return hir_console_reject (call, 0, error,
                               "missing subcommand: breakpoints, streams, devices, buffers, "
                               "communications, undo, clock or display");
  info = hir_console_find (infos, call->arguments, &cause);
  return info != NULL ? info->run (call, 0, error) : hir_console_pass_error (call, 0, cause, error);
}

/* An instruction, and the line of the program in which it starts. */
typedef struct
{
  guint number;
  const HirExpr *expr;
} Line;

static gboolean
has_breakpoint (HirConsole *console, const HirExpr *expr)
{
  const GPtrArray *all = hir_debugger_get_breakpoints (console->debugger);

  for (guint i = 0; i < all->len; i++)
    {
      const HirBreakpoint *breakpoint = g_ptr_array_index (all, i);

      if (breakpoint->ids != NULL && !breakpoint->is_disabled &&
          g_hash_table_contains (breakpoint->ids, &expr->node.id))
        return TRUE;
    }
  return FALSE;
}

static guint
get_cursor (HirConsole *console, guint i)
{
  HirDebugRun *run = hir_debugger_get_run (console->debugger);
  HirProgramPoint point;

  return run != NULL && hir_debug_run_peek (run, i, &point)
             ? hir_instruction_find (hir_debugger_get_numbers (console->debugger, i),
                                     point.expr->node.id)
             : 0;
}

static void
append_row (HirConsole *console, guint i, guint row, const Line *line, GString *out)
{
  const GArray *depths = g_ptr_array_index (console->depths, i);
  const HirExpr *expr = line->expr;
  g_autofree char *label = hir_brief_expr_label (expr);

  g_string_append_printf (out, "%s%s %4u  %*s%s",
                          get_cursor (console, i) == line->number ? "=>" : "  ",
                          has_breakpoint (console, expr) ? "B" : " ", line->number,
                          2 * (int) g_array_index (depths, guint, row), "", label);
  for (guint k = 0; k < hir_debugger_get_n_ranks (console->debugger); k++)
    if (k != i && get_cursor (console, i) != get_cursor (console, k))
      {
        HirProgramPoint point;

        if (hir_debug_run_peek (hir_debugger_get_run (console->debugger), k, &point) &&
            point.expr->node.id == expr->node.id)
          g_string_append_printf (out, "   <= rank %d", point.rank);
      }
  g_string_append_c (out, '\n');
}

/* Returns the instructions of rank @i (Line). */
static GArray *
dup_lines (HirConsole *console, guint i)
{
  const GPtrArray *numbers = hir_debugger_get_numbers (console->debugger, i);
  GArray *lines = g_array_new (FALSE, FALSE, sizeof (Line));

  for (guint k = 0; k < numbers->len; k++)
    {
      Line line = { k + 1, numbers->pdata[k] };

      if (line.expr != NULL)
        g_array_append_val (lines, line);
    }
  return lines;
}

/* Returns the number of instructions before @line. */
static guint
count_before (const GArray *lines, guint64 line)
{
  guint n = 0;

  while (n < lines->len && g_array_index (lines, Line, n).number < line)
    n++;
  return n;
}

/* Returns the first of the rows around row @row. */
static guint
get_first_around (guint row)
{
  return row >= LIST_LINES / 2 ? row - LIST_LINES / 2 : 0;
}

/* Parses "12" as the rows around line 12, and "3,9" as those of lines 3 to 9. @end is exclusive. */
static gboolean
read_range (
    const HirConsoleCall *call, const GArray *lines, guint *first, guint *end, GError **error)
{
  g_auto (GStrv) ends = g_strsplit (call->arguments, ",", 2);
  guint n = g_array_index (lines, Line, lines->len - 1).number;
  guint64 a, b;

  if (!g_ascii_string_to_unsigned (g_strstrip (ends[0]), 10, 1, n, &a, NULL) ||
      (ends[1] != NULL &&
       !g_ascii_string_to_unsigned (g_strstrip (ends[1]), 10, a, G_MAXUINT, &b, NULL)))
    return hir_console_reject (call, 0, error,
                               "invalid range; use list N or list A,B with lines from 1 to %u", n);
  /* A line inside an instruction is that of the instruction. */
  *first = MAX (count_before (lines, a + 1), 1) - 1;
  if (ends[1] == NULL)
    *first = get_first_around (*first);
  *end = ends[1] != NULL ? MAX (count_before (lines, b + 1), *first + 1) : *first + LIST_LINES;
  return TRUE;
}

gboolean
hir_console_list (const HirConsoleCall *call, int data, GError **error)
{
  HirConsole *console = call->console;
  guint i = hir_debugger_get_rank (console->debugger);
  g_autoptr (GArray) lines = dup_lines (console, i);
  guint first, end;

  if (lines->len == 0)
    {
      g_string_append (call->out, "The program is empty.\n");
      return TRUE;
    }
  if (console->list_next >= lines->len)
    return hir_console_reject (call, 0, error, "end of the program; its lines are 1 to %u",
                               g_array_index (lines, Line, lines->len - 1).number);
  first = console->list_next > 0 ? console->list_next
                                 : get_first_around (count_before (lines, get_cursor (console, i)));
  end = first + LIST_LINES;
  if (*call->arguments != '\0' && console->list_next == 0 &&
      !read_range (call, lines, &first, &end, error))
    return FALSE;
  end = MIN (end, lines->len);
  for (guint row = first; row < end; row++)
    append_row (console, i, row, &g_array_index (lines, Line, row), call->out);
  console->list_next = end;
  return TRUE;
}
