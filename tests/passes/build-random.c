#include "build-random.h"

#include "ops/ops.h"
#include "schedule/schedule.h"

static const HirDType dtypes[] = {
  [HIR_RANDOM_FLOAT] = HIR_DTYPE_FLOAT,
  [HIR_RANDOM_DOUBLE] = HIR_DTYPE_DOUBLE,
  [HIR_RANDOM_BFLOAT16] = HIR_DTYPE_BFLOAT16,
};

typedef struct
{
  const HirRandomFusion *random;
  HirContainer *fusion;
  HirTensor **tensors;
} Builder;

static HirTensor *
build_input (Builder *b, const HirRandomStep *step, GError **error)
{
  gint64 shape[HIR_RANDOM_MAX_RANK + 1];
  gint8 contiguity[HIR_RANDOM_MAX_RANK + 1];

  for (guint i = 0; i < step->n_axes; i++)
    {
      shape[i] = b->random->is_symbolic ? -1 : step->axes[i].size;
      contiguity[i] = shape[i] == 1 ? HIR_CONTIGUITY_NONE : HIR_CONTIGUITY_TRUE;
    }
  return hir_define_tensor (b->fusion, shape, step->n_axes, contiguity, dtypes[step->dtype], FALSE,
                            NULL, error);
}

static HirTensor *
build_reshape (Builder *b, const HirRandomStep *step, HirTensor *in, GError **error)
{
  HirScalar *shape[HIR_RANDOM_MAX_RANK];

  for (guint i = 0; i < step->n_dims; i++)
    shape[i] = hir_scalar_new_int (b->fusion, step->dims[i], HIR_DTYPE_INDEX);
  return hir_op_reshape (b->fusion, in, shape, step->n_dims, error);
}

static HirTensor *
build_binary (
    Builder *b, const HirRandomStep *step, HirTensor *in, HirTensor *other, GError **error)
{
  HirBinaryOp op;
  HirVal *second = other != NULL
                       ? HIR_VAL (other)
                       : HIR_VAL (hir_scalar_new_double (b->fusion, step->value, HIR_DTYPE_DOUBLE));

  if (!hir_binary_op_lookup (step->op, &op))
    g_assert_not_reached ();
  return hir_op_binary (b->fusion, op, HIR_VAL (in), second, error);
}

static HirTensor *
build_unary (Builder *b, const HirRandomStep *step, HirTensor *in, GError **error)
{
  HirUnaryOp op;

  if (!hir_unary_op_lookup (step->op, &op))
    g_assert_not_reached ();
  return hir_op_unary (b->fusion, op, in, error);
}

static HirTensor *
build_step (Builder *b, const HirRandomStep *step, GError **error)
{
  HirTensor *in = step->n_inputs > 0 ? b->tensors[step->inputs[0]] : NULL;
  HirTensor *second = step->n_inputs > 1 ? b->tensors[step->inputs[1]] : NULL;
  HirTensor *third = step->n_inputs > 2 ? b->tensors[step->inputs[2]] : NULL;

  switch (step->kind)
    {
    case HIR_RANDOM_INPUT:
      return build_input (b, step, error);
    case HIR_RANDOM_SET:
      return hir_op_set (b->fusion, in, error);
    case HIR_RANDOM_UNARY:
      return build_unary (b, step, in, error);
    case HIR_RANDOM_BINARY:
    case HIR_RANDOM_BINARY_SCALAR:
      return build_binary (b, step, in, second, error);
    case HIR_RANDOM_SUM:
      return hir_op_reduction (b->fusion, HIR_BINARY_ADD, in, step->dims, step->n_dims, FALSE,
                               HIR_DTYPE_NULL, error);
    case HIR_RANDOM_MATMUL:
      return hir_op_matmul (b->fusion, in, second, error);
    case HIR_RANDOM_LINEAR:
      return hir_op_linear (b->fusion, in, second, third, error);
    case HIR_RANDOM_BROADCAST:
      return hir_op_broadcast (b->fusion, in, step->flags, step->n_dims, error);
    case HIR_RANDOM_SQUEEZE:
      return hir_op_squeeze (b->fusion, in, step->dims, step->n_dims, FALSE, error);
    case HIR_RANDOM_PERMUTE:
      return hir_op_permute (b->fusion, in, step->dims, step->n_dims, error);
    case HIR_RANDOM_RESHAPE:
      return build_reshape (b, step, in, error);
    case HIR_RANDOM_CAST:
      return hir_op_cast (b->fusion, in, dtypes[step->dtype], error);
    case HIR_RANDOM_SLICE:
      return hir_op_slice (b->fusion, in, step->dims, step->stops, NULL, step->n_dims, error);
    default:
      g_assert_not_reached ();
    }
}

