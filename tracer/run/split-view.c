/* Splits and merges of the operand of an rfactor reduction. */
#include "run/split-view.h"

#include "transforms.h"

typedef struct
{
  gint64 size, stride;
} Axis;

typedef struct
{
  HirEnv *env;
  const HirExpr *expr;
  const HirTensor *tensor;
  GHashTable *axes; /* HirIterDomain* -> Axis*, owned */
} View;

static gboolean
reject (const View *view, const char *why, GError **error)
{
  hir_set_error (error, HIR_ERROR_RUN, &view->expr->node.pos,
                 "%s into T%d, the first step of an "
                 "rfactor: %s",
                 hir_expr_get_op_name (view->expr), view->tensor->base.name, why);
  return FALSE;
}

static void
add_axis (const View *view, const HirIterDomain *id, gint64 size, gint64 stride)
{
  Axis *axis = g_new (Axis, 1);

  *axis = (Axis){ size, stride };
  g_hash_table_insert (view->axes, (gpointer) id, axis);
}

/* Returns TRUE if a device has only one element of @id. The unlowered fusion, which does not run on
 * devices, has all elements. */
static gboolean
is_over_devices (const View *view, const HirIterDomain *id)
{
  return hir_env_get_device (view->env) >= 0 && view->tensor->mesh != NULL &&
         hir_iter_domain_is_device (id);
}

static gboolean
split (const View *view, const HirTransform *transform, const Axis *in, GError **error)
{
  gint64 factor, outer, inner;

  if (!hir_env_evaluate_int (view->env, transform->factor, &factor, error))
    return FALSE;
  if (is_over_devices (view, transform->out[0]))
    outer = 1;
  else if (is_over_devices (view, transform->out[1]))
    outer = in->size;
  else if (factor < 1 || in->size % factor != 0)
    return reject (view, "a split does not divide its axis; split by a number that does", error);
  else
    outer = transform->inner_split ? in->size / factor : factor;
  inner = outer == 0 ? 0 : in->size / outer;
  add_axis (view, transform->out[0], outer, inner * in->stride);
  add_axis (view, transform->out[1], inner, in->stride);
  return TRUE;
}

static gboolean
merge (const View *view, const HirTransform *transform, const Axis *outer, GError **error)
{
  const Axis *inner = g_hash_table_lookup (view->axes, transform->in[1]);

  if (inner == NULL)
    return reject (view, "a merged axis is missing", error);
  if (outer->size > 1 && inner->size > 1 && outer->stride != inner->stride * inner->size)
    return reject (view,
                   "merged axes do not follow each other in memory; merge axes of a contiguous "
                   "tensor, or rfactor them one by one",
                   error);
  add_axis (view, transform->out[0], outer->size * inner->size,
            inner->size > 1 ? inner->stride : outer->stride);
  return TRUE;
}

static gboolean
apply_transforms (const View *view, GError **error)
{
  g_autoptr (GPtrArray) transforms =
      hir_domain_dup_transforms (&view->tensor->root, &view->tensor->logical);

  for (guint i = 0; i < transforms->len; i++)
    {
      const HirTransform *transform = transforms->pdata[i];
      const Axis *in = g_hash_table_lookup (view->axes, transform->in[0]);
      gboolean done;

      if (in == NULL)
        return reject (view, "an axis is missing", error);
      if (transform->kind == HIR_TRANSFORM_SPLIT)
        done = split (view, transform, in, error);
      else if (transform->kind == HIR_TRANSFORM_MERGE)
        done = merge (view, transform, in, error);
      else
        done = reject (view, "an axis is resized", error);
      if (!done)
        return FALSE;
    }
  return TRUE;
}

gboolean
hir_split_view (HirEnv *env,
                const HirExpr *expr,
                const HirTensor *tensor,
                guint *n,
                gint64 *sizes,
                gint64 *strides,
                GError **error)
{
  g_autoptr (GHashTable) axes = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  View view = { env, expr, tensor, axes };

  if (*n != tensor->root.n || tensor->logical.n > HIR_MAX_DIMS)
    return reject (&view, "its operand has another number of axes than its root domain", error);
  for (guint i = 0; i < *n; i++)
    add_axis (&view, tensor->root.ids[i], sizes[i], strides != NULL ? strides[i] : 0);
  /* Without strides, elements are in row-major order, so axes can always be merged. */
  if (strides == NULL)
    {
      gint64 dense[HIR_MAX_DIMS];

      hir_sizes_contiguous_strides (sizes, *n, dense);
      for (guint i = 0; i < *n; i++)
        add_axis (&view, tensor->root.ids[i], sizes[i], dense[i]);
    }
  if (!apply_transforms (&view, error))
    return FALSE;
  *n = tensor->logical.n;
  for (guint i = 0; i < *n; i++)
    {
      const Axis *axis = g_hash_table_lookup (axes, tensor->logical.ids[i]);

      if (axis == NULL)
        return reject (&view, "an axis is missing", error);
      sizes[i] = axis->size;
      if (strides != NULL)
        strides[i] = axis->stride;
    }
  return TRUE;
}
