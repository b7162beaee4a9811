#include "segment/segment-unit.h"

#include "label.h"
#include "pass.h"
#include "print/print.h"

typedef struct
{
  GHashTable *seen;
  GPtrArray *inputs;     /* inputs of the unit */
  gboolean with_extents; /* collect symbols that are extents, not only scalar inputs */
} Collector;

/* Collects the symbols in @scalar that the program must pass to the unit. */
static void
collect_scalar (Collector *collector, const HirScalar *scalar)
{
  if (scalar == NULL || scalar->kind == HIR_SCALAR_CONST ||
      g_hash_table_contains (collector->seen, scalar))
    return;
  if (scalar->kind == HIR_SCALAR_OP)
    {
      collect_scalar (collector, scalar->a);
      collect_scalar (collector, scalar->b);
    }
  else if (scalar->kind == HIR_SCALAR_SYMBOL &&
           (collector->with_extents ||
            hir_container_is_input (scalar->base.container, HIR_VAL (scalar))))
    {
      g_hash_table_add (collector->seen, (gpointer) scalar);
      g_ptr_array_add (collector->inputs, (gpointer) scalar);
    }
}

static void
collect_scalars (Collector *collector, HirScalar *const *scalars, guint n)
{
  for (guint i = 0; i < n; i++)
    collect_scalar (collector, scalars[i]);
}

static void
collect_attributes (Collector *collector, const HirExpr *expr)
{
  switch (expr->kind)
    {
    case HIR_EXPR_EXPAND:
      collect_scalars (collector, expr->u.expand.extents, expr->u.expand.n);
      break;
    case HIR_EXPR_PAD:
      collect_scalars (collector, expr->u.pad.widths, expr->u.pad.n);
      collect_scalar (collector, expr->u.pad.value);
      break;
    case HIR_EXPR_FULL:
      collect_scalars (collector, expr->u.full.shape, expr->u.full.n);
      collect_scalar (collector, expr->u.full.value);
      break;
    case HIR_EXPR_IOTA:
      collect_scalar (collector, expr->u.iota.length);
      collect_scalar (collector, expr->u.iota.start);
      collect_scalar (collector, expr->u.iota.step);
      break;
    default:
      break;
    }
}

/* Returns the inputs of the segment, followed by the scalars that its ops read: inputs of the
 * fusion, and extents of tensors that the unit may not contain. An extent that only shapes a result
 * comes with an operand. */
static GPtrArray *
dup_unit_inputs (const HirSegment *segment)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  Collector collector = { seen, g_ptr_array_new (), TRUE };

  for (guint i = 0; i < segment->inputs->len; i++)
    {
      g_ptr_array_add (collector.inputs, segment->inputs->pdata[i]);
      g_hash_table_add (seen, segment->inputs->pdata[i]);
    }
  for (guint i = 0; i < segment->exprs->len; i++)
    {
      const HirExpr *expr = segment->exprs->pdata[i];
      const HirTensor *result = hir_expr_get_result (expr);

      collector.with_extents = TRUE;
      for (guint j = 0; j < expr->n_inputs; j++)
        {
          if (HIR_IS_SCALAR (expr->inputs[j]))
            collect_scalar (&collector, HIR_SCALAR (expr->inputs[j]));
        }
      collect_attributes (&collector, expr);
      collector.with_extents = FALSE;
      for (guint j = 0; result != NULL && j < result->logical.n; j++)
        collect_scalar (&collector, result->logical.ids[j]->extent);
    }
  return collector.inputs;
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

/* Returns the axis to name in the error if the loop domain differs from the logical domain: an axis
 * that a split or merge created, otherwise the first one at another position. */
static const HirIterDomain *
find_moved_axis (const HirTensor *tensor)
{
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      if (hir_domain_find (&tensor->logical, tensor->loop.ids[i]) < 0)
        return tensor->loop.ids[i];
    }
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      if (hir_domain_find (&tensor->logical, tensor->loop.ids[i]) != (int) i)
        return tensor->loop.ids[i];
    }
  return NULL;
}

static const HirExpr *
find_reader (const HirSegment *segment, const HirTensor *tensor)
{
  for (guint i = 0; i < segment->exprs->len; i++)
    {
      const HirExpr *expr = segment->exprs->pdata[i];

      for (guint k = 0; k < expr->n_inputs; k++)
        {
          if (expr->inputs[k] == HIR_VAL (tensor))
            return expr;
        }
    }
  return segment->first;
}

