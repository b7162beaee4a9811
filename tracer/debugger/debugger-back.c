/* Backward moves. */
#include "debugger/debugger-private.h"

/* The condition for the earlier state to stop at. */
typedef struct
{
  HirDebugger *debugger;
  HirDebugMove move;
  gint64 depth;            /* maximum loop depth to stop at; -1: stop at breakpoints only */
  const HirExpr *loop;     /* for HIR_MOVE_BACK_ITERATION */
  int tensor;              /* for HIR_MOVE_BACK_WRITE */
  HirBreakpoint *hit;      /* nullable: breakpoint that matched */
  guint i;                 /* index of its rank */
  HirProgramPoint writer;  /* of a breakpoint after writes; `expr` is NULL for others */
  guint64 round;           /* of the state after that write */
  HirProgramPoint *points; /* nullable: positions of all ranks before the next round */
} Search;

/* Returns the innermost loop around the position of rank @i, or NULL. */
static const HirExpr *
get_loop (HirDebugRun *run, guint i)
{
  g_autoptr (GArray) frames = hir_debug_run_dup_frames (run, i);

  for (guint k = frames->len; k-- > 0;)
    {
      const HirDebugFrame *frame = &g_array_index (frames, HirDebugFrame, k);

      if (frame->expr->kind == HIR_EXPR_FOR)
        return frame->expr;
    }
  return NULL;
}

static gboolean
is_wanted_place (const Search *search, HirDebugRun *run)
{
  guint focus = search->debugger->rank;
  HirProgramPoint point;

  if (!hir_debug_run_peek (run, focus, &point))
    return FALSE;
  if (search->move == HIR_MOVE_BACK_ITERATION)
    return point.expr == search->loop->u.loop.body.exprs.items[0] &&
           get_loop (run, focus) == search->loop;
  return (gint64) point.depth <= search->depth;
}

static gboolean
is_before (HirDebugRun *run, guint32 ranks, gpointer user_data)
{
  Search *search = user_data;
  HirBreakpoint *hit = NULL;

  g_free (search->points);
  search->points = hir_debugger_dup_points (search->debugger);
  /* Forward moves, too, test breakpoints after writes first. */
  if (search->writer.expr != NULL && search->round == hir_debug_run_get_round (run))
    return TRUE;
  if ((ranks & (1u << search->debugger->rank)) != 0 && is_wanted_place (search, run))
    {
      search->hit = NULL;
      search->writer.expr = NULL;
      return TRUE;
    }
  for (guint i = 0; i < hir_debug_run_get_n_ranks (run) && hit == NULL; i++)
    if ((ranks & (1u << i)) != 0)
      {
        hit = hir_debugger_find_hit (search->debugger, i, FALSE);
        search->i = hit != NULL ? i : search->i;
      }
  if (hit != NULL)
    {
      search->hit = hit;
      search->writer.expr = NULL;
    }
  return hit != NULL;
}

/* Returns TRUE if a breakpoint after writes matches the last round. */
static gboolean
is_written (HirDebugRun *run, guint32 ranks, gpointer user_data)
{
  Search *search = user_data;

  for (guint i = 0; i < hir_debug_run_get_n_ranks (run); i++)
    {
      const HirProgramPoint *writer = &search->points[i];
      HirBreakpoint *hit = NULL;

      if ((ranks & (1u << i)) != 0 && writer->expr != NULL)
        hit = hir_debugger_find_written (search->debugger, i, writer, FALSE);
      if (hit == NULL)
        continue;
      search->hit = hit;
      search->i = i;
      search->writer = *writer;
      search->round = hir_debug_run_get_round (run);
      return TRUE;
    }
  return FALSE;
}

static gboolean
is_behind (HirDebugRun *run, guint32 ranks, gpointer user_data)
{
  Search *search = user_data;
  guint focus = search->debugger->rank;

  return (ranks & (1u << focus)) != 0 &&
         hir_debugger_has_written (search->debugger, focus, search->tensor);
}

static gboolean
set_search (Search *search, GError **error)
{
  HirDebugRun *run = search->debugger->run;
  HirProgramPoint point = { .depth = 0 };
  gboolean has_next = hir_debug_run_peek (run, search->debugger->rank, &point);

  search->depth = search->move == HIR_MOVE_REVERSE_NEXT     ? (gint64) point.depth
                  : search->move == HIR_MOVE_REVERSE_FINISH ? (gint64) point.depth - 1
                                                            : -1;
  if (search->move == HIR_MOVE_REVERSE_NEXT && !has_next)
    search->depth = 0;
  if (search->move == HIR_MOVE_BACK_ITERATION)
    search->loop = has_next ? get_loop (run, search->debugger->rank) : NULL;
  if (search->move != HIR_MOVE_BACK_ITERATION || search->loop != NULL)
    return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL,
                 "the rank is not in a loop; use back N to go back instructions");
  return FALSE;
}

/* Executes one backward move except HIR_MOVE_BACK. */
static gboolean
search_back (
    HirDebugger *debugger, HirDebugMove move, int tensor, HirDebugStop *stop, GError **error)
{
  Search search = { .debugger = debugger, .move = move, .tensor = tensor };
  HirDebugSearch tests = { .user_data = &search };
  HirRewindMethod method;
  gboolean ok, found;
  guint64 n_replayed;

  if (!set_search (&search, error))
    return FALSE;
  tests.undoes_round = move == HIR_MOVE_BACK_WRITE;
  tests.before = tests.undoes_round ? NULL : is_before;
  tests.after = tests.undoes_round                              ? is_behind
                : hir_debugger_has_breakpoints (debugger, TRUE) ? is_written
                                                                : NULL;
  hir_debug_run_watch_writes (debugger->run, tests.after != NULL);
  ok = hir_debug_run_find_back (debugger->run, &tests, &found, &method, &n_replayed, error);
  g_free (search.points);
  if (!ok)
    return FALSE;
  stop->n_replayed += n_replayed;
  stop->method = MAX (stop->method, method);
  stop->kind = g_atomic_int_get (&debugger->stop) != 0 ? HIR_STOP_ASKED
               : !found                                ? HIR_STOP_BEGIN
                                                       : HIR_STOP_STEPPED;
  if (stop->kind == HIR_STOP_STEPPED)
    (void) hir_debugger_stop_at (debugger, search.hit, search.i,
                                 search.writer.expr != NULL ? &search.writer : NULL, stop);
  return TRUE;
}

static gboolean
step_back (HirDebugger *debugger, guint64 count, HirDebugStop *stop, GError **error)
{
  guint64 round = hir_debug_run_get_round (debugger->run);

  stop->kind = round == 0 ? HIR_STOP_BEGIN : HIR_STOP_STEPPED;
  if (!hir_debug_run_go_back (debugger->run, round - MIN (round, count), &stop->method,
                              &stop->n_replayed, error))
    return FALSE;
  return TRUE;
}

gboolean
hir_debugger_move_back (HirDebugger *debugger,
                        HirDebugMove move,
                        guint64 count,
                        int tensor,
                        HirDebugStop *stop,
                        GError **error)
{
  stop->went_back = TRUE;
  if (move == HIR_MOVE_BACK)
    {
      if (!step_back (debugger, count, stop, error))
        return FALSE;
    }
  else
    {
      stop->kind = HIR_STOP_STEPPED;
      for (; count > 0 && stop->kind == HIR_STOP_STEPPED; count--)
        if (!search_back (debugger, move, tensor, stop, error))
          return FALSE;
    }
  g_clear_pointer (&debugger->failure, g_free);
  return TRUE;
}
