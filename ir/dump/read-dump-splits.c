/* Finds splits by axis numbers: the outer and inner axis of a split have consecutive numbers, and
 * the outer one is parallelized over devices or streams (docs/host-ir.md#reading-dumps). A dump
 * shows nothing else of the logical axis that was split. */
#include "dump/read-dump-infer.h"

#include <string.h>

#define MAX_ROUNDS 50

typedef struct
{
  HirIterDomain *outer, *inner; /* outer: NULL for an axis that was not split */
  HirIterDomain *first; /* outer part of a split whose inner part was split again, or NULL */
  HirScalar *extent;    /* extent of the axis that was split */
  HirIterDomain *whole;
} Group;

/* Scheduling moves axes over devices, and often stream axes, to the front. */
static gboolean
is_moved (const HirIterDomain *id, gboolean streams_stay)
{
  return streams_stay ? hir_iter_domain_is_device (id) : hir_iter_domain_is_parallelized (id);
}

/* Sets @placed to @groups with the unsplit axes at their places among the logical axes, which start
 * at @start. Returns TRUE if that keeps the order of axes that scheduling does not move; otherwise,
 * an op that is not printed has permuted them. */
static gboolean
place_groups (const Group *groups, Group *placed, guint n, int start, gboolean streams_stay)
{
  Group rest[HIR_DUMP_MAX_AXES];
  guint n_rest = 0, next = 0;

  memset (placed, 0, sizeof *placed * n);
  for (guint i = 0; i < n; i++)
    {
      int place = groups[i].inner->base.name - start;

      if (groups[i].outer == NULL && place >= 0 && place < (int) n)
        {
          if (placed[place].inner != NULL) /* two axes of the same number */
            return FALSE;
          placed[place] = groups[i];
        }
      else
        rest[n_rest++] = groups[i];
    }
  for (guint i = 0; i < n; i++)
    if (placed[i].inner == NULL)
      placed[i] = rest[next++];
  next = 0;
  for (guint i = 0; i < n; i++)
    {
      if (is_moved (placed[i].inner, streams_stay))
        continue;
      while (is_moved (groups[next].inner, streams_stay))
        next++;
      if (groups[next++].inner != placed[i].inner)
        return FALSE;
    }
  return TRUE;
}

/* Returns the smallest number of a part that rFactor has made, -1 if there is none. Such an rFactor
 * splits other axes later, unless it is for devices. */
static int
get_first_part (const HirTensor *tensor)
{
  int first = G_MAXINT;

  for (guint i = 0; i < tensor->loop.n; i++)
    {
      const HirIterDomain *id = tensor->loop.ids[i];

      if (id->is_rfactor && hir_iter_domain_is_device (id))
        return -1;
      if (id->is_rfactor && hir_iter_domain_is_reduction (id))
        first = MIN (first, id->base.name);
    }
  return first < G_MAXINT ? first : -1;
}

