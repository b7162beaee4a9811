/* Sums that devices compute in parts. */
#include "run/reference/reference-private.h"

#include <string.h>

#include "schedule/id-map.h"
#include "transforms.h"

/* Collects the logical axes from which @id derives. */
static void
add_bases (GPtrArray *axes, const HirDomain *logical, HirIterDomain *id)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();

  g_ptr_array_add (stack, id);
  while (stack->len > 0)
    {
      HirIterDomain *piece = g_ptr_array_steal_index_fast (stack, stack->len - 1);

      if (hir_domain_find (logical, piece) >= 0)
        g_ptr_array_add (axes, piece);
      else if (piece->definition != NULL)
        for (guint i = 0;
             i < G_N_ELEMENTS (piece->definition->in) && piece->definition->in[i] != NULL; i++)
          g_ptr_array_add (stack, piece->definition->in[i]);
    }
}

/* Returns the logical axes of which only a part is over devices. */
static GPtrArray *
dup_split_axes (HirContainer *fusion)
{
  GPtrArray *axes = g_ptr_array_new ();

  for (guint i = 0; i < fusion->tensors.len; i++)
    {
      const HirTensor *tensor = fusion->tensors.items[i];

      for (guint k = 0; k < tensor->loop.n; k++)
        if (hir_iter_domain_is_device (tensor->loop.ids[k]) &&
            hir_domain_find (&tensor->logical, tensor->loop.ids[k]) < 0)
          add_bases (axes, &tensor->logical, tensor->loop.ids[k]);
    }
  return axes;
}

static gboolean
reduces_one_of (HirIdMap *map, const GPtrArray *axes, const HirTensor *tensor)
{
  for (guint i = 0; i < tensor->logical.n; i++)
    for (guint k = 0; hir_iter_domain_is_reduction (tensor->logical.ids[i]) && k < axes->len; k++)
      if (hir_id_map_are_mapped (map, tensor->logical.ids[i], axes->pdata[k]))
        return TRUE;
  return FALSE;
}

GHashTable *
hir_ref_find_sums_in_parts (HirContainer *fusion)
{
  GHashTable *sums = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) axes = dup_split_axes (fusion);
  gint64 n_parts = 1;
  g_autoptr (HirIdMap) map = NULL;

  if (axes->len == 0)
    return sums;
  map = hir_id_map_new (fusion);
  for (guint i = 0; i < fusion->tensors.len; i++)
    {
      const HirMesh *mesh = HIR_TENSOR (fusion->tensors.items[i])->mesh;

      if (mesh != NULL)
        n_parts = MAX (n_parts, mesh->size);
    }
  for (guint i = 0; i < fusion->tensors.len; i++)
    {
      HirTensor *tensor = fusion->tensors.items[i];

      if (tensor->definition != NULL && reduces_one_of (map, axes, tensor))
        g_hash_table_insert (sums, tensor, GINT_TO_POINTER ((gint) (2 * n_parts - 2)));
    }
  return sums;
}

/* Returns the last axis of the result if it numbers parts of the summed axis, and sets *@is_outer
 * to whether a part is contiguous; otherwise NULL. */
static const HirIterDomain *
find_parts (const HirTensor *out, gboolean *is_outer)
{
  guint n;
  g_autofree HirIterDomain **ids = hir_tensor_dup_no_reductions (out, &n);
  const HirIterDomain *last = n > 0 ? ids[n - 1] : NULL;
  const HirTransform *split = last != NULL ? last->definition : NULL;

  if (split == NULL || split->kind != HIR_TRANSFORM_SPLIT ||
      !hir_iter_domain_is_reduction (split->out[last == split->out[0]]) ||
      hir_domain_find (&out->root, split->in[0]) < 0)
    return NULL;
  *is_outer = last == split->out[0];
  return last;
}

/* Returns part @i of @n of @in along axis @axis. */
static HirRefTensor *
dup_part (const HirRefTensor *in, guint axis, gint64 i, gint64 n, gboolean is_outer, GError **error)
{
  gint64 sizes[HIR_MAX_DIMS], strides[HIR_MAX_DIMS];
  g_autoptr (HirRefTensor) part = NULL;
  HirRefWalk walk;

  memcpy (sizes, in->sizes, in->n_dims * sizeof *sizes);
  sizes[axis] /= n;
  part = hir_ref_tensor_new (in->dtype, in->n_dims, sizes, error);
  if (part == NULL)
    return NULL;
  hir_sizes_contiguous_strides (in->sizes, in->n_dims, strides);
  hir_ref_walk_init (&walk, in->n_dims, sizes, 0);
  memcpy (walk.strides, strides, in->n_dims * sizeof *strides);
  walk.at = i * strides[axis] * (is_outer ? sizes[axis] : 1);
  if (!is_outer)
    walk.strides[axis] *= n;
  return hir_ref_move (in, &walk, part, error) ? g_steal_pointer (&part) : NULL;
}

gboolean
hir_ref_product_in_parts (const HirExpr *expr,
                          const HirRefTensor *a,
                          const HirRefTensor *b,
                          HirRefTensor *out,
                          GError **error)
{
  gboolean is_linear = expr->kind == HIR_EXPR_LINEAR, is_outer = FALSE, ok = TRUE;
  gint64 n = out->n_dims > 0 ? out->sizes[out->n_dims - 1] : 0;
  guint b_axis;

  if (b == NULL || a->n_dims == 0 || b->n_dims == 0 || n == 0 || expr->n_inputs > 2 ||
      find_parts (HIR_TENSOR (expr->outputs[0]), &is_outer) == NULL)
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, &expr->node.pos,
                     "%s in parts, by rfactor, cannot be checked with a bias, or unless the number "
                     "of parts is the last axis; leave out rfactor, and parallelize a part of K "
                     "over devices",
                     hir_expr_get_op_name (expr));
      return FALSE;
    }
  b_axis = is_linear || b->n_dims == 1 ? b->n_dims - 1 : b->n_dims - 2;
  if (a->sizes[a->n_dims - 1] % n != 0 || b->sizes[b_axis] != a->sizes[a->n_dims - 1])
    return hir_ref_misfit (expr, error);
  for (gint64 i = 0; i < n && ok; i++)
    {
      g_autoptr (HirRefTensor) part_a = dup_part (a, a->n_dims - 1, i, n, is_outer, error);
      g_autoptr (HirRefTensor) part_b =
          part_a != NULL ? dup_part (b, b_axis, i, n, is_outer, error) : NULL;
      g_autoptr (HirRefTensor) product =
          part_b != NULL ? hir_ref_tensor_new (out->dtype, out->n_dims - 1, out->sizes, error)
                         : NULL;

      ok = product != NULL &&
           (is_linear ? hir_ref_linear (expr, part_a, part_b, NULL, product, error)
                      : hir_ref_matmul (expr, part_a, part_b, product, error));
      for (gint64 k = 0; ok && k < product->count; k++)
        {
          HirRefCell cell;

          hir_ref_tensor_get (product, k, &cell);
          ok =
              hir_ref_tensor_set (out, k * n + i, &cell) || hir_ref_tensor_need_errors (out, error);
        }
    }
  return ok;
}
