/* What the numbers of axes show about splits (docs/host-ir.md#reading-dumps). Axes are numbered
 * when they are created, tensor by tensor: the logical axes of a tensor follow those of the tensor
 * before it, unless that one is not printed. Splits come later, and their two parts have
 * consecutive numbers. */
#include "dump/read-dump-infer.h"

HirDumpNumbers
hir_dump_get_numbers (const HirTensor *tensor)
{
  HirDumpNumbers numbers = { G_MAXINT, -1, TRUE, FALSE };

  for (guint i = 0; i < tensor->loop.n; i++)
    {
      const HirIterDomain *id = tensor->loop.ids[i];

      numbers.min = MIN (numbers.min, id->base.name);
      numbers.max = MAX (numbers.max, id->base.name);
      numbers.has_rfactor = numbers.has_rfactor || id->is_rfactor;
    }
  numbers.is_run = tensor->loop.n == 0 || numbers.max - numbers.min + 1 == (int) tensor->loop.n;
  return numbers;
}

gboolean
hir_dump_is_permuted (const HirDumpInference *inference, const HirTensor *tensor)
{
  GHashTableIter iter;
  gpointer key;

  if (g_hash_table_contains (inference->reader->permuted, tensor))
    return TRUE;
  g_hash_table_iter_init (&iter, inference->reader->permuted);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    {
      const HirTensor *other = key;
      gboolean same = other->base.name == tensor->base.name && other->loop.n == tensor->loop.n;

      for (guint i = 0; same && i < tensor->loop.n; i++)
        same = other->loop.ids[i]->base.name == tensor->loop.ids[i]->base.name;
      if (same)
        return TRUE;
    }
  return FALSE;
}

void
hir_dump_sort_axes (HirDumpInference *inference, HirTensor *tensor)
{
  HirDumpNumbers own = hir_dump_get_numbers (tensor);
  g_autofree HirIterDomain **ids = NULL;

  if (!own.is_run || own.has_rfactor || hir_dump_is_permuted (inference, tensor))
    return;
  ids = g_memdup2 (tensor->loop.ids, sizeof (HirIterDomain *) * tensor->loop.n);
  qsort (ids, tensor->loop.n, sizeof *ids, hir_dump_compare_names);
  hir_dump_set_logical (tensor, ids, tensor->loop.n);
}

HirScalar *
hir_dump_unsplit (HirContainer *container, const HirIterDomain *outer, const HirIterDomain *inner)
{
  HirScalar *a = outer->extent, *b = inner->extent;

  if (a->kind == HIR_SCALAR_OP && a->op == HIR_SCALAR_OP_CEIL_DIV && hir_scalar_equal (a->b, b))
    return a->a;
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
  /* Only rFactor makes a reduction and another axis out of one. */
  gboolean is_rfactored =
      outer->is_rfactor && inner->is_rfactor &&
      hir_iter_domain_is_reduction (outer) != hir_iter_domain_is_reduction (inner);

  return outer->base.name + 1 == inner->base.name && (is_distributed (outer) || is_rfactored) &&
         !hir_iter_domain_is_parallelized (inner) && outer->definition == NULL &&
         inner->definition == NULL && !hir_iter_domain_is_broadcast (inner) &&
         outer->is_rfactor == inner->is_rfactor &&
         (outer->iter_type == inner->iter_type || is_rfactored);
}

/* Only a split creates `ceilDiv(x, n)` together with n. */
static gboolean
is_certain (const HirIterDomain *outer, const HirIterDomain *inner)
{
  return may_pair (outer, inner) && inner->extent->kind == HIR_SCALAR_OP &&
         inner->extent->op == HIR_SCALAR_OP_CEIL_DIV &&
         hir_scalar_equal (inner->extent->b, outer->extent);
}

gboolean
hir_dump_shows_split (const HirTensor *tensor)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    for (guint k = 0; k < tensor->loop.n; k++)
      if (is_certain (tensor->loop.ids[i], tensor->loop.ids[k]))
        return TRUE;
  return FALSE;
}

static void
get_range (const HirTensor *tensor, int *min, int *max)
{
  *min = G_MAXINT;
  *max = -1;
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      *min = MIN (*min, tensor->loop.ids[i]->base.name);
      *max = MAX (*max, tensor->loop.ids[i]->base.name);
    }
}

