#include "label.h"
#include "print/print.h"
#include "stream/stream-private.h"

/* By the rules, slice and select can be in a loop too, but no back end can write their result into
 * a slice (docs/host-ir.md#compute). */
#define LOOPABLE                                                                                   \
  "ops that can: set, add and other binary ops of two tensors, sum, max, min, matmul, linear"

void
hir_stream_refuse_input (const HirTensor *tensor, const HirIterDomain *axis, GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (tensor);
  g_autofree char *text = hir_iter_domain_to_string (axis);
  HirPos pos = hir_axis_get_pos (tensor, axis);

  hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                 "axis %s of %s cannot be a stream axis, because %s is an input of the fusion and "
                 "exists in full when the program starts; parallelize an axis of a tensor computed "
                 "from it",
                 text, label, label);
}

void
hir_stream_refuse_two_axes (const HirTensor *tensor,
                            const HirIterDomain *first,
                            const HirIterDomain *second,
                            GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (tensor);
  g_autofree char *a = hir_iter_domain_to_string (first);
  g_autofree char *b = hir_iter_domain_to_string (second);
  HirPos pos = hir_axis_get_pos (tensor, second);

  hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                 "%s has two stream axes, %s and %s; a tensor can have only one, so leave one of "
                 "them serial",
                 label, a, b);
}

void
hir_stream_refuse_two_outputs (const HirExpr *expr, GError **error)
{
  g_autoptr (GString) results = g_string_new (NULL);

  for (guint i = 0; i < expr->n_outputs; i++)
    {
      g_autofree char *label = HIR_IS_TENSOR (expr->outputs[i])
                                   ? hir_tensor_dup_label (HIR_TENSOR (expr->outputs[i]))
                                   : g_strdup ("a scalar");

      g_string_append_printf (results, "%s%s",
                              i == 0                    ? ""
                              : i + 1 < expr->n_outputs ? ", "
                                                        : " and ",
                              label);
    }
  if (expr->kind == HIR_EXPR_POST_ON_STREAM)
    hir_set_error (error, HIR_ERROR_REFUSED, &expr->node.pos,
                   "HostUnit%d has %u results, %s, but StreamParallelType supports only one per "
                   "op; copy one of them with a set before other ops read it, or disable "
                   "StreamParallelType",
                   expr->u.post.unit->index, expr->n_outputs, results->str);
  else
    hir_set_error (error, HIR_ERROR_REFUSED, &expr->node.pos,
                   "%s has %u results, %s, but StreamParallelType supports only one per op; "
                   "disable StreamParallelType",
                   hir_expr_get_op_name (expr), expr->n_outputs, results->str);
}

/* Returns the op inside @unit that produces @tensor. */
static const HirExpr *
find_definition_in_unit (const HirHostUnit *unit, const HirTensor *tensor)
{
  for (guint i = 0; i < unit->fusion->outputs.len; i++)
    {
      const HirVal *output = unit->fusion->outputs.items[i];

      if (HIR_IS_TENSOR (output) && output->node.id == tensor->base.node.id)
        return HIR_TENSOR (output)->definition;
    }
  return NULL;
}

void
hir_stream_refuse_op (const HirExpr *expr,
                      const HirTensor *tensor,
                      const HirIterDomain *axis,
                      GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (tensor);
  g_autofree char *text = hir_iter_domain_to_string (axis);
  g_autofree char *line = NULL;
  HirPos pos = hir_axis_get_pos (tensor, axis);
  const HirExpr *op;

  if (expr->kind != HIR_EXPR_POST_ON_STREAM)
    {
      hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                     "axis %s of %s cannot be a stream axis, because %s cannot run in a "
                     "stream loop; " LOOPABLE,
                     text, label, hir_expr_get_op_name (expr));
      return;
    }

  op = find_definition_in_unit (expr->u.post.unit, tensor);
  line = op != NULL && op->node.pos.line != 0 ? g_strdup_printf (" (line %u)", op->node.pos.line)
                                              : g_strdup ("");
  hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                 "axis %s of %s cannot be a stream axis, because %s is computed inside HostUnit%d "
                 "by %s%s, which cannot run in a stream loop; parallelize a set of it "
                 "instead; " LOOPABLE,
                 text, label, label, expr->u.post.unit->index,
                 op != NULL ? hir_expr_get_op_name (op) : "another op", line);
}

