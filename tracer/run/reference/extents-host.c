/* Extents of a host program (a printed one most of all, whose fusion nobody has): what must be
 * equal by its instructions. */
#include "run/reference/extents-private.h"

typedef struct
{
  HirExtents *extents;
  GPtrArray *loops; /* const HirExpr*: around what is being looked at */
} Walk;

static void
relate_axes (HirExtents *extents,
             HirIterDomain *const *a,
             HirIterDomain *const *b,
             guint n,
             const HirExpr *expr)
{
  for (guint i = 0; i < n; i++)
    if (!hir_iter_domain_is_broadcast (a[i]) && !hir_iter_domain_is_broadcast (b[i]))
      hir_extents_unify (extents, hir_extents_size_of_axis (a[i]), hir_extents_size_of_axis (b[i]),
                         expr);
}

/* The stop of the loop that counts @index, and an axis that is cut with it. */
static void
relate_loop (Walk *walk, const HirScalar *index, const HirScalar *extent, const HirExpr *expr)
{
  for (guint i = walk->loops->len; i-- > 0;)
    {
      const HirExpr *loop = g_ptr_array_index (walk->loops, i);

      if (!hir_scalar_equal (loop->u.loop.index, index))
        continue;
      if (hir_scalar_is_const (loop->u.loop.stop))
        hir_extents_demand (walk->extents, extent, loop->u.loop.stop->i, 1);
      else if (!hir_scalar_is_const (extent))
        hir_extents_unify (walk->extents, loop->u.loop.stop, extent, expr);
      return;
    }
}

static void
relate_alias_select (Walk *walk, const HirExpr *expr)
{
  const HirTensor *in = HIR_TENSOR (expr->inputs[0]);
  const HirIterDomain *cut = in->logical.ids[expr->u.alias_select.axis];
  const HirScalar *extent = hir_extents_size_of_axis (cut);
  guint n_in, n_out, n = 0;
  g_autofree HirIterDomain **before = hir_tensor_dup_no_reductions (in, &n_in);
  g_autofree HirIterDomain **after =
      hir_tensor_dup_no_reductions (expr->u.alias_select.out, &n_out);

  for (guint i = 0; i < n_in; i++)
    if (before[i] != cut)
      before[n++] = before[i];
  if (n == n_out)
    relate_axes (walk->extents, before, after, n, expr);
  if (hir_iter_domain_is_reduction (cut) || hir_iter_domain_is_broadcast (cut))
    return;
  if (hir_scalar_is_const (expr->u.alias_select.index))
    hir_extents_demand (walk->extents, extent, expr->u.alias_select.index->i + 1, 1);
  relate_loop (walk, expr->u.alias_select.index, extent, expr);
}

/* Axis by axis where there are as many: a collective's input has the axes that its output reduces.
 */
static void
relate_transfer (HirExtents *extents,
                 const HirExpr *expr,
                 const HirTensor *in,
                 const HirTensor *out)
{
  guint n_in, n_out;
  g_autofree HirIterDomain **before = hir_tensor_dup_no_reductions (in, &n_in);
  g_autofree HirIterDomain **after = hir_tensor_dup_no_reductions (out, &n_out);

  if (n_in == n_out)
    relate_axes (extents, before, after, n_in, expr);
  else if (n_in == out->logical.n)
    relate_axes (extents, before, out->logical.ids, n_in, expr);
}

static void
relate_values (
    HirExtents *extents, const HirExpr *expr, HirVal *const *outer, guint n, const HirVec *inner)
{
  for (guint i = 0; i < MIN (n, inner->len); i++)
    if (HIR_IS_TENSOR (outer[i]) && HIR_IS_TENSOR (HIR_VAL (inner->items[i])))
      relate_transfer (extents, expr, HIR_TENSOR (outer[i]), HIR_TENSOR (inner->items[i]));
}

static void
relate_unit (HirExtents *extents, const HirExpr *expr)
{
  HirContainer *fusion = expr->u.post.unit->fusion;
  g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (fusion);

  relate_values (extents, expr, expr->inputs, expr->n_inputs, &fusion->inputs);
  relate_values (extents, expr, expr->outputs, expr->n_outputs, &fusion->outputs);
  for (guint i = 0; i < exprs->len; i++)
    hir_extents_relate_op (extents, g_ptr_array_index (exprs, i));
}

static void relate_scope (Walk *walk, HirScope *scope);

