/* Tensor ops and PostOnStream: those that write in place and those that bind
 * (docs/host-ir.md#compute, docs/host-ir.md#in-place-or-bound). */
#include <string.h>

#include "run/evaluator-private.h"

static HirBuffer *
allocate_buffer (HirEvaluator *evaluator, HirDType dtype, gsize size_bytes, GError **error)
{
  HirBackend *backend = evaluator->options.backend;
  HirBuffer *buffer =
      backend->klass->allocate (backend, hir_evaluator_get_current_slot (evaluator)->index,
                                size_bytes, error);

  if (buffer != NULL)
    hir_evaluator_note_fresh (evaluator, buffer);
  if (buffer == NULL || !evaluator->options.poison ||
      hir_evaluator_fill (evaluator, buffer, hir_poison_get_byte (dtype), NULL, error))
    return buffer;
  hir_buffer_unref (buffer);
  return NULL;
}

gboolean
hir_evaluator_fill (
    HirEvaluator *evaluator, HirBuffer *buffer, guint8 byte, const HirExpr *expr, GError **error)
{
  HirBackend *backend = evaluator->options.backend;
  HirEvent event;

  hir_evaluator_describe_fill (evaluator, &event, buffer, expr);
  return backend->klass->fill (backend, hir_evaluator_get_current_slot (evaluator)->index, buffer,
                               byte, &event, error) ||
         hir_evaluator_fail_located (evaluator);
}

/* Returns a tensor of @shape with new memory. */
static HirValue *
realize (HirEvaluator *evaluator, const HirValue *shape, GError **error)
{
  g_autoptr (HirBuffer) buffer =
      allocate_buffer (evaluator, shape->dtype, hir_value_get_size_bytes (shape), error);

  if (buffer == NULL)
    return NULL;
  return hir_value_new_tensor (shape->dtype, shape->n_dims, shape->sizes, shape->strides, buffer);
}

HirValue *
hir_evaluator_allocate (HirEvaluator *evaluator, const HirTensor *tensor, GError **error)
{
  g_autoptr (HirValue) shape = hir_env_new_tensor (evaluator->env, tensor, NULL, error);
  HirValue *value = shape != NULL ? realize (evaluator, shape, error) : NULL;

  if (value != NULL)
    hir_env_bind (evaluator->env, HIR_VAL (tensor), value);
  return value;
}

/* Submits @task; takes ownership unless it is the reusable task of the instruction. */
static gboolean
submit (HirEvaluator *evaluator,
        HirTask *task,
        HirEventKind kind,
        gint64 bytes,
        gint64 flops,
        GError **error)
{
  HirBackend *backend = evaluator->options.backend;
  guint stream = hir_evaluator_get_current_slot (evaluator)->index;
  gboolean ok;

  hir_evaluator_trace_task (evaluator, task, kind, bytes, flops);
  hir_evaluator_note_writer (evaluator, task);
  ok = task == evaluator->cache->task ? backend->klass->issue (backend, stream, task, error)
                                      : backend->klass->enqueue (backend, stream, task, error);
  return ok || hir_evaluator_fail_located (evaluator);
}

static void
plant (HirEvaluator *evaluator, HirOpCall *call)
{
  if (evaluator->plant_op != NULL &&
      g_ascii_strcasecmp (hir_expr_get_op_name (call->expr), evaluator->plant_op) == 0)
    call->planted = evaluator->options.plant_scale;
}

/* Fails if a value of @call, a part of @expr, is in a transfer. */
static gboolean
check_call (HirEvaluator *evaluator, const HirExpr *expr, const HirOpCall *call, GError **error)
{
  for (guint i = 0; i < call->n_inputs; i++)
    if (!hir_evaluator_check_use (evaluator, expr, call->inputs[i], "reads", FALSE, error))
      return FALSE;
  if (!hir_evaluator_check_use (evaluator, expr, call->output, "writes", TRUE, error))
    return FALSE;
  hir_evaluator_note_write (evaluator, call->output);
  return TRUE;
}

