/* Splits and merges of the operand of an rfactor reduction. */
#include "run/split-view.h"

#include "run/values/odometer.h"
#include "transforms.h"

typedef struct
{
  gint64 size, stride;
  const HirTransform *split; /* nullable: the split of this axis */
  gint64 inner_size;         /* of that split */
  gboolean is_uneven;        /* part of a split that does not divide its axis */
} Axis;

typedef struct
{
  HirEnv *env;
  const HirExpr *expr;
  const HirTensor *tensor;
  GHashTable *axes; /* HirIterDomain* -> Axis*, owned */
  GArray *uneven;   /* const HirIterDomain*: axes that a split does not divide */
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

static Axis *
add_axis (const View *view, const HirIterDomain *id, gint64 size, gint64 stride)
{
  Axis *axis = g_new (Axis, 1);

  *axis = (Axis){ .size = size, .stride = stride };
  g_hash_table_insert (view->axes, (gpointer) id, axis);
  return axis;
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
split (const View *view, const HirTransform *transform, Axis *in, GError **error)
{
  gint64 factor, outer, inner;
  Axis *parts[2];

  if (!hir_env_evaluate_int (view->env, transform->factor, &factor, error))
    return FALSE;
  if (factor < 1)
    return reject (view, "a split has a factor less than 1", error);
  outer = transform->inner_split ? (in->size + factor - 1) / factor : factor;
  inner = transform->inner_split ? factor : (in->size + factor - 1) / factor;
  if (is_over_devices (view, transform->out[0]))
    {
      outer = 1;
      inner = in->size;
    }
  else if (is_over_devices (view, transform->out[1]))
    {
      outer = in->size;
      inner = 1;
    }
  in->split = transform;
  in->inner_size = inner;
  parts[0] = add_axis (view, transform->out[0], outer, inner * in->stride);
  parts[1] = add_axis (view, transform->out[1], inner, in->stride);
  for (guint i = 0; i < 2; i++)
    parts[i]->is_uneven = in->is_uneven || outer * inner != in->size;
  if (outer * inner != in->size)
    g_array_append_val (view->uneven, transform->in[0]);
  return TRUE;
}

static gboolean
merge (const View *view, const HirTransform *transform, const Axis *outer, GError **error)
{
  const Axis *inner = g_hash_table_lookup (view->axes, transform->in[1]);

  if (inner == NULL)
    return reject (view, "a merged axis is missing", error);
  if (outer->is_uneven || inner->is_uneven)
    return reject (view,
                   "a split does not divide its axis, and its parts are merged; split by a number "
                   "that does",
                   error);
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
      Axis *in = g_hash_table_lookup (view->axes, transform->in[0]);
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

/* Adds the index along @id, times @scale, as a sum over the final axes. */
static void
add_coefficients (const View *view, const HirIterDomain *id, gint64 scale, gint64 *coefficients)
{
  const Axis *axis = g_hash_table_lookup (view->axes, id);
  int place = hir_domain_find (&view->tensor->logical, id);

  if (place >= 0)
    coefficients[place] += scale;
  else if (axis->split != NULL)
    {
      add_coefficients (view, axis->split->out[0], scale * axis->inner_size, coefficients);
      add_coefficients (view, axis->split->out[1], scale, coefficients);
    }
}

static gboolean
set_bounds (const View *view, HirSplitView *result, GError **error)
{
  result->n_bounds = 0;
  if (view->uneven->len > HIR_MAX_UNEVEN_SPLITS)
    return reject (view, "too many splits do not divide their axes; split by numbers that do",
                   error);
  for (guint i = 0; i < view->uneven->len; i++)
    {
      const HirIterDomain *id = g_array_index (view->uneven, const HirIterDomain *, i);
      HirSplitBound *bound = &result->bounds[result->n_bounds++];

      *bound = (HirSplitBound){ .limit = ((Axis *) g_hash_table_lookup (view->axes, id))->size };
      add_coefficients (view, id, 1, bound->coefficients);
    }
  return TRUE;
}

gboolean
hir_split_view_contains (const HirSplitView *view, const gint64 *index)
{
  for (guint i = 0; i < view->n_bounds; i++)
    if (hir_odometer_offset (index, view->bounds[i].coefficients, view->n_dims) >=
        view->bounds[i].limit)
      return FALSE;
  return TRUE;
}

gboolean
hir_split_view (
    HirEnv *env, const HirExpr *expr, const HirTensor *tensor, HirSplitView *view, GError **error)
{
  g_autoptr (GHashTable) axes = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  g_autoptr (GArray) uneven = g_array_new (FALSE, FALSE, sizeof (const HirIterDomain *));
  View own = { env, expr, tensor, axes, uneven };

  if (view->n_dims != tensor->root.n || tensor->logical.n > HIR_MAX_DIMS)
    return reject (&own, "its operand has another number of axes than its root domain", error);
  for (guint i = 0; i < view->n_dims; i++)
    add_axis (&own, tensor->root.ids[i], view->sizes[i], view->strides[i]);
  if (!apply_transforms (&own, error))
    return FALSE;
  view->n_dims = tensor->logical.n;
  for (guint i = 0; i < view->n_dims; i++)
    {
      const Axis *axis = g_hash_table_lookup (axes, tensor->logical.ids[i]);

      if (axis == NULL)
        return reject (&own, "an axis is missing", error);
      view->sizes[i] = axis->size;
      view->strides[i] = axis->stride;
    }
  return set_bounds (&own, view, error);
}
