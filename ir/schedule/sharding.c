#include "schedule/sharding.h"

#include "label.h"
#include "logical-map.h"
#include "print/print.h"
#include "schedule/axis-index.h"

static void
refuse_two_axes (const HirTensor *tensor,
                 const HirIterDomain *first,
                 const HirIterDomain *second,
                 GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (tensor);
  g_autofree char *a = hir_iter_domain_to_string (first);
  g_autofree char *b = hir_iter_domain_to_string (second);
  HirPos pos = hir_axis_get_pos (tensor, second);

  hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                 "%s has two %s axes, %s and %s; give it one, or parallelize them over different "
                 "axes of the mesh",
                 label, hir_parallel_type_get_script_name (second->parallel_type), a, b);
}

gboolean
hir_domain_map_parallel (const HirTensor *tensor,
                         const HirDomain *domain,
                         HirParallelIds *map,
                         GError **error)
{
  *map = (HirParallelIds){ { NULL } };
  for (guint i = 0; i < domain->n; i++)
    {
      HirIterDomain *id = domain->ids[i];

      if (hir_iter_domain_is_reduction (id) ||
          (!hir_iter_domain_is_device (id) && !hir_iter_domain_is_stream (id)))
        continue;
      if (map->ids[id->parallel_type] != NULL)
        {
          refuse_two_axes (tensor, map->ids[id->parallel_type], id, error);
          return FALSE;
        }
      map->ids[id->parallel_type] = id;
    }
  return TRUE;
}

/* An operand and an output of an op, and the map between their axes. */
typedef struct
{
  const HirExpr *expr;
  HirTensor *producer;
  HirTensor *consumer;
  HirIterDomain **producer_ids; /* logical axes without reductions */
  HirIterDomain **consumer_ids; /* corresponding axes of the consumer's root domain, or NULL */
  guint n;
} Pair;

static void
pair_init (Pair *pair, const HirExpr *expr, const HirTensor *producer, const HirTensor *consumer)
{
  pair->expr = expr;
  pair->producer = (HirTensor *) producer;
  pair->consumer = (HirTensor *) consumer;
  pair->consumer_ids =
      hir_expr_dup_logical_map (expr, producer, consumer, &pair->producer_ids, &pair->n);
}

static void
pair_clear (Pair *pair)
{
  g_free (pair->producer_ids);
  g_free (pair->consumer_ids);
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Pair, pair_clear)

/* A broadcast axis does not correspond to the axis it is expanded to. */
static gboolean
is_related (const Pair *pair, guint i)
{
  return pair->consumer_ids[i] != NULL && hir_iter_domain_is_broadcast (pair->producer_ids[i]) ==
                                              hir_iter_domain_is_broadcast (pair->consumer_ids[i]);
}

/* A select changes the sharding if it selects along a device axis, or if another axis is over
 * devices on one side only. */
static gboolean
is_select_different (const Pair *pair)
{
  if (hir_iter_domain_is_device (pair->expr->u.select.axis))
    return TRUE;
  for (guint i = 0; i < pair->n; i++)
    {
      if (pair->consumer_ids[i] != NULL && hir_iter_domain_is_device (pair->producer_ids[i]) !=
                                               hir_iter_domain_is_device (pair->consumer_ids[i]))
        return TRUE;
    }
  return FALSE;
}

/* Returns TRUE if @id derives from an axis of @base that is in @mapped. */
static gboolean
derives_from_mapped (const HirDomain *base, HirIterDomain *id, GHashTable *mapped)
{
  g_autoptr (GPtrArray) open = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  g_ptr_array_add (open, id);
  while (open->len > 0)
    {
      HirIterDomain *top = g_ptr_array_steal_index_fast (open, open->len - 1);

      if (!g_hash_table_add (seen, top))
        continue;
      if (hir_domain_find (base, top) >= 0)
        {
          if (g_hash_table_contains (mapped, top))
            return TRUE;
          continue;
        }
      for (guint i = 0; top->definition != NULL && i < 2; i++)
        {
          if (top->definition->in[i] != NULL)
            g_ptr_array_add (open, top->definition->in[i]);
        }
    }
  return FALSE;
}

/* Mapped axes have the same size, even if its symbols differ. Returns a table from these extents to
 * one of them, a number if possible. */
static GHashTable *
dup_sizes (GHashTable *shared)
{
  GHashTable *sizes = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  gpointer consumer, producer;

  g_hash_table_iter_init (&iter, shared);
  while (g_hash_table_iter_next (&iter, &consumer, &producer))
    {
      HirScalar *c = HIR_ITER_DOMAIN (consumer)->extent, *p = HIR_ITER_DOMAIN (producer)->extent;

      if (p->kind == HIR_SCALAR_SYMBOL && c != p && !g_hash_table_contains (sizes, c))
        g_hash_table_insert (sizes, p, c);
      else if (c->kind == HIR_SCALAR_SYMBOL && c != p && !g_hash_table_contains (sizes, p))
        g_hash_table_insert (sizes, c, p);
    }
  return sizes;
}

