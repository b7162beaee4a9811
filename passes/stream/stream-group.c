#include "logical-map.h"
#include "stream/stream-private.h"

struct _HirExactMap
{
  GHashTable *parents; /* HirIterDomain* -> HirIterDomain*: disjoint sets */
};

static const HirIterDomain *
find_root (HirExactMap *map, const HirIterDomain *id)
{
  const HirIterDomain *root = id, *parent;

  while ((parent = g_hash_table_lookup (map->parents, root)) != NULL)
    root = parent;
  /* Shorten the path for the next search. */
  while (id != root)
    {
      parent = g_hash_table_lookup (map->parents, id);
      g_hash_table_insert (map->parents, (gpointer) id, (gpointer) root);
      id = parent;
    }
  return root;
}

static void
relate (HirExactMap *map, const HirIterDomain *a, const HirIterDomain *b)
{
  if (hir_iter_domain_is_broadcast (a) != hir_iter_domain_is_broadcast (b))
    return;
  a = find_root (map, a);
  b = find_root (map, b);
  if (a != b)
    g_hash_table_insert (map->parents, (gpointer) a, (gpointer) b);
}

static gboolean
relate_operands (HirExpr *expr, guint depth, gpointer user_data)
{
  HirExactMap *map = user_data;

  if (!hir_expr_kind_get_info (expr->kind)->is_tensor_op || expr->n_outputs == 0 ||
      !HIR_IS_TENSOR (expr->outputs[0]))
    return TRUE;
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      g_autofree HirIterDomain **consumer = NULL;
      g_autofree HirIterDomain **producer = NULL;
      guint n = 0;

      if (!HIR_IS_TENSOR (expr->inputs[i]))
        continue;
      consumer = hir_expr_dup_logical_map (expr, HIR_TENSOR (expr->inputs[i]),
                                           HIR_TENSOR (expr->outputs[0]), &producer, &n);
      for (guint j = 0; j < n; j++)
        {
          if (consumer[j] != NULL)
            relate (map, producer[j], consumer[j]);
        }
    }
  return TRUE;
}

static HirExactMap *
exact_map_new (HirContainer *program)
{
  HirExactMap *map = g_new0 (HirExactMap, 1);

  map->parents = g_hash_table_new (NULL, NULL);
  hir_container_foreach_expr (program, relate_operands, map);
  return map;
}

void
hir_exact_map_free (HirExactMap *map)
{
  if (map == NULL)
    return;
  g_hash_table_unref (map->parents);
  g_free (map);
}

static gboolean
exact_map_are_mapped (HirExactMap *map, const HirIterDomain *a, const HirIterDomain *b)
{
  return find_root (map, a) == find_root (map, b);
}

gboolean
hir_stream_find_axis (HirStreamPass *pass,
                      const HirTensor *tensor,
                      const HirIterDomain *axis,
                      int *position,
                      GError **error)
{
  const HirIterDomain *found = NULL;

  *position = -1;
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      const HirIterDomain *id = tensor->loop.ids[i];

      if (!hir_id_map_are_mapped (pass->map, id, axis))
        continue;
      if (found != NULL)
        {
          hir_stream_refuse_two_mapped (tensor, axis, found, id, error);
          return FALSE;
        }
      found = id;
    }
  if (found == NULL)
    return TRUE;
  *position = hir_domain_find (&tensor->logical, found);
  if (*position < 0)
    {
      hir_stream_refuse_two_mapped (tensor, axis, found, NULL, error);
      return FALSE;
    }
  return TRUE;
}

/* Sets *@axis to the stream axis of @tensor, or to NULL. */
static gboolean
find_stream_axis (const HirTensor *tensor, HirIterDomain **axis, GError **error)
{
  *axis = NULL;
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      HirIterDomain *id = tensor->loop.ids[i];

      if (!hir_iter_domain_is_stream (id))
        continue;
      if (*axis != NULL)
        {
          hir_stream_refuse_two_axes (tensor, *axis, id, error);
          return FALSE;
        }
      *axis = id;
    }
  return TRUE;
}

/* Returns FALSE and @error if one of several results has a stream axis: a loop writes one. */
static gboolean
check_outputs (const HirExpr *expr, GError **error)
{
  for (guint i = 0; i < expr->n_outputs; i++)
    {
      HirIterDomain *axis;

      if (!HIR_IS_TENSOR (expr->outputs[i]))
        continue;
      if (!find_stream_axis (HIR_TENSOR (expr->outputs[i]), &axis, error))
        return FALSE;
      if (axis != NULL)
        {
          hir_stream_refuse_two_outputs (expr, error);
          return FALSE;
        }
    }
  return TRUE;
}

