/* Matmul and linear: axes of the output (docs/host-ir.md#op-outputs) and how operands map to them
 * (docs/host-ir.md#logical-domain-map). */
#include "label.h"
#include "ops/ops-private.h"

typedef struct
{
  HirTensor *tensor;
  HirIterDomain **axes; /* without reductions; owned */
  guint rank;
} Operand;

static Operand
operand_new (HirTensor *tensor)
{
  Operand operand = { .tensor = tensor };

  if (tensor != NULL)
    operand.axes = hir_tensor_dup_no_reductions (tensor, &operand.rank);
  return operand;
}

static void
operand_clear (Operand *operand)
{
  g_clear_pointer (&operand->axes, g_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Operand, operand_clear)

/* Operand axes that become one axis of the output. Linear joins at most weight and bias. */
typedef struct
{
  HirOpAxis items[2];
  guint n;
  const char *name; /* for messages (nullable) */
  gboolean allow_one;
} Joint;

static void
joint_add (Joint *joint, const Operand *operand, guint axis)
{
  joint->items[joint->n++] = (HirOpAxis){ operand->tensor, axis, operand->axes[axis] };
}

/* Appends a new joint with axis @axis of @operand to @joints. */
static Joint *
joints_append (GArray *joints, const Operand *operand, guint axis)
{
  Joint joint = { .allow_one = TRUE };

  joint_add (&joint, operand, axis);
  g_array_append_val (joints, joint);
  return &g_array_index (joints, Joint, joints->len - 1);
}

static HirOpAxisGroup
joint_get_group (Joint *joint)
{
  return (HirOpAxisGroup){ joint->items, joint->n };
}

static gboolean
check_operands (
    HirContainer *fusion, const char *op, const Operand *a, const Operand *b, GError **error)
{
  g_autofree char *label_a = hir_tensor_dup_label (a->tensor);
  g_autofree char *label_b = hir_tensor_dup_label (b->tensor);

  if (a->rank == 0 || b->rank == 0)
    {
      hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                     "%s: %s has no axes; both operands need at least one", op,
                     a->rank == 0 ? label_a : label_b);
      return FALSE;
    }
  if (a->tensor->base.dtype != b->tensor->base.dtype)
    {
      hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                     "%s: %s is %s, but %s is %s; cast one of them", op, label_a,
                     hir_dtype_get_script_name (a->tensor->base.dtype), label_b,
                     hir_dtype_get_script_name (b->tensor->base.dtype));
      return FALSE;
    }
  return TRUE;
}

/* Creates the output with the axes of @joints, followed by the reduced axis if an operand has it.
 * The output of matmul and linear has no mesh (docs/host-ir.md#op-outputs). NULL operands are left
 * out of the Expr. */
static HirTensor *
new_product (HirContainer *fusion,
             HirExprKind kind,
             const char *op,
             GArray *joints,
             Joint *reduced,
             HirTensor *const *operands,
             guint n_operands,
             GError **error)
{
  g_autofree HirIterDomain **ids = g_new (HirIterDomain *, joints->len + 1);
  HirOpAxisGroup k = joint_get_group (reduced);
  HirVal *inputs[3];
  HirTensor *out;
  guint n = 0;

  if (!hir_op_check_extents (fusion, op, "K", &k, FALSE, error))
    return NULL;
  for (guint i = 0; i < joints->len; i++)
    {
      Joint *joint = &g_array_index (joints, Joint, i);
      HirOpAxisGroup group = joint_get_group (joint);

      if (!hir_op_check_extents (fusion, op, joint->name, &group, joint->allow_one, error) ||
          !hir_op_check_parallel (fusion, op, &group, error))
        return NULL;
    }

  for (guint i = 0; i < joints->len; i++)
    {
      HirOpAxisGroup group = joint_get_group (&g_array_index (joints, Joint, i));

      ids[n++] = hir_op_join_axes (fusion, &group);
    }
  if (!hir_op_is_all_broadcast (&k))
    ids[n++] = hir_op_join_reduced (fusion, &k);
  out = hir_tensor_new (fusion, operands[0]->base.dtype, ids, n);
  for (guint i = 0; i < n_operands; i++)
    inputs[i] = HIR_VAL (operands[i]);
  hir_op_add (fusion, kind, inputs, n_operands, out);
  return out;
}

