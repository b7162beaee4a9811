/* Finds the breakpoints and watchpoints that match the current state. */
#include "debugger/debugger-private.h"
#include "run/values/overlap.h"

/* Also returns TRUE if the condition has no value, and stores the reason in @breakpoint: a
 * condition that cannot be tested stops, as in gdb. A breakpoint at every instruction passes those
 * at which its condition has no value yet. */
static gboolean
is_true (HirDebugger *debugger, guint i, HirBreakpoint *breakpoint)
{
  gboolean is_everywhere = breakpoint->ids == NULL && !breakpoint->is_after;
  HirDebugView view = debugger->view;
  HirDebugNames names;
  HirDebugNumber number = { .is_int = TRUE };
  g_autoptr (GError) error = NULL;
  gboolean has_value;

  if (breakpoint->condition == NULL)
    return TRUE;
  view.i = i;
  hir_debug_view_init_names (&view, &names);
  /* The values that the condition reads must be complete. */
  (void) hir_debug_run_quiesce (debugger->run);
  has_value = hir_debug_expr_evaluate (breakpoint->condition, &names, &number,
                                       is_everywhere ? NULL : &error);
  if (has_value ? (number.is_int ? number.i == 0 : number.d == 0) : is_everywhere)
    return FALSE;
  g_free (breakpoint->failure);
  breakpoint->failure = error != NULL ? g_strdup (error->message) : NULL;
  return TRUE;
}

/* Returns TRUE if the instruction submits work to a stream. */
static gboolean
launches (const HirExpr *expr)
{
  return expr->kind == HIR_EXPR_POST_ON_STREAM || expr->kind == HIR_EXPR_LAUNCH_KERNEL ||
         hir_expr_is_waitable (expr) || expr->kind == HIR_EXPR_WAIT ||
         expr->kind == HIR_EXPR_SYNCHRONIZE || hir_expr_kind_get_info (expr->kind)->is_tensor_op;
}

gboolean
hir_debugger_has_written (HirDebugger *debugger, guint i, int name)
{
  const GPtrArray *writes = hir_debug_run_get_writes (debugger->run, i);
  HirDebugView view = debugger->view;
  const HirTensor *tensor;
  const HirValue *value;

  view.i = i;
  tensor = hir_debug_view_find_tensor (&view, name, NULL);
  value = tensor != NULL ? hir_evaluator_lookup (hir_debug_run_get_evaluator (debugger->run, i),
                                                 HIR_VAL (tensor))
                         : NULL;
  for (guint k = 0; writes != NULL && value != NULL && k < writes->len; k++)
    if (hir_value_overlaps (g_ptr_array_index (writes, k), value))
      return TRUE;
  return FALSE;
}

static gboolean
fits (HirDebugger *debugger, guint i, HirBreakpoint *breakpoint, const HirProgramPoint *point)
{
  HirEvaluator *evaluator = hir_debug_run_get_evaluator (debugger->run, i);

  return !breakpoint->is_disabled &&
         (breakpoint->ids == NULL ||
          g_hash_table_contains (breakpoint->ids, &point->expr->node.id)) &&
         (breakpoint->iteration < 0 || breakpoint->iteration == point->iteration) &&
         (breakpoint->rank < 0 || breakpoint->rank == point->rank) &&
         (breakpoint->stream == NULL ||
          (launches (point->expr) &&
           g_str_equal (breakpoint->stream, hir_evaluator_get_current_stream_name (evaluator)))) &&
         (!breakpoint->is_after || hir_debugger_has_written (debugger, i, breakpoint->tensor)) &&
         is_true (debugger, i, breakpoint);
}

HirBreakpoint *
hir_debugger_find_hit (HirDebugger *debugger, guint i, gboolean counts)
{
  HirProgramPoint point;

  if (!hir_debug_run_peek (debugger->run, i, &point))
    return NULL;
  for (guint k = 0; k < debugger->breakpoints->len; k++)
    {
      HirBreakpoint *breakpoint = g_ptr_array_index (debugger->breakpoints, k);

      if (breakpoint->is_after || !fits (debugger, i, breakpoint, &point))
        continue;
      breakpoint->n_hits += counts;
      return breakpoint;
    }
  return NULL;
}

HirBreakpoint *
hir_debugger_find_written (HirDebugger *debugger,
                           guint i,
                           const HirProgramPoint *writer,
                           gboolean counts)
{
  for (guint k = 0; k < debugger->breakpoints->len; k++)
    {
      HirBreakpoint *breakpoint = g_ptr_array_index (debugger->breakpoints, k);

      if (!breakpoint->is_after || !fits (debugger, i, breakpoint, writer))
        continue;
      breakpoint->n_hits += counts;
      return breakpoint;
    }
  return NULL;
}

gboolean
hir_debugger_has_breakpoints (const HirDebugger *debugger, gboolean is_after)
{
  for (guint k = 0; k < debugger->breakpoints->len; k++)
    {
      const HirBreakpoint *breakpoint = g_ptr_array_index (debugger->breakpoints, k);

      if (breakpoint->is_after == is_after && !breakpoint->is_disabled)
        return TRUE;
    }
  return FALSE;
}

gboolean
hir_debugger_stop_at (HirDebugger *debugger,
                      const HirBreakpoint *breakpoint,
                      guint i,
                      const HirProgramPoint *writer,
                      HirDebugStop *stop)
{
  if (breakpoint == NULL)
    return FALSE;
  stop->kind = breakpoint->kind == HIR_WATCH ? HIR_STOP_WATCH : HIR_STOP_BREAK;
  stop->i = i;
  stop->breakpoint = breakpoint->number;
  stop->error = g_strdup (breakpoint->failure);
  if (writer != NULL)
    {
      stop->writer = writer->expr;
      stop->writer_iteration = writer->iteration;
    }
  hir_debugger_set_rank (debugger, debugger->alone ? debugger->rank : i);
  return TRUE;
}

HirProgramPoint *
hir_debugger_dup_points (HirDebugger *debugger)
{
  guint n = debugger->programs->len;
  HirProgramPoint *points = g_new0 (HirProgramPoint, n);

  for (guint i = 0; i < n; i++)
    if (!hir_debug_run_peek (debugger->run, i, &points[i]))
      points[i].expr = NULL;
  return points;
}
