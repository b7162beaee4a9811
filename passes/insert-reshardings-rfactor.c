/* rFactor of reductions that are split over devices (reference 3.5, step 2).
 *
 *   before:  T2[i{m}, rDID{d}, r{k/d}] = op (...)
 *   after:   T3[i{m}, iDID{d}, r{k/d}] = op (...)   each device its part of K
 *            T2[i{m}, rDID{d}]         = sum (T3)   the communication */
#include "axis-index.h"
#include "insert-reshardings-private.h"
#include "label.h"
#include "print.h"
#include "shard-like.h"
#include "transforms.h"

/* A loop axis that is a piece of a reduced one. */
static gboolean
is_piece (const HirTensor *tensor, const HirIterDomain *id)
{
  return hir_iter_domain_is_reduction (id) && hir_domain_find (&tensor->logical, id) < 0;
}

/* Pieces over devices and serial ones, no others: those that are neither are refused later, by the
 * pass that knows them. */
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
  const HirExpr *expr = tensor->definition;
  g_autofree char *label = NULL;
  g_autoptr (GPtrArray) transforms = NULL;

  label = hir_tensor_dup_label (tensor);
  if (expr->kind == HIR_EXPR_LINEAR && expr->n_inputs > 2)
    {
      hir_set_error (error, HIR_ERROR_REFUSED, &expr->node.pos,
                     "the linear that gives %s has a bias, and its K axis is over devices: each "
                     "device would add the bias once; leave the bias out, and add it to the result",
                     label);
      return FALSE;
    }
  transforms = hir_domain_dup_transforms (&tensor->logical, &tensor->loop);
  for (guint i = 0; i < transforms->len; i++)
    {
      const HirTransform *transform = transforms->pdata[i];

      if (transform->kind == HIR_TRANSFORM_SPLIT ||
          !hir_iter_domain_is_reduction (transform->out[0]))
        continue;
      hir_set_error (error, HIR_ERROR_REFUSED, &transform->node.pos,
                     "a reduced axis of %s is merged and over devices; split one axis, and "
                     "parallelize a part of it",
                     label);
      return FALSE;
    }
  return TRUE;
}

/* Repeats the splits of reduced axes on copies; @copies: axis of the tensor -> the copy. */
static void
copy_pieces (const HirTensor *tensor, GHashTable *copies)
{
  g_autoptr (GPtrArray) transforms = hir_domain_dup_transforms (&tensor->logical, &tensor->loop);

  for (guint i = 0; i < transforms->len; i++)
    {
      const HirTransform *split = transforms->pdata[i];
      HirIterDomain *in = g_hash_table_lookup (copies, split->in[0]);
      HirIterDomain *out[2];
      GError *error = NULL;

      if (!hir_iter_domain_is_reduction (split->in[0]))
        continue;
      if (!hir_iter_domain_split (in, split->factor, split->inner_split, &out[0], &out[1], &error))
        g_error ("a split that was possible is not: %s", error->message);
      for (guint k = 0; k < 2; k++)
        {
          out[k]->is_rfactor = TRUE;
          g_hash_table_insert (copies, split->out[k], out[k]);
        }
    }
}

/* The pieces of @axis among the loop axes of @tensor, in their order. */
static GPtrArray *
dup_pieces (const HirTensor *tensor, const HirIterDomain *axis)
{
  GPtrArray *pieces = g_ptr_array_new ();

  for (guint i = 0; i < tensor->loop.n; i++)
    {
      if (hir_axis_find_outermost_base (&tensor->logical, tensor->loop.ids[i]) == axis)
        g_ptr_array_add (pieces, tensor->loop.ids[i]);
    }
  return pieces;
}