/* Submits a single op. Its cost is computed only for a recorder or model. */
static gboolean
submit_alone (HirEvaluator *evaluator, HirTask *task, HirOpCall *call, GError **error)
{
  gint64 bytes = 0, flops = 0;

  plant (evaluator, call);
  if (evaluator->options.recorder != NULL || evaluator->options.model != NULL)
    hir_op_call_get_cost (call, &bytes, &flops);
  return submit (evaluator, task,
                 call->expr->kind == HIR_EXPR_SET ? HIR_EVENT_MEMCPY : HIR_EVENT_KERNEL, bytes,
                 flops, error);
}

/* Submits @call (takes ownership). */
static gboolean
submit_call (HirEvaluator *evaluator, HirOpCall *call, GError **error)
{
  HirTask *task;

  if (!check_call (evaluator, call->expr, call, error))
    {
      hir_op_call_free (call);
      return FALSE;
    }
  task = hir_task_new (call->expr, hir_evaluator_get_label (evaluator, call->expr));
  task->calls = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_op_call_free);
  g_ptr_array_add (task->calls, call);
  return submit_alone (evaluator, task, call, error);
}

/* Returns the Set that copies the input of communication @expr. */
static HirExpr *
get_copy_expr (HirEvaluator *evaluator, const HirExpr *expr)
{
  HirExpr *set = g_hash_table_lookup (evaluator->copies, expr);

  if (set != NULL)
    return set;
  set = g_atomic_rc_box_dup (sizeof *expr, (gpointer) expr);
  set->kind = HIR_EXPR_SET;
  set->n_inputs = 1;
  memset (&set->u, 0, sizeof set->u);
  g_hash_table_insert (evaluator->copies, (gpointer) expr, set);
  return set;
}

/* A copy by the communicator, instead of a Set. */
typedef struct
{
  HirCommunicator *communicator;
  const HirTask *task; /* names errors */
  HirValue *in, *out;
} OwnCopy;

static gboolean
issue_own_copy (gpointer data, gpointer native_stream, GError **error)
{
  const OwnCopy *copy = data;

  return copy->communicator->klass->copy (copy->communicator, copy->task->label,
                                          copy->task->event.iteration, copy->out, copy->in,
                                          native_stream, error);
}

static void
free_own_copy (gpointer data)
{
  OwnCopy *copy = data;

  hir_value_unref (copy->in);
  hir_value_unref (copy->out);
  g_free (copy);
}

/* Makes @task copy by the communicator if it can. */
static void
use_own_copy (HirEvaluator *evaluator, HirTask *task, const HirOpCall *call)
{
  HirCommunicator *communicator = evaluator->options.communicator;
  OwnCopy own = { communicator, task, call->inputs[0], call->output };

  if (communicator->klass->copy == NULL || !hir_value_is_contiguous (own.in) ||
      !hir_value_is_contiguous (own.out))
    return;
  hir_value_ref (own.in);
  hir_value_ref (own.out);
  task->work = g_memdup2 (&own, sizeof own);
  task->free_work = free_own_copy;
  task->issue = issue_own_copy;
  g_clear_pointer (&task->calls, g_ptr_array_unref);
}

