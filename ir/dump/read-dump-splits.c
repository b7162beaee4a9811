/* Finds splits by axis numbers: the outer and inner axis of a split have consecutive numbers, and
 * the outer one is parallelized over devices or streams (docs/host-ir.md#reading-dumps). A dump
 * shows nothing else of the logical axis that was split. */
#include "dump/read-dump-infer.h"

#include <string.h>

#define MAX_ROUNDS 50

typedef struct
{
  HirIterDomain *outer, *inner; /* outer: NULL for an axis that was not split */
  HirScalar *extent;            /* extent of the axis that was split */
  HirIterDomain *whole;
} Group;

/* Sets @placed to @groups with the unsplit axes at their places among the logical axes, which start
 * at @start. Returns TRUE if that keeps the order of axes that are not parallelized; otherwise, an
 * op that is not printed has permuted them. */
static gboolean
place_groups (const Group *groups, Group *placed, guint n, int start)
{
  Group rest[HIR_DUMP_MAX_AXES];
  guint n_rest = 0, next = 0;

  memset (placed, 0, sizeof *placed * n);
  for (guint i = 0; i < n; i++)
    {
      int place = groups[i].inner->base.name - start;

      if (groups[i].outer == NULL && place < (int) n)
        placed[place] = groups[i];
      else
        rest[n_rest++] = groups[i];
    }
  for (guint i = 0; i < n; i++)
    if (placed[i].inner == NULL)
      placed[i] = rest[next++];
  next = 0;
  for (guint i = 0; i < n; i++)
    {
      if (hir_iter_domain_is_parallelized (placed[i].inner))
        continue;
      while (hir_iter_domain_is_parallelized (groups[next].inner))
        next++;
      if (groups[next++].inner != placed[i].inner)
        return FALSE;
    }
  return TRUE;
}

/* Groups axes in the order of the inner axes, because scheduling moves only parallelized axes. A
 * separate reduction over devices goes last. */