static const HirMesh *
build_mesh (Builder *b, const HirRandomMesh *mesh)
{
  gint64 devices[HIR_RANDOM_MAX_DEVICES];
  gint64 shape[] = { mesh->n_rows, mesh->n_devices / mesh->n_rows };
  gboolean is_line = mesh->n_rows == 1;
  GError *error = NULL;
  HirMesh *made;

  for (guint i = 0; i < mesh->n_devices; i++)
    devices[i] = mesh->devices[i];
  made = hir_mesh_new (b->fusion->arena, devices, mesh->n_devices, is_line ? shape + 1 : shape,
                       is_line ? 1 : 2, &error);
  g_assert_no_error (error);
  return made;
}

static gboolean
build_split (Builder *b, HirTensor *tensor, const HirRandomSchedule *schedule, GError **error)
{
  gboolean is_outer = schedule->kind == HIR_RANDOM_OUTER_SPLIT;
  gint64 factor = is_outer ? schedule->value : 2;

  return hir_schedule_split (tensor, schedule->axis,
                             hir_scalar_new_int (b->fusion, factor, HIR_DTYPE_INDEX), !is_outer,
                             error);
}

static gboolean
build_reversed (HirTensor *tensor, GError **error)
{
  HirIterDomain *ids[HIR_RANDOM_MAX_RANK + 1];
  guint n = tensor->logical.n;

  for (guint i = 0; i < n; i++)
    ids[i] = tensor->logical.ids[n - 1 - i];
  return hir_schedule_set_allocation (tensor, ids, NULL, n, error);
}

static gboolean
build_schedule (Builder *b, const HirRandomSchedule *schedule, GError **error)
{
  HirTensor *tensor = b->tensors[schedule->tensor];

  switch (schedule->kind)
    {
    case HIR_RANDOM_PARALLELIZE:
      return hir_schedule_parallelize (tensor, schedule->axis, HIR_PARALLEL_STREAM, error);
    case HIR_RANDOM_MESH_X:
      return hir_schedule_parallelize (tensor, schedule->axis, HIR_PARALLEL_DIDX, error);
    case HIR_RANDOM_MESH_Y:
      return hir_schedule_parallelize (tensor, schedule->axis, HIR_PARALLEL_DIDY, error);
    case HIR_RANDOM_SPLIT:
    case HIR_RANDOM_OUTER_SPLIT:
      return build_split (b, tensor, schedule, error);
    case HIR_RANDOM_MERGE:
      return hir_schedule_merge (tensor, schedule->axis, schedule->axis + 1, error);
    case HIR_RANDOM_SET_MESH:
      hir_schedule_set_device_mesh (tensor, build_mesh (b, &b->random->meshes[schedule->value]));
      return TRUE;
    case HIR_RANDOM_ALLOCATION_AS_LOOP:
      hir_schedule_set_allocation_as_loop (tensor);
      return TRUE;
    case HIR_RANDOM_CACHE_AFTER:
      return hir_schedule_cache_after (tensor, FALSE, TRUE, error) != NULL;
    case HIR_RANDOM_CACHE_BEFORE:
      return hir_schedule_cache_before (tensor, error) != NULL;
    case HIR_RANDOM_CACHE_FORK:
      return hir_schedule_cache_fork (tensor, error) != NULL;
    case HIR_RANDOM_RFACTOR:
      return hir_schedule_rfactor (tensor, (gint64[]){ schedule->axis }, 1, error) != NULL;
    case HIR_RANDOM_ALLOCATION_REVERSED:
      return build_reversed (tensor, error);
    default:
      g_assert_not_reached ();
    }
}

HirContainer *
hir_random_fusion_build (const HirRandomFusion *random, GError **error)
{
  g_autoptr (HirContainer) fusion = hir_container_new (HIR_CONTAINER_FUSION, NULL);
  g_autofree HirTensor **tensors = g_new0 (HirTensor *, random->steps->len);
  Builder b = { random, fusion, tensors };

  hir_maker_begin (fusion, "script", 0);
  for (guint i = 0; i < random->steps->len; i++)
    {
      hir_maker_set_pos (fusion, (HirPos){ i + 1, 1 });
      tensors[i] = build_step (&b, &g_array_index (random->steps, HirRandomStep, i), error);
      if (tensors[i] == NULL)
        return NULL;
    }
  for (guint i = 0; i < random->steps->len; i++)
    {
      if (g_array_index (random->steps, HirRandomStep, i).is_output)
        hir_container_add_output (fusion, HIR_VAL (tensors[i]));
    }
  for (guint i = 0; i < random->schedule->len; i++)
    {
      hir_maker_set_pos (fusion, (HirPos){ 1000 + i, 1 });
      if (!build_schedule (&b, &g_array_index (random->schedule, HirRandomSchedule, i), error))
        return NULL;
    }
  return g_steal_pointer (&fusion);
}