gboolean
hir_evaluator_submit_copy (HirEvaluator *evaluator,
                           const HirExpr *expr,
                           HirValue *in,
                           HirValue *out,
                           gboolean is_free,
                           GError **error)
{
  HirBackend *backend = evaluator->options.backend;
  HirOpCall *call = hir_op_call_new_copy (get_copy_expr (evaluator, expr), in, out);
  g_autofree char *name =
      g_strconcat (HIR_COPY_LABEL, hir_evaluator_get_label (evaluator, expr), NULL);
  char *label = g_ref_string_new (name);
  HirTask *task = hir_task_new (expr, label);
  gint64 bytes = 0, flops = 0;

  g_ref_string_release (label);
  task->calls = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_op_call_free);
  g_ptr_array_add (task->calls, call);
  if (!check_call (evaluator, expr, call, error))
    {
      hir_task_free (task);
      return FALSE;
    }
  hir_op_call_get_cost (call, &bytes, &flops);
  if (is_free && evaluator->options.model != NULL)
    task->event.iteration = hir_evaluator_get_iteration (evaluator);
  else
    hir_evaluator_trace_task (evaluator, task, HIR_EVENT_MEMCPY, bytes, flops);
  hir_evaluator_note_writer (evaluator, task);
  use_own_copy (evaluator, task, call);
  return backend->klass->enqueue (backend, hir_evaluator_get_current_slot (evaluator)->index, task,
                                  error) ||
         hir_evaluator_fail_located (evaluator);
}

/* Fails unless nvFuser of 2025 can write the result of this op to existing memory. */
static gboolean
check_preallocated (const HirExpr *expr, GError **error)
{
  const char *op = hir_expr_get_op_name (expr);
  int name = expr->outputs[0]->name;
  gboolean two_tensors;

  switch (expr->kind)
    {
    case HIR_EXPR_SET:
    case HIR_EXPR_MATMUL:
    case HIR_EXPR_LINEAR:
      return TRUE;
    case HIR_EXPR_BINARY:
      two_tensors = HIR_IS_TENSOR (expr->inputs[0]) && HIR_IS_TENSOR (expr->inputs[1]);
      if (two_tensors &&
          (expr->u.binary.op == HIR_BINARY_ADD || expr->u.binary.op == HIR_BINARY_SUB ||
           expr->u.binary.op == HIR_BINARY_MUL || expr->u.binary.op == HIR_BINARY_DIV))
        return TRUE;
      hir_set_error (
          error, HIR_ERROR_REFUSED, &expr->node.pos,
          "%s into the preallocated T%d: only add, sub, mul and div of two tensors are supported "
          "in place; compute it outside of the stream loop",
          op, name);
      return FALSE;
    case HIR_EXPR_REDUCTION:
      if (expr->u.reduction.op != HIR_BINARY_MUL)
        return TRUE;
      hir_set_error (error, HIR_ERROR_REFUSED, &expr->node.pos,
                     "%s into the preallocated T%d: only sum, max and min are supported in "
                     "place; compute it outside of the stream loop",
                     op, name);
      return FALSE;
    default:
      hir_set_error (error, HIR_ERROR_REFUSED, &expr->node.pos,
                     "%s into the preallocated T%d: this op is not supported in place; compute "
                     "it outside of "
                     "the stream loop",
                     op, name);
      return FALSE;
    }
}

static void
set_output (HirEvaluator *evaluator, HirOpCall *call, HirValue *value)
{
  HirInstructionCache *cache = evaluator->cache;

  if (!cache->has_axes)
    cache->device_axes = hir_op_find_device_axes (call->expr);
  cache->has_axes = TRUE;
  hir_op_call_set_output_without (call, value, cache->device_axes);
}

/* Binds the output to a view of the input, or to new memory that is computed. */
static gboolean
run_binding (HirEvaluator *evaluator, HirOpCall *call, GError **error)
{
  const HirTensor *out = HIR_TENSOR (call->expr->outputs[0]);
  g_autoptr (GError) local = NULL;
  g_autoptr (HirOpCall) owned = call;
  g_autoptr (HirValue) shape = hir_env_new_tensor (evaluator->env, out, NULL, error);
  g_autoptr (HirValue) view = NULL;
  g_autoptr (HirValue) value = NULL;

  if (shape == NULL)
    return FALSE;
  hir_op_call_set_output (call, shape);
  view = hir_op_call_new_view (call, &local);
  if (local != NULL)
    {
      g_propagate_error (error, g_steal_pointer (&local));
      return FALSE;
    }
  if (view != NULL)
    {
      hir_env_bind (evaluator->env, HIR_VAL (out), view);
      return TRUE;
    }
  value = realize (evaluator, shape, error);
  if (value == NULL)
    return FALSE;
  hir_env_bind (evaluator->env, HIR_VAL (out), value);
  set_output (evaluator, call, value);
  return submit_call (evaluator, g_steal_pointer (&owned), error);
}

