/* Prepared tasks. A loop reuses the plan of a task without a lookup and only fills in addresses.
 * The plan depends on shapes and strides, which do not change, and on the alignment and the
 * relative offsets of the addresses, which are checked at each execution. */
#include <string.h>

#include "cuda/backend/backend-private.h"
#include "cuda/backend/launch-code.h"

/* Highest alignment that a plan depends on, in bytes; see alignment_of(). */
#define ALIGNMENT 256

/* A tensor operand, whose address may change. */
typedef struct
{
  const HirValue *value; /* borrowed */
  gsize element_bytes;
  gsize rest;           /* address modulo ALIGNMENT */
  guint first;          /* index of the first operand with the same buffer, usually itself */
  gint64 apart;         /* offset from that operand, in elements */
  HirCuAddress address; /* for the current execution */
} Moving;

/* A launch argument. */
typedef struct
{
  HirCuAddress *to;  /* element of HirCudaLaunch.values */
  guint moving;      /* index of the operand; G_MAXUINT: a scalar */
  HirCuAddress bits; /* of the scalar */
} Filled;

struct _HirPreparedTask
{
  HirTask *task; /* borrowed */
  HirCudaPlan *plan;
  HirCudaRecent recent;
  GArray *moving; /* Moving */
  GArray *filled; /* Filled */
};

static HirCuAddress
address_of (const HirValue *value, gsize element_bytes)
{
  return (HirCuAddress) (guintptr) (value->buffer->data + (gsize) value->offset * element_bytes);
}

/* Returns the index of @value in ready->moving. Adds @value if needed. */
static guint
take_moving (HirPreparedTask *ready, const HirValue *value)
{
  Moving moving = { .value = value,
                    .element_bytes = hir_dtype_get_size_bytes (value->dtype),
                    .first = ready->moving->len };

  for (guint i = ready->moving->len; i-- > 0;)
    {
      const Moving *other = &g_array_index (ready->moving, Moving, i);

      if (other->value == value)
        return i;
      if (other->value->buffer == value->buffer)
        moving.first = other->first;
    }
  moving.rest = address_of (value, moving.element_bytes) % ALIGNMENT;
  if (moving.first < ready->moving->len)
    moving.apart =
        value->offset - g_array_index (ready->moving, Moving, moving.first).value->offset;
  g_array_append_val (ready->moving, moving);
  return ready->moving->len - 1;
}

static gboolean
add_values (HirPreparedTask *ready, const HirOpCall *call)
{
  for (guint i = 0; i < call->n_inputs; i++)
    if (!call->inputs[i]->is_scalar)
      {
        if (call->inputs[i]->buffer->data == NULL)
          return FALSE;
        take_moving (ready, call->inputs[i]);
      }
  if (call->output->buffer->data == NULL)
    return FALSE;
  take_moving (ready, call->output);
  return TRUE;
}

static void
add_args (HirPreparedTask *ready, const HirCudaLaunch *launch)
{
  for (guint i = 0; i < launch->args->len; i++)
    {
      const HirKernelArg *arg = &g_array_index (launch->args, HirKernelArg, i);
      const HirValue *value = hir_cuda_get_operand (ready->task, arg);
      Filled filled = { .to = &launch->values[i], .moving = G_MAXUINT };

      if (arg->kind == HIR_ARG_OPERAND)
        filled.moving = take_moving (ready, value);
      else if (arg->kind == HIR_ARG_DOUBLE)
        memcpy (&filled.bits, &value->d, sizeof value->d);
      else
        filled.bits = (HirCuAddress) value->i;
      g_array_append_val (ready->filled, filled);
    }
}

HirPreparedTask *
hir_cuda_get_ready (HirBackend *base, HirTask *task)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;
  HirCudaPlan *plan = hir_cuda_lookup_plan (backend, task);
  HirPreparedTask *ready;
  gboolean ok = TRUE;

  if (plan == NULL || plan->n_scratch > 0 || task->issue != NULL)
    return NULL;
  ready = g_new0 (HirPreparedTask, 1);
  ready->task = task;
  ready->plan = plan;
  g_strlcpy (ready->recent.label, task->label, sizeof ready->recent.label);
  ready->moving = g_array_new (FALSE, FALSE, sizeof (Moving));
  ready->filled = g_array_new (FALSE, FALSE, sizeof (Filled));
  for (guint i = 0; ok && i < task->calls->len; i++)
    ok = add_values (ready, g_ptr_array_index (task->calls, i));
  for (guint i = 0; ok && i < plan->n_launches; i++)
    add_args (ready, &plan->launches[i]);
  if (ok)
    return ready;
  hir_cuda_free_ready (base, ready);
  return NULL;
}

void
hir_cuda_free_ready (HirBackend *base, HirPreparedTask *ready)
{
  g_array_unref (ready->moving);
  g_array_unref (ready->filled);
  g_free (ready);
}

/* Computes the current addresses. Returns FALSE if the plan is not valid for them. */
static gboolean
find_addresses (HirPreparedTask *ready)
{
  Moving *moving = (Moving *) (gpointer) ready->moving->data;

  for (guint i = 0; i < ready->moving->len; i++)
    {
      moving[i].address = address_of (moving[i].value, moving[i].element_bytes);
      if (moving[i].address % ALIGNMENT != moving[i].rest ||
          moving[i].value->offset - moving[moving[i].first].value->offset != moving[i].apart)
        return FALSE;
    }
  return TRUE;
}

static gboolean
launch_all (HirCudaBackend *backend, guint index, HirPreparedTask *ready, GError **error)
{
  const Moving *moving = (const Moving *) (gconstpointer) ready->moving->data;
  const Filled *filled = (const Filled *) (gconstpointer) ready->filled->data;
  gboolean ok = TRUE;

  for (guint i = 0; i < ready->filled->len; i++)
    *filled[i].to =
        filled[i].moving != G_MAXUINT ? moving[filled[i].moving].address : filled[i].bits;
  for (guint i = 0; i < ready->moving->len; i++)
    hir_cuda_pool_use (backend->pool, moving[i].value->buffer, index);
  hir_cuda_push (backend, &ready->task->event);
  for (guint i = 0; ok && i < ready->plan->n_launches; i++)
    ok = hir_cuda_launch (backend, index, &ready->plan->launches[i], error);
  hir_cuda_pop (backend);
  return ok;
}

HirPreparedResult
hir_cuda_issue_ready (
    HirBackend *base, guint index, HirPreparedTask *ready, gint32 iteration, GError **error)
{
  HirCudaBackend *backend = (HirCudaBackend *) base;
  GError *local = NULL;

  if (hir_cuda_give_error (backend, error))
    return HIR_READY_FAILED;
  if (!find_addresses (ready))
    return HIR_READY_NOT;
  ready->task->event.iteration = iteration;
  if (hir_cuda_device_make_current (backend->device, &local) &&
      launch_all (backend, index, ready, &local))
    {
      ready->recent.iteration = iteration;
      hir_cuda_note_recent (backend, index, &ready->recent);
      return HIR_READY_DONE;
    }
  hir_cuda_stop_at (backend, ready->task, local, error);
  return HIR_READY_FAILED;
}