/* Appends the batch axes of both operands, aligned from the right. */
static void
append_batch (GArray *joints, const Operand *a, const Operand *b)
{
  guint n_a = a->rank > 2 ? a->rank - 2 : 0;
  guint n_b = b->rank > 2 ? b->rank - 2 : 0;
  guint n = MAX (n_a, n_b);

  for (guint i = 0; i < n; i++)
    {
      gboolean in_a = i + n_a >= n;
      gboolean in_b = i + n_b >= n;
      Joint *joint =
          in_a ? joints_append (joints, a, i + n_a - n) : joints_append (joints, b, i + n_b - n);

      joint->name = "batch";
      if (in_a && in_b)
        joint_add (joint, b, i + n_b - n);
    }
}

HirTensor *
hir_op_matmul (HirContainer *fusion, HirTensor *a_tensor, HirTensor *b_tensor, GError **error)
{
  g_auto (Operand) a = operand_new (a_tensor);
  g_auto (Operand) b = operand_new (b_tensor);
  g_autoptr (GArray) joints = g_array_new (FALSE, TRUE, sizeof (Joint));
  HirTensor *operands[] = { a_tensor, b_tensor };
  Joint k = { .n = 0 };

  if (!check_operands (fusion, "matmul", &a, &b, error))
    return NULL;
  append_batch (joints, &a, &b);
  if (a.rank >= 2)
    joints_append (joints, &a, a.rank - 2);
  if (b.rank >= 2)
    joints_append (joints, &b, b.rank - 1);
  joint_add (&k, &a, a.rank - 1);
  joint_add (&k, &b, b.rank >= 2 ? b.rank - 2 : 0);
  return new_product (fusion, HIR_EXPR_MATMUL, "matmul", joints, &k, operands, 2, error);
}

/* The bias must be [N], or have the shape of the weight without K. */
static gboolean
check_bias (HirContainer *fusion, const Operand *weight, const Operand *bias, GError **error)
{
  g_autofree char *label = NULL;
  guint rank = weight->rank - 1;

  if (bias->tensor == NULL)
    return TRUE;
  label = hir_tensor_dup_label (bias->tensor);
  if (bias->rank != rank && !(rank > 1 && bias->rank == 1))
    {
      hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                     "linear: the bias %s has %u axes; it needs %u, one fewer than the weight",
                     label, bias->rank, rank);
      return FALSE;
    }
  if (bias->tensor->base.dtype != weight->tensor->base.dtype)
    {
      hir_set_error (error, HIR_ERROR_INPUT, HIR_OP_POS (fusion),
                     "linear: the bias %s is %s, but the weight is %s; cast one of them", label,
                     hir_dtype_get_script_name (bias->tensor->base.dtype),
                     hir_dtype_get_script_name (weight->tensor->base.dtype));
      return FALSE;
    }
  return TRUE;
}

HirTensor *
hir_op_linear (HirContainer *fusion,
               HirTensor *in_tensor,
               HirTensor *weight_tensor,
               HirTensor *bias_tensor,
               GError **error)
{
  g_auto (Operand) in = operand_new (in_tensor);
  g_auto (Operand) weight = operand_new (weight_tensor);
  g_auto (Operand) bias = operand_new (bias_tensor);
  g_autoptr (GArray) joints = g_array_new (FALSE, TRUE, sizeof (Joint));
  HirTensor *operands[] = { in_tensor, weight_tensor, bias_tensor };
  Joint k = { .n = 0 };

  if (!check_operands (fusion, "linear", &in, &weight, error) ||
      !check_bias (fusion, &weight, &bias, error))
    return NULL;

  for (guint i = 0; i + 2 < weight.rank; i++)
    {
      Joint *joint = joints_append (joints, &weight, i);

      joint->name = "batch";
      if (bias.rank > 1)
        joint_add (joint, &bias, i);
    }
  for (guint i = 0; i + 1 < in.rank; i++)
    joints_append (joints, &in, i);
  if (weight.rank >= 2)
    {
      Joint *joint = joints_append (joints, &weight, weight.rank - 2);

      joint->name = "N";
      if (bias.rank > 0)
        joint_add (joint, &bias, bias.rank - 1);
    }
  joint_add (&k, &in, in.rank - 1);
  joint_add (&k, &weight, weight.rank - 1);
  return new_product (fusion, HIR_EXPR_LINEAR, "linear", joints, &k, operands,
                      bias_tensor != NULL ? 3 : 2, error);
}