/* Writes the known output in place, with the call and task of the previous execution. */
static gboolean
run_reused (HirEvaluator *evaluator, const HirExpr *expr, HirValue *known, GError **error)
{
  HirInstructionCache *cache = evaluator->cache;
  HirTask *task = hir_evaluator_reuse_task (evaluator, expr);
  gboolean ok;

  if (cache->call == NULL)
    {
      cache->call = hir_op_call_new (expr, evaluator->env, error);
      if (cache->call == NULL)
        return FALSE;
      task->calls = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_op_call_free);
      g_ptr_array_add (task->calls, cache->call);
    }
  else if (!hir_op_call_renew (cache->call, evaluator->env, error))
    return FALSE;
  set_output (evaluator, cache->call, known);
  ok = check_call (evaluator, expr, cache->call, error) &&
       submit_alone (evaluator, task, cache->call, error);
  hir_op_call_release (cache->call);
  return ok;
}

gboolean
hir_evaluator_run_compute (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  g_autoptr (HirOpCall) call = NULL;
  HirInstructionCache *cache = evaluator->cache;
  HirValue *known;

  if (expr->n_outputs != 1 || !HIR_IS_TENSOR (expr->outputs[0]))
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, &expr->node.pos,
                     "%s of scalars is not supported yet", hir_expr_get_op_name (expr));
      return FALSE;
    }
  known = hir_env_lookup (evaluator->env, expr->outputs[0]);
  if (known != NULL && !cache->is_checked && !check_preallocated (expr, error))
    return FALSE;
  cache->is_checked |= known != NULL;
  if (known != NULL && hir_evaluator_can_reuse (evaluator))
    return run_reused (evaluator, expr, known, error);
  call = hir_op_call_new (expr, evaluator->env, error);
  if (call == NULL)
    return FALSE;
  if (known == NULL)
    return run_binding (evaluator, g_steal_pointer (&call), error);
  set_output (evaluator, call, known);
  return submit_call (evaluator, g_steal_pointer (&call), error);
}

/* Collects the known outputs of @expr: all or none. Otherwise fails. */
static gboolean
collect_known (HirEvaluator *evaluator, const HirExpr *expr, GPtrArray *outputs, GError **error)
{
  for (guint i = 0; i < expr->n_outputs; i++)
    {
      HirValue *known = hir_env_lookup (evaluator->env, expr->outputs[i]);
      if (known != NULL)
        g_ptr_array_add (outputs, hir_value_ref (known));
    }
  if (outputs->len == 0 || outputs->len == expr->n_outputs)
    return TRUE;
  hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                 "of the %u outputs of %s, %u are preallocated; preallocate all or none",
                 expr->n_outputs, hir_evaluator_get_label (evaluator, expr), outputs->len);
  return FALSE;
}

static void
get_unit_cost (
    GPtrArray *calls, GPtrArray *inputs, GPtrArray *outputs, gint64 *bytes, gint64 *flops)
{
  *bytes = 0;
  *flops = 0;
  for (guint i = 0; i < inputs->len; i++)
    {
      const HirValue *value = g_ptr_array_index (inputs, i);
      if (!value->is_scalar)
        *bytes += (gint64) hir_value_get_size_bytes (value);
    }
  for (guint i = 0; i < outputs->len; i++)
    *bytes += (gint64) hir_value_get_size_bytes (g_ptr_array_index (outputs, i));
  for (guint i = 0; i < calls->len; i++)
    {
      gint64 ignored, own;
      hir_op_call_get_cost (g_ptr_array_index (calls, i), &ignored, &own);
      *flops += own;
    }
}

