/* Infers the logical domains of tensors whose printed loop domain differs: from what an op does to
 * the axes of its inputs, or must have received for those of its output
 * (docs/host-ir.md#op-outputs, docs/host-ir.md#logical-domain-map). If nothing determines a logical
 * domain, the loop domain is used. */
#include "dump/read-dump-infer.h"

#define MAX_ROUNDS 8

/* Returns TRUE if an axis of @tensor, an input of the program, is a product: an input is defined
 * with symbols and constants. */
static gboolean
is_merged_input (const HirDumpInference *inference, const HirTensor *tensor)
{
  const HirDumpNames *outermost = g_ptr_array_index (inference->reader->all_names, 0);

  if (inference->names != outermost || hir_vec_find (&inference->container->inputs, tensor) < 0)
    return FALSE;
  for (guint i = 0; i < tensor->loop.n; i++)
    if (tensor->loop.ids[i]->extent->kind == HIR_SCALAR_OP &&
        tensor->loop.ids[i]->extent->op == HIR_SCALAR_OP_MUL)
      return TRUE;
  return FALSE;
}

/* Finds tensors that were scheduled. Axes are numbered when they are created
 * (docs/host-ir.md#reading-dumps): the numbers of a tensor's axes are consecutive and precede those
 * of the next tensor. A split or merge uses later numbers; a reorder only changes their order. */
static void
find_unresolved (HirDumpInference *inference)
{
  g_autoptr (GPtrArray) tensors = g_ptr_array_new ();

  for (guint i = 0; i < inference->container->tensors.len; i++)
    g_ptr_array_add (tensors, inference->container->tensors.items[i]);
  g_ptr_array_sort (tensors, hir_dump_compare_names);
  for (guint i = 0; i < tensors->len; i++)
    {
      HirTensor *tensor = g_ptr_array_index (tensors, i);
      HirDumpNumbers own = hir_dump_get_numbers (tensor);
      int after = i + 1 < tensors->len
                      ? hir_dump_get_numbers (g_ptr_array_index (tensors, i + 1)).min
                      : G_MAXINT;

      if (tensor->loop.n == 0)
        continue;
      if (!own.has_rfactor &&
          (!own.is_run || own.max > after || is_merged_input (inference, tensor)))
        g_hash_table_add (inference->unresolved, tensor);
    }
}

static gboolean
is_unresolved (const HirDumpInference *inference, const HirVal *val)
{
  return HIR_IS_TENSOR (val) && g_hash_table_contains (inference->unresolved, val);
}

static gboolean
resolve_domain (HirDumpInference *inference, HirTensor *tensor, const GArray *slots)
{
  gboolean permuted = g_hash_table_contains (inference->reader->permuted, tensor);

  if (slots == NULL || slots->len == 0 ||
      !hir_dump_match_loop (tensor, (const HirDumpSlot *) (gpointer) slots->data, slots->len,
                            permuted))
    return FALSE;
  g_hash_table_remove (inference->unresolved, tensor);
  g_hash_table_add (inference->resolved, tensor);
  inference->changed = TRUE;
  return TRUE;
}

/* Resolves the tensor that is cut: it has the axes of the slice, plus the cut axis at some
 * position. */
static void
resolve_cut_source (HirDumpInference *inference,
                    HirTensor *in,
                    const HirTensor *out,
                    HirIterDomain *axis)
{
  int printed = hir_domain_find (&in->loop, axis);

  for (guint k = 0; k <= out->logical.n; k++)
    {
      g_autoptr (GArray) slots = g_array_new (FALSE, TRUE, sizeof (HirDumpSlot));
      HirDumpSlot cut = hir_dump_slot_of (axis);
      /* The printed position is the most likely one. */
      guint place = (k + (guint) MAX (printed, 0)) % (out->logical.n + 1);

      cut.id = axis;
      for (guint i = 0; i <= out->logical.n; i++)
        {
          HirDumpSlot slot =
              i == place ? cut : hir_dump_slot_of (out->logical.ids[i > place ? i - 1 : i]);

          g_array_append_val (slots, slot);
        }
      if (resolve_domain (inference, in, slots))
        return;
    }
}

