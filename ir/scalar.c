#include "scalar.h"

#include "container.h"

typedef struct
{
  const char *token;
  gboolean is_boolean;
} OpInfo;

static const OpInfo op_infos[HIR_N_SCALAR_OPS] = {
  [HIR_SCALAR_OP_ADD] = { "+", FALSE },   [HIR_SCALAR_OP_SUB] = { "-", FALSE },
  [HIR_SCALAR_OP_MUL] = { "*", FALSE },   [HIR_SCALAR_OP_DIV] = { "/", FALSE },
  [HIR_SCALAR_OP_MOD] = { "%", FALSE },   [HIR_SCALAR_OP_CEIL_DIV] = { "ceilDiv", FALSE },
  [HIR_SCALAR_OP_EQ] = { "==", TRUE },    [HIR_SCALAR_OP_NE] = { "!=", TRUE },
  [HIR_SCALAR_OP_LT] = { "<", TRUE },     [HIR_SCALAR_OP_LE] = { "<=", TRUE },
  [HIR_SCALAR_OP_GT] = { ">", TRUE },     [HIR_SCALAR_OP_GE] = { ">=", TRUE },
  [HIR_SCALAR_OP_AND] = { "&&", TRUE },   [HIR_SCALAR_OP_OR] = { "||", TRUE },
  [HIR_SCALAR_OP_MAX] = { "max", FALSE }, [HIR_SCALAR_OP_MIN] = { "min", FALSE },
};

static HirScalar *
scalar_new (HirContainer *container, HirScalarKind kind, HirDType dtype)
{
  HirScalar *scalar = hir_arena_new0 (container->arena, HirScalar);

  scalar->base.kind = HIR_VAL_SCALAR;
  scalar->base.dtype = dtype;
  scalar->base.container = container;
  scalar->base.name = container->val_counter[HIR_VAL_SCALAR]++;
  scalar->kind = kind;
  return scalar;
}

HirScalar *
hir_scalar_new_symbol (HirContainer *container, HirDType dtype)
{
  HirScalar *scalar = scalar_new (container, HIR_SCALAR_SYMBOL, dtype);

  hir_maker_stamp (container, &scalar->base.node, "scalar");
  return scalar;
}

/* Constants have no identity: equal values are interchangeable. */
HirScalar *
hir_scalar_new_int (HirContainer *container, gint64 value, HirDType dtype)
{
  HirScalar *scalar = scalar_new (container, HIR_SCALAR_CONST, dtype);

  scalar->i = value;
  scalar->d = (double) value;
  return scalar;
}

HirScalar *
hir_scalar_new_double (HirContainer *container, double value, HirDType dtype)
{
  HirScalar *scalar = scalar_new (container, HIR_SCALAR_CONST, dtype);

  scalar->d = value;
  return scalar;
}

HirScalar *
hir_scalar_new_complex (HirContainer *container, double real, double imaginary, HirDType dtype)
{
  HirScalar *scalar = hir_scalar_new_double (container, real, dtype);

  scalar->imaginary = imaginary;
  return scalar;
}

HirScalar *
hir_scalar_get_zero (HirContainer *container)
{
  if (container->zero == NULL)
    container->zero = hir_scalar_new_int (container, 0, HIR_DTYPE_INDEX);
  return container->zero;
}

HirScalar *
hir_scalar_get_one (HirContainer *container)
{
  if (container->one == NULL)
    container->one = hir_scalar_new_int (container, 1, HIR_DTYPE_INDEX);
  return container->one;
}

HirScalar *
hir_scalar_get_named (HirContainer *container, const char *name, HirDType dtype)
{
  HirScalar *scalar;

  for (guint i = 0; i < container->named.len; i++)
    {
      scalar = container->named.items[i];
      if (g_str_equal (scalar->named, name))
        return scalar;
    }

  scalar = hir_arena_new0 (container->arena, HirScalar);
  scalar->base.kind = HIR_VAL_SCALAR;
  scalar->base.dtype = dtype;
  scalar->base.container = container;
  scalar->base.name = -1; /* printed by its name, never numbered */
  scalar->base.node.id = hir_hash_text (0x6e616d6564, name);
  scalar->kind = HIR_SCALAR_NAMED;
  scalar->named = hir_arena_strdup (container->arena, name);
  hir_vec_push (container->arena, &container->named, scalar);
  return scalar;
}

gboolean
hir_scalar_is_const (const HirScalar *scalar)
{
  return scalar->kind == HIR_SCALAR_CONST;
}

static gboolean
is_integral_const (const HirScalar *scalar)
{
  return scalar->kind == HIR_SCALAR_CONST && !hir_dtype_is_floating_point (scalar->base.dtype) &&
         !hir_dtype_is_complex (scalar->base.dtype);
}

