/* Suggests the smallest synchronization that orders two steps. */
#include "analysis/sync-check.h"

#include "brief.h"
#include "print/print.h"

char *
hir_sync_dup_label (const HirExpr *expr)
{
  if (expr->kind == HIR_EXPR_COMMUNICATION)
    return g_strdup_printf ("%s T%d", hir_comm_type_get_name (expr->u.comm.type),
                            expr->outputs[0]->name);
  if (expr->kind == HIR_EXPR_WAIT && expr->u.wait.of != NULL &&
      expr->u.wait.of->kind == HIR_EXPR_COMMUNICATION)
    {
      g_autofree char *of = hir_sync_dup_label (expr->u.wait.of);

      return g_strdup_printf ("Wait for %s", of);
    }
  return hir_brief_expr_label (expr);
}

/* Returns the communication of a step, or NULL. */
static const HirExpr *
get_communication (const HirSyncStep *step)
{
  return step->kind == HIR_SYNC_GIVE || step->kind == HIR_SYNC_TAKE ? step->expr : NULL;
}

static gboolean
is_wait_for (const HirExpr *expr, const HirExpr *communication)
{
  return expr != NULL && expr->kind == HIR_EXPR_WAIT && expr->u.wait.of == communication;
}

/* Returns the wait for instance @step of @communication, or HIR_SYNC_NONE. */
static guint
find_wait (const HirSyncTrace *trace, guint step, const HirExpr *communication)
{
  const HirSyncStep *of = hir_sync_trace_get_step (trace, step);

  for (guint i = step + 1; i < trace->steps->len; i++)
    {
      const HirSyncStep *wait = hir_sync_trace_get_step (trace, i);

      if (wait->rank != of->rank)
        break;
      if (wait->kind == HIR_SYNC_WAIT && is_wait_for (wait->expr, communication) &&
          wait->after != HIR_SYNC_NONE && wait->after >= step)
        return i;
    }
  return HIR_SYNC_NONE;
}

static void
add_place (GString *text, const HirSyncTrace *trace, const HirSyncStep *step)
{
  const char *current = hir_sync_trace_get_queue (trace, step->current)->name;
  g_autofree char *label = step->expr != NULL ? hir_sync_dup_label (step->expr) : NULL;

  if (step->kind == HIR_SYNC_EXIT)
    g_string_append_printf (text, "at the end of the program, with %s current", current);
  else if (label == NULL)
    g_string_append_printf (text, "before that, with %s current", current);
  else
    g_string_append_printf (text, "before %s, with %s current", label, current);
}

char *
hir_sync_check_dup_suggestion (const HirSyncTrace *trace, const HirSyncMissing *missing)
{
  const HirSyncStep *first = hir_sync_trace_get_step (trace, missing->first);
  const HirSyncStep *second = hir_sync_trace_get_step (trace, missing->second);
  const HirExpr *communication = get_communication (first);
  GString *text = g_string_new ("insert ");

  if (communication != NULL)
    {
      guint wait = find_wait (trace, missing->first, communication);
      g_autofree char *label = hir_sync_dup_label (communication);

      if (wait == HIR_SYNC_NONE)
        g_string_append_printf (text, "a Wait for %s ", label);
      else if (wait > missing->second)
        {
          g_string_assign (text, "move the Wait for ");
          g_string_append_printf (text, "%s ", label);
        }
      else
        g_string_append_printf (text, "a Synchronize of %s, which waited for it, ",
                                hir_sync_trace_get_queue (trace,
                                                          hir_sync_trace_get_step (trace, wait)
                                                              ->queue)
                                    ->name);
    }
  else
    g_string_append_printf (text, "a Synchronize of %s ",
                            hir_sync_trace_get_queue (trace, first->queue)->name);
  add_place (text, trace, second);
  return g_string_free (text, FALSE);
}