static guint
group_axes (HirDumpInference *inference,
            const HirDumpNumbering *numbering,
            const HirTensor *tensor,
            Group *groups,
            guint *n_pairs)
{
  guint n = 0;
  int end = GPOINTER_TO_INT (g_hash_table_lookup (numbering->ends, tensor));
  g_autoptr (GArray) last = g_array_new (FALSE, FALSE, sizeof (Group));
  gboolean is_outer[HIR_DUMP_MAX_AXES] = { FALSE };

  *n_pairs = 0;
  for (guint i = 0; i < tensor->loop.n; i++)
    for (guint k = 0; k < tensor->loop.n; k++)
      is_outer[i] |= tensor->loop.ids[i]->base.name >= end &&
                     hir_dump_may_split (numbering, tensor->loop.ids[i], tensor->loop.ids[k]);
  for (guint k = 0; k < tensor->loop.n; k++)
    {
      Group group = { .inner = tensor->loop.ids[k] };

      if (is_outer[k])
        continue;
      for (guint i = 0; i < tensor->loop.n; i++)
        if (is_outer[i] && hir_dump_may_split (numbering, tensor->loop.ids[i], group.inner))
          {
            group.outer = tensor->loop.ids[i];
            group.extent = hir_dump_unsplit (inference->container, group.outer, group.inner);
            ++*n_pairs;
          }
      if (group.outer == NULL && hir_iter_domain_is_parallelized (group.inner) &&
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
  group->whole =
      hir_iter_domain_new (container, group->extent,
                           hir_iter_domain_is_reduction (group->outer) ? HIR_ITER_REDUCTION
                                                                       : group->inner->iter_type);
  split = hir_arena_new0 (container->arena, HirTransform);
  split->kind = HIR_TRANSFORM_SPLIT;
  split->in[0] = group->whole;
  split->out[0] = group->outer;
  split->out[1] = group->inner;
  split->inner_split = !hir_scalar_is_const (group->outer->extent);
  split->factor = split->inner_split ? group->inner->extent : group->outer->extent;
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

static void
set_root (HirTensor *tensor, const Group *groups, const Group *placed, guint n)
{
  HirIterDomain *root[HIR_DUMP_MAX_AXES];

  for (guint i = 0; i < n; i++)
    for (guint k = 0; k < n; k++)
      if (groups[k].inner == placed[i].inner)
        root[i] = groups[k].whole;
  tensor->has_root = TRUE;
  tensor->root.ids = hir_arena_memdup (tensor->base.container->arena, root, sizeof *root * n);
  tensor->root.n = n;
}

/* Decides whether axes of @tensor result from a split. */
static void
decide (HirDumpInference *inference,
        HirDumpNumbering *numbering,
        HirTensor *tensor,
        gboolean is_split)
{
  Group groups[HIR_DUMP_MAX_AXES], placed[HIR_DUMP_MAX_AXES];
  int start = GPOINTER_TO_INT (g_hash_table_lookup (numbering->starts, tensor)) - 1;
  int end = GPOINTER_TO_INT (g_hash_table_lookup (numbering->ends, tensor));
  gboolean is_permutation = g_hash_table_contains (inference->reader->permuted, tensor);
  gboolean has_places;
  guint n, n_pairs;

  g_hash_table_add (numbering->decided, tensor);
  if (!is_split)
    {
      hir_dump_sort_axes (inference, tensor);
      return;
    }
  n = group_axes (inference, numbering, tensor, groups, &n_pairs);
  has_places = start >= 0 && end - start == (int) n;
  if (has_places && place_groups (groups, placed, n, start) &&
      !hir_dump_is_permuted (inference, tensor))
    memcpy (groups, placed, sizeof *groups * n);
  if (!has_places && is_permutation)
    g_hash_table_add (inference->unresolved, tensor);
  if (!has_places && (n_pairs == 0 || is_permutation))
    return;
  rebuild (tensor, groups, n);
  if (is_permutation && !tensor->has_root)
    set_root (tensor, groups, placed, n);
  g_hash_table_remove (inference->unresolved, tensor);
  g_hash_table_add (inference->resolved, tensor);
}

/* Decides by the number of logical axes, @rank, that another tensor indicates. */
static gboolean
decide_by_rank (HirDumpInference *inference, HirDumpNumbering *numbering, HirVal *val, guint rank)
{
  HirTensor *tensor = HIR_TENSOR (val);
  Group groups[HIR_DUMP_MAX_AXES];
  guint n_pairs;

  if (g_hash_table_contains (numbering->decided, tensor))
    return FALSE;
  if (rank == tensor->loop.n && !hir_dump_shows_split (tensor))
    {
      decide (inference, numbering, tensor, FALSE);
      return TRUE;
    }
  if (group_axes (inference, numbering, tensor, groups, &n_pairs) != rank)
    {
      g_hash_table_remove (numbering->starts, tensor);
      g_hash_table_remove (numbering->ends, tensor);
      if (group_axes (inference, numbering, tensor, groups, &n_pairs) != rank)
        return FALSE;
    }
  if (n_pairs > 0)
    decide (inference, numbering, tensor, TRUE);
  return n_pairs > 0;
}

static gboolean
are_decided (const HirDumpNumbering *numbering, HirVal *const *vals, guint n)
{
  for (guint i = 0; i < n; i++)
    if (HIR_IS_TENSOR (vals[i]) && !g_hash_table_contains (numbering->decided, vals[i]))
      return FALSE;
  return n > 0;
}

static gboolean
has_reduction (const HirTensor *tensor)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    if (hir_iter_domain_is_reduction (tensor->loop.ids[i]))
      return TRUE;
  return FALSE;
}

/* Returns TRUE if it has decided something. */
static gboolean
decide_by_ops (HirDumpInference *inference, HirDumpNumbering *numbering)
{
  gboolean any = FALSE;

  for (guint i = 0; i < inference->exprs->len; i++)
    {
      const HirExpr *expr = g_ptr_array_index (inference->exprs, i);
      HirVal *out = HIR_VAL (hir_expr_get_result (expr));
      g_autoptr (GArray) slots = NULL, before = NULL;

      if (out != NULL && are_decided (numbering, expr->inputs, expr->n_inputs))
        slots = hir_dump_infer_output (inference, expr);
      if (slots != NULL && slots->len > 0)
        any |= decide_by_rank (inference, numbering, out, slots->len);
      if (out != NULL && are_decided (numbering, &out, 1))
        before = hir_dump_infer_input (inference, expr, HIR_TENSOR (out));
      for (guint k = 0; before != NULL && before->len > 0 && k < expr->n_inputs; k++)
        if (HIR_IS_TENSOR (expr->inputs[k]) && !has_reduction (HIR_TENSOR (expr->inputs[k])))
          any |= decide_by_rank (inference, numbering, expr->inputs[k], before->len);
    }
  for (guint i = 0; i < inference->reader->cuts->len; i++)
    {
      HirExpr *expr = g_array_index (inference->reader->cuts, HirDumpCut, i).expr;
      HirVal *out = HIR_VAL (expr->u.alias_select.out);

      if (out->container != inference->container)
        continue;
      if (are_decided (numbering, expr->inputs, 1))
        any |= decide_by_rank (inference, numbering, out,
                               hir_tensor_get_maybe_root (HIR_TENSOR (expr->inputs[0]))->n - 1);
      if (are_decided (numbering, &out, 1))
        any |= decide_by_rank (inference, numbering, expr->inputs[0],
                               hir_tensor_get_maybe_root (HIR_TENSOR (out))->n + 1);
    }
  return any;
}

void
hir_dump_pair_splits (HirDumpInference *inference)
{
  const HirVec *tensors = &inference->container->tensors;
  HirDumpNumbering numbering = { NULL };

  hir_dump_numbering_init (&numbering, inference);
  for (guint i = 0; i < tensors->len; i++)
    {
      HirTensor *tensor = tensors->items[i];

      if (tensor->loop.n > HIR_DUMP_MAX_AXES)
        g_hash_table_add (numbering.decided, tensor);
      else if (hir_dump_is_known (&numbering, tensor))
        decide (inference, &numbering, tensor, !hir_dump_is_as_defined (&numbering, tensor));
    }
  /* What the numbers do not show, the ops may; otherwise, guess. */
  for (guint i = 0, round = 0; i < tensors->len; i++)
    {
      HirTensor *tensor = tensors->items[i];

      if (g_hash_table_contains (numbering.decided, tensor))
        continue;
      while (round++ < MAX_ROUNDS && decide_by_ops (inference, &numbering))
        ;
      if (!g_hash_table_contains (numbering.decided, tensor))
        decide (inference, &numbering, tensor, !hir_dump_is_as_defined (&numbering, tensor));
    }
  hir_dump_numbering_clear (&numbering);
}