/* Returns the inner axis of the split of the inner part of the axis at @first, or NULL. */
static HirIterDomain *
find_nested (const HirDumpNumbering *numbering,
             const HirTensor *tensor,
             guint first,
             gboolean is_end_known,
             const gboolean *is_outer)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    for (guint k = 0; k < tensor->loop.n; k++)
      if (i != first && k != first && is_outer[i] &&
          hir_dump_may_nest (numbering, tensor->loop.ids[first], tensor->loop.ids[i],
                             tensor->loop.ids[k], !is_end_known))
        return tensor->loop.ids[k];
  return NULL;
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
  int first_part = get_first_part (tensor);
  g_autoptr (GArray) last = g_array_new (FALSE, FALSE, sizeof (Group));
  gboolean is_outer[HIR_DUMP_MAX_AXES] = { FALSE }, is_first[HIR_DUMP_MAX_AXES] = { FALSE };

  *n_pairs = 0;
  for (guint i = 0; i < tensor->loop.n; i++)
    for (guint k = 0; k < tensor->loop.n; k++)
      is_outer[i] |=
          tensor->loop.ids[i]->base.name >= end &&
          (tensor->loop.ids[i]->is_rfactor || tensor->loop.ids[i]->base.name > first_part) &&
          hir_dump_may_split (numbering, tensor->loop.ids[i], tensor->loop.ids[k]);
  for (guint i = 0; i < tensor->loop.n; i++)
    is_first[i] = !is_outer[i] && tensor->loop.ids[i]->base.name >= end &&
                  find_nested (numbering, tensor, i, end > 0, is_outer) != NULL;
  for (guint k = 0; k < tensor->loop.n; k++)
    {
      Group group = { .inner = tensor->loop.ids[k] };

      if (is_outer[k] || is_first[k])
        continue;
      for (guint i = 0; i < tensor->loop.n; i++)
        if (is_outer[i] && hir_dump_may_split (numbering, tensor->loop.ids[i], group.inner))
          {
            group.outer = tensor->loop.ids[i];
            group.extent = hir_dump_unsplit (inference->container, group.outer, group.inner);
            ++*n_pairs;
          }
      for (guint i = 0; i < tensor->loop.n && group.outer != NULL; i++)
        if (is_first[i] && group.first == NULL &&
            find_nested (numbering, tensor, i, end > 0, is_outer) == group.inner)
          group.first = tensor->loop.ids[i];
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

/* Returns TRUE if the logical axes of @tensor can have the @n numbers from @start on: those of the
 * split axes, which are not printed, must be free. */
static gboolean
may_start (const HirDumpNumbering *numbering, const Group *groups, guint n, int start)
{
  guint n_single = 0, n_free = 0;

  for (guint i = 0; i < n; i++)
    if (groups[i].outer == NULL)
      {
        if (groups[i].inner->base.name < start || groups[i].inner->base.name >= start + (int) n)
          return FALSE;
        n_single++;
      }
  for (guint i = 0; i < n; i++)
    n_free +=
        !g_hash_table_contains (numbering->printed, GINT_TO_POINTER (start + (int) i)) ? 1 : 0;
  return start >= 0 && n_free == n - n_single;
}

/* Sets @found to the @groups in the order of their numbers. Returns how many such orders there are.
 */
static guint
find_orders (const HirDumpNumbering *numbering,
             const Group *groups,
             Group *found,
             guint n,
             int least,
             gboolean streams_stay)
{
  Group placed[HIR_DUMP_MAX_AXES];
  guint n_found = 0;

  for (int start = least - (int) n + 1; start <= least; start++)
    if (may_start (numbering, groups, n, start) &&
        place_groups (groups, placed, n, start, streams_stay) &&
        (n_found == 0 || memcmp (found, placed, sizeof *found * n) != 0))
      {
        memcpy (found, placed, sizeof *found * n);
        n_found++;
      }
  return n_found;
}

/* Sorts the @groups of axes by number if only one order is possible, or likely. */
static void
place_alone (const HirDumpNumbering *numbering, Group *groups, guint n)
{
  Group found[HIR_DUMP_MAX_AXES];
  guint n_found;
  int least = G_MAXINT;

  for (guint i = 0; i < n; i++)
    {
      if (groups[i].inner->is_rfactor || hir_iter_domain_is_reduction (groups[i].inner))
        return;
      if (groups[i].outer == NULL)
        least = MIN (least, groups[i].inner->base.name);
    }
  if (least == G_MAXINT)
    return;
  n_found = find_orders (numbering, groups, found, n, least, TRUE);
  if (n_found == 0)
    n_found = find_orders (numbering, groups, found, n, least, FALSE);
  if (n_found == 1)
    memcpy (groups, found, sizeof *groups * n);
}

/* Splits a new axis of @extent into @outer and @inner. */
static HirIterDomain *
join (HirContainer *container, HirScalar *extent, HirIterDomain *outer, HirIterDomain *inner)
{
  HirIterDomain *whole =
      hir_iter_domain_new (container, extent,
                           hir_iter_domain_is_reduction (outer) ? HIR_ITER_REDUCTION
                                                                : inner->iter_type);
  HirTransform *split = hir_arena_new0 (container->arena, HirTransform);

  split->kind = HIR_TRANSFORM_SPLIT;
  split->in[0] = whole;
  split->out[0] = outer;
  split->out[1] = inner;
  split->inner_split = !hir_scalar_is_const (outer->extent);
  split->factor = split->inner_split ? inner->extent : outer->extent;
  hir_maker_stamp (container, &split->node, "split");
  outer->definition = inner->definition = split;
  return whole;
}

static void
join_group (HirContainer *container, Group *group)
{
  group->whole = group->inner;
  if (group->outer != NULL)
    group->whole = join (container, group->extent, group->outer, group->inner);
  if (group->first != NULL)
    group->whole = join (container, hir_dump_unsplit (container, group->first, group->whole),
                         group->first, group->whole);
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
  if (has_places && place_groups (groups, placed, n, start, FALSE) &&
      !hir_dump_is_permuted (inference, tensor))
    memcpy (groups, placed, sizeof *groups * n);
  if (!has_places && !hir_dump_is_permuted (inference, tensor))
    place_alone (numbering, groups, n);
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

/* Decides what the numbers do not show: by the ops, otherwise as is likely. @late_only: only
 * tensors whose axes are certainly numbered later than their definition. */
static void
guess (HirDumpInference *inference, HirDumpNumbering *numbering, gboolean late_only)
{
  const HirVec *tensors = &inference->container->tensors;

  for (guint i = 0, round = 0; i < tensors->len; i++)
    {
      HirTensor *tensor = tensors->items[i];

      if (g_hash_table_contains (numbering->decided, tensor))
        continue;
      while (round++ < MAX_ROUNDS && decide_by_ops (inference, numbering))
        ;
      if (!g_hash_table_contains (numbering->decided, tensor) &&
          (!late_only || hir_dump_follows_later (numbering, tensor)))
        decide (inference, numbering, tensor, !hir_dump_is_as_defined (numbering, tensor));
    }
}

void
hir_dump_pair_splits (HirDumpInference *inference)
{
  const HirVec *tensors = &inference->container->tensors;
  HirDumpNumbering numbering = { NULL };
  GArray *swizzles = hir_dump_hide_swizzles (inference);

  hir_dump_numbering_init (&numbering, inference);
  for (guint i = 0; i < tensors->len; i++)
    {
      HirTensor *tensor = tensors->items[i];

      if (tensor->loop.n > HIR_DUMP_MAX_AXES)
        g_hash_table_add (numbering.decided, tensor);
      else if (hir_dump_is_known (&numbering, tensor))
        decide (inference, &numbering, tensor, !hir_dump_is_as_defined (&numbering, tensor));
    }
  guess (inference, &numbering, TRUE);
  guess (inference, &numbering, FALSE);
  hir_dump_numbering_clear (&numbering);
  hir_dump_restore_swizzles (swizzles);
}
