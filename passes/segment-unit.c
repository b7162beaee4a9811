#include "segment-unit.h"

#include "label.h"
#include "pass.h"
#include "print.h"
#include "single-device.h"

/* Scalar inputs of the fusion that attributes of @scalar's kind read: a unit must be given them. */
static void
collect_scalar (const HirScalar *scalar, GHashTable *seen, GPtrArray *inputs)
{
  if (scalar == NULL || !g_hash_table_add (seen, (gpointer) scalar))
    return;
  if (scalar->kind == HIR_SCALAR_OP)
    {
      collect_scalar (scalar->a, seen, inputs);
      collect_scalar (scalar->b, seen, inputs);
    }
  else if (scalar->kind == HIR_SCALAR_SYMBOL &&
           hir_container_is_input (scalar->base.container, HIR_VAL (scalar)))
    g_ptr_array_add (inputs, (gpointer) scalar);
}

static void
collect_scalars (HirScalar *const *scalars, guint n, GHashTable *seen, GPtrArray *inputs)
{
  for (guint i = 0; i < n; i++)
    collect_scalar (scalars[i], seen, inputs);
}

static void
collect_attributes (const HirExpr *expr, GHashTable *seen, GPtrArray *inputs)
{
  switch (expr->kind)
    {
    case HIR_EXPR_EXPAND:
      collect_scalars (expr->u.expand.extents, expr->u.expand.n, seen, inputs);
      break;
    case HIR_EXPR_PAD:
      collect_scalars (expr->u.pad.widths, expr->u.pad.n, seen, inputs);
      collect_scalar (expr->u.pad.value, seen, inputs);
      break;
    case HIR_EXPR_FULL:
      collect_scalars (expr->u.full.shape, expr->u.full.n, seen, inputs);
      collect_scalar (expr->u.full.value, seen, inputs);
      break;
    case HIR_EXPR_IOTA:
      collect_scalar (expr->u.iota.length, seen, inputs);
      collect_scalar (expr->u.iota.start, seen, inputs);
      collect_scalar (expr->u.iota.step, seen, inputs);
      break;
    default:
      break;
    }
}

/* Inputs of the segment, and then the scalar inputs that it reads otherwise than as operands. */
static GPtrArray *
dup_unit_inputs (const HirSegment *segment)
{
  GPtrArray *inputs = g_ptr_array_new ();
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < segment->inputs->len; i++)
    {
      g_ptr_array_add (inputs, segment->inputs->pdata[i]);
      g_hash_table_add (seen, segment->inputs->pdata[i]);
    }
  for (guint i = 0; i < segment->exprs->len; i++)
    {
      const HirExpr *expr = segment->exprs->pdata[i];
      const HirTensor *result = hir_expr_get_result (expr);

      for (guint j = 0; j < expr->n_inputs; j++)
        {
          if (HIR_IS_SCALAR (expr->inputs[j]))
            collect_scalar (HIR_SCALAR (expr->inputs[j]), seen, inputs);
        }
      collect_attributes (expr, seen, inputs);
      for (guint j = 0; result != NULL && j < result->logical.n; j++)
        collect_scalar (result->logical.ids[j]->extent, seen, inputs);
    }
  return inputs;
}

static gboolean
is_same_domain (const HirDomain *a, const HirDomain *b)
{
  return a->n == b->n && (a->n == 0 || memcmp (a->ids, b->ids, sizeof *a->ids * a->n) == 0);
}

static gboolean
has_reductions (const HirDomain *domain)
{
  for (guint i = 0; i < domain->n; i++)
    {
      if (hir_iter_domain_is_reduction (domain->ids[i]))
        return TRUE;
    }
  return FALSE;
}

static gboolean
check_input (const HirTensor *tensor, const HirSegment *segment, GError **error)
{
  const HirIterDomain *id = NULL;
  g_autofree char *label = NULL;
  g_autofree char *axis = NULL;
  HirPos pos;

  if (tensor->has_allocation || is_same_domain (&tensor->loop, &tensor->logical))
    return TRUE;

  for (guint i = 0; i < tensor->loop.n && (id == NULL || id->definition == NULL); i++)
    {
      if (hir_domain_find (&tensor->logical, tensor->loop.ids[i]) < 0 || id == NULL)
        id = tensor->loop.ids[i];
    }
  label = hir_tensor_dup_label (tensor);
  axis = id != NULL ? hir_iter_domain_to_string (id) : g_strdup ("");
  pos = id != NULL ? hir_axis_get_pos (tensor, id) : tensor->base.node.pos;
  hir_set_error (
      error, HIR_ERROR_REFUSED, &pos,
      "%s is split, merged or reordered (axis %s) and read inside a HostUnit (by %s), which sees "
      "only how a tensor lies in memory; call set_allocation_as_loop on it, or leave its axes as "
      "they are",
      label, axis, hir_expr_get_op_name (segment->first));
  return FALSE;
}

static void
drop_reductions (HirDomain *domain)
{
  guint kept = 0;

  for (guint i = 0; i < domain->n; i++)
    {
      if (!hir_iter_domain_is_reduction (domain->ids[i]))
        domain->ids[kept++] = domain->ids[i];
    }
  domain->n = kept;
}

