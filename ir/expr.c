#include "expr.h"

#include "container.h"

HirExpr *
hir_expr_new (HirContainer *container,
              HirExprKind kind,
              HirVal *const *inputs,
              guint n_inputs,
              HirVal *const *outputs,
              guint n_outputs)
{
  HirExpr *expr = hir_arena_new0 (container->arena, HirExpr);
  g_autofree char *stamp = g_strconcat ("expr.", hir_expr_kind_get_info (kind)->cpp_name, NULL);

  expr->kind = kind;
  expr->name = container->expr_counter++;
  expr->container = container;
  expr->inputs = hir_arena_memdup (container->arena, inputs, sizeof *inputs * n_inputs);
  expr->n_inputs = n_inputs;
  expr->outputs = hir_arena_memdup (container->arena, outputs, sizeof *outputs * n_outputs);
  expr->n_outputs = n_outputs;
  for (guint i = 0; i < n_outputs; i++)
    {
      if (HIR_IS_TENSOR (outputs[i]))
        HIR_TENSOR (outputs[i])->definition = expr;
    }
  hir_maker_stamp (container, &expr->node, stamp);
  return expr;
}

/* Returns the product of the allocation axes except reductions and broadcasts
 * (docs/host-ir.md#memory). */
static HirScalar *
allocation_size (HirContainer *container, const HirTensor *buffer)
{
  const HirDomain *domain = hir_tensor_get_maybe_allocation (buffer);
  g_autoptr (GPtrArray) factors = g_ptr_array_new ();

  for (guint i = 0; i < domain->n; i++)
    {
      const HirIterDomain *id = domain->ids[i];

      if (!hir_iter_domain_is_reduction (id) && !hir_iter_domain_is_broadcast (id))
        g_ptr_array_add (factors, id->extent);
    }
  return hir_scalar_new_size (container, (HirScalar *const *) factors->pdata, factors->len);
}

HirExpr *
hir_expr_new_allocate (HirContainer *container, HirTensor *buffer, HirMemoryType memory)
{
  HirScalar *size;
  HirExpr *expr;

  g_assert (buffer->memory == memory);

  size = allocation_size (container, buffer);
  expr = hir_expr_new (container, HIR_EXPR_ALLOCATE, (HirVal *[]){ HIR_VAL (size) }, 1, NULL, 0);
  expr->u.allocate.buffer = buffer;
  expr->u.allocate.memory = memory;
  expr->u.allocate.size = size;
  return expr;
}

HirExpr *
hir_expr_new_alias_select (
    HirContainer *container, HirTensor *in, HirTensor *out, int axis, HirScalar *index)
{
  HirExpr *expr;

  g_assert (axis >= 0 && (guint) axis < in->logical.n);

  expr = hir_expr_new (container, HIR_EXPR_ALIAS_SELECT,
                       (HirVal *[]){ HIR_VAL (in), HIR_VAL (index) }, 2, NULL, 0);
  expr->u.alias_select.out = out;
  expr->u.alias_select.axis = axis;
  expr->u.alias_select.index = index;
  return expr;
}

HirExpr *
hir_expr_new_for (HirContainer *container, HirIterDomain *iter_domain, HirScalar *index)
{
  HirExpr *expr = hir_expr_new (container, HIR_EXPR_FOR, NULL, 0, NULL, 0);

  expr->u.loop.iter_domain = iter_domain;
  expr->u.loop.index = index;
  expr->u.loop.start = hir_scalar_get_zero (container);
  expr->u.loop.stop = iter_domain->extent;
  expr->u.loop.step = hir_scalar_get_one (container);
  return expr;
}

HirExpr *
hir_expr_new_post_on_stream (HirContainer *container,
                             HirHostUnit *unit,
                             HirVal *const *inputs,
                             guint n_inputs,
                             HirVal *const *outputs,
                             guint n_outputs)
{
  HirExpr *expr;

  g_assert (unit->fusion->inputs.len == n_inputs && unit->fusion->outputs.len == n_outputs);

  expr = hir_expr_new (container, HIR_EXPR_POST_ON_STREAM, inputs, n_inputs, outputs, n_outputs);
  expr->u.post.unit = unit;
  return expr;
}

HirStream *
hir_stream_new (HirContainer *container, HirScalar *index)
{
  HirStream *stream = hir_arena_new0 (container->arena, HirStream);

  stream->base.kind = HIR_VAL_STREAM;
  stream->base.dtype = HIR_DTYPE_NULL;
  stream->base.container = container;
  stream->base.name = container->val_counter[HIR_VAL_STREAM]++;
  stream->index = index;
  hir_maker_stamp (container, &stream->base.node, "stream");
  return stream;
}

HirExpr *
hir_expr_new_stream_op (HirContainer *container, HirExprKind kind, HirStream *stream)
{
  HirExpr *expr;

  g_assert (kind == HIR_EXPR_GET_CURRENT_STREAM || kind == HIR_EXPR_SET_CURRENT_STREAM ||
            kind == HIR_EXPR_SYNCHRONIZE);
  g_assert (stream != NULL || kind == HIR_EXPR_GET_CURRENT_STREAM);

  if (stream == NULL)
    stream = hir_stream_new (container, NULL);
  expr = hir_expr_new (container, kind, NULL, 0, NULL, 0);
  expr->u.stream.stream = stream;
  return expr;
}

gboolean
hir_expr_is_standalone (const HirExpr *expr)
{
  switch (expr->kind)
    {
    case HIR_EXPR_MATMUL:
    case HIR_EXPR_SLICE:
    case HIR_EXPR_SELECT:
    case HIR_EXPR_LINEAR:
    case HIR_EXPR_BINARY:
    case HIR_EXPR_REDUCTION:
    case HIR_EXPR_COMMUNICATION:
    case HIR_EXPR_P2P:
    case HIR_EXPR_COLLECTIVE_PERMUTE:
      return TRUE;
    case HIR_EXPR_SET:
      return expr->u.set.kind == HIR_SET_SET && expr->n_outputs == 1 &&
             HIR_IS_TENSOR (expr->outputs[0]) && !HIR_TENSOR (expr->outputs[0])->has_root;
    default:
      return FALSE;
    }
}

gboolean
hir_expr_posts_unit (const HirExpr *expr)
{
  return (expr->kind == HIR_EXPR_POST_ON_STREAM || expr->kind == HIR_EXPR_LAUNCH_KERNEL) &&
         expr->u.post.unit != NULL;
}

HirScope *
hir_expr_get_scope (HirExpr *expr, guint i)
{
  if (expr->kind == HIR_EXPR_FOR && i == 0)
    return &expr->u.loop.body;
  if (expr->kind == HIR_EXPR_IF && i < 2)
    return i == 0 ? &expr->u.branch.then_body : &expr->u.branch.else_body;
  return NULL;
}

HirTensor *
hir_expr_get_result (const HirExpr *expr)
{
  switch (expr->kind)
    {
    case HIR_EXPR_ALLOCATE:
      return expr->u.allocate.buffer;
    case HIR_EXPR_ALIAS_SELECT:
      return expr->u.alias_select.out;
    case HIR_EXPR_SHARD_BY_STREAM:
      return expr->u.shard.out;
    case HIR_EXPR_P2P:
      return expr->u.p2p.is_send ? NULL : expr->u.p2p.buffer;
    default:
      return expr->n_outputs > 0 && HIR_IS_TENSOR (expr->outputs[0]) ? HIR_TENSOR (expr->outputs[0])
                                                                     : NULL;
    }
}