/* Step 3 of docs/host-ir.md#different-shardings, for one type. */
static gboolean
are_axes_different (
    const Pair *pair, GHashTable *mapped, GHashTable *shared, HirIterDomain *p, HirIterDomain *c)
{
  const HirDomain *producer_base = &pair->producer->logical;
  const HirDomain *consumer_base = hir_tensor_get_maybe_root (pair->consumer);
  g_autoptr (GHashTable) sizes = NULL;
  g_autoptr (GHashTable) known = NULL;
  HirAxisIndexer indexer = { .shared = shared };
  gboolean equal;

  if (p != NULL && !derives_from_mapped (producer_base, p, mapped))
    p = NULL;
  if (c != NULL && !derives_from_mapped (consumer_base, c, shared))
    c = NULL;
  if (p == NULL || c == NULL)
    return p != c;
  if (hir_domain_find (producer_base, p) >= 0 && hir_domain_find (consumer_base, c) >= 0)
    return g_hash_table_lookup (shared, c) != p;

  sizes = dup_sizes (shared);
  known = g_hash_table_new (NULL, NULL);
  indexer.sizes = sizes;
  indexer.known = known;
  indexer.arena = hir_arena_new ();
  equal = hir_axis_index_equal (&indexer, hir_axis_index_new (&indexer, producer_base, p),
                                hir_axis_index_new (&indexer, consumer_base, c));
  hir_arena_free (indexer.arena);
  return !equal;
}

static gboolean
is_any_type_different (const Pair *pair,
                       const HirParallelIds *producer,
                       const HirParallelIds *consumer,
                       HirParallelSet types)
{
  g_autoptr (GHashTable) mapped = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) shared = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < pair->n; i++)
    {
      if (!is_related (pair, i))
        continue;
      g_hash_table_add (mapped, pair->producer_ids[i]);
      g_hash_table_insert (shared, pair->consumer_ids[i], pair->producer_ids[i]);
    }
  for (guint type = 0; type < HIR_N_PARALLEL_TYPES; type++)
    {
      if ((types & HIR_PARALLEL_BIT (type)) != 0 &&
          are_axes_different (pair, mapped, shared, producer->ids[type], consumer->ids[type]))
        return TRUE;
    }
  return FALSE;
}

static gboolean
has_any (const HirParallelIds *map, HirParallelSet types)
{
  for (guint type = 0; type < HIR_N_PARALLEL_TYPES; type++)
    {
      if ((types & HIR_PARALLEL_BIT (type)) != 0 && map->ids[type] != NULL)
        return TRUE;
    }
  return FALSE;
}

/* A mesh matters only for types that it has an axis for. */
static gboolean
are_meshes_different (const HirMesh *a, const HirMesh *b, HirParallelSet types)
{
  if (hir_mesh_equal (a, b))
    return FALSE;
  for (int type = HIR_PARALLEL_DIDX; type <= HIR_PARALLEL_DIDZ; type++)
    {
      if ((types & HIR_PARALLEL_BIT (type)) != 0 &&
          ((a != NULL && hir_mesh_get_axis_size (a, (HirParallelType) type) > 0) ||
           (b != NULL && hir_mesh_get_axis_size (b, (HirParallelType) type) > 0)))
        return TRUE;
    }
  return FALSE;
}

gboolean
hir_expr_have_different_domains (const HirExpr *expr,
                                 const HirTensor *producer,
                                 const HirDomain *producer_domain,
                                 const HirTensor *consumer,
                                 const HirDomain *consumer_domain,
                                 HirParallelSet types,
                                 gboolean *different,
                                 GError **error)
{
  gboolean asks_stream = (types & HIR_PARALLEL_BIT (HIR_PARALLEL_STREAM)) != 0;
  g_auto (Pair) pair = { 0 };
  HirParallelIds p, c;

  *different = FALSE;
  if (producer->is_cpu_scalar || consumer->is_cpu_scalar ||
      (!asks_stream && producer->mesh == NULL && consumer->mesh == NULL))
    return TRUE;
  if (are_meshes_different (producer->mesh, consumer->mesh, types))
    {
      *different = TRUE;
      return TRUE;
    }
  if (expr->kind == HIR_EXPR_SELECT)
    {
      pair_init (&pair, expr, producer, consumer);
      *different = is_select_different (&pair);
      return TRUE;
    }
  if (!hir_domain_map_parallel (producer, producer_domain, &p, error) ||
      !hir_domain_map_parallel (consumer, consumer_domain, &c, error))
    return FALSE;
  if (!has_any (&p, types) && !has_any (&c, types))
    return TRUE;
  pair_init (&pair, expr, producer, consumer);
  *different = is_any_type_different (&pair, &p, &c, types);
  return TRUE;
}

gboolean
hir_expr_have_different_shardings (const HirExpr *expr,
                                   const HirTensor *producer,
                                   const HirTensor *consumer,
                                   HirParallelSet types,
                                   gboolean *different,
                                   GError **error)
{
  return hir_expr_have_different_domains (expr, producer, &producer->loop, consumer,
                                          &consumer->loop, types, different, error);
}

gboolean
hir_expr_is_resharding (const HirExpr *expr, gboolean *resharding, GError **error)
{
  *resharding = FALSE;
  if (!hir_expr_kind_get_info (expr->kind)->is_tensor_op)
    return TRUE;
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      for (guint k = 0; k < expr->n_outputs && !*resharding; k++)
        {
          if (HIR_IS_TENSOR (expr->inputs[i]) && HIR_IS_TENSOR (expr->outputs[k]) &&
              !hir_expr_have_different_shardings (expr, HIR_TENSOR (expr->inputs[i]),
                                                  HIR_TENSOR (expr->outputs[k]),
                                                  HIR_PARALLEL_DEVICES, resharding, error))
            return FALSE;
        }
    }
  return TRUE;
}