gboolean
hir_evaluator_run_post (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  HirUnitPlan *plan = hir_unit_plans_get (evaluator->plans, expr->u.post.unit);
  g_autoptr (GPtrArray) outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_value_unref);
  g_autoptr (GPtrArray) inputs = hir_unit_dup_inputs (evaluator->env, expr, error);
  g_autoptr (GPtrArray) shapes = NULL;
  g_autoptr (GPtrArray) calls = NULL;
  g_autoptr (HirEnv) inner = NULL;
  gint64 bytes, flops;

  if (inputs == NULL || !collect_known (evaluator, expr, outputs, error))
    return FALSE;
  shapes = hir_unit_plan_infer_outputs (plan, hir_env_get_device (evaluator->env),
                                        (HirValue **) inputs->pdata, inputs->len, &inner, error);
  if (shapes == NULL)
    return FALSE;
  for (guint i = outputs->len; i < shapes->len; i++)
    {
      HirValue *value = realize (evaluator, g_ptr_array_index (shapes, i), error);
      if (value == NULL)
        return FALSE;
      g_ptr_array_add (outputs, value);
      hir_env_bind (evaluator->env, expr->outputs[i], value);
    }
  calls = hir_unit_plan_dup_calls (plan, inner, (HirValue **) outputs->pdata, error);
  if (calls == NULL)
    return FALSE;
  for (guint i = 0; i < calls->len; i++)
    {
      if (!check_call (evaluator, expr, g_ptr_array_index (calls, i), error))
        return FALSE;
      plant (evaluator, g_ptr_array_index (calls, i));
    }
  get_unit_cost (calls, inputs, outputs, &bytes, &flops);

  HirTask *task = hir_task_new (expr, hir_evaluator_get_label (evaluator, expr));
  task->calls = g_steal_pointer (&calls);
  return submit (evaluator, task, HIR_EVENT_KERNEL, bytes, flops, error);
}

/* Submits one call per output, which reads all inputs and is never executed: a dry run. */
gboolean
hir_evaluator_run_opaque (HirEvaluator *evaluator, const HirExpr *expr, GError **error)
{
  HirExpr *copy = get_copy_expr (evaluator, expr);
  HirTask *task = hir_task_new (expr, hir_evaluator_get_label (evaluator, expr));
  g_autoptr (GPtrArray) inputs = g_ptr_array_new ();
  gint64 bytes = 0;
  gboolean ok = TRUE;

  task->calls = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_op_call_free);
  for (guint i = 0; ok && i < expr->n_inputs; i++)
    if (HIR_IS_TENSOR (expr->inputs[i]))
      {
        HirValue *value = hir_env_lookup (evaluator->env, expr->inputs[i]);

        ok = value != NULL;
        if (ok)
          g_ptr_array_add (inputs, value);
        else
          hir_set_error (error, HIR_ERROR_RUN, &expr->node.pos,
                         "T%d must be computed before it is read", expr->inputs[i]->name);
        bytes += ok ? (gint64) hir_value_get_size_bytes (value) : 0;
      }
  for (guint i = 0; ok && i < expr->n_outputs; i++)
    {
      HirValue *out = hir_env_lookup (evaluator->env, expr->outputs[i]);

      if (out == NULL)
        out = hir_evaluator_allocate (evaluator, HIR_TENSOR (expr->outputs[i]), error);
      else
        hir_value_ref (out);
      ok = out != NULL;
      if (!ok)
        break;
      bytes += (gint64) hir_value_get_size_bytes (out);
      g_ptr_array_add (task->calls, hir_op_call_new_opaque (copy, (HirValue *const *) inputs->pdata,
                                                            inputs->len, out));
      hir_value_unref (out);
      ok = check_call (evaluator, expr, g_ptr_array_index (task->calls, i), error);
    }
  if (ok)
    return submit (evaluator, task, HIR_EVENT_KERNEL, bytes, 0, error);
  hir_task_free (task);
  return FALSE;
}
