/* Schedules derived from another tensor's (docs/host-ir.md#schedules): transform_like,
 * parallelize_like. */
#include "label.h"
#include "schedule/id-map.h"
#include "schedule/replay.h"
#include "schedule/schedule.h"
#include "schedule/sharding.h"

/* Step from a transformed tensor to a neighbor that is not transformed yet. */
typedef struct
{
  HirExpr *expr;
  HirTensor *from, *to;
} Step;

typedef struct
{
  HirContainer *fusion;
  GHashTable *allowed; /* HirTensor*; NULL if all are allowed */
  /* finished HirTensor* -> GHashTable of its axes that correspond to axes of the reference */
  GHashTable *known;
} Propagation;

static GHashTable *
dup_selection (HirTensor *const *selected, guint n)
{
  GHashTable *set = n > 0 ? g_hash_table_new (NULL, NULL) : NULL;

  for (guint i = 0; i < n; i++)
    g_hash_table_add (set, selected[i]);
  return set;
}

static gboolean
is_allowed (const Propagation *p, const HirVal *val)
{
  return HIR_IS_TENSOR (val) && !g_hash_table_contains (p->known, val) &&
         (p->allowed == NULL || g_hash_table_contains (p->allowed, val));
}

/* Prefers the step that keeps most axes of the reference; the first among equals. */
static void
consider (Propagation *p, HirExpr *expr, HirVal *from, HirVal *to, Step *best, guint *best_count)
{
  GHashTable *known = HIR_IS_TENSOR (from) ? g_hash_table_lookup (p->known, from) : NULL;
  g_autoptr (GHashTable) related = NULL;
  guint count;

  if (known == NULL || !is_allowed (p, to))
    return;
  related = g_hash_table_new (NULL, NULL);
  count = hir_replay_count_related (expr, HIR_TENSOR (from), HIR_TENSOR (to), known, related);
  if (count <= *best_count)
    return;
  *best_count = count;
  *best = (Step){ expr, HIR_TENSOR (from), HIR_TENSOR (to) };
}

static gboolean
find_step (Propagation *p, Step *best)
{
  guint best_count = 0;

  for (guint i = 0; i < p->fusion->exprs.len; i++)
    {
      HirExpr *expr = p->fusion->exprs.items[i];

      if (!hir_expr_kind_get_info (expr->kind)->is_tensor_op)
        continue;
      for (guint in = 0; in < expr->n_inputs; in++)
        {
          for (guint out = 0; out < expr->n_outputs; out++)
            {
              consider (p, expr, expr->inputs[in], expr->outputs[out], best, &best_count);
              consider (p, expr, expr->outputs[out], expr->inputs[in], best, &best_count);
            }
        }
    }
  return best_count > 0;
}

static GHashTable *
dup_all_axes (const HirTensor *tensor)
{
  GHashTable *axes = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < tensor->logical.n; i++)
    g_hash_table_add (axes, tensor->logical.ids[i]);
  for (guint i = 0; i < tensor->root.n; i++)
    g_hash_table_add (axes, tensor->root.ids[i]);
  return axes;
}

gboolean
hir_schedule_transform_like (HirTensor *tensor,
                             HirTensor *const *selected,
                             guint n_selected,
                             GError **error)
{
  g_autoptr (GHashTable) known =
      g_hash_table_new_full (NULL, NULL, NULL, (GDestroyNotify) g_hash_table_unref);
  GHashTable *allowed = dup_selection (selected, n_selected);
  Propagation p = { tensor->base.container, allowed, known };
  Step step;
  gboolean done = TRUE;

  g_hash_table_insert (known, tensor, dup_all_axes (tensor));
  while (done && find_step (&p, &step))
    {
      GHashTable *related = g_hash_table_new (NULL, NULL);

      hir_replay_count_related (step.expr, step.from, step.to,
                                g_hash_table_lookup (known, step.from), related);
      g_hash_table_insert (known, step.to, related);
      done = hir_replay_transforms (step.expr, step.from, step.to, error);
    }
  g_clear_pointer (&allowed, g_hash_table_unref);
  return done;
}

/* Returns TRUE if the two axes are mapped, or derive from mapped axes by the same transforms. */
static gboolean
stand_for_each_other (HirIdMap *map, const HirIterDomain *a, const HirIterDomain *b)
{
  const HirTransform *x = a->definition, *y = b->definition;

  if (hir_id_map_are_mapped (map, a, b))
    return TRUE;
  if (x == NULL || y == NULL || x->kind != y->kind || x->kind == HIR_TRANSFORM_RESIZE ||
      (a == x->out[0]) != (b == y->out[0]))
    return FALSE;
  if (x->kind == HIR_TRANSFORM_SPLIT &&
      (x->inner_split != y->inner_split || !hir_scalar_equal (x->factor, y->factor)))
    return FALSE;
  return stand_for_each_other (map, x->in[0], y->in[0]) &&
         (x->in[1] == NULL || stand_for_each_other (map, x->in[1], y->in[1]));
}

static void
parallelize_one (HirIdMap *map, const HirTensor *ref, guint pos, guint types, HirTensor *tensor)
{
  HirContainer *fusion = tensor->base.container;

  for (guint i = 0; i < tensor->loop.n; i++)
    {
      HirIterDomain *id = tensor->loop.ids[i];

      for (guint k = 0; k < pos; k++)
        {
          HirParallelType type = ref->loop.ids[k]->parallel_type;

          if ((types != 0 && (types & HIR_PARALLEL_BIT (type)) == 0) ||
              !stand_for_each_other (map, ref->loop.ids[k], id))
            continue;
          if (id->parallel_type != type && fusion->maker.pos.line > 0)
            id->base.node.pos = fusion->maker.pos;
          id->parallel_type = type;
          break;
        }
    }
}

gboolean
hir_schedule_parallelize_like (HirTensor *tensor,
                               gint64 pos,
                               HirTensor *const *selected,
                               guint n_selected,
                               guint types,
                               GError **error)
{
  HirContainer *fusion = tensor->base.container;
  gint64 n_axes = tensor->loop.n, n = pos < 0 ? pos + n_axes + 1 : pos;
  g_autoptr (HirIdMap) map = NULL;
  GHashTable *allowed = NULL;

  if (n < 0 || n > n_axes)
    {
      g_autofree char *label = hir_tensor_dup_label (tensor);

      hir_set_error (error, HIR_ERROR_REFUSED, &fusion->maker.pos,
                     "parallelize_like: %s has %" G_GINT64_FORMAT
                     " axes, so there is no position %" G_GINT64_FORMAT "; use %" G_GINT64_FORMAT
                     " to %" G_GINT64_FORMAT,
                     label, n_axes, pos, -n_axes - 1, n_axes);
      return FALSE;
    }
  map = hir_id_map_new (fusion);
  allowed = dup_selection (selected, n_selected);
  for (guint i = 0; i < fusion->tensors.len; i++)
    {
      HirTensor *other = fusion->tensors.items[i];

      if (other == tensor || hir_container_is_input (fusion, HIR_VAL (other)) ||
          (allowed != NULL && !g_hash_table_contains (allowed, other)))
        continue;
      parallelize_one (map, tensor, (guint) n, types, other);
    }
  g_clear_pointer (&allowed, g_hash_table_unref);
  return TRUE;
}
