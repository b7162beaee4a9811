/* Forward moves. Step, next and finish differ only in the loop depth at which they stop. */
#include "debugger/debugger-private.h"

/* Where a move stops. */
typedef struct
{
  HirDebugMove move;
  gint64 depth; /* maximum loop depth to stop at */
  guint number; /* HIR_MOVE_UNTIL: only after this instruction; 0: anywhere */
} Goal;

static guint
get_number (HirDebugger *debugger, guint64 id)
{
  return hir_instruction_find (hir_debugger_get_numbers (debugger, debugger->rank), id);
}

static void
set_goal (HirDebugger *debugger, HirDebugMove move, Goal *goal)
{
  HirProgramPoint point = { .depth = 0 };
  gboolean has_next = hir_debug_run_peek (debugger->run, debugger->rank, &point);

  goal->move = move;
  goal->depth = move == HIR_MOVE_STEP || !has_next ? G_MAXINT
                : move == HIR_MOVE_FINISH          ? (gint64) point.depth - 1
                : move == HIR_MOVE_CONTINUE        ? -1
                                                   : (gint64) point.depth;
  goal->number =
      move == HIR_MOVE_UNTIL && has_next ? get_number (debugger, point.expr->node.id) : 0;
}

static gboolean
is_reached (HirDebugger *debugger, const Goal *goal)
{
  HirProgramPoint point;

  if (goal->move == HIR_MOVE_CONTINUE)
    return FALSE;
  if (!hir_debug_run_peek (debugger->run, debugger->rank, &point))
    return TRUE;
  return (gint64) point.depth <= goal->depth &&
         (goal->number == 0 || (gint64) point.depth < goal->depth ||
          get_number (debugger, point.expr->node.id) > goal->number);
}

static void
fail (HirDebugger *debugger, HirDebugStop *stop, GError *error)
{
  g_free (debugger->failure);
  debugger->failure = g_strdup (error->message);
  stop->kind = HIR_STOP_FAILED;
  stop->error = g_strdup (error->message);
  stop->error_pos = hir_error_get_pos (error);
  g_error_free (error);
}

static void
end (HirDebugger *debugger, HirDebugStop *stop)
{
  GError *error = NULL;

  /* Issued work may take long. This wait can be stopped, unlike the end of the session. */
  if (!hir_debug_run_quiesce (debugger->run))
    stop->kind = HIR_STOP_ASKED;
  else if (hir_debug_run_finish (debugger->run, &error))
    stop->kind = HIR_STOP_ENDED;
  else
    fail (debugger, stop, error);
}

/* Returns TRUE if a watchpoint or breakpoint matches after a round of @moved. */
static gboolean
find_breaks (HirDebugger *debugger,
             guint32 moved,
             const HirProgramPoint *points,
             HirDebugStop *stop)
{
  for (guint i = 0; i < debugger->programs->len; i++)
    if ((moved & (1u << i)) != 0 && points[i].expr != NULL &&
        hir_debugger_stop_at (debugger, hir_debugger_find_written (debugger, i, &points[i], TRUE),
                              i, &points[i], stop))
      return TRUE;
  for (guint i = 0; i < debugger->programs->len; i++)
    if ((moved & (1u << i)) != 0 &&
        hir_debugger_stop_at (debugger, hir_debugger_find_hit (debugger, i, TRUE), i, NULL, stop))
      return TRUE;
  return FALSE;
}

/* Executes one round. Returns TRUE and fills in @stop if the move must stop. */
static gboolean
take_round (HirDebugger *debugger, HirDebugStop *stop)
{
  guint32 ranks = hir_debugger_get_moving (debugger);
  g_autofree HirProgramPoint *points = hir_debugger_dup_points (debugger);
  GError *error = NULL;

  switch (hir_debug_run_step (debugger->run, ranks, &error))
    {
    case HIR_STEP_FAILED:
      fail (debugger, stop, error);
      return TRUE;
    case HIR_STEP_DONE:
      stop->kind = HIR_STOP_HELD;
      return TRUE;
    default:
      break;
    }
  if (hir_debug_run_is_over (debugger->run))
    {
      end (debugger, stop);
      return TRUE;
    }
  return find_breaks (debugger, ranks, points, stop);
}

