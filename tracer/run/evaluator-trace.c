/* What the evaluator leaves in the recording. */
#include "run/evaluator-private.h"

static char *
new_label (const HirExpr *expr)
{
  const HirTensor *result = hir_expr_get_result (expr);
  const char *name = hir_expr_kind_get_info (expr->kind)->name;

  switch (expr->kind)
    {
    case HIR_EXPR_SET:
      return g_strdup_printf ("Set T%d", result->base.name);
    case HIR_EXPR_ALLOCATE:
    case HIR_EXPR_DEALLOCATE:
    case HIR_EXPR_ALIAS_SELECT:
      return result != NULL ? g_strdup_printf ("%s T%d", name, result->base.name) : g_strdup (name);
    case HIR_EXPR_POST_ON_STREAM:
      return g_strdup_printf ("HostUnit%d", expr->u.post.unit->index);
    default:
      if (hir_expr_kind_get_info (expr->kind)->is_tensor_op && result != NULL)
        return g_strdup_printf ("T%d_%s", result->base.name, hir_expr_get_op_name (expr));
      return g_strdup (name);
    }
}

const char *
hir_evaluator_get_label (HirEvaluator *evaluator, const HirExpr *expr)
{
  char *label = g_hash_table_lookup (evaluator->labels, expr);

  if (label == NULL)
    {
      label = new_label (expr);
      if (expr->kind == HIR_EXPR_POST_ON_STREAM)
        {
          HirUnitPlan *plan = g_hash_table_lookup (evaluator->plans, expr->u.post.unit);
          if (plan != NULL)
            {
              char *longer = g_strdup_printf ("%s_%s", label, plan->shape);
              g_free (label);
              label = longer;
            }
        }
      g_hash_table_insert (evaluator->labels, (gpointer) expr, label);
    }
  return label;
}

gint32
hir_evaluator_get_iteration (HirEvaluator *evaluator)
{
  for (guint i = evaluator->frames->len; i-- > 0;)
    {
      const HirFrame *frame = &g_array_index (evaluator->frames, HirFrame, i);
      if (frame->owner != NULL && frame->owner->kind == HIR_EXPR_FOR)
        return (gint32) CLAMP (frame->i, 0, G_MAXINT32);
    }
  return -1;
}

static gboolean
launches (const HirExpr *expr)
{
  return expr->kind == HIR_EXPR_POST_ON_STREAM || hir_expr_kind_get_info (expr->kind)->is_tensor_op;
}

void
hir_evaluator_begin_issue (HirEvaluator *evaluator, const HirExpr *expr)
{
  evaluator->issue_correlation = 0;
  if (evaluator->options.model != NULL)
    hir_model_issue (evaluator->options.model, launches (expr), &evaluator->issue_start_ns,
                     &evaluator->issue_end_ns);
  else if (evaluator->options.recorder != NULL)
    evaluator->issue_start_ns = hir_clock_now_ns () - evaluator->options.zero_ns;
}

static void
fill_event (HirEvaluator *evaluator, HirEvent *event, const HirExpr *expr, gint32 iteration)
{
  event->phase = (guint8) evaluator->phase;
  /* Only what the program itself did counts as an instruction's. */
  event->instruction = evaluator->phase == HIR_PHASE_PROGRAM ? expr->node.id : 0;
  event->iteration = iteration;
}

void
hir_evaluator_end_issue (HirEvaluator *evaluator, const HirExpr *expr, gint32 iteration)
{
  HirEvent event = { .kind = HIR_EVENT_ISSUE };

  if (evaluator->options.recorder == NULL || !evaluator->options.trace_issue)
    return;
  if (evaluator->options.model == NULL)
    evaluator->issue_end_ns = hir_clock_now_ns () - evaluator->options.zero_ns;
  fill_event (evaluator, &event, expr, iteration);
  event.start_ns = evaluator->issue_start_ns;
  event.end_ns = evaluator->issue_end_ns;
  event.name =
      hir_recorder_intern (evaluator->options.recorder, hir_evaluator_get_label (evaluator, expr));
  event.correlation = evaluator->issue_correlation;
  event.track = (guint16) evaluator->host_track;
  hir_recorder_add (evaluator->options.recorder, &event);
}

static void
begin_task (HirEvaluator *evaluator, HirTask *task, HirEventKind kind)
{
  fill_event (evaluator, &task->event, task->expr, hir_evaluator_get_iteration (evaluator));
  task->event.kind = (guint8) kind;
  task->event.track = hir_evaluator_get_current_slot (evaluator)->track;
  task->event.correlation = ++evaluator->correlation;
  task->event.name = hir_recorder_intern (evaluator->options.recorder, task->label);
  evaluator->issue_correlation = task->event.correlation;
}

void
hir_evaluator_trace_task (
    HirEvaluator *evaluator, HirTask *task, HirEventKind kind, gint64 bytes, gint64 flops)
{
  HirModel *model = evaluator->options.model;

  if (evaluator->options.recorder == NULL)
    {
      if (model != NULL)
        {
          gint64 start, end;
          hir_model_run (model, evaluator->current, bytes, flops, &start, &end);
        }
      return;
    }
  begin_task (evaluator, task, kind);
  task->event.bytes = bytes;
  task->event.flops = flops;
  if (model == NULL)
    return; /* the back end measures and records */
  hir_model_run (model, evaluator->current, bytes, flops, &task->event.start_ns,
                 &task->event.end_ns);
  hir_recorder_add (evaluator->options.recorder, &task->event);
}

void
hir_evaluator_trace_wait (HirEvaluator *evaluator, HirTask *task, gint64 time_ns)
{
  HirModel *model = evaluator->options.model;
  gint64 start, end;

  if (evaluator->options.recorder != NULL)
    begin_task (evaluator, task, HIR_EVENT_SYNC);
  if (model == NULL || !hir_model_wait (model, evaluator->current, time_ns, &start, &end))
    return;
  task->event.start_ns = start;
  task->event.end_ns = end;
  if (evaluator->options.recorder != NULL)
    hir_recorder_add (evaluator->options.recorder, &task->event);
}