static gboolean
check_input (const HirTensor *tensor, const HirSegment *segment, GError **error)
{
  const HirIterDomain *id;
  g_autofree char *label = NULL;
  g_autofree char *axis = NULL;
  HirPos pos;

  if (tensor->has_allocation || is_same_domain (&tensor->loop, &tensor->logical))
    return TRUE;

  id = find_moved_axis (tensor);
  g_assert (id != NULL);
  label = hir_tensor_dup_label (tensor);
  axis = hir_iter_domain_to_string (id);
  pos = hir_axis_get_pos (tensor, id);
  hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                 "%s is split, merged or reordered (axis %s) and read inside a HostUnit (by %s), "
                 "which knows only the memory layout of a tensor; call set_allocation_as_loop on "
                 "it, or leave its axes unchanged",
                 label, axis, hir_expr_get_op_name (find_reader (segment, tensor)));
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

/* Removes the contiguity of reduced axes. */
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

/* Inside the unit, an input is only its data in memory: no root domain, no reduced axes. If it has
 * either, it gets new axes there (docs/host-ir.md#hostunit-inputs). */
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

/* Starts the numbers of @to after those of @from, so that new nodes of the two never share a
 * number. */
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

/* Creates the HostUnit of @segment, whose ops become the origins of the next nodes. */
static HirHostUnit *
unit_new (const HirSegment *segment, HirContainer *host, GPtrArray *unit_inputs, GError **error)
{
  g_autoptr (GPtrArray) origins = g_ptr_array_new ();
  HirHostUnit *unit;

  for (guint i = 0; i < segment->exprs->len; i++)
    g_ptr_array_add (origins, &((HirExpr *) segment->exprs->pdata[i])->node);
  hir_maker_set_origins (host, (const HirNode *const *) origins->pdata, origins->len);

  unit = hir_container_add_unit (host);
  /* Two units may read the same tensor: the salt gives their axes different ids. */
  hir_maker_begin (unit->fusion, hir_pass_segment_fusion.name, unit->node.id);
  raise_counters (unit->fusion, host);
  if (!fill_unit (unit->fusion, segment, unit_inputs, error))
    return NULL;
  raise_counters (host, unit->fusion);
  return unit;
}

/* Creates a LaunchKernel if @is_kernel, otherwise a PostOnStream. */
static HirExpr *
expr_new (const HirSegment *segment,
          HirContainer *host,
          HirCloner *cloner,
          gboolean is_kernel,
          GError **error)
{
  g_autoptr (GPtrArray) unit_inputs = dup_unit_inputs (segment);
  g_autofree HirVal **inputs = clone_all (cloner, unit_inputs);
  g_autofree HirVal **outputs = clone_all (cloner, segment->outputs);
  HirHostUnit *unit = unit_new (segment, host, unit_inputs, error);

  if (unit == NULL)
    return NULL;
  if (is_kernel)
    return hir_expr_new_launch_kernel (host, (int) segment->group, unit, inputs, unit_inputs->len,
                                       outputs, segment->outputs->len);
  return hir_expr_new_post_on_stream (host, unit, inputs, unit_inputs->len, outputs,
                                      segment->outputs->len);
}

HirExpr *
hir_segment_to_post_on_stream (const HirSegment *segment,
                               HirContainer *host,
                               HirCloner *cloner,
                               GError **error)
{
  return expr_new (segment, host, cloner, FALSE, error);
}

HirExpr *
hir_segment_to_launch_kernel (const HirSegment *segment,
                              HirContainer *host,
                              HirCloner *cloner,
                              GError **error)
{
  return expr_new (segment, host, cloner, TRUE, error);
}

HirContainer *
hir_segment_host_new (HirContainer *fusion, const char *pass)
{
  HirContainer *host = hir_container_new (HIR_CONTAINER_HOST, fusion->source);

  host->function = hir_arena_strdup (host->arena, fusion->function);
  for (int i = 0; i < HIR_N_VAL_KINDS; i++)
    host->val_counter[i] = fusion->val_counter[i];
  host->expr_counter = fusion->expr_counter;
  hir_maker_begin (host, pass, 0);
  return host;
}

static void
add_mesh_of (const HirVal *val, gint64 rank, gboolean *involved)
{
  const HirMesh *mesh;

  if (!HIR_IS_TENSOR (val))
    return;
  mesh = HIR_TENSOR (val)->mesh;
  if (mesh != NULL ? hir_mesh_has (mesh, rank) : rank == 0)
    *involved = TRUE;
}

gboolean
hir_segment_involves (const HirSegment *segment, gint64 rank)
{
  gboolean involved = FALSE;

  for (guint i = 0; i < segment->first->n_inputs; i++)
    add_mesh_of (segment->first->inputs[i], rank, &involved);
  for (guint i = 0; i < segment->first->n_outputs; i++)
    add_mesh_of (segment->first->outputs[i], rank, &involved);
  return involved;
}