/* Contiguity of axes that stay: the reduced ones' goes with them. */
static void
drop_reduced_contiguity (HirTensor *tensor)
{
  const HirDomain *domain = hir_tensor_get_maybe_allocation (tensor);
  guint kept = 0;

  for (guint i = 0; i < domain->n; i++)
    {
      if (!hir_iter_domain_is_reduction (domain->ids[i]))
        tensor->contiguity[kept++] = tensor->contiguity[i];
    }
}

/* In the unit an input is just what lies in memory: no root domain, no reduced axes. Where it had
 * either, its axes are new ones there (reference 3.2). */
static HirTensor *
clone_input (HirCloner *cloner, HirContainer *unit, const HirTensor *from)
{
  HirTensor *to;

  if (!from->has_root && !has_reductions (&from->logical))
    return hir_cloner_tensor (cloner, from);

  for (guint i = 0; i < from->logical.n; i++)
    {
      HirIterDomain *copy = hir_cloner_iter_domain (cloner, from->logical.ids[i]);

      if (hir_iter_domain_is_reduction (copy))
        continue;
      hir_maker_set_origin (unit, &from->logical.ids[i]->base.node);
      hir_cloner_substitute (cloner, HIR_VAL (from->logical.ids[i]),
                             HIR_VAL (hir_iter_domain_dup (unit, copy, TRUE)));
    }
  to = hir_cloner_tensor (cloner, from);
  drop_reduced_contiguity (to);
  to->root = (HirDomain){ NULL, 0 };
  to->has_root = FALSE;
  if (to->loop.ids == to->logical.ids)
    {
      drop_reductions (&to->logical);
      to->loop = to->logical;
    }
  else
    {
      drop_reductions (&to->logical);
      drop_reductions (&to->loop);
    }
  drop_reductions (&to->allocation);
  return to;
}

/* Numbers of @to begin where those of @from end, so that what is made in either never has a number
 * of the other's. */
static void
raise_counters (HirContainer *to, const HirContainer *from)
{
  for (int i = 0; i < HIR_N_VAL_KINDS; i++)
    to->val_counter[i] = MAX (to->val_counter[i], from->val_counter[i]);
  to->expr_counter = MAX (to->expr_counter, from->expr_counter);
}

static gboolean
fill_unit (HirContainer *unit, const HirSegment *segment, GPtrArray *inputs, GError **error)
{
  g_autoptr (HirCloner) cloner = hir_cloner_new (unit);

  for (guint i = 0; i < inputs->len; i++)
    {
      HirVal *input = inputs->pdata[i];
      HirVal *copy;

      if (HIR_IS_TENSOR (input) && !check_input (HIR_TENSOR (input), segment, error))
        return FALSE;
      copy = HIR_IS_TENSOR (input) ? HIR_VAL (clone_input (cloner, unit, HIR_TENSOR (input)))
                                   : hir_cloner_val (cloner, input);
      hir_container_add_input (unit, copy);
    }
  for (guint i = 0; i < segment->exprs->len; i++)
    hir_container_add_expr (unit, hir_cloner_expr (cloner, segment->exprs->pdata[i]));
  for (guint i = 0; i < segment->outputs->len; i++)
    hir_container_add_output (unit, hir_cloner_val (cloner, segment->outputs->pdata[i]));
  return TRUE;
}

static HirVal **
clone_all (HirCloner *cloner, GPtrArray *vals)
{
  HirVal **copies = g_new0 (HirVal *, MAX (vals->len, 1));

  for (guint i = 0; i < vals->len; i++)
    copies[i] = hir_cloner_val (cloner, vals->pdata[i]);
  return copies;
}

HirExpr *
hir_segment_to_post_on_stream (const HirSegment *segment,
                               HirContainer *host,
                               HirCloner *cloner,
                               GError **error)
{
  g_autoptr (GPtrArray) unit_inputs = dup_unit_inputs (segment);
  g_autoptr (GPtrArray) origins = g_ptr_array_new ();
  g_autofree HirVal **inputs = clone_all (cloner, unit_inputs);
  g_autofree HirVal **outputs = clone_all (cloner, segment->outputs);
  HirHostUnit *unit;

  for (guint i = 0; i < segment->exprs->len; i++)
    g_ptr_array_add (origins, &((HirExpr *) segment->exprs->pdata[i])->node);
  hir_maker_set_origins (host, (const HirNode *const *) origins->pdata, origins->len);

  unit = hir_container_add_unit (host);
  /* Two units may read one tensor: the axes that each makes of it are told apart by the unit. */
  hir_maker_begin (unit->fusion, hir_pass_segment_fusion.name, unit->node.id);
  raise_counters (unit->fusion, host);
  if (!fill_unit (unit->fusion, segment, unit_inputs, error))
    return NULL;
  raise_counters (host, unit->fusion);
  return hir_expr_new_post_on_stream (host, unit, inputs, unit_inputs->len, outputs,
                                      segment->outputs->len);
}
