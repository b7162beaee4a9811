/* ExactMappedExtentSubstitution (docs/hostir.md#exactmappedextentsubstitution). */
#include "logical-map.h"
#include "pass.h"
#include "transforms.h"

/* Disjoint sets of extents that ops require to be equal. */
typedef struct
{
  HirContainer *fusion;
  GHashTable *parents; /* HirScalar* -> HirScalar*; absent: its own representative */
  GHashTable *rebuilt; /* HirScalar* (formula) -> HirScalar* with substituted operands */
  GHashTable *held;    /* HirScalar* that an op reads as a value */
} Substitution;

static HirScalar *
find (Substitution *s, HirScalar *extent)
{
  HirScalar *parent;

  while ((parent = g_hash_table_lookup (s->parents, extent)) != NULL)
    extent = parent;
  return extent;
}

/* A constant represents its set, otherwise the symbol with the lowest number. */
static void
join (Substitution *s, HirScalar *a, HirScalar *b)
{
  a = find (s, a);
  b = find (s, b);
  if (a == b || (hir_scalar_is_const (a) && hir_scalar_is_const (b)))
    return;
  if (hir_scalar_is_const (b) || (!hir_scalar_is_const (a) && b->base.name < a->base.name))
    {
      HirScalar *swap = a;

      a = b;
      b = swap;
    }
  if (!g_hash_table_contains (s->held, b))
    g_hash_table_insert (s->parents, b, a);
}

/* An op reads these values when it runs, so an input must still have them as extents. */
static void
hold (Substitution *s, HirScalar *scalar)
{
  if (scalar == NULL)
    return;
  g_hash_table_add (s->held, scalar);
  if (scalar->kind == HIR_SCALAR_OP)
    {
      hold (s, scalar->a);
      hold (s, scalar->b);
    }
}

static void
hold_all (Substitution *s, HirScalar *const *scalars, guint n)
{
  for (guint i = 0; i < n; i++)
    hold (s, scalars[i]);
}

static void
hold_operands (Substitution *s, const HirExpr *expr)
{
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      if (HIR_IS_SCALAR (expr->inputs[i]))
        hold (s, HIR_SCALAR (expr->inputs[i]));
    }
  if (expr->kind == HIR_EXPR_EXPAND)
    hold_all (s, expr->u.expand.extents, expr->u.expand.n);
  else if (expr->kind == HIR_EXPR_FULL)
    hold_all (s, expr->u.full.shape, expr->u.full.n);
  else if (expr->kind == HIR_EXPR_PAD)
    hold_all (s, expr->u.pad.widths, expr->u.pad.n);
  else if (expr->kind == HIR_EXPR_IOTA)
    hold (s, expr->u.iota.length);
  else if (expr->kind == HIR_EXPR_SLICE)
    {
      hold_all (s, expr->u.slice.start, expr->u.slice.n);
      hold_all (s, expr->u.slice.stop, expr->u.slice.n);
    }
}

static gboolean
is_substitutable (const HirIterDomain *id)
{
  return !(hir_iter_domain_is_broadcast (id) && id->expanded_extent == NULL) &&
         id->definition == NULL && id->extent->kind != HIR_SCALAR_OP;
}

static void
join_axes (Substitution *s, const HirExpr *expr, const HirTensor *in, const HirTensor *out)
{
  g_autofree HirIterDomain **producer = NULL;
  g_autofree HirIterDomain **consumer = NULL;
  guint n;

  consumer = hir_expr_dup_logical_map (expr, in, out, &producer, &n);
  for (guint i = 0; i < n; i++)
    {
      if (consumer[i] != NULL &&
          hir_iter_domain_is_broadcast (consumer[i]) ==
              hir_iter_domain_is_broadcast (producer[i]) &&
          is_substitutable (consumer[i]) && is_substitutable (producer[i]))
        join (s, producer[i]->extent, consumer[i]->extent);
    }
}

