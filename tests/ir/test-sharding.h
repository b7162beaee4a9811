/* Helpers of the sharding tests: meshes and schedules. */
#pragma once

#include "schedule/schedule.h"
#include "schedule/sharding.h"
#include "test-ops.h"

#define DX HIR_PARALLEL_DIDX
#define DY HIR_PARALLEL_DIDY
#define STREAM HIR_PARALLEL_STREAM

static inline void
on_mesh (HirTensor *tensor, gint64 first, gint64 second)
{
  HirContainer *f = tensor->base.container;
  gint64 devices[] = { first, second };
  gint64 n = second < 0 ? 1 : 2;

  hir_schedule_set_device_mesh (tensor, hir_mesh_new (f->arena, devices, (gsize) n, &n, 1, NULL));
  g_assert_nonnull (tensor->mesh);
}

static inline void
on_square (HirTensor *tensor)
{
  static const gint64 devices[] = { 0, 1, 2, 3 }, shape[] = { 2, 2 };

  hir_schedule_set_device_mesh (tensor, hir_mesh_new (tensor->base.container->arena, devices, 4,
                                                      shape, 2, NULL));
}

static inline void
shard (HirTensor *tensor, gint64 axis, HirParallelType type)
{
  g_assert_true (hir_schedule_parallelize (tensor, axis, type, NULL));
}

/* outer_split (axis, factor) with the outer part over devices. */
static inline void
split_and_shard (HirTensor *tensor, gint64 axis, gint64 factor)
{
  HirScalar *size = hir_scalar_new_int (tensor->base.container, factor, HIR_DTYPE_INDEX);

  g_assert_true (hir_schedule_split (tensor, axis, size, FALSE, NULL));
  shard (tensor, axis < 0 ? axis - 1 : axis, DX);
}

static inline gboolean
reshards (const HirTensor *tensor)
{
  GError *error = NULL;
  gboolean resharding;

  g_assert_true (hir_expr_is_resharding (tensor->definition, &resharding, &error));
  g_assert_no_error (error);
  return resharding;
}

static inline HirTensor *
sum (HirContainer *f, HirTensor *in, gint64 dim)
{
  HirTensor *out = hir_op_reduction (f, HIR_BINARY_ADD, in, &dim, 1, FALSE, HIR_DTYPE_NULL, NULL);

  g_assert_nonnull (out);
  return out;
}

static inline HirTensor *
add (HirContainer *f, HirTensor *a, HirTensor *b)
{
  return hir_op_binary (f, HIR_BINARY_ADD, HIR_VAL (a), HIR_VAL (b), NULL);
}

/* Sets *@sharded to TRUE if an axis of the allocation domain is over devices and not reduced.
 * Errors as hir_domain_map_parallel(). */
static inline gboolean
find_sharded (const HirTensor *tensor, gboolean *sharded, GError **error)
{
  HirParallelIds map;

  *sharded = FALSE;
  if (!hir_domain_map_parallel (tensor, hir_tensor_get_maybe_allocation (tensor), &map, error))
    return FALSE;
  for (int type = HIR_PARALLEL_DIDX; type <= HIR_PARALLEL_DIDZ; type++)
    *sharded = *sharded || map.ids[type] != NULL;
  return TRUE;
}