/* What each device computes: pieces over devices are kept, the others reduced. */
static HirTensor *
local_new (HirContainer *fusion, const HirTensor *tensor)
{
  g_autoptr (GHashTable) copies = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) root = g_ptr_array_new ();
  g_autoptr (GPtrArray) logical = g_ptr_array_new ();
  HirTensor *local;

  for (guint i = 0; i < tensor->logical.n; i++)
    {
      HirIterDomain *id = tensor->logical.ids[i];
      HirIterDomain *copy = hir_iter_domain_dup (fusion, id, FALSE);

      g_hash_table_insert (copies, id, copy);
      g_ptr_array_add (root, copy);
    }
  copy_pieces (tensor, copies);
  for (guint i = 0; i < tensor->logical.n; i++)
    {
      HirIterDomain *id = tensor->logical.ids[i];
      g_autoptr (GPtrArray) pieces = dup_pieces (tensor, id);

      if (!hir_iter_domain_is_reduction (id))
        {
          g_ptr_array_add (logical, g_hash_table_lookup (copies, id));
          continue;
        }
      for (guint k = 0; k < pieces->len; k++)
        {
          const HirIterDomain *piece = pieces->pdata[k];
          HirIterDomain *copy = g_hash_table_lookup (copies, piece);

          if (hir_iter_domain_is_device (piece))
            {
              copy->iter_type = HIR_ITER_ITERATION;
              copy->parallel_type = piece->parallel_type;
              copy->base.node.pos = piece->base.node.pos;
            }
          g_ptr_array_add (logical, copy);
        }
    }
  local =
      hir_tensor_new_with_root (fusion, tensor->base.dtype, (HirIterDomain *const *) root->pdata,
                                root->len, (HirIterDomain *const *) logical->pdata, logical->len);
  local->mesh = tensor->mesh;
  return local;
}

/* A reduced axis over devices in place of each such piece; the others are gone. */
static void
keep_device_pieces (HirContainer *fusion, HirTensor *tensor)
{
  g_autoptr (GPtrArray) logical = g_ptr_array_new ();
  g_autoptr (GPtrArray) loop = g_ptr_array_new ();
  g_autoptr (GHashTable) kept = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < tensor->logical.n; i++)
    {
      HirIterDomain *id = tensor->logical.ids[i];
      g_autoptr (GPtrArray) pieces = dup_pieces (tensor, id);

      if (!hir_iter_domain_is_reduction (id) || hir_domain_find (&tensor->loop, id) >= 0)
        {
          g_ptr_array_add (logical, id);
          continue;
        }
      for (guint k = 0; k < pieces->len; k++)
        {
          const HirIterDomain *piece = pieces->pdata[k];
          HirIterDomain *reduced;

          if (!hir_iter_domain_is_device (piece))
            continue;
          reduced = hir_iter_domain_dup (fusion, piece, TRUE);
          reduced->base.node.pos = piece->base.node.pos;
          g_hash_table_insert (kept, (gpointer) piece, reduced);
          g_ptr_array_add (logical, reduced);
        }
    }
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      HirIterDomain *id = tensor->loop.ids[i];

      if (!is_piece (tensor, id))
        g_ptr_array_add (loop, id);
      else if (g_hash_table_contains (kept, id))
        g_ptr_array_add (loop, g_hash_table_lookup (kept, id));
    }
  /* The default layout, with its contiguity, of the new shape. */
  hir_tensor_set_allocation (tensor, (HirIterDomain *const *) logical->pdata, logical->len);
  tensor->logical = tensor->allocation;
  tensor->allocation = (HirDomain){ NULL, 0 };
  tensor->has_allocation = FALSE;
  hir_tensor_set_loop (tensor, (HirIterDomain *const *) loop->pdata, loop->len);
}

static HirScalar *
get_init (HirContainer *fusion, const HirExpr *expr, HirDType dtype)
{
  if (expr->kind == HIR_EXPR_REDUCTION)
    return expr->u.reduction.init;
  if (hir_dtype_is_floating_point (dtype) || hir_dtype_is_complex (dtype))
    return hir_scalar_new_double (fusion, 0.0, dtype);
  return hir_scalar_new_int (fusion, 0, dtype);
}

static void
rfactor (HirContainer *fusion, HirTensor *tensor)
{
  HirExpr *expr = tensor->definition;
  const HirNode *origins[] = { &expr->node, &tensor->base.node };
  HirTensor *local;
  HirExpr *reduction;

  hir_maker_set_origins (fusion, origins, 2);
  local = local_new (fusion, tensor);
  keep_device_pieces (fusion, tensor);
  expr->outputs[0] = HIR_VAL (local);
  local->definition = expr;
  reduction = hir_expr_new (fusion, HIR_EXPR_REDUCTION, (HirVal *[]){ HIR_VAL (local) }, 1,
                            (HirVal *[]){ HIR_VAL (tensor) }, 1);
  reduction->u.reduction.op =
      expr->kind == HIR_EXPR_REDUCTION ? expr->u.reduction.op : HIR_BINARY_ADD;
  reduction->u.reduction.init = get_init (fusion, expr, tensor->base.dtype);
  hir_container_add_expr (fusion, reduction);
  /* A type that a piece has is not given twice. */
  hir_shard_like (reduction, tensor, local, HIR_PARALLEL_DEVICES_AND_STREAM);
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