static gboolean
has_pair (const HirTensor *tensor)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    for (guint k = 0; k < tensor->loop.n; k++)
      if (may_pair (tensor->loop.ids[i], tensor->loop.ids[k]))
        return TRUE;
  return FALSE;
}

gboolean
hir_dump_may_nest (const HirDumpNumbering *numbering,
                   const HirIterDomain *first,
                   const HirIterDomain *outer,
                   const HirIterDomain *inner,
                   gboolean is_sure)
{
  HirScalar *rest;
  int number = first->base.name + 1; /* of the axis that was split again */

  if (!is_distributed (first) || first->definition != NULL || first->is_rfactor ||
      outer->is_rfactor || number >= outer->base.name || first->iter_type != outer->iter_type ||
      g_hash_table_contains (numbering->printed, GINT_TO_POINTER (number)) ||
      g_hash_table_contains (numbering->cut, first) ||
      !hir_dump_may_split (numbering, outer, inner))
    return FALSE;
  rest = hir_dump_unsplit (outer->base.container, outer, inner);
  return (rest->kind == HIR_SCALAR_OP && rest->op == HIR_SCALAR_OP_CEIL_DIV &&
          hir_scalar_equal (rest->b, first->extent)) ||
         (!is_sure && hir_scalar_is_const (rest) && hir_scalar_is_const (first->extent));
}

/* Returns TRUE if @first is the outer part of an axis whose inner part is split again, into two of
 * @ids. */
static gboolean
is_nested (const HirDumpNumbering *numbering,
           const HirIterDomain *first,
           HirIterDomain *const *ids,
           guint n)
{
  for (guint i = 0; i + 1 < n; i++)
    if (hir_dump_may_nest (numbering, first, ids[i], ids[i + 1], FALSE))
      return TRUE;
  return FALSE;
}

gboolean
hir_dump_may_split (const HirDumpNumbering *numbering,
                    const HirIterDomain *outer,
                    const HirIterDomain *inner)
{
  return !(numbering->has_selects && hir_iter_domain_is_stream (outer)) &&
         !g_hash_table_contains (numbering->cut, outer) &&
         !g_hash_table_contains (numbering->cut, inner) && may_pair (outer, inner) &&
         hir_dump_unsplit (outer->base.container, outer, inner) != NULL;
}

/* Returns TRUE if @id may replace a logical axis: the reduction that rFactor left, or the result of
 * a slice or pad. */
static gboolean
is_replacement (const HirIterDomain *id)
{
  return id->is_rfactor || hir_iter_domain_is_reduction (id);
}

/* Returns the number behind the logical axes of a tensor if they can have the numbers from @start
 * on, or -1. @ids: the loop axes by number, of which the first @n_single are unsplit logical axes.
 * The others derive from axes that are not printed. */
static int
get_end (const HirDumpNumbering *numbering,
         HirIterDomain *const *ids,
         guint n,
         guint n_single,
         int start)
{
  guint n_pairs = 0, n_found = 0;
  int end;

  for (guint i = n_single; i < n; i++)
    if (i + 1 < n && hir_dump_may_split (numbering, ids[i], ids[i + 1]))
      {
        n_pairs++;
        i++;
      }
    else if (is_nested (numbering, ids[i], ids + i + 1, n - i - 1))
      n_pairs++;
    else if (!is_replacement (ids[i]))
      return -1;
  for (guint i = 0; i < n_single; i++)
    if (ids[i]->is_rfactor || (i > 0 && is_certain (ids[i - 1], ids[i])))
      return -1;
  end = start + (int) (n - n_pairs);
  for (int number = start; number < end; number++)
    if (n_found < n && ids[n_found]->base.name == number)
      n_found++;
    else if (g_hash_table_contains (numbering->printed, GINT_TO_POINTER (number)))
      return -1;
  return n_found == n_single && ids[0]->base.name >= start ? end : -1;
}

/* @end: number behind the logical axes. */
static gboolean
has_replacement (const HirTensor *tensor, int end)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    if (tensor->loop.ids[i]->base.name >= end && is_replacement (tensor->loop.ids[i]))
      return TRUE;
  return FALSE;
}