/* Sets *@axis to the axis to loop over, or to NULL if @expr stays at the top level. Returns FALSE
 * and @error if @expr is rejected. */
static gboolean
find_loop_axis (const HirExpr *expr, HirIterDomain **axis, GError **error)
{
  const HirTensor *out;

  *axis = NULL;
  if (expr->n_outputs == 0)
    return TRUE;
  if (expr->n_outputs > 1)
    return check_outputs (expr, error);
  if (!HIR_IS_TENSOR (expr->outputs[0]))
    return TRUE;
  out = HIR_TENSOR (expr->outputs[0]);
  if (!find_stream_axis (out, axis, error))
    return FALSE;
  if (*axis == NULL)
    return TRUE;

  if (!hir_expr_is_standalone (expr))
    hir_stream_refuse_op (expr, out, *axis, error);
  else if (hir_domain_find (&out->logical, *axis) < 0)
    hir_stream_refuse_derived (out, *axis, error);
  else if ((*axis)->iter_type != HIR_ITER_ITERATION && (*axis)->iter_type != HIR_ITER_BROADCAST)
    hir_stream_refuse_iter_type (expr, out, *axis, error);
  else
    return TRUE;
  return FALSE;
}

/* nvFuser only checks whether the axes are mapped. But a loop over a broadcast axis has one
 * iteration, and two axes related by a broadcast may differ in extent. An axis of another extent
 * cannot share the loop. */
static gboolean
can_share_loop (HirStreamPass *pass, const HirIterDomain *loop, const HirIterDomain *axis)
{
  if (!hir_id_map_are_mapped (pass->map, loop, axis))
    return FALSE;
  if (hir_scalar_equal (loop->extent, axis->extent))
    return TRUE;
  if (pass->exact == NULL)
    pass->exact = exact_map_new (pass->program);
  return exact_map_are_mapped (pass->exact, loop, axis);
}

static gboolean
check_inputs (HirStreamPass *pass, GError **error)
{
  for (guint i = 0; i < pass->program->inputs.len; i++)
    {
      HirVal *input = pass->program->inputs.items[i];
      HirIterDomain *axis = NULL;

      if (!HIR_IS_TENSOR (input))
        continue;
      if (!find_stream_axis (HIR_TENSOR (input), &axis, error))
        return FALSE;
      if (axis != NULL)
        {
          hir_stream_refuse_input (HIR_TENSOR (input), axis, error);
          return FALSE;
        }
    }
  return TRUE;
}

static void
item_free (gpointer data)
{
  HirStreamItem *item = data;

  g_clear_pointer (&item->exprs, g_ptr_array_unref);
  g_free (item);
}

static void
add_to_items (HirStreamPass *pass, GPtrArray *items, HirExpr *expr, HirIterDomain *axis)
{
  HirStreamItem *last = items->len > 0 ? items->pdata[items->len - 1] : NULL;
  HirStreamItem *item;

  if (axis != NULL && last != NULL && last->exprs != NULL &&
      can_share_loop (pass, last->axis, axis))
    {
      g_ptr_array_add (last->exprs, expr);
      return;
    }

  item = g_new0 (HirStreamItem, 1);
  if (axis == NULL)
    item->kept = expr;
  else
    {
      item->axis = axis;
      item->exprs = g_ptr_array_new ();
      g_ptr_array_add (item->exprs, expr);
    }
  g_ptr_array_add (items, item);
}

GPtrArray *
hir_stream_group (HirStreamPass *pass, GError **error)
{
  g_autoptr (GPtrArray) items = g_ptr_array_new_with_free_func (item_free);
  const HirVec *exprs = &pass->program->top.exprs;

  if (!check_inputs (pass, error))
    return NULL;
  for (guint i = 0; i < exprs->len; i++)
    {
      HirIterDomain *axis;

      if (hir_pass_context_is_cancelled (pass->context, i, error) ||
          !find_loop_axis (exprs->items[i], &axis, error))
        return NULL;
      add_to_items (pass, items, exprs->items[i], axis);
    }
  return g_steal_pointer (&items);
}
