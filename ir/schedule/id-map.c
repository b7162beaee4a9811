#include "schedule/id-map.h"

#include "logical-map.h"

/* Union-find over axes. An axis that is not in it is alone. */
struct _HirIdMap
{
  GHashTable *index; /* HirIterDomain* -> index + 1 */
  GArray *parents;   /* guint */
  GArray *sizes;     /* guint, for roots */
};

static guint
find_root (HirIdMap *map, guint place)
{
  guint *parents = (guint *) map->parents->data;

  while (parents[place] != place)
    {
      /* Path halving keeps paths short without recursion. */
      parents[place] = parents[parents[place]];
      place = parents[place];
    }
  return place;
}

static guint
add_axis (HirIdMap *map, const HirIterDomain *id)
{
  guint place = GPOINTER_TO_UINT (g_hash_table_lookup (map->index, id));
  guint one = 1;

  if (place > 0)
    return place - 1;
  place = map->parents->len;
  g_array_append_val (map->parents, place);
  g_array_append_val (map->sizes, one);
  g_hash_table_insert (map->index, (gpointer) id, GUINT_TO_POINTER (place + 1));
  return place;
}

static void
unite (HirIdMap *map, const HirIterDomain *a, const HirIterDomain *b)
{
  guint place_a = find_root (map, add_axis (map, a));
  guint place_b = find_root (map, add_axis (map, b));
  guint *sizes = (guint *) map->sizes->data;

  if (place_a == place_b)
    return;
  if (sizes[place_a] < sizes[place_b])
    {
      guint swap = place_a;

      place_a = place_b;
      place_b = swap;
    }
  g_array_index (map->parents, guint, place_b) = place_a;
  sizes[place_a] += sizes[place_b];
}

/* Relates the axes of one operand. A broadcast axis is mapped to the axis it is expanded to; this
 * is the broadcast resolution of the BROADCAST graph. */
static void
relate (HirIdMap *map, const HirExpr *expr, const HirTensor *producer, const HirTensor *consumer)
{
  g_autofree HirIterDomain **producer_ids = NULL;
  g_autofree HirIterDomain **consumer_ids = NULL;
  guint n = 0;

  consumer_ids = hir_expr_dup_logical_map (expr, producer, consumer, &producer_ids, &n);
  for (guint i = 0; i < n; i++)
    if (producer_ids[i] != NULL && consumer_ids[i] != NULL)
      unite (map, producer_ids[i], consumer_ids[i]);
}

static gboolean
relate_expr (HirExpr *expr, guint depth, gpointer user_data)
{
  HirIdMap *map = user_data;

  if (!hir_expr_kind_get_info (expr->kind)->is_tensor_op)
    return TRUE;
  for (guint i = 0; i < expr->n_inputs; i++)
    for (guint k = 0; k < expr->n_outputs; k++)
      if (HIR_IS_TENSOR (expr->inputs[i]) && HIR_IS_TENSOR (expr->outputs[k]))
        relate (map, expr, HIR_TENSOR (expr->inputs[i]), HIR_TENSOR (expr->outputs[k]));
  return TRUE;
}

HirIdMap *
hir_id_map_new (HirContainer *container)
{
  HirIdMap *map = g_new0 (HirIdMap, 1);

  map->index = g_hash_table_new (NULL, NULL);
  map->parents = g_array_new (FALSE, FALSE, sizeof (guint));
  map->sizes = g_array_new (FALSE, FALSE, sizeof (guint));
  hir_container_foreach_expr (container, relate_expr, map);
  return map;
}

void
hir_id_map_free (HirIdMap *map)
{
  if (map == NULL)
    return;
  g_hash_table_unref (map->index);
  g_array_unref (map->parents);
  g_array_unref (map->sizes);
  g_free (map);
}

gboolean
hir_id_map_are_mapped (HirIdMap *map, const HirIterDomain *a, const HirIterDomain *b)
{
  guint place_a, place_b;

  if (a == b)
    return TRUE;
  place_a = GPOINTER_TO_UINT (g_hash_table_lookup (map->index, a));
  place_b = GPOINTER_TO_UINT (g_hash_table_lookup (map->index, b));
  if (place_a == 0 || place_b == 0)
    return FALSE;
  return find_root (map, place_a - 1) == find_root (map, place_b - 1);
}