static HirIterDomain **
dup_by_number (const HirTensor *tensor)
{
  HirIterDomain **ids = g_memdup2 (tensor->loop.ids, sizeof (HirIterDomain *) * tensor->loop.n);

  qsort (ids, tensor->loop.n, sizeof *ids, hir_dump_compare_names);
  return ids;
}

/* Returns the number behind the logical axes of @tensor if they can start at @start, or -1. @known:
 * they start there if that is possible. */
static int
try_start (HirDumpNumbering *numbering, HirTensor *tensor, int start, gboolean known)
{
  g_autofree HirIterDomain **ids = dup_by_number (tensor);
  guint n_single = tensor->loop.n;
  int end;

  while ((end = get_end (numbering, ids, tensor->loop.n, n_single, start)) < 0)
    if (n_single-- == 0)
      return -1;
  g_hash_table_insert (numbering->ends, tensor, GINT_TO_POINTER (end));
  if (!known)
    return end;
  g_hash_table_insert (numbering->starts, tensor, GINT_TO_POINTER (start + 1));
  if (n_single < tensor->loop.n)
    numbering->first_split = MIN (numbering->first_split, ids[n_single]->base.name);
  return end;
}

/* Returns TRUE if the tensor after @tensor, which is older than the splits of @tensor, does not
 * start at @end. Then @tensor may have more logical axes than its parts show. */
static gboolean
is_short (const HirTensor *tensor, const HirTensor *next, int end)
{
  int min, max, part = G_MAXINT;

  for (guint i = 0; i < tensor->loop.n; i++)
    if (tensor->loop.ids[i]->base.name >= end)
      part = MIN (part, tensor->loop.ids[i]->base.name);
  get_range (next, &min, &max);
  return part < G_MAXINT && min > end && max < part;
}

static void
find_starts (HirDumpNumbering *numbering, const GPtrArray *tensors)
{
  int next = 0, before = -1;
  gboolean known = TRUE, any_hidden = FALSE;

  for (guint i = 0; i < tensors->len; i++)
    {
      HirTensor *tensor = tensors->pdata[i], *other;
      gboolean follows = tensor->base.name == before + 1, is_run;
      int min, max, end = -1;

      before = tensor->base.name;
      if (!follows)
        g_hash_table_add (numbering->after_gap, tensor);
      get_range (tensor, &min, &max);
      if (max < 0)
        continue;
      if (follows && known)
        {
          end = try_start (numbering, tensor, next, TRUE);
          other = g_hash_table_lookup (numbering->printed, GINT_TO_POINTER (next));
          /* The tensor has been replaced: its numbers are later ones. */
          if (end < 0 && other != NULL && other->base.name > before)
            continue;
        }
      is_run = max - min + 1 == (int) tensor->loop.n;
      known = end >= 0 || is_run;
      if (!known)
        try_start (numbering, tensor, min, FALSE);
      if (end < 0)
        end = max + 1;
      any_hidden |= !follows || has_replacement (tensor, known ? end : min) ||
                    (i + 1 < tensors->len && is_short (tensor, tensors->pdata[i + 1], end));
      if (!any_hidden && known)
        numbering->n_sure = before + 1;
      for (next = end;
           (other = g_hash_table_lookup (numbering->printed, GINT_TO_POINTER (next))) != NULL &&
           other->base.name <= before;
           next++)
        /* Splits that are not printed could follow. */
        known &= !any_hidden;
    }
}

void
hir_dump_numbering_init (HirDumpNumbering *numbering, HirDumpInference *inference)
{
  g_autoptr (GPtrArray) tensors = g_ptr_array_new ();
  int least = G_MAXINT - 1;

  numbering->printed = g_hash_table_new (NULL, NULL);
  numbering->starts = g_hash_table_new (NULL, NULL);
  numbering->ends = g_hash_table_new (NULL, NULL);
  numbering->after_gap = g_hash_table_new (NULL, NULL);
  numbering->later = g_hash_table_new (NULL, NULL);
  numbering->cut = g_hash_table_new (NULL, NULL);
  numbering->decided = g_hash_table_new (NULL, NULL);
  numbering->first_split = G_MAXINT;
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
          g_hash_table_insert (numbering->printed, GINT_TO_POINTER (number), tensor);
        }
    }
  for (guint i = 0; i < inference->reader->cuts->len; i++)
    g_hash_table_add (numbering->cut, g_array_index (inference->reader->cuts, HirDumpCut, i).axis);
  while (g_hash_table_contains (numbering->printed, GINT_TO_POINTER (numbering->first_missing)))
    numbering->first_missing++;
  find_starts (numbering, tensors);
}