static void
relate_nested (Walk *walk, HirExpr *expr)
{
  HirScope *scope;

  if (expr->kind == HIR_EXPR_FOR)
    g_ptr_array_add (walk->loops, expr);
  for (guint i = 0; (scope = hir_expr_get_scope (expr, i)) != NULL; i++)
    relate_scope (walk, scope);
  if (expr->kind == HIR_EXPR_FOR)
    g_ptr_array_set_size (walk->loops, (int) walk->loops->len - 1);
}

/* As deep as the reader lets scopes nest. */
static void
relate_scope (Walk *walk, HirScope *scope)
{
  for (guint i = 0; i < scope->exprs.len; i++)
    {
      HirExpr *expr = scope->exprs.items[i];

      switch (expr->kind)
        {
        case HIR_EXPR_ALIAS_SELECT:
          relate_alias_select (walk, expr);
          break;
        case HIR_EXPR_SHARD_BY_STREAM:
          relate_transfer (walk->extents, expr, HIR_TENSOR (expr->inputs[0]), expr->u.shard.out);
          break;
        case HIR_EXPR_COMMUNICATION:
        case HIR_EXPR_COLLECTIVE_PERMUTE:
          relate_transfer (walk->extents, expr, HIR_TENSOR (expr->inputs[0]),
                           HIR_TENSOR (expr->outputs[0]));
          break;
        case HIR_EXPR_POST_ON_STREAM:
          relate_unit (walk->extents, expr);
          break;
        case HIR_EXPR_FOR:
        case HIR_EXPR_IF:
          relate_nested (walk, expr);
          break;
        default:
          hir_extents_relate_op (walk->extents, expr);
          break;
        }
    }
}

void
hir_extents_relate_host (HirExtents *extents, HirContainer *program)
{
  g_autoptr (GPtrArray) loops = g_ptr_array_new ();
  Walk walk = { extents, loops };

  relate_scope (&walk, &program->top);
}

typedef struct
{
  GPtrArray *symbols;
  GHashTable *seen; /* const HirScalar* */
} Symbols;

static void
add_symbol (Symbols *symbols, const HirScalar *scalar)
{
  if (scalar == NULL || !g_hash_table_add (symbols->seen, (gpointer) scalar))
    return;
  if (scalar->kind == HIR_SCALAR_OP)
    {
      add_symbol (symbols, scalar->a);
      add_symbol (symbols, scalar->b);
    }
  if (scalar->kind == HIR_SCALAR_SYMBOL)
    g_ptr_array_add (symbols->symbols, (gpointer) scalar);
}

static void
add_container (Symbols *symbols, const HirContainer *container)
{
  for (guint i = 0; i < container->inputs.len; i++)
    if (HIR_IS_SCALAR (container->inputs.items[i]))
      g_hash_table_add (symbols->seen, container->inputs.items[i]);
  for (guint i = 0; i < container->tensors.len; i++)
    {
      const HirTensor *tensor = container->tensors.items[i];
      const HirDomain *domains[] = { &tensor->root, &tensor->logical, &tensor->loop };

      for (guint d = 0; d < G_N_ELEMENTS (domains); d++)
        for (guint k = 0; k < domains[d]->n; k++)
          {
            add_symbol (symbols, domains[d]->ids[k]->extent);
            add_symbol (symbols, domains[d]->ids[k]->expanded_extent);
          }
    }
}

static gboolean
add_loop (HirExpr *expr, guint depth, gpointer user_data)
{
  Symbols *symbols = user_data;

  if (expr->kind == HIR_EXPR_FOR)
    add_symbol (symbols, expr->u.loop.stop);
  return TRUE;
}

static gboolean
leave_index_out (HirExpr *expr, guint depth, gpointer user_data)
{
  Symbols *symbols = user_data;

  if (expr->kind == HIR_EXPR_FOR)
    g_hash_table_add (symbols->seen, expr->u.loop.index);
  return TRUE;
}

GPtrArray *
hir_extents_dup_symbols (HirContainer *program)
{
  Symbols symbols = { g_ptr_array_new (), g_hash_table_new (NULL, NULL) };

  hir_container_foreach_expr (program, leave_index_out, &symbols);
  add_container (&symbols, program);
  for (guint i = 0; i < program->units.len; i++)
    add_container (&symbols, ((HirHostUnit *) program->units.items[i])->fusion);
  hir_container_foreach_expr (program, add_loop, &symbols);
  g_hash_table_unref (symbols.seen);
  return symbols.symbols;
}