/* Returns the number of axes that @expr requires of its first input, or 0 if unknown. */
static guint
get_rank (const HirExpr *expr)
{
  switch (expr->kind)
    {
    case HIR_EXPR_SLICE:
      return expr->u.slice.n;
    case HIR_EXPR_PAD:
      return expr->u.pad.n / 2;
    case HIR_EXPR_SQUEEZE:
      return expr->u.squeeze.n;
    default:
      return 0;
    }
}

/* Last step: resolves tensors that no other tensor determines. */
static void
resolve_alone (HirDumpInference *inference)
{
  g_autoptr (GPtrArray) unresolved = g_ptr_array_new ();
  GHashTableIter iter;
  gpointer key;

  for (guint i = 0; i < inference->exprs->len; i++)
    {
      const HirExpr *expr = g_ptr_array_index (inference->exprs, i);
      guint rank = get_rank (expr), n = 0;
      g_autoptr (GArray) slots = NULL;

      if (rank == 0 || g_hash_table_contains (inference->resolved, expr->inputs[0]))
        continue;
      g_free (hir_tensor_dup_no_reductions (HIR_TENSOR (expr->inputs[0]), &n));
      if (n == rank)
        continue;
      slots = hir_dump_infer_from_loop (inference, HIR_TENSOR (expr->inputs[0]), rank);
      resolve_domain (inference, HIR_TENSOR (expr->inputs[0]), slots);
    }
  g_hash_table_iter_init (&iter, inference->unresolved);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    g_ptr_array_add (unresolved, key);
  /* In a fixed order, because new axes take numbers. */
  g_ptr_array_sort (unresolved, hir_dump_compare_names);
  for (guint i = 0; i < unresolved->len; i++)
    {
      HirTensor *tensor = g_ptr_array_index (unresolved, i);
      g_autoptr (GArray) slots = NULL;

      if (!g_hash_table_contains (inference->unresolved, tensor))
        continue;
      slots = hir_dump_infer_from_loop (inference, tensor, 0);
      if (slots->len != tensor->loop.n)
        resolve_domain (inference, tensor, slots);
    }
}

static void
visit (HirDumpInference *inference, const HirExpr *expr)
{
  gboolean inputs_resolved = TRUE, is_select = expr->kind == HIR_EXPR_SELECT;
  HirTensor *out = hir_expr_get_result (expr);

  if (out == NULL)
    return;
  for (guint i = 0; i < expr->n_inputs; i++)
    inputs_resolved = inputs_resolved && !is_unresolved (inference, expr->inputs[i]);
  if (inputs_resolved && !g_hash_table_contains (inference->resolved, out))
    {
      g_autoptr (GArray) slots = hir_dump_infer_output (inference, expr);

      /* The numbers of the last tensor reveal nothing, but its rank may. */
      if (slots != NULL &&
          (is_unresolved (inference, HIR_VAL (out)) || slots->len != out->logical.n))
        resolve_domain (inference, out, slots);
    }
  if (is_unresolved (inference, HIR_VAL (out)))
    return;
  if (is_select && is_unresolved (inference, expr->inputs[0]))
    resolve_cut_source (inference, HIR_TENSOR (expr->inputs[0]), out, expr->u.select.axis);
  for (guint i = 0; i < expr->n_inputs && !is_select; i++)
    if (is_unresolved (inference, expr->inputs[i]))
      {
        g_autoptr (GArray) slots = hir_dump_infer_input (inference, expr, out);

        resolve_domain (inference, HIR_TENSOR (expr->inputs[i]), slots);
      }
}

static gboolean
collect (HirExpr *expr, guint depth, gpointer user_data)
{
  g_ptr_array_add (user_data, expr);
  return TRUE;
}

