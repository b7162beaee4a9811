/* rFactor of reductions that are split over devices (docs/host-ir.md#rfactor).
 *
 *   before:  T2[i{m}, rDID{d}, r{k/d}] = op (...)
 *   after:   T3[i{m}, iDID{d}, r{k/d}] = op (...)   each device its part of K
 *            T2[i{m}, rDID{d}]         = sum (T3)   the communication */
#include "label.h"
#include "schedule/rfactor.h"
#include "sharding/insert-reshardings-private.h"
#include "sharding/shard-like.h"
#include "transforms.h"

/* Returns TRUE for a loop axis that was split off a reduced axis. */
static gboolean
is_piece (const HirTensor *tensor, const HirIterDomain *id)
{
  return hir_iter_domain_is_reduction (id) && hir_domain_find (&tensor->logical, id) < 0;
}

/* Requires parts over devices and serial parts only. Other parts are rejected later, by the pass
 * that handles them. */
static gboolean
needs_rfactor (const HirTensor *tensor)
{
  guint n_device = 0, n_serial = 0, n_other = 0;

  if (tensor->definition == NULL || tensor->mesh == NULL || tensor->has_root)
    return FALSE;
  if (tensor->definition->kind != HIR_EXPR_REDUCTION &&
      tensor->definition->kind != HIR_EXPR_MATMUL && tensor->definition->kind != HIR_EXPR_LINEAR)
    return FALSE;
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      const HirIterDomain *id = tensor->loop.ids[i];

      if (!is_piece (tensor, id))
        continue;
      if (hir_iter_domain_is_device (id))
        n_device++;
      else if (hir_iter_domain_is_parallelized (id))
        n_other++;
      else
        n_serial++;
    }
  return n_device > 0 && n_serial > 0 && n_other == 0;
}

static gboolean
check_op (const HirTensor *tensor, GError **error)
{
  g_autofree char *label = NULL;
  g_autoptr (GPtrArray) transforms = NULL;

  label = hir_tensor_dup_label (tensor);
  transforms = hir_domain_dup_transforms (&tensor->logical, &tensor->loop);
  for (guint i = 0; i < transforms->len; i++)
    {
      const HirTransform *transform = transforms->pdata[i];

      if (transform->kind == HIR_TRANSFORM_SPLIT ||
          !hir_iter_domain_is_reduction (transform->out[0]))
        continue;
      hir_set_error (error, HIR_ERROR_REFUSED, &transform->node.pos,
                     "a reduced axis of %s is merged and over devices; split one axis instead, and "
                     "parallelize a part of it",
                     label);
      return FALSE;
    }
  return TRUE;
}

/* Axes that each device reduces locally: the serial parts and the other reduced axes. */
static gboolean
is_local (const HirIterDomain *id, gpointer user_data)
{
  return !hir_iter_domain_is_device (id);
}

static void
rfactor (HirContainer *fusion, HirTensor *tensor)
{
  const HirNode *origins[] = { &tensor->definition->node, &tensor->base.node };
  HirTensor *local;

  hir_maker_set_origins (fusion, origins, 2);
  local = hir_tensor_rfactor (tensor, is_local, NULL, FALSE);
  /* A type that a part already has is not used twice. */
  hir_shard_like (tensor->definition, tensor, local, HIR_PARALLEL_DEVICES_AND_STREAM);
}

gboolean
hir_reshard_rfactor (HirContainer *fusion, GError **error)
{
  guint n = fusion->tensors.len;

  for (guint i = 0; i < n; i++)
    {
      HirTensor *tensor = fusion->tensors.items[i];

      if (!needs_rfactor (tensor))
        continue;
      if (!check_op (tensor, error))
        return FALSE;
      rfactor (fusion, tensor);
    }
  return TRUE;
}
