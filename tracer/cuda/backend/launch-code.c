#include "cuda/backend/launch-code.h"

#include <string.h>

#include "cuda/backend/matmul.h"

/* Appends @n uninitialized elements and returns the first. */
static gint64 *
extend (GArray *signature, guint n)
{
  guint before = signature->len;

  g_array_set_size (signature, before + n);
  return &g_array_index (signature, gint64, before);
}

/* Buffers in the order of their first use. A signature contains their numbers, not their addresses,
 * so that a plan can be reused for other buffers. */
typedef struct
{
  const HirBuffer *buffers[64];
  gint64 offsets[64];
  guint n;
} Seen;

static guint
find_seen (Seen *seen, const HirValue *value)
{
  guint i = 0;

  while (i < seen->n && seen->buffers[i] != value->buffer)
    i++;
  if (i == seen->n && i < G_N_ELEMENTS (seen->buffers))
    {
      seen->buffers[i] = value->buffer;
      seen->offsets[i] = value->offset;
      seen->n++;
    }
  return i;
}

/* Returns the base-2 logarithm of the alignment of the address, at most 8. */
static guint
alignment_of (const HirValue *value)
{
  guintptr address = (guintptr) hir_value_get_data (value);

  return address == 0 ? 8 : (guint) MIN (g_bit_nth_lsf (address, -1), 8);
}

static void
add_value (GArray *signature, Seen *seen, const HirValue *value)
{
  guint place, n;
  gint64 *to;

  if (value == NULL || value->is_scalar)
    {
      *extend (signature, 1) = value != NULL ? -1 - (gint64) value->dtype : -1000;
      return;
    }
  n = value->n_dims;
  place = find_seen (seen, value);
  to = extend (signature, 2 + 2 * n);
  to[0] = (gint64) value->dtype | (gint64) n << 8 | (gint64) place << 16 |
          (gint64) (value->buffer->data == NULL) << 32 | (gint64) alignment_of (value) << 40;
  /* If the table is full, aliasing is unknown: the time makes the signature unique, so that the
   * plan is not reused. */
  to[1] = place < G_N_ELEMENTS (seen->buffers) ? value->offset - seen->offsets[place]
                                               : g_get_monotonic_time ();
  memcpy (to + 2, value->sizes, n * sizeof (gint64));
  memcpy (to + 2 + n, value->strides, n * sizeof (gint64));
}

void
hir_cuda_sign_task (GArray *signature, const HirTask *task)
{
  Seen seen;

  seen.n = 0; /* other fields are written before they are read */
  g_array_set_size (signature, 0);
  for (guint i = 0; i < task->calls->len; i++)
    {
      const HirOpCall *call = g_ptr_array_index (task->calls, i);
      gint64 *to = extend (signature, 2 + call->n_params);

      to[0] = (gint64) (gintptr) call->expr;
      memcpy (&to[1], &call->planted, sizeof to[1]);
      if (call->n_params > 0)
        memcpy (to + 2, call->params, call->n_params * sizeof (gint64));
      for (guint k = 0; k < call->n_inputs; k++)
        add_value (signature, &seen, call->inputs[k]);
      add_value (signature, &seen, call->output);
      add_value (signature, &seen, call->fill);
      add_value (signature, &seen, call->step);
    }
}

const HirValue *
hir_cuda_get_operand (const HirTask *task, const HirKernelArg *arg)
{
  const HirOpCall *call = g_ptr_array_index (task->calls, arg->call);

  switch (arg->operand)
    {
    case HIR_OPERAND_OUTPUT:
      return call->output;
    case HIR_OPERAND_FILL:
      return call->fill;
    case HIR_OPERAND_STEP:
      return call->step;
    default:
      return call->inputs[arg->operand];
    }
}

HirUnitCode *
hir_cuda_generate (const HirTask *task, int n_sms, gboolean with_library, GError **error)
{
  HirCodegenOptions options = {
    .block_threads = 256,
    .max_blocks = (guint) MAX (n_sms, 1) * 16,
    .enough_blocks = (guint) MAX (n_sms, 1) * 2,
    .min_piece = 4096,
    .library_takes = with_library ? hir_cuda_matmul_takes : NULL,
  };

  return hir_codegen_unit ((HirOpCall *const *) task->calls->pdata, task->calls->len, task->label,
                           &options, error);
}