/* Resolves a slice: it has all axes of the tensor except the cut one. */
static void
resolve_slice (HirDumpInference *inference,
               const HirTensor *in,
               HirTensor *out,
               HirIterDomain *axis)
{
  g_autoptr (GArray) slots = g_array_new (FALSE, TRUE, sizeof (HirDumpSlot));

  if (g_hash_table_contains (inference->resolved, out) ||
      is_unresolved (inference, HIR_VAL (out)) || hir_domain_find (&in->logical, axis) < 0)
    return;
  if (out->logical.n + 1 <= in->logical.n)
    {
      /* Consistent already: do not let other ops change the slice. */
      if (out->logical.n + 1 == in->logical.n)
        g_hash_table_add (inference->resolved, out);
      return;
    }
  for (guint i = 0; i < in->logical.n; i++)
    {
      HirDumpSlot slot = hir_dump_slot_of (in->logical.ids[i]);

      if (in->logical.ids[i] != axis)
        g_array_append_val (slots, slot);
    }
  resolve_domain (inference, out, slots);
}

static void
visit_cuts (HirDumpInference *inference)
{
  for (guint i = 0; i < inference->reader->cuts->len; i++)
    {
      HirDumpCut *cut = &g_array_index (inference->reader->cuts, HirDumpCut, i);
      HirTensor *in = HIR_TENSOR (cut->expr->inputs[0]);

      if (is_unresolved (inference, HIR_VAL (in)) &&
          !is_unresolved (inference, HIR_VAL (cut->expr->u.alias_select.out)))
        resolve_cut_source (inference, in, cut->expr->u.alias_select.out, cut->axis);
      else if (g_hash_table_contains (inference->resolved, cut->expr->u.alias_select.out) &&
               !g_hash_table_contains (inference->resolved, in) &&
               cut->expr->u.alias_select.out->logical.n + 1 < in->logical.n)
        resolve_cut_source (inference, in, cut->expr->u.alias_select.out, cut->axis);
      if (!is_unresolved (inference, HIR_VAL (in)))
        resolve_slice (inference, in, cut->expr->u.alias_select.out, cut->axis);
    }
}

/* A tensor is the same on both sides of a HostUnit. The root of a permutation is known inside only.
 */
static void
resolve_across (HirDumpInference *from,
                HirTensor *known,
                HirDumpInference *to,
                HirTensor *unresolved)
{
  if (g_hash_table_contains (to->reader->permuted, unresolved))
    return;
  for (guint with_reductions = 0; with_reductions < 2 && is_unresolved (to, HIR_VAL (unresolved));
       with_reductions++)
    {
      g_autoptr (GArray) slots = g_array_new (FALSE, TRUE, sizeof (HirDumpSlot));

      for (guint i = 0; i < known->logical.n; i++)
        {
          HirDumpSlot slot = hir_dump_slot_of (known->logical.ids[i]);

          if (slot.type == HIR_ITER_REDUCTION && !with_reductions)
            continue;
          slot.extent = hir_dump_translate (to->names, slot.extent, 0);
          if (slot.extent == NULL)
            return;
          g_array_append_val (slots, slot);
        }
      resolve_domain (to, unresolved, slots);
    }
}

static void
reopen (HirDumpInference *inference, HirTensor *tensor, const HirTensor *other)
{
  guint own, wanted;

  g_free (hir_tensor_dup_no_reductions (tensor, &own));
  g_free (hir_tensor_dup_no_reductions (other, &wanted));
  if (own != wanted && !g_hash_table_contains (inference->resolved, tensor))
    g_hash_table_add (inference->unresolved, tensor);
}

/* Sorts the axes by number, as in a definition, if the loop domain has the same axes in another
 * order. */
static gboolean
sort_axes (HirTensor *tensor)
{
  g_autofree HirIterDomain **ids =
      g_memdup2 (tensor->loop.ids, sizeof (HirIterDomain *) * tensor->loop.n);

  qsort (ids, tensor->loop.n, sizeof *ids, hir_dump_compare_names);
  if (tensor->has_root || tensor->logical.n != tensor->loop.n)
    return FALSE;
  for (guint i = 0; i < tensor->loop.n; i++)
    if (hir_domain_find (&tensor->logical, ids[i]) < 0)
      return FALSE;
  hir_dump_set_logical (tensor, ids, tensor->loop.n);
  return TRUE;
}

