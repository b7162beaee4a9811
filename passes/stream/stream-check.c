/* Checks whether an op keeps its meaning when a stream loop slices its operands. nvFuser slices
 * without a check; here the program is rejected if its meaning would change
 * (docs/host-ir.md#slices). */
#include "label.h"
#include "logical-map.h"
#include "print/print.h"
#include "stream/stream-private.h"

static const HirTensor *
get_output (const HirExpr *expr)
{
  return HIR_TENSOR (expr->outputs[0]);
}

static guint
get_rank (const HirExpr *expr, guint i)
{
  g_autofree HirIterDomain **ids = NULL;
  guint n = 0;

  if (i >= expr->n_inputs || !HIR_IS_TENSOR (expr->inputs[i]))
    return 0;
  ids = hir_tensor_dup_no_reductions (HIR_TENSOR (expr->inputs[i]), &n);
  return n;
}

/* Returns the position of @axis among the output's axes, not counting reductions, from the last one
 * (0). */
static guint
count_from_end (const HirTensor *out, const HirIterDomain *axis)
{
  guint n_after = 0;

  for (guint i = out->logical.n; i > 0 && out->logical.ids[i - 1] != axis; i--)
    n_after += !hir_iter_domain_is_reduction (out->logical.ids[i - 1]);
  return n_after;
}

static void
refuse (const HirExpr *expr, const HirIterDomain *axis, const char *why, GError **error)
{
  g_autofree char *label = hir_tensor_dup_label (get_output (expr));
  g_autofree char *text = hir_iter_domain_to_string (axis);
  HirPos pos = hir_axis_get_pos (get_output (expr), axis);

  hir_set_error (error, HIR_ERROR_REFUSED, &pos,
                 "axis %s of %s cannot be a stream axis, because "
                 "%s",
                 text, label, why);
}

static gboolean
check_matmul (const HirExpr *expr, const HirIterDomain *axis, GError **error)
{
  guint rank_a = get_rank (expr, 0), rank_b = get_rank (expr, 1);
  guint n_columns = rank_b >= 2, n_rows = rank_a >= 2;
  guint from_end = count_from_end (get_output (expr), axis);
  gboolean is_n = n_columns > 0 && from_end == 0;
  gboolean is_m = n_rows > 0 && from_end == n_columns;

  if ((is_n || is_m) && expr->inputs[0] == expr->inputs[1])
    {
      g_autofree char *label = hir_tensor_dup_label (HIR_TENSOR (expr->inputs[0]));
      g_autofree char *why = g_strdup_printf ("it is the %s axis of a matmul of %s with itself, "
                                              "which would have to be both whole and sliced; "
                                              "multiply it by a set of it instead",
                                              is_n ? "N" : "M", label);

      refuse (expr, axis, why, error);
      return FALSE;
    }
  if (is_n && rank_b > 2)
    {
      refuse (expr, axis,
              "it is the N axis of a matmul whose second operand is batched: without N, its batch "
              "axis would be taken for K; parallelize the batch axis instead",
              error);
      return FALSE;
    }
  if (is_m && rank_a > 2 && rank_b > 2)
    {
      refuse (expr, axis,
              "it is the M axis of a matmul of two batched operands: without M, the batch axis of "
              "the first would be taken for M; parallelize the batch axis instead",
              error);
      return FALSE;
    }
  return TRUE;
}

static gboolean
check_linear (const HirExpr *expr, const HirIterDomain *axis, GError **error)
{
  guint rank_weight = get_rank (expr, 1);

  for (guint i = 1; i < expr->n_inputs; i++)
    {
      if (expr->inputs[i] == expr->inputs[0])
        {
          refuse (expr, axis,
                  "linear reads the same tensor as two operands, so it would have to be both whole "
                  "and sliced; use a set of the tensor for one of them",
                  error);
          return FALSE;
        }
    }
  if (rank_weight > 2 && count_from_end (get_output (expr), axis) == 0)
    {
      refuse (expr, axis,
              "it is the N axis of a linear whose weight is batched: without N, the batch axis of "
              "the weight would be taken for N; parallelize the batch axis instead",
              error);
      return FALSE;
    }
  return TRUE;
}