static HirScalar *
substitute (Substitution *s, HirScalar *scalar)
{
  HirScalar *a, *b, *made;

  if (scalar == NULL)
    return NULL;
  if (scalar->kind != HIR_SCALAR_OP)
    return find (s, scalar);
  made = g_hash_table_lookup (s->rebuilt, scalar);
  if (made != NULL)
    return made;
  a = substitute (s, scalar->a);
  b = substitute (s, scalar->b);
  made =
      a == scalar->a && b == scalar->b ? scalar : hir_scalar_new_op (s->fusion, scalar->op, a, b);
  g_hash_table_insert (s->rebuilt, scalar, made);
  return made;
}

static void
substitute_axis (Substitution *s, HirIterDomain *id)
{
  HirScalar *extent = substitute (s, id->extent);

  if (extent != id->extent)
    id->extent = extent;
  id->expanded_extent = substitute (s, id->expanded_extent);
}

static void
substitute_domain (Substitution *s, const HirDomain *from, const HirDomain *domain)
{
  g_autoptr (GPtrArray) transforms = hir_domain_dup_transforms (from, domain);

  for (guint i = 0; i < transforms->len; i++)
    {
      const HirTransform *transform = transforms->pdata[i];

      for (guint k = 0; k < 2; k++)
        {
          if (transform->out[k] != NULL)
            substitute_axis (s, transform->out[k]);
        }
    }
  for (guint i = 0; i < domain->n; i++)
    substitute_axis (s, domain->ids[i]);
}

static void
substitute_tensor (Substitution *s, const HirTensor *tensor)
{
  const HirDomain *root = hir_tensor_get_maybe_root (tensor);

  substitute_domain (s, root, root);
  substitute_domain (s, root, &tensor->logical);
  substitute_domain (s, &tensor->logical, &tensor->loop);
  substitute_domain (s, &tensor->logical, hir_tensor_get_maybe_allocation (tensor));
}

static HirContainer *
run (HirContainer *taken, const HirPassContext *context, GError **error)
{
  g_autoptr (HirContainer) fusion = taken;
  g_autoptr (GPtrArray) exprs = NULL;
  g_autoptr (GHashTable) parents = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) rebuilt = g_hash_table_new (NULL, NULL);
  g_autoptr (GHashTable) held = g_hash_table_new (NULL, NULL);
  Substitution s = { fusion, parents, rebuilt, held };

  if (!hir_pass_context_check_fusion (context, fusion, error))
    return NULL;
  exprs = hir_fusion_dup_exprs (fusion);
  for (guint i = 0; i < exprs->len; i++)
    hold_operands (&s, exprs->pdata[i]);
  for (guint i = 0; i < exprs->len; i++)
    {
      const HirExpr *expr = exprs->pdata[i];

      if (hir_pass_context_is_cancelled (context, i, error))
        return NULL;
      for (guint k = 0; k < expr->n_inputs; k++)
        {
          for (guint j = 0; j < expr->n_outputs; j++)
            {
              if (HIR_IS_TENSOR (expr->inputs[k]) && HIR_IS_TENSOR (expr->outputs[j]))
                join_axes (&s, expr, HIR_TENSOR (expr->inputs[k]), HIR_TENSOR (expr->outputs[j]));
            }
        }
    }
  for (guint i = 0; g_hash_table_size (parents) > 0 && i < fusion->tensors.len; i++)
    substitute_tensor (&s, fusion->tensors.items[i]);
  return g_steal_pointer (&fusion);
}

const HirPass hir_pass_hostir_exact_mapped_extent_substitution = {
  .name = "ExactMappedExtentSubstitution",
  .summary = "Gives axes that ops require to be equally long the same extent",
  .help = "The K axes of both operands of a matmul, or the axes of the operands of an add, have "
          "the same length, but symbolic inputs give each its own extent. The pass replaces these "
          "by one: a constant if an axis of the set has one, otherwise the symbol with the lowest "
          "number. Broadcast axes, results of a reshape, slice or pad, and computed extents start "
          "no replacement.\n\nDiffers from nvFuser: an axis keeps its number when its extent is "
          "replaced; nvFuser creates a new axis.",
  .options = NULL,
  .default_on = TRUE,
  .run = run,
};