/* Returns an axis that can be a stream axis in place of a result of @from, as advice. */
static char *
dup_whole_advice (const HirTensor *tensor, const HirTransform *from)
{
  const HirIterDomain *first = from != NULL ? from->in[0] : NULL;
  g_autofree char *text = first != NULL ? hir_iter_domain_to_string (first) : NULL;

  if (first != NULL && hir_iter_domain_is_reduction (first))
    return g_strdup_printf ("parallelize one that is not reduced, unlike %s", text);
  if (first == NULL || hir_domain_find (&tensor->logical, first) < 0)
    return g_strdup ("reshape the tensor, and parallelize an axis of the result");
  return g_strdup_printf ("parallelize %s %s, or reshape the tensor", text,
                          from->kind == HIR_TRANSFORM_MERGE ? "alone" : "as a whole");
}

void
hir_stream_refuse_derived (const HirTensor *tensor, const HirIterDomain *axis, GError **error)
{
  const HirTransform *from = axis->definition;
  g_autofree char *label = hir_tensor_dup_label (tensor);
  g_autofree char *text = hir_iter_domain_to_string (axis);
  g_autofree char *first = from != NULL ? hir_iter_domain_to_string (from->in[0]) : NULL;
  g_autofree char *line = from != NULL && from->node.pos.line != 0
                              ? g_strdup_printf (" at line %u", from->node.pos.line)
                              : g_strdup ("");
  g_autofree char *advice = dup_whole_advice (tensor, from);
  HirPos pos = hir_axis_get_pos (tensor, axis);

  if (from != NULL && from->kind == HIR_TRANSFORM_SPLIT)
    {
      g_autofree char *factor = hir_scalar_to_string (from->factor);

      hir_set_error (
          error, HIR_ERROR_REFUSED, &pos,
          "axis %s of %s cannot be a stream axis, because it is a result of the split of %s by "
          "%s%s; only an axis of the tensor's own shape can be: %s",
          text, label, first, factor, line, advice);
    }
  else if (from != NULL && from->kind == HIR_TRANSFORM_MERGE)
    {
      g_autofree char *second = hir_iter_domain_to_string (from->in[1]);

      hir_set_error (
          error, HIR_ERROR_REFUSED, &pos,
          "axis %s of %s cannot be a stream axis, because it is the result of the merge of %s and "
          "%s%s; only an axis of the tensor's own shape can be: %s",
          text, label, first, second, line, advice);
    }
  else
    hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                   "axis %s of %s cannot be a stream axis, because it is not an axis of the "
                   "tensor's own shape",
                   text, label);
}

void
hir_stream_refuse_iter_type (const HirExpr *expr,
                             const HirTensor *tensor,
                             const HirIterDomain *axis,
                             GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (tensor);
  g_autofree char *text = hir_iter_domain_to_string (axis);
  HirPos pos = hir_axis_get_pos (tensor, axis);

  if (!hir_iter_domain_is_reduction (axis))
    hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                   "axis %s of %s cannot be a stream axis, because it is neither an iteration nor "
                   "a broadcast axis",
                   text, label);
  else if (expr->kind == HIR_EXPR_MATMUL || expr->kind == HIR_EXPR_LINEAR)
    hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                   "axis %s of %s cannot be a stream axis, because it is the K axis that %s sums "
                   "over: the iterations would all add to the same elements; parallelize another "
                   "axis",
                   text, label, hir_expr_get_op_name (expr));
  else
    hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                   "axis %s of %s cannot be a stream axis, because it is reduced by %s: the result "
                   "has no such axis to slice; parallelize an axis that is not reduced",
                   text, label, hir_expr_get_op_name (expr));
}

void
hir_stream_refuse_two_mapped (const HirTensor *tensor,
                              const HirIterDomain *axis,
                              const HirIterDomain *first,
                              const HirIterDomain *second,
                              GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (tensor);
  g_autofree char *loop = hir_iter_domain_to_string (axis);
  g_autofree char *a = hir_iter_domain_to_string (first);
  g_autofree char *b = second != NULL ? hir_iter_domain_to_string (second) : NULL;
  HirPos pos = hir_axis_get_pos (tensor, axis);

  if (second != NULL)
    hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                   "two axes of %s, %s and %s, both belong to the stream axis %s, but a stream "
                   "loop can slice only one of them; leave that axis serial",
                   label, a, b, loop);
  else
    hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                   "axis %s of %s belongs to the stream axis %s, but is not an axis of the "
                   "tensor's own shape, so it cannot be sliced",
                   a, label, loop);
}
