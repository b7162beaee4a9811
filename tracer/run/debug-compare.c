#include "run/debug-compare.h"

#include "run/breakpoint.h"
#include "run/debug-run-private.h"
#include "run/reference-host.h"

typedef struct
{
  HirDebugRun *run;
  HirDebugWrong *wrong;
} Comparison;

void
hir_debug_wrong_clear (HirDebugWrong *wrong)
{
  g_clear_pointer (&wrong->report, g_free);
}

/* Row-major; NULL: no memory, or a deferred buffer. */
static guint8 *
dup_elements (const HirRank *rank, const HirValue *value, GError **error)
{
  g_autofree guint8 *elements = g_try_malloc (hir_value_get_size_bytes (value) + 1);

  if (elements == NULL)
    hir_set_error (error, HIR_ERROR_LIMIT, NULL, "no memory to compare T with");
  else if (rank->backend->klass->read (rank->backend, value, elements, error))
    return g_steal_pointer (&elements);
  return NULL;
}

/* FALSE and @error; or *@report, where it is wrong. */
static gboolean
compare (const HirRank *rank,
         const HirVal *val,
         const HirValue *value,
         const HirValue *reference,
         char **report,
         GError **error)
{
  HirCheckOutput output = { .ratio = -1, .rank = -1 };
  HirCheckReport judged = { .outputs = g_array_new (FALSE, FALSE, sizeof (HirCheckOutput)) };
  g_autoptr (HirRefTensor) wanted = hir_reference_dup_tensor (reference, error);
  g_autofree guint8 *elements = wanted != NULL ? dup_elements (rank, value, error) : NULL;
  g_autofree char *label = g_strdup_printf ("T%d", val->name);
  gboolean compared = elements != NULL;

  output.label = label;
  g_array_append_val (judged.outputs, output);
  if (compared)
    {
      hir_check_report_compare_part (&judged, 0, wanted, NULL, rank->rank, value, elements);
      if (!hir_check_report_passed (&judged))
        *report = hir_check_report_format (&judged);
    }
  g_array_unref (judged.outputs);
  return compared;
}

/* What is known to be written once @expr was carried out; a Wait's is the communication's. */
static const HirExpr *
get_writer (const HirExpr *expr)
{
  switch (expr->kind)
    {
    case HIR_EXPR_WAIT:
      return expr->u.wait.of != NULL && expr->u.wait.of->kind == HIR_EXPR_COMMUNICATION
                 ? expr->u.wait.of
                 : NULL;
    case HIR_EXPR_POST_ON_STREAM:
      return expr;
    default:
      return hir_expr_kind_get_info (expr->kind)->is_tensor_op ? expr : NULL;
    }
}

static gboolean
compare_results (Comparison *it,
                 guint i,
                 const HirExpr *expr,
                 HirEnv *env,
                 const HirPlace *place,
                 GError **error)
{
  HirSeat *seat = hir_debug_run_get_seat (it->run, i);
  const HirExpr *writer = get_writer (expr);

  if (writer != NULL && writer->kind == HIR_EXPR_COMMUNICATION &&
      !hir_comm_writes (writer, seat->rank->rank))
    return TRUE;
  for (guint k = 0; writer != NULL && k < writer->n_outputs; k++)
    {
      const HirVal *val = writer->outputs[k];
      const HirValue *value = hir_evaluator_lookup (seat->rank->evaluator, val);
      const HirValue *reference = hir_env_lookup (env, val);

      if (value == NULL || reference == NULL || value->is_scalar)
        continue;
      it->wrong->n_compared++;
      if (!compare (seat->rank, val, value, reference, &it->wrong->report, error))
        return FALSE;
      if (it->wrong->report == NULL)
        continue;
      it->wrong->expr = writer;
      it->wrong->iteration = place->iteration;
      it->wrong->rank = place->rank;
      return FALSE;
    }
  return TRUE;
}

static gboolean
follow (guint i, const HirExpr *expr, HirEnv *env, gpointer user_data, GError **error)
{
  Comparison *it = user_data;
  HirPlace place = { .expr = NULL };

  (void) hir_debug_run_peek (it->run, i, &place);
  g_return_val_if_fail (place.expr == expr, FALSE);
  if (hir_debug_run_step (it->run, 1u << i, error) == HIR_STEP_FAILED)
    return FALSE;
  (void) hir_debug_run_settle (it->run);
  return compare_results (it, i, expr, env, &place, error);
}

gboolean
hir_debug_run_find_wrong (HirDebugRun *run,
                          gint64 n_streams,
                          GCancellable *cancellable,
                          HirDebugWrong *wrong,
                          GError **error)
{
  guint n = hir_debug_run_get_n_ranks (run);
  g_autofree HirReferenceRank *ranks = g_new0 (HirReferenceRank, n);
  Comparison it = { run, wrong };
  gboolean ok;

  hir_debug_run_set_keeps (run, FALSE);
  for (guint i = 0; i < n; i++)
    {
      const HirRank *rank = hir_debug_run_get_seat (run, i)->rank;

      ranks[i] = (HirReferenceRank){ rank->program, rank->rank, (HirValue **) rank->inputs->pdata,
                                     rank->inputs->len, rank->symbols };
    }
  ok = hir_reference_watch_host (ranks, n, n_streams, follow, &it, cancellable, error);
  if (wrong->expr == NULL)
    return ok;
  for (guint i = 0; i < n; i++)
    if (hir_debug_run_get_rank (run, i) == wrong->rank)
      {
        g_autoptr (GPtrArray) numbers =
            hir_instruction_numbers (hir_debug_run_get_program (run, i));

        wrong->number = hir_instruction_find (numbers, wrong->expr->node.id);
      }
  return TRUE;
}