static gboolean
is_sorted (const HirTensor *tensor)
{
  for (guint i = 1; i < tensor->logical.n; i++)
    if (tensor->logical.ids[i]->base.name < tensor->logical.ids[i - 1]->base.name)
      return FALSE;
  return TRUE;
}

/* The surrounding numbers may reveal a reorder on one side of a HostUnit only. */
static void
resolve_order (HirDumpInference *inference, HirTensor *outer, HirTensor *inner)
{
  if (outer->loop.n != inner->loop.n || is_sorted (outer) == is_sorted (inner) ||
      hir_dump_is_permuted (inference, outer))
    return;
  for (guint i = 0; i < outer->loop.n; i++)
    if (outer->loop.ids[i]->base.name != inner->loop.ids[i]->base.name)
      return;
  sort_axes (is_sorted (outer) ? inner : outer);
}

/* Corrects extents of both sides of a HostUnit. */
static gboolean
correct_border (HirVal *const *vals, guint n, const HirVec *own)
{
  gboolean any = FALSE;

  for (guint i = 0; i < n && i < own->len; i++)
    if (HIR_IS_TENSOR (vals[i]) && HIR_IS_TENSOR (own->items[i]))
      {
        any |= hir_dump_correct_across (HIR_TENSOR (vals[i]), own->items[i]);
        any |= hir_dump_correct_across (own->items[i], HIR_TENSOR (vals[i]));
      }
  return any;
}

static gboolean
correct_extents (GPtrArray *inferences)
{
  HirDumpInference *outer = g_ptr_array_index (inferences, 0);
  gboolean any = FALSE;

  for (guint i = 0; i < inferences->len; i++)
    any |= hir_dump_correct_extents (g_ptr_array_index (inferences, i));
  for (guint i = 0; i < outer->reader->posts->len; i++)
    {
      const HirExpr *expr = g_array_index (outer->reader->posts, HirDumpPost, i).expr;
      const HirContainer *fusion = expr->u.post.unit->fusion;

      any |= correct_border (expr->inputs, expr->n_inputs, &fusion->inputs);
      any |= correct_border (expr->outputs, expr->n_outputs, &fusion->outputs);
    }
  return any;
}

/* @resolved_only: use only what one side has resolved. */
static void
visit_border (HirDumpInference *outer,
              HirDumpInference *inner,
              HirVal *const *vals,
              guint n,
              const HirVec *own,
              gboolean resolved_only)
{
  for (guint i = 0; i < n && i < own->len; i++)
    {
      HirVal *val = own->items[i];

      if (!HIR_IS_TENSOR (vals[i]) || !HIR_IS_TENSOR (val) ||
          (resolved_only && !g_hash_table_contains (outer->resolved, vals[i]) &&
           !g_hash_table_contains (inner->resolved, val)))
        continue;
      resolve_order (outer, HIR_TENSOR (vals[i]), HIR_TENSOR (val));
      /* Axes resolved on one side may be invisible in the printed axes of the other. */
      if (g_hash_table_contains (outer->resolved, vals[i]))
        reopen (inner, HIR_TENSOR (val), HIR_TENSOR (vals[i]));
      else if (g_hash_table_contains (inner->resolved, val))
        reopen (outer, HIR_TENSOR (vals[i]), HIR_TENSOR (val));
      if (is_unresolved (outer, vals[i]) == is_unresolved (inner, val))
        continue;
      if (is_unresolved (outer, vals[i]))
        resolve_across (inner, HIR_TENSOR (val), outer, HIR_TENSOR (vals[i]));
      else
        resolve_across (outer, HIR_TENSOR (vals[i]), inner, HIR_TENSOR (val));
    }
}

/* Visits the inputs of a unit, then its outputs, unless the ops of the unit can first use what its
 * inputs show. */
static void
visit_unit (HirDumpInference *outer,
            HirDumpInference *inner,
            const HirExpr *post,
            gboolean resolved_only)
{
  const HirContainer *fusion = inner->container;
  gboolean changed = inner->changed;

  inner->changed = FALSE;
  visit_border (outer, inner, post->inputs, post->n_inputs, &fusion->inputs, resolved_only);
  if (!inner->changed)
    visit_border (outer, inner, post->outputs, post->n_outputs, &fusion->outputs, resolved_only);
  inner->changed |= changed;
}

