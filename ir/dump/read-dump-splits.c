/* Finds splits by axis numbers: the outer and inner axis of a split have consecutive numbers, and
 * the outer one is parallelized over devices or streams (docs/host-ir.md#reading-dumps). A dump
 * shows nothing else of the logical axis that was split. */
#include "dump/read-dump-infer.h"

typedef struct
{
  HirIterDomain *outer, *inner; /* outer: NULL for an axis that was not split */
  HirScalar *extent;            /* extent of the axis that was split */
  HirIterDomain *whole;
} Group;

/* Returns the extent of the axis that was split into @outer, whose extent is constant, and @inner;
 * NULL if they do not show a split. */
static HirScalar *
unsplit (HirContainer *container, const HirIterDomain *outer, const HirIterDomain *inner)
{
  HirScalar *a = outer->extent, *b = inner->extent;

  if (!hir_scalar_is_const (a))
    return NULL;
  if (hir_scalar_is_const_int (a, 1))
    return inner->extent;
  if (b->kind == HIR_SCALAR_OP && b->op == HIR_SCALAR_OP_CEIL_DIV && hir_scalar_equal (b->b, a))
    return b->a;
  return hir_scalar_is_const (b) ? hir_scalar_new_op (container, HIR_SCALAR_OP_MUL, a, b) : NULL;
}

static gboolean
is_distributed (const HirIterDomain *id)
{
  return hir_iter_domain_is_device (id) || hir_iter_domain_is_stream (id);
}

static gboolean
may_pair (const HirIterDomain *outer, const HirIterDomain *inner)
{
  gboolean is_rfactor = outer->is_rfactor && inner->is_rfactor;

  return outer->base.name + 1 == inner->base.name && is_distributed (outer) &&
         !hir_iter_domain_is_parallelized (inner) && outer->definition == NULL &&
         inner->definition == NULL && !hir_iter_domain_is_broadcast (inner) &&
         outer->is_rfactor == inner->is_rfactor &&
         (outer->iter_type == inner->iter_type ||
          (is_rfactor && hir_iter_domain_is_reduction (inner)));
}

/* Only a split creates `ceilDiv(x, n)` together with n. */
static gboolean
shows_split (const HirTensor *tensor)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    for (guint k = 0; k < tensor->loop.n; k++)
      {
        const HirScalar *outer = tensor->loop.ids[i]->extent, *inner = tensor->loop.ids[k]->extent;

        if (may_pair (tensor->loop.ids[i], tensor->loop.ids[k]) && inner->kind == HIR_SCALAR_OP &&
            inner->op == HIR_SCALAR_OP_CEIL_DIV && hir_scalar_equal (inner->b, outer))
          return TRUE;
      }
  return FALSE;
}

/* Numbering of the axes of a container, for all its tensors. */
typedef struct
{
  GHashTable *numbers; /* set of the numbers of all axes */
  GHashTable *later;   /* HirTensor* -> 1 + the smallest axis number of the tensors after it */
  GHashTable *cut;     /* set of HirIterDomain* that a select cuts */
  GHashTable *whole;   /* set of HirTensor* whose axes cannot result from a split */
  gboolean is_host, has_units;
  gboolean is_cut_by_stream; /* 2026: there is a ShardByStream */
  gboolean has_selects;      /* 2025: stream axes are logical axes */
} Numbering;

static gboolean
has_pair (const HirTensor *tensor)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    for (guint k = 0; k < tensor->loop.n; k++)
      if (may_pair (tensor->loop.ids[i], tensor->loop.ids[k]))
        return TRUE;
  return FALSE;
}

static gboolean
are_inputs_whole (const Numbering *numbering, const HirExpr *expr)
{
  for (guint i = 0; i < expr->n_inputs; i++)
    if (HIR_IS_TENSOR (expr->inputs[i]) &&
        !g_hash_table_contains (numbering->whole, expr->inputs[i]))
      return FALSE;
  return expr->n_inputs > 0;
}

/* An axis has a smaller number than the parts of a split of it, and is not printed. So tensors with
 * numbers below the first missing one are not split, and neither are results with as many axes as
 * the op gives them. Other missing numbers can be axes of ops without uses, which are dropped. */
