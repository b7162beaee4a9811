/* Launches the ops of an instruction. A plan holds the generated kernels and cuBLASLt calls for one
 * signature of the operands; later executions only fill in addresses and scalars. */
#include <string.h>

#include "cuda/backend/backend-private.h"
#include "cuda/backend/launch-code.h"

static void
plan_free (HirCudaPlan *plan)
{
  for (guint i = 0; i < plan->n_launches; i++)
    {
      HirCudaLaunch *launch = &plan->launches[i];

      g_clear_pointer (&launch->matmul, hir_cuda_matmul_free);
      g_clear_pointer (&launch->args, g_array_unref);
      g_free (launch->values);
      g_free (launch->pointers);
    }
  g_free (plan->launches);
  g_free (plan->scratch);
  g_free (plan->signature);
  g_free (plan);
}

void
hir_cuda_plans_free (gpointer data)
{
  GPtrArray *plans = data;

  for (guint i = 0; i < plans->len; i++)
    plan_free (g_ptr_array_index (plans, i));
  g_ptr_array_unref (plans);
}

static void
fill_values (HirCudaLaunch *launch, const HirTask *task, HirBuffer *const *scratch)
{
  for (guint i = 0; i < launch->args->len; i++)
    {
      const HirKernelArg *arg = &g_array_index (launch->args, HirKernelArg, i);

      if (arg->kind == HIR_ARG_SCRATCH)
        launch->values[i] =
            (HirCuAddress) (guintptr) scratch[arg->scratch]->data + arg->offset_bytes;
      else
        {
          const HirValue *value = hir_cuda_get_operand (task, arg);

          if (arg->kind == HIR_ARG_OPERAND)
            launch->values[i] = (HirCuAddress) (guintptr) hir_value_get_data (value);
          else if (arg->kind == HIR_ARG_DOUBLE)
            memcpy (&launch->values[i], &value->d, sizeof (double));
          else
            launch->values[i] = (HirCuAddress) value->i;
        }
    }
}

/* Returns FALSE without an error if cuBLASLt has no algorithm for the product. */
static gboolean
prepare (HirCudaBackend *backend,
         const HirTask *task,
         const HirUnitPart *part,
         HirBuffer *const *scratch,
         HirCudaLaunch *launch,
         GError **error)
{
  launch->kind = part->kind;
  launch->args = g_array_ref (part->args);
  launch->grid = part->grid;
  launch->block = part->block;
  launch->values = g_new0 (HirCuAddress, part->args->len + 1);
  launch->pointers = g_new0 (gpointer, part->args->len + 1);
  for (guint i = 0; i < part->args->len; i++)
    launch->pointers[i] = &launch->values[i];
  if (part->kind == HIR_PART_KERNEL)
    {
      launch->function = hir_kernel_cache_get (backend->kernels, part->name, part->source, error);
      return launch->function != NULL;
    }
  fill_values (launch, task, scratch);
  launch->matmul =
      hir_cuda_matmul_new (backend->device->libs, backend->lt,
                           g_ptr_array_index (task->calls, part->call), launch->values, error);
  return launch->matmul != NULL;
}

static gboolean
take_scratch (HirCudaBackend *backend,
              guint index,
              const HirCudaPlan *plan,
              HirBuffer **scratch,
              GError **error)
{
  for (guint i = 0; i < plan->n_scratch; i++)
    {
      scratch[i] = hir_cuda_pool_allocate (backend->pool, index, plan->scratch[i], error);
      if (scratch[i] == NULL)
        return FALSE;
    }
  return TRUE;
}

static void
drop_scratch (const HirCudaPlan *plan, HirBuffer **scratch)
{
  for (guint i = 0; i < plan->n_scratch; i++)
    g_clear_pointer (&scratch[i], hir_buffer_unref);
}

/* Returns NULL without an error if cuBLASLt has no algorithm for a product. */
static HirCudaPlan *
plan_new (HirCudaBackend *backend,
          guint index,
          const HirTask *task,
          gboolean with_library,
          GError **error)
{
  g_autoptr (HirUnitCode) code =
      hir_cuda_generate (task, backend->device->n_sms, with_library, error);
  g_autofree HirBuffer **scratch = NULL;
  HirCudaPlan *plan;
  gboolean ok;

  if (code == NULL)
    return NULL;
  plan = g_new0 (HirCudaPlan, 1);
  plan->n_scratch = code->scratch->len;
  plan->scratch = g_memdup2 (code->scratch->data, sizeof (gsize) * code->scratch->len);
  plan->launches = g_new0 (HirCudaLaunch, code->parts->len + 1);
  scratch = g_new0 (HirBuffer *, plan->n_scratch + 1);
  ok = take_scratch (backend, index, plan, scratch, error);
  for (guint i = 0; ok && i < code->parts->len; i++)
    {
      plan->n_launches = i + 1;
      ok = prepare (backend, task, g_ptr_array_index (code->parts, i), scratch, &plan->launches[i],
                    error);
    }
  drop_scratch (plan, scratch);
  if (ok)
    return plan;
  plan_free (plan);
  return NULL;
}

