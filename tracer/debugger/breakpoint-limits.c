#include "debugger/breakpoint-limits.h"

typedef struct
{
  const HirBreakScope *scope;
  GHashTable *ids;  /* nullable */
  GPtrArray *loops; /* const HirExpr*: innermost loop (nullable) around the Exprs of each depth */
  gint64 number;    /* the iteration or stream to find */
  gboolean is_possible;
  gint64 first, last; /* all possible numbers are in this range; empty: none */
} Search;

static void
add_range (Search *search, gint64 first, gint64 last)
{
  search->first = MIN (search->first, first);
  search->last = MAX (search->last, last);
}

/* Compares the iterations of @loop with the wanted one. */
static void
try_loop (Search *search, const HirExpr *loop)
{
  HirEnv *sizes = search->scope->sizes;
  gint64 start, stop, step = 1;

  if (!hir_env_evaluate_int (sizes, loop->u.loop.start, &start, NULL) ||
      !hir_env_evaluate_int (sizes, loop->u.loop.stop, &stop, NULL) ||
      (loop->u.loop.step != NULL &&
       !hir_env_evaluate_int (sizes, loop->u.loop.step, &step, NULL)) ||
      start < 0 || step < 1)
    {
      search->is_possible = TRUE;
      return;
    }
  if (start >= stop)
    return;
  add_range (search, start, stop - 1 - (stop - 1 - start) % step);
  search->is_possible |=
      search->number >= start && search->number < stop && (search->number - start) % step == 0;
}

static gboolean
try_expr (HirExpr *expr, guint depth, gpointer user_data)
{
  Search *search = user_data;
  const HirExpr *loop = depth < search->loops->len ? search->loops->pdata[depth] : NULL;

  g_ptr_array_set_size (search->loops, (int) depth + 2);
  search->loops->pdata[depth] = (gpointer) loop;
  search->loops->pdata[depth + 1] = expr->kind == HIR_EXPR_FOR ? expr : (gpointer) loop;
  if (loop != NULL && (search->ids == NULL || g_hash_table_contains (search->ids, &expr->node.id)))
    try_loop (search, loop);
  return !search->is_possible;
}

/* Compares the stream that @expr selects with the wanted one. */
static gboolean
try_stream (HirExpr *expr, guint depth, gpointer user_data)
{
  Search *search = user_data;
  HirEnv *sizes = search->scope->sizes;
  const HirScalar *index =
      expr->kind == HIR_EXPR_SET_CURRENT_STREAM ? expr->u.stream.stream->index : NULL;
  gint64 number, n;

  if (index == NULL)
    return TRUE;
  if (hir_env_evaluate_int (sizes, index, &number, NULL))
    {
      add_range (search, number, number);
      search->is_possible |= search->number == number;
    }
  else if (index->kind == HIR_SCALAR_OP && index->op == HIR_SCALAR_OP_MOD &&
           hir_env_evaluate_int (sizes, index->b, &n, NULL) && n > 0)
    {
      add_range (search, 0, n - 1);
      search->is_possible |= search->number < n;
    }
  else
    search->is_possible = TRUE;
  return !search->is_possible;
}

char *
hir_break_scope_reject_iteration (const HirBreakScope *scope, GHashTable *ids, gint64 iteration)
{
  g_autoptr (GPtrArray) loops = g_ptr_array_new ();
  Search search = { scope, ids, loops, iteration, FALSE, G_MAXINT64, -1 };

  for (guint i = 0; i < scope->n_programs && !search.is_possible; i++)
    {
      g_ptr_array_set_size (loops, 0);
      hir_container_foreach_expr (scope->programs[i], try_expr, &search);
    }
  if (search.is_possible)
    return NULL;
  if (search.first > search.last)
    return g_strdup ("no such instruction is executed in a loop; leave the iteration out");
  return g_strdup_printf ("there is no iteration %" G_GINT64_FORMAT
                          "; iterations are from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                          iteration, search.first, search.last);
}

char *
hir_break_scope_reject_rank (const HirBreakScope *scope, gint64 rank)
{
  if (rank < scope->n_programs)
    return NULL;
  return scope->n_programs == 1
             ? g_strdup_printf ("there is no rank %" G_GINT64_FORMAT
                                "; the program has only rank 0",
                                rank)
             : g_strdup_printf ("there is no rank %" G_GINT64_FORMAT "; ranks are from 0 to %u",
                                rank, scope->n_programs - 1);
}

char *
hir_break_scope_reject_stream (const HirBreakScope *scope, gint64 stream)
{
  Search search = { scope, NULL, NULL, stream, FALSE, G_MAXINT64, -1 };

  for (guint i = 0; i < scope->n_programs && !search.is_possible; i++)
    hir_container_foreach_expr (scope->programs[i], try_stream, &search);
  if (search.is_possible)
    return NULL;
  if (search.first > search.last)
    return g_strdup_printf ("there is no stream %" G_GINT64_FORMAT
                            "; the program uses no numbered streams",
                            stream);
  return g_strdup_printf ("there is no stream %" G_GINT64_FORMAT
                          "; streams are from %" G_GINT64_FORMAT " to %" G_GINT64_FORMAT,
                          stream, search.first, search.last);
}