static void
visit_posts (GPtrArray *inferences, gboolean resolved_only)
{
  HirDumpInference *outer = g_ptr_array_index (inferences, 0);

  for (guint i = 0; i < outer->reader->posts->len; i++)
    {
      HirExpr *expr = g_array_index (outer->reader->posts, HirDumpPost, i).expr;
      HirContainer *fusion = expr->u.post.unit->fusion;

      for (guint k = 1; k < inferences->len; k++)
        {
          HirDumpInference *inner = g_ptr_array_index (inferences, k);

          if (inner->names->container == fusion)
            visit_unit (outer, inner, expr, resolved_only);
        }
    }
}

static HirDumpInference *
inference_new (HirDumpReader *reader, HirDumpNames *names)
{
  HirDumpInference *inference = g_new0 (HirDumpInference, 1);

  inference->reader = reader;
  inference->names = names;
  inference->container = names->container;
  inference->unresolved = g_hash_table_new (NULL, NULL);
  inference->resolved = g_hash_table_new (NULL, NULL);
  inference->exprs = g_ptr_array_new ();
  find_unresolved (inference);
  hir_container_foreach_expr (names->container, collect, inference->exprs);
  hir_dump_pair_splits (inference);
  return inference;
}

static void
inference_free (HirDumpInference *inference)
{
  g_hash_table_unref (inference->unresolved);
  g_hash_table_unref (inference->resolved);
  g_ptr_array_unref (inference->exprs);
  g_free (inference);
}

/* Returns TRUE if something was resolved. */
static gboolean
infer_once (GPtrArray *inferences)
{
  gboolean changed = FALSE;

  for (guint i = 0; i < inferences->len; i++)
    {
      HirDumpInference *inference = g_ptr_array_index (inferences, i);

      inference->changed = FALSE;
      if (i == 0)
        visit_cuts (inference);
      for (guint k = 0; k < inference->exprs->len; k++)
        visit (inference, g_ptr_array_index (inference->exprs, k));
    }
  visit_posts (inferences, FALSE);
  for (guint i = 0; i < inferences->len; i++)
    changed = changed || ((HirDumpInference *) g_ptr_array_index (inferences, i))->changed;
  return changed;
}

void
hir_dump_infer_domains (HirDumpReader *reader)
{
  g_autoptr (GPtrArray) inferences =
      g_ptr_array_new_with_free_func ((GDestroyNotify) inference_free);

  for (guint i = 0; i < reader->all_names->len; i++)
    g_ptr_array_add (inferences, inference_new (reader, g_ptr_array_index (reader->all_names, i)));
  visit_posts (inferences, TRUE);
  for (guint round = 0; round < MAX_ROUNDS && infer_once (inferences); round++)
    ;
  for (guint i = 0; i < inferences->len; i++)
    resolve_alone (g_ptr_array_index (inferences, i));
  for (guint round = 0; round < MAX_ROUNDS && infer_once (inferences); round++)
    ;
  for (guint round = 0; round < MAX_ROUNDS && correct_extents (inferences); round++)
    ;
}

gboolean
hir_dump_resolve_cuts (HirDumpReader *reader)
{
  for (guint i = 0; i < reader->cuts->len; i++)
    {
      HirDumpCut *cut = &g_array_index (reader->cuts, HirDumpCut, i);
      const HirTensor *in = HIR_TENSOR (cut->expr->inputs[0]);
      const HirDumpToken place = { .pos = cut->pos };
      int axis = hir_domain_find (&in->logical, cut->axis);

      if (axis < 0)
        {
          g_autofree char *text = hir_iter_domain_to_string (cut->axis);

          return hir_dump_fail (reader, &place, HIR_ERROR_INPUT,
                                "T%d has no axis %s and no axis derived from it", in->base.name,
                                text);
        }
      cut->expr->u.alias_select.axis = axis;
    }
  return TRUE;
}