static void
find_whole (Numbering *numbering, HirDumpInference *inference)
{
  const HirVec *tensors = &inference->container->tensors;
  int missing = 0;

  while (g_hash_table_contains (numbering->numbers, GINT_TO_POINTER (missing)))
    missing++;
  for (guint i = 0; i < tensors->len; i++)
    {
      const HirTensor *tensor = tensors->items[i];
      int max = -1;

      for (guint k = 0; k < tensor->loop.n; k++)
        max = MAX (max, tensor->loop.ids[k]->base.name);
      if (max < missing || !has_pair (tensor))
        g_hash_table_add (numbering->whole, tensors->items[i]);
    }
  for (guint i = 0; i < inference->exprs->len; i++)
    {
      const HirExpr *expr = g_ptr_array_index (inference->exprs, i);
      HirTensor *out = hir_expr_get_result (expr);
      g_autoptr (GArray) slots = NULL;

      if (out == NULL || shows_split (out) || !are_inputs_whole (numbering, expr))
        continue;
      slots = hir_dump_infer_output (inference, expr);
      if (slots != NULL && slots->len == out->loop.n)
        g_hash_table_add (numbering->whole, out);
    }
}

static void
numbering_init (Numbering *numbering, HirDumpInference *inference)
{
  g_autoptr (GPtrArray) tensors = g_ptr_array_new ();
  int least = G_MAXINT - 1;

  numbering->numbers = g_hash_table_new (NULL, NULL);
  numbering->later = g_hash_table_new (NULL, NULL);
  numbering->cut = g_hash_table_new (NULL, NULL);
  numbering->whole = g_hash_table_new (NULL, NULL);
  numbering->is_host = inference->container->kind == HIR_CONTAINER_HOST;
  numbering->has_units = inference->reader->all_names->len > 1;
  for (guint i = 0; i < inference->exprs->len; i++)
    numbering->is_cut_by_stream |=
        ((const HirExpr *) inference->exprs->pdata[i])->kind == HIR_EXPR_SHARD_BY_STREAM;
  numbering->has_selects = inference->reader->cuts->len > 0;
  for (guint i = 0; i < inference->container->tensors.len; i++)
    g_ptr_array_add (tensors, inference->container->tensors.items[i]);
  g_ptr_array_sort (tensors, hir_dump_compare_names);
  for (guint i = tensors->len; i > 0; i--)
    {
      HirTensor *tensor = tensors->pdata[i - 1];

      g_hash_table_insert (numbering->later, tensor, GINT_TO_POINTER (least + 1));
      for (guint k = 0; k < tensor->loop.n; k++)
        {
          int number = tensor->loop.ids[k]->base.name;

          least = MIN (least, number);
          g_hash_table_add (numbering->numbers, GINT_TO_POINTER (number));
        }
    }
  for (guint i = 0; i < inference->reader->cuts->len; i++)
    g_hash_table_add (numbering->cut, g_array_index (inference->reader->cuts, HirDumpCut, i).axis);
  find_whole (numbering, inference);
}

static void
numbering_clear (Numbering *numbering)
{
  g_hash_table_unref (numbering->numbers);
  g_hash_table_unref (numbering->later);
  g_hash_table_unref (numbering->cut);
  g_hash_table_unref (numbering->whole);
}

/* Axes are numbered when they are created, tensor by tensor. The axes of a definition have smaller
 * numbers than those of later tensors, and follow those of the previous one. Axes hidden in
 * HostUnits have numbers too. */
static gboolean
is_numbered_late (const Numbering *numbering, const HirTensor *tensor, int min)
{
  int later = GPOINTER_TO_INT (g_hash_table_lookup (numbering->later, tensor)) - 1;
  gboolean any_distributed = numbering->is_cut_by_stream;

  for (guint i = 0; i < tensor->loop.n; i++)
    any_distributed |= hir_iter_domain_is_device (tensor->loop.ids[i]);
  /* A tensor that a cache replaced precedes it but has later numbers. Therefore stream axes alone,
   * which no program of 2025 splits, do not indicate a split. */
  if (!any_distributed)
    return FALSE;
  return later < min || (min > 0 && !numbering->has_units &&
                         !g_hash_table_contains (numbering->numbers, GINT_TO_POINTER (min - 1)));
}

/* Consecutive numbers are the axes of a definition, possibly reordered, not of a split, unless
 * something else indicates one. A HostUnit may renumber its inputs. */
static gboolean
is_as_defined (const Numbering *numbering, const HirTensor *tensor)
{
  int min = G_MAXINT, max = -1;

  for (guint i = 0; i < tensor->loop.n; i++)
    {
      min = MIN (min, tensor->loop.ids[i]->base.name);
      max = MAX (max, tensor->loop.ids[i]->base.name);
    }
  if (max - min + 1 != (int) tensor->loop.n || shows_split (tensor))
    return FALSE;
  if (g_hash_table_contains (numbering->whole, tensor))
    return TRUE;
  return !numbering->is_host || !is_numbered_late (numbering, tensor, min);
}