/* A slice cuts this axis, so it differs from the input's axis: iteration i does not read element i
 * of the input. */
static gboolean
check_slice (const HirExpr *expr, const HirIterDomain *axis, GError **error)
{
  if (hir_domain_find (hir_tensor_get_maybe_root (get_output (expr)), axis) >= 0)
    return TRUE;
  refuse (expr, axis,
          "slice cuts it, so its elements are not those of the input; parallelize an axis that "
          "slice does not cut, or a set of the result",
          error);
  return FALSE;
}

/* rfactor splits an axis of the operands. A loop over one part would have to slice a part of that
 * axis; without a slice, each iteration would sum the whole axis. */
static gboolean
check_rfactor (const HirExpr *expr, const HirIterDomain *axis, GError **error)
{
  g_autofree char *why = NULL;

  if ((expr->kind != HIR_EXPR_REDUCTION && expr->kind != HIR_EXPR_MATMUL &&
       expr->kind != HIR_EXPR_LINEAR) ||
      hir_domain_find (hir_tensor_get_maybe_root (get_output (expr)), axis) >= 0)
    return TRUE;
  why = g_strdup_printf ("rfactor made it by splitting an axis that %s reads whole, and a stream "
                         "loop cannot slice a part of an axis; leave it serial, or split the axis "
                         "with a reshape before %s",
                         hir_expr_get_op_name (expr), hir_expr_get_op_name (expr));
  refuse (expr, axis, why, error);
  return FALSE;
}

/* Returns the logical position of the axis of operand @operand that @expr itself maps to @axis, or
 * -1. */
static int
find_own_axis (const HirExpr *expr, guint operand, const HirIterDomain *axis)
{
  const HirTensor *tensor = HIR_TENSOR (expr->inputs[operand]);
  g_autofree HirIterDomain **consumer = NULL;
  g_autofree HirIterDomain **producer = NULL;
  guint n = 0;

  consumer = hir_expr_dup_logical_map (expr, tensor, get_output (expr), &producer, &n);
  for (guint i = 0; i < n; i++)
    {
      if (consumer[i] == axis)
        return hir_domain_find (&tensor->logical, producer[i]);
    }
  return -1;
}

/* The loop slices the axes that the whole program relates to its axis. The op needs the axes that
 * it relates itself. */
static gboolean
check_operand (
    const HirExpr *expr, guint operand, const HirIterDomain *axis, int position, GError **error)
{
  const HirTensor *tensor = HIR_TENSOR (expr->inputs[operand]);
  int own = find_own_axis (expr, operand, axis);
  const char *op = hir_expr_get_op_name (expr);
  g_autofree char *label = NULL;
  g_autofree char *text = NULL;
  g_autofree char *why = NULL;

  if (own == position)
    return TRUE;

  label = hir_tensor_dup_label (tensor);
  text = hir_iter_domain_to_string (tensor->logical.ids[own >= 0 ? own : position]);
  if (own >= 0 && position < 0)
    why =
        g_strdup_printf ("%s would need a slice of %s along %s, but that axis was split or merged; "
                         "leave it whole there, or read a set of %s",
                         op, label, text, label);
  else
    why = g_strdup_printf ("%s reads %s along a different axis than the loop would slice (%s is "
                           "related to it by other ops); read a set of %s, or parallelize another "
                           "axis",
                           op, label, text, label);
  refuse (expr, axis, why, error);
  return FALSE;
}

gboolean
hir_stream_check_slicing (const HirExpr *expr,
                          const HirIterDomain *axis,
                          const int *positions,
                          GError **error)
{
  if ((expr->kind == HIR_EXPR_MATMUL && !check_matmul (expr, axis, error)) ||
      (expr->kind == HIR_EXPR_LINEAR && !check_linear (expr, axis, error)) ||
      (expr->kind == HIR_EXPR_SLICE && !check_slice (expr, axis, error)) ||
      !check_rfactor (expr, axis, error))
    return FALSE;
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      if (HIR_IS_TENSOR (expr->inputs[i]) && !check_operand (expr, i, axis, positions[i], error))
        return FALSE;
    }
  return TRUE;
}