gboolean
hir_scalar_is_const_int (const HirScalar *scalar, gint64 value)
{
  return is_integral_const (scalar) && scalar->i == value;
}

/* Returns FALSE on division by zero and on overflow. Division truncates, as in C; MOD has the sign
 * of the dividend. */
static gboolean
fold (HirScalarOp op, gint64 a, gint64 b, gint64 *result)
{
  switch (op)
    {
    case HIR_SCALAR_OP_ADD:
      return !__builtin_add_overflow (a, b, result);
    case HIR_SCALAR_OP_SUB:
      return !__builtin_sub_overflow (a, b, result);
    case HIR_SCALAR_OP_MUL:
      return !__builtin_mul_overflow (a, b, result);
    case HIR_SCALAR_OP_DIV:
    case HIR_SCALAR_OP_MOD:
    case HIR_SCALAR_OP_CEIL_DIV:
      if (b == 0 || (a == G_MININT64 && b == -1))
        return FALSE;
      *result = op == HIR_SCALAR_OP_MOD ? a % b : a / b;
      if (op == HIR_SCALAR_OP_CEIL_DIV && a % b != 0 && (a > 0) == (b > 0))
        *result += 1;
      return TRUE;
    case HIR_SCALAR_OP_EQ:
      *result = a == b;
      return TRUE;
    case HIR_SCALAR_OP_NE:
      *result = a != b;
      return TRUE;
    case HIR_SCALAR_OP_LT:
      *result = a < b;
      return TRUE;
    case HIR_SCALAR_OP_LE:
      *result = a <= b;
      return TRUE;
    case HIR_SCALAR_OP_GT:
      *result = a > b;
      return TRUE;
    case HIR_SCALAR_OP_GE:
      *result = a >= b;
      return TRUE;
    case HIR_SCALAR_OP_AND:
      *result = a && b;
      return TRUE;
    case HIR_SCALAR_OP_OR:
      *result = a || b;
      return TRUE;
    case HIR_SCALAR_OP_MAX:
      *result = MAX (a, b);
      return TRUE;
    case HIR_SCALAR_OP_MIN:
      *result = MIN (a, b);
      return TRUE;
    default:
      g_return_val_if_reached (FALSE);
    }
}

/* Returns the simplification of `a op b` that needs no new op, or NULL. */
static HirScalar *
simplify (HirContainer *container, HirScalarOp op, HirScalar *a, HirScalar *b)
{
  gint64 folded;

  if (is_integral_const (a) && is_integral_const (b) && fold (op, a->i, b->i, &folded))
    return hir_scalar_new_int (container, folded,
                               op_infos[op].is_boolean ? HIR_DTYPE_BOOL : a->base.dtype);

  switch (op)
    {
    case HIR_SCALAR_OP_MUL:
      if (hir_scalar_is_const_int (a, 0) || hir_scalar_is_const_int (b, 1))
        return a;
      if (hir_scalar_is_const_int (b, 0) || hir_scalar_is_const_int (a, 1))
        return b;
      return NULL;
    case HIR_SCALAR_OP_DIV:
    case HIR_SCALAR_OP_CEIL_DIV:
      return hir_scalar_is_const_int (b, 1) ? a : NULL;
    case HIR_SCALAR_OP_ADD:
      if (hir_scalar_is_const_int (a, 0))
        return b;
      return hir_scalar_is_const_int (b, 0) ? a : NULL;
    case HIR_SCALAR_OP_SUB:
      return hir_scalar_is_const_int (b, 0) ? a : NULL;
    default:
      return NULL;
    }
}

static HirScalar *
new_op_node (HirContainer *container, HirScalarOp op, HirScalar *a, HirScalar *b)
{
  HirScalar *scalar = scalar_new (container, HIR_SCALAR_OP,
                                  op_infos[op].is_boolean ? HIR_DTYPE_BOOL : a->base.dtype);

  scalar->op = op;
  scalar->a = a;
  scalar->b = b;
  return scalar;
}

HirScalar *
hir_scalar_new_op (HirContainer *container, HirScalarOp op, HirScalar *a, HirScalar *b)
{
  HirScalar *simple;

  g_return_val_if_fail (a != NULL && b != NULL, NULL);

  simple = simplify (container, op, a, b);
  if (simple != NULL)
    return simple;
  /* `merge` of {4} and {i0} prints ( i0 * 4 ). */
  if (op == HIR_SCALAR_OP_MUL && is_integral_const (a) && !is_integral_const (b))
    return new_op_node (container, op, b, a);
  return new_op_node (container, op, a, b);
}