/* Groups axes in the order of the inner axes, because scheduling moves only parallelized axes. A
 * separate reduction over devices goes last. */
static guint
group_axes (HirDumpInference *inference,
            const Numbering *numbering,
            const HirTensor *tensor,
            Group *groups,
            guint *n_pairs)
{
  guint n = 0;
  g_autoptr (GArray) last = g_array_new (FALSE, FALSE, sizeof (Group));
  gboolean is_outer[HIR_DUMP_MAX_AXES] = { FALSE };

  *n_pairs = 0;
  for (guint i = 0; i < tensor->loop.n; i++)
    for (guint k = 0; k < tensor->loop.n; k++)
      is_outer[i] |= !(numbering->has_selects && hir_iter_domain_is_stream (tensor->loop.ids[i])) &&
                     !g_hash_table_contains (numbering->cut, tensor->loop.ids[i]) &&
                     !g_hash_table_contains (numbering->cut, tensor->loop.ids[k]) &&
                     may_pair (tensor->loop.ids[i], tensor->loop.ids[k]) &&
                     unsplit (inference->container, tensor->loop.ids[i], tensor->loop.ids[k]);
  for (guint k = 0; k < tensor->loop.n; k++)
    {
      Group group = { .inner = tensor->loop.ids[k] };

      if (is_outer[k])
        continue;
      for (guint i = 0; i < tensor->loop.n; i++)
        if (is_outer[i] && may_pair (tensor->loop.ids[i], group.inner))
          {
            group.outer = tensor->loop.ids[i];
            group.extent = unsplit (inference->container, group.outer, group.inner);
            ++*n_pairs;
          }
      if (group.outer == NULL && is_distributed (group.inner) &&
          hir_iter_domain_is_reduction (group.inner))
        g_array_append_val (last, group);
      else
        groups[n++] = group;
    }
  for (guint i = 0; i < last->len; i++)
    groups[n++] = g_array_index (last, Group, i);
  return n;
}

static void
join_group (HirContainer *container, Group *group)
{
  HirTransform *split;

  group->whole = group->inner;
  if (group->outer == NULL)
    return;
  group->whole = hir_iter_domain_new (container, group->extent, group->inner->iter_type);
  split = hir_arena_new0 (container->arena, HirTransform);
  split->kind = HIR_TRANSFORM_SPLIT;
  split->in[0] = group->whole;
  split->out[0] = group->outer;
  split->out[1] = group->inner;
  split->factor = group->outer->extent;
  split->inner_split = FALSE;
  hir_maker_stamp (container, &split->node, "split");
  group->outer->definition = group->inner->definition = split;
}

static void
rebuild (HirTensor *tensor, Group *groups, guint n)
{
  HirContainer *container = tensor->base.container;
  HirIterDomain *root[HIR_DUMP_MAX_AXES], *logical[HIR_DUMP_MAX_AXES];
  guint n_logical = 0;
  gboolean is_rfactored = FALSE;

  hir_maker_begin (container, "dump", tensor->base.node.id);
  hir_maker_set_pos (container, tensor->base.node.pos);
  for (guint i = 0; i < n; i++)
    {
      gboolean keeps = groups[i].outer != NULL && groups[i].outer->is_rfactor;

      join_group (container, &groups[i]);
      root[i] = groups[i].whole;
      if (keeps)
        logical[n_logical++] = groups[i].outer;
      logical[n_logical++] = keeps ? groups[i].inner : groups[i].whole;
      is_rfactored |= keeps;
    }
  hir_dump_set_logical (tensor, logical, n_logical);
  if (!is_rfactored)
    return;
  tensor->has_root = TRUE;
  tensor->root.ids = hir_arena_memdup (container->arena, root, sizeof *root * n);
  tensor->root.n = n;
}

void
hir_dump_pair_splits (HirDumpInference *inference)
{
  Numbering numbering = { NULL };

  numbering_init (&numbering, inference);
  for (guint i = 0; i < inference->container->tensors.len; i++)
    {
      HirTensor *tensor = inference->container->tensors.items[i];
      Group groups[HIR_DUMP_MAX_AXES];
      guint n, n_pairs;

      if (tensor->loop.n < 2 || tensor->loop.n > HIR_DUMP_MAX_AXES ||
          is_as_defined (&numbering, tensor))
        continue;
      n = group_axes (inference, &numbering, tensor, groups, &n_pairs);
      if (n_pairs == 0)
        continue;
      rebuild (tensor, groups, n);
      g_hash_table_remove (inference->unresolved, tensor);
      g_hash_table_add (inference->resolved, tensor);
    }
  numbering_clear (&numbering);
}