void
hir_dump_numbering_clear (HirDumpNumbering *numbering)
{
  g_hash_table_unref (numbering->printed);
  g_hash_table_unref (numbering->starts);
  g_hash_table_unref (numbering->ends);
  g_hash_table_unref (numbering->after_gap);
  g_hash_table_unref (numbering->later);
  g_hash_table_unref (numbering->cut);
  g_hash_table_unref (numbering->decided);
}

/* A tensor that a cache replaced precedes it but has later numbers. Therefore stream axes alone,
 * which no program of 2025 splits, do not indicate a split. */
static gboolean
may_indicate_split (const HirDumpNumbering *numbering, const HirTensor *tensor)
{
  gboolean any_distributed = numbering->is_cut_by_stream;

  for (guint i = 0; i < tensor->loop.n; i++)
    any_distributed |=
        hir_iter_domain_is_device (tensor->loop.ids[i]) || tensor->loop.ids[i]->is_rfactor;
  return any_distributed;
}

gboolean
hir_dump_follows_later (const HirDumpNumbering *numbering, const HirTensor *tensor)
{
  int later = GPOINTER_TO_INT (g_hash_table_lookup (numbering->later, tensor)) - 1, min, max;

  get_range (tensor, &min, &max);
  return numbering->is_host && may_indicate_split (numbering, tensor) && later < min;
}

/* Axes hidden in HostUnits have numbers too. Before the first split, tensors that are not printed
 * explain missing numbers. */
static gboolean
is_numbered_late (const HirDumpNumbering *numbering, const HirTensor *tensor, int min)
{
  if (!numbering->is_host || !may_indicate_split (numbering, tensor))
    return FALSE;
  return hir_dump_follows_later (numbering, tensor) ||
         (min > 0 && !numbering->has_units &&
          (min > numbering->first_split || !g_hash_table_contains (numbering->after_gap, tensor)) &&
          !g_hash_table_contains (numbering->printed, GINT_TO_POINTER (min - 1)));
}

/* Returns TRUE if @tensor may have a pair, and its serial axes are not in the order of their
 * numbers: those of a split are, at the place of the axis that was split, before axes of smaller
 * numbers. */
static gboolean
has_pair_before_others (const HirTensor *tensor)
{
  int before = -1;
  gboolean ascends = TRUE;

  for (guint i = 0; i < tensor->loop.n; i++)
    if (!hir_iter_domain_is_parallelized (tensor->loop.ids[i]))
      {
        ascends = ascends && tensor->loop.ids[i]->base.name > before;
        before = tensor->loop.ids[i]->base.name;
      }
  return !ascends && has_pair (tensor);
}

/* Consecutive numbers are the axes of a definition, possibly reordered, not of a split, unless
 * something else indicates one. A HostUnit may renumber its inputs. */
gboolean
hir_dump_is_as_defined (const HirDumpNumbering *numbering, const HirTensor *tensor)
{
  int min, max, end = GPOINTER_TO_INT (g_hash_table_lookup (numbering->ends, tensor));
  gboolean is_run;

  get_range (tensor, &min, &max);
  is_run = max - min + 1 == (int) tensor->loop.n && !hir_dump_shows_split (tensor) &&
           !has_pair_before_others (tensor);
  if (end > 0 && !(is_run && !may_indicate_split (numbering, tensor)))
    return max < end;
  return is_run && !is_numbered_late (numbering, tensor, min);
}

/* An axis has a smaller number than the parts of a split of it, and is not printed. */
gboolean
hir_dump_is_known (const HirDumpNumbering *numbering, const HirTensor *tensor)
{
  int min, max;

  get_range (tensor, &min, &max);
  return max < numbering->first_missing || !has_pair (tensor) ||
         (tensor->base.name < numbering->n_sure &&
          g_hash_table_contains (numbering->starts, tensor)) ||
         (max - min + 1 == (int) tensor->loop.n && !may_indicate_split (numbering, tensor));
}