static gboolean
is_for (const HirCudaPlan *plan, const GArray *signature)
{
  return plan->n_signature == signature->len &&
         memcmp (plan->signature, signature->data, sizeof (gint64) * signature->len) == 0;
}

HirCudaPlan *
hir_cuda_lookup_plan (HirCudaBackend *backend, HirTask *task)
{
  GPtrArray *plans;

  hir_cuda_sign_task (backend->signature, task);
  /* Usually the operands match the previous execution. */
  if (task->last != NULL && is_for (task->last, backend->signature))
    return (HirCudaPlan *) task->last;
  plans = g_hash_table_lookup (backend->plans, task->expr);
  for (guint i = 0; plans != NULL && i < plans->len; i++)
    if (is_for (g_ptr_array_index (plans, i), backend->signature))
      {
        task->last = g_ptr_array_index (plans, i);
        return (HirCudaPlan *) task->last;
      }
  return NULL;
}

static HirCudaPlan *
get_plan (HirCudaBackend *backend, guint index, HirTask *task, GError **error)
{
  GPtrArray *plans;
  GArray *signature = backend->signature;
  GError *local = NULL;
  HirCudaPlan *plan = hir_cuda_lookup_plan (backend, task);

  if (plan != NULL)
    return plan;
  plan = plan_new (backend, index, task, TRUE, &local);
  if (plan == NULL && local == NULL)
    plan = plan_new (backend, index, task, FALSE, &local);
  if (plan == NULL)
    {
      g_propagate_error (error, local);
      return NULL;
    }
  plan->n_signature = signature->len;
  plan->signature = g_memdup2 (signature->data, sizeof (gint64) * signature->len);
  plans = g_hash_table_lookup (backend->plans, task->expr);
  if (plans == NULL)
    {
      plans = g_ptr_array_new ();
      g_hash_table_insert (backend->plans, (gpointer) task->expr, plans);
    }
  g_ptr_array_add (plans, plan);
  return plan;
}

/* Notes the stream for each buffer, so that the pool does not reuse its memory too early. */
static void
note_uses (HirCudaBackend *backend, guint index, const HirTask *task)
{
  for (guint i = 0; i < task->calls->len; i++)
    {
      const HirOpCall *call = g_ptr_array_index (task->calls, i);

      for (guint k = 0; k < call->n_inputs; k++)
        if (!call->inputs[k]->is_scalar && call->inputs[k]->buffer->data != NULL)
          hir_cuda_pool_use (backend->pool, call->inputs[k]->buffer, index);
      if (call->output->buffer->data != NULL)
        hir_cuda_pool_use (backend->pool, call->output->buffer, index);
    }
}

static gboolean
run_matmul (HirCudaBackend *backend, guint index, HirCudaLaunch *launch, GError **error)
{
  HirCudaStream *stream = hir_cuda_get_stream (backend, index);

  if (stream->workspace == NULL)
    stream->workspace =
        hir_cuda_pool_allocate (backend->pool, index, HIR_MATMUL_WORKSPACE_BYTES, error);
  return stream->workspace != NULL &&
         hir_cuda_matmul_run (launch->matmul, launch->values,
                              (HirCuAddress) (guintptr) stream->workspace->data, stream->stream,
                              &backend->counts.n_matmuls, error);
}

static gboolean
run_kernel (HirCudaBackend *backend, guint index, HirCudaLaunch *launch, GError **error)
{
  HirCudaStream *stream = hir_cuda_get_stream (backend, index);

  if (launch->grid == 0)
    return TRUE;
  backend->counts.n_kernels++;
  return hir_cu_check (backend->device->libs,
                       backend->cuda->launch_kernel (launch->function, launch->grid, 1, 1,
                                                     launch->block, 1, 1, 0, stream->stream,
                                                     launch->pointers, NULL),
                       error, "launching a kernel");
}

gboolean
hir_cuda_launch (HirCudaBackend *backend, guint index, HirCudaLaunch *launch, GError **error)
{
  return launch->kind == HIR_PART_MATMUL ? run_matmul (backend, index, launch, error)
                                         : run_kernel (backend, index, launch, error);
}

gboolean
hir_cuda_launch_calls (HirCudaBackend *backend, guint index, HirTask *task, GError **error)
{
  HirCudaPlan *plan = get_plan (backend, index, task, error);
  HirBuffer *scratch[16] = { NULL };
  HirBuffer **memory = scratch;
  gboolean ok, pushed;

  if (plan == NULL)
    return FALSE;
  if (plan->n_scratch > G_N_ELEMENTS (scratch))
    memory = g_new0 (HirBuffer *, plan->n_scratch);
  ok = take_scratch (backend, index, plan, memory, error);
  note_uses (backend, index, task);
  pushed = ok;
  if (pushed)
    hir_cuda_push (backend, &task->event);
  for (guint i = 0; ok && i < plan->n_launches; i++)
    {
      HirCudaLaunch *launch = &plan->launches[i];

      fill_values (launch, task, memory);
      ok = hir_cuda_launch (backend, index, launch, error);
    }
  if (pushed)
    hir_cuda_pop (backend);
  drop_scratch (plan, memory);
  if (memory != scratch)
    g_free (memory);
  return ok;
}