HirScalar *
hir_scalar_new_op_as_is (HirContainer *container, HirScalarOp op, HirScalar *a, HirScalar *b)
{
  g_return_val_if_fail (a != NULL && b != NULL, NULL);

  return new_op_node (container, op, a, b);
}

/* Products are left-deep in practice. */
static void
flatten (HirScalar *scalar, GPtrArray *factors)
{
  if (scalar->kind == HIR_SCALAR_OP && scalar->op == HIR_SCALAR_OP_MUL)
    {
      flatten (scalar->a, factors);
      flatten (scalar->b, factors);
    }
  else
    {
      g_ptr_array_add (factors, scalar);
    }
}

HirScalar *
hir_scalar_new_size (HirContainer *container, HirScalar *const *factors, guint n_factors)
{
  g_autoptr (GPtrArray) flat = g_ptr_array_new ();
  HirScalar *product = NULL;
  gint64 folded = 1;
  guint n_consts = 0;

  for (guint i = 0; i < n_factors; i++)
    flatten (factors[i], flat);

  for (guint i = 0; i < flat->len; i++)
    {
      HirScalar *factor = flat->pdata[i];

      if (!is_integral_const (factor) || factor->i == 1)
        continue;
      if (factor->i == 0)
        return hir_scalar_get_zero (container);
      if (__builtin_mul_overflow (folded, factor->i, &folded))
        folded = G_MAXINT64;
      n_consts++;
    }

  for (guint i = 0; i < flat->len; i++)
    {
      HirScalar *factor = flat->pdata[i];

      if (is_integral_const (factor) && (factor->i == 1 || n_consts > 1))
        continue;
      product =
          product == NULL ? factor : new_op_node (container, HIR_SCALAR_OP_MUL, product, factor);
    }
  if (n_consts > 1)
    {
      HirScalar *constant = hir_scalar_new_int (container, folded, HIR_DTYPE_INDEX);

      product = product == NULL ? constant
                                : new_op_node (container, HIR_SCALAR_OP_MUL, product, constant);
    }
  return product != NULL ? product : hir_scalar_get_one (container);
}

gboolean
hir_scalar_equal (const HirScalar *a, const HirScalar *b)
{
  if (a == b)
    return TRUE;
  if (a == NULL || b == NULL || a->kind != b->kind)
    return FALSE;

  switch (a->kind)
    {
    case HIR_SCALAR_CONST:
      return is_integral_const (a) == is_integral_const (b) &&
             (is_integral_const (a) ? a->i == b->i : a->d == b->d && a->imaginary == b->imaginary);
    case HIR_SCALAR_NAMED:
      return g_str_equal (a->named, b->named);
    case HIR_SCALAR_OP:
      return a->op == b->op && hir_scalar_equal (a->a, b->a) && hir_scalar_equal (a->b, b->b);
    case HIR_SCALAR_SYMBOL:
    default:
      return FALSE;
    }
}

const char *
hir_scalar_op_get_token (HirScalarOp op)
{
  g_return_val_if_fail ((guint) op < HIR_N_SCALAR_OPS, "?");
  return op_infos[op].token;
}

static char *
leaf_name (const HirScalar *leaf)
{
  if (leaf->kind == HIR_SCALAR_NAMED)
    return g_strdup (leaf->named);
  return g_strdup_printf ("%s%d", hir_dtype_get_prefix (leaf->base.dtype), leaf->base.name);
}

gboolean
hir_scalar_evaluate (const HirScalar *scalar,
                     HirScalarLookup lookup,
                     gpointer user_data,
                     gint64 *value,
                     GError **error)
{
  gint64 a, b;

  /* The lookup may know any value, including the result of an op. */
  if (scalar->kind != HIR_SCALAR_CONST && lookup != NULL && lookup (scalar, value, user_data))
    return TRUE;

  if (scalar->kind == HIR_SCALAR_CONST)
    {
      *value = hir_dtype_is_floating_point (scalar->base.dtype) ? (gint64) scalar->d : scalar->i;
      return TRUE;
    }
  if (scalar->kind != HIR_SCALAR_OP)
    {
      g_autofree char *name = leaf_name (scalar);

      hir_set_error (error, HIR_ERROR_RUN, NULL, "the value of %s is not known here", name);
      return FALSE;
    }

  if (!hir_scalar_evaluate (scalar->a, lookup, user_data, &a, error) ||
      !hir_scalar_evaluate (scalar->b, lookup, user_data, &b, error))
    return FALSE;
  if (!fold (scalar->op, a, b, value))
    {
      hir_set_error (error, HIR_ERROR_RUN, NULL,
                     "%" G_GINT64_FORMAT " %s %" G_GINT64_FORMAT
                     " has no 64-bit value; check the shapes of the inputs",
                     a, op_infos[scalar->op].token, b);
      return FALSE;
    }
  return TRUE;
}