/* Continues without breakpoints, at full speed. */
static void
run_freely (HirDebugger *debugger, HirDebugStop *stop)
{
  GError *error = NULL;

  switch (hir_debug_run_go (debugger->run, hir_debugger_get_moving (debugger), &error))
    {
    case HIR_STEP_FAILED:
      fail (debugger, stop, error);
      return;
    case HIR_STEP_DONE:
      stop->kind = HIR_STOP_HELD;
      return;
    default:
      break;
    }
  if (hir_debug_run_is_over (debugger->run))
    end (debugger, stop);
  else
    stop->kind = g_atomic_int_get (&debugger->stop) != 0 ? HIR_STOP_ASKED : HIR_STOP_HELD;
}

static void
move_forward (HirDebugger *debugger, HirDebugMove move, guint64 count, HirDebugStop *stop)
{
  gboolean watches = hir_debugger_has_breakpoints (debugger, TRUE);

  if (hir_debug_run_is_over (debugger->run))
    {
      end (debugger, stop);
      return;
    }
  hir_debug_run_watch_writes (debugger->run, watches);
  if (move == HIR_MOVE_CONTINUE && !watches && !hir_debugger_has_breakpoints (debugger, FALSE))
    {
      run_freely (debugger, stop);
      return;
    }
  for (; count > 0; count--)
    {
      Goal goal;

      set_goal (debugger, move, &goal);
      do
        {
          if (g_atomic_int_get (&debugger->stop) != 0)
            {
              stop->kind = HIR_STOP_ASKED;
              return;
            }
          if (take_round (debugger, stop))
            return;
        }
      while (!is_reached (debugger, &goal));
    }
  stop->kind = HIR_STOP_STEPPED;
}

gboolean
hir_debugger_stop_here (HirDebugger *debugger, HirDebugStop *stop)
{
  *stop = (HirDebugStop){ .i = debugger->rank };
  for (guint i = 0; debugger->run != NULL && i < debugger->programs->len; i++)
    if (hir_debugger_stop_at (debugger, hir_debugger_find_hit (debugger, i, TRUE), i, NULL, stop))
      return TRUE;
  return FALSE;
}

static void
delete_temporary (HirDebugger *debugger, guint number)
{
  const HirBreakpoint *breakpoint = hir_debugger_lookup_breakpoint (debugger, number);

  if (breakpoint != NULL && breakpoint->is_temporary)
    hir_debugger_delete_breakpoint (debugger, number);
}

static gboolean
check_can_move (HirDebugger *debugger, gboolean back, GError **error)
{
  const char *why = debugger->run == NULL ? "the program is not running; type run or start"
                    : back                ? NULL
                    : debugger->failure != NULL
                        ? "the program has failed; go back, or type run to restart it"
                    : hir_debug_run_is_finished (debugger->run)
                        ? "the program has ended; go back, or type run to restart it"
                        : NULL;

  if (why != NULL)
    hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s", why);
  return why == NULL;
}

/* Waits until the streams are quiescent, so that the state can be inspected. After a stop request,
 * holds them instead. */
static void
quiesce (HirDebugger *debugger, const HirDebugStop *stop)
{
  if (stop->kind != HIR_STOP_ASKED && hir_debug_run_quiesce (debugger->run))
    return;
  hir_debug_run_hold (debugger->run, TRUE);
  hir_debugger_clear_stop (debugger);
  (void) hir_debug_run_quiesce (debugger->run);
}

gboolean
hir_debugger_move (HirDebugger *debugger,
                   HirDebugMove move,
                   guint64 count,
                   int tensor,
                   HirDebugStop *stop,
                   GError **error)
{
  gboolean back = move >= HIR_MOVE_BACK;

  *stop = (HirDebugStop){ .i = debugger->rank };
  if (!check_can_move (debugger, back, error))
    return FALSE;
  /* The request may have arrived while the run was being created. */
  if (g_atomic_int_get (&debugger->stop) != 0)
    hir_debug_run_request_stop (debugger->run);
  hir_debug_run_hold (debugger->run, FALSE);
  if (!back)
    move_forward (debugger, move, count, stop);
  else if (!hir_debugger_move_back (debugger, move, count, tensor, stop, error))
    return FALSE;
  if (stop->kind != HIR_STOP_FAILED)
    quiesce (debugger, stop);
  /* Stop requests up to here are served. */
  hir_debugger_clear_stop (debugger);
  delete_temporary (debugger, stop->breakpoint);
  if (stop->kind != HIR_STOP_BREAK && stop->kind != HIR_STOP_WATCH)
    stop->i = debugger->rank;
  return TRUE;
}
