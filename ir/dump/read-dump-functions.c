/* Elementwise ops: `relu(T0)`, `T0 + T1`, `where(...)`, casts (docs/host-ir.md#tensor-ops). */
#include "dump/read-dump-internal.h"

#include <string.h>

gboolean
hir_dump_read_operands (HirDumpReader *reader, GPtrArray *operands)
{
  if (!hir_dump_expect (reader, "("))
    return FALSE;
  do
    {
      HirVal *val = hir_dump_read_operand (reader);

      if (val == NULL)
        return FALSE;
      g_ptr_array_add (operands, val);
    }
  while (hir_dump_accept (reader, ","));
  return hir_dump_expect (reader, ")");
}

gboolean
hir_dump_lookup_function (const char *word, HirBinaryOp *op)
{
  g_autofree char *stem = g_strdup (word);
  gsize n = strlen (word);

  if (g_str_equal (word, "max") || g_str_equal (word, "min"))
    {
      *op = word[1] == 'a' ? HIR_BINARY_MAX : HIR_BINARY_MIN;
      return TRUE;
    }
  if (hir_binary_op_lookup (word, op))
    return hir_binary_op_get_token (*op) == NULL;
  if (n < 2 || word[n - 1] != 'f')
    return FALSE;
  stem[n - 1] = '\0';
  return hir_binary_op_lookup (stem, op) && hir_binary_op_get_token (*op) == NULL;
}

static gboolean
lookup_token (const HirDumpToken *token, HirBinaryOp *op)
{
  for (int i = 0; i < HIR_N_BINARY_OPS; i++)
    {
      const char *text = hir_binary_op_get_token ((HirBinaryOp) i);

      if (text == NULL || !hir_dump_token_is (token, text))
        continue;
      *op = (HirBinaryOp) i;
      return TRUE;
    }
  return FALSE;
}

static HirExpr *
new_unary (HirDumpReader *reader,
           HirTensor *out,
           const HirDumpToken *start,
           HirUnaryOp op,
           HirVal *operand)
{
  HirExpr *expr = hir_dump_new_expr (reader, start, NULL, HIR_EXPR_UNARY, &operand, 1, out);

  expr->u.unary.op = op;
  return expr;
}

static gboolean
lookup_unary (const char *word, HirUnaryOp *op)
{
  g_autofree char *stem = g_strdup (word);
  gsize n = strlen (word);

  /* `__bfloat2float`, `__to_float`, `__real_then_to_float`. */
  if (g_str_has_prefix (word, "__") && (strchr (word, '2') != NULL || strstr (word, "to_") != NULL))
    *op = HIR_UNARY_CAST;
  else if (g_str_equal (word, "nearbyint") || g_str_equal (word, "nearbyintf"))
    *op = HIR_UNARY_ROUND;
  else if (!hir_unary_op_lookup (word, op))
    {
      if (n < 2 || word[n - 1] != 'f')
        return FALSE;
      stem[n - 1] = '\0';
      return hir_unary_op_lookup (stem, op);
    }
  return TRUE;
}

/* Tells whether an operand begins here: a tensor or a scalar, no option of the op. */
static gboolean
at_operand (const HirDumpReader *reader)
{
  const HirDumpToken *token = hir_dump_peek (reader);
  g_autofree char *text = g_strndup (token->text, token->length);

  return hir_dump_at_tensor (reader) || token->kind == HIR_DUMP_NUMBER || g_str_equal (text, "-") ||
         g_str_equal (text, "true") || g_str_equal (text, "false") ||
         g_hash_table_contains (reader->names->scalars, text) ||
         (token->kind == HIR_DUMP_WORD && hir_dump_token_is (token + 1, "("));
}

/* Reads an op that is known by name only. Options, as in `dim = 1`, are left out. */
static HirExpr *
read_opaque (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start, const char *name)
{
  g_autoptr (GPtrArray) operands = g_ptr_array_new ();
  HirArena *arena = reader->names->container->arena;
  gboolean begins = FALSE;
  gint64 output = 0;
  guint depth = 0;
  HirExpr *expr;
  gsize size;

  if (hir_dump_accept (reader, ".") && !hir_dump_read_int (reader, &output))
    return NULL;
  do
    {
      if (begins && at_operand (reader))
        {
          HirVal *val = hir_dump_read_operand (reader);

          if (val == NULL)
            return NULL;
          g_ptr_array_add (operands, val);
        }
      if (hir_dump_peek (reader)->kind == HIR_DUMP_END)
        {
          hir_dump_fail_expected (reader, "`)`");
          return NULL;
        }
      begins = hir_dump_at (reader, "(") || hir_dump_at (reader, ",");
      depth += hir_dump_at (reader, "(");
      depth -= hir_dump_at (reader, ")");
      hir_dump_next (reader);
    }
  while (depth > 0);
  expr = hir_dump_new_expr (reader, start, NULL, HIR_EXPR_OPAQUE, (HirVal *const *) operands->pdata,
                            operands->len, out);
  size = MAX (operands->len, 1) * HIR_OPAQUE_MAX_AXES;
  expr->u.opaque.name = hir_arena_strdup (arena, name);
  expr->u.opaque.output = (guint) CLAMP (output, 0, G_MAXINT16);
  expr->u.opaque.map = hir_arena_alloc (arena, size);
  memset (expr->u.opaque.map, -1, size);
  return expr;
}

HirExpr *
hir_dump_read_function (HirDumpReader *reader,
                        HirTensor *out,
                        const HirDumpToken *start,
                        const HirDumpToken *name)
{
  g_autofree char *word = g_strndup (name->text, name->length);
  g_autoptr (GPtrArray) operands = g_ptr_array_new ();
  HirTernaryOp ternary;
  HirBinaryOp binary;
  HirUnaryOp unary;
  HirExpr *expr;

  if (!lookup_unary (word, &unary) && !hir_dump_lookup_function (word, &binary) &&
      !hir_ternary_op_lookup (word, &ternary))
    return read_opaque (reader, out, start, word);
  if (!hir_dump_read_operands (reader, operands))
    return NULL;
  if (operands->len == 1 && lookup_unary (word, &unary))
    return new_unary (reader, out, start, unary, g_ptr_array_index (operands, 0));
  if (operands->len == 2 && hir_dump_lookup_function (word, &binary))
    {
      expr = hir_dump_new_expr (reader, start, NULL, HIR_EXPR_BINARY,
                                (HirVal *const *) operands->pdata, 2, out);
      expr->u.binary.op = binary;
      return expr;
    }
  if (operands->len >= 3 && hir_ternary_op_lookup (word, &ternary))
    {
      expr = hir_dump_new_expr (reader, start, NULL, HIR_EXPR_TERNARY,
                                (HirVal *const *) operands->pdata, operands->len, out);
      expr->u.ternary.op = ternary;
      return expr;
    }
  hir_dump_fail (reader, name, HIR_ERROR_INPUT, "`%s` does not take %u operand%s", word,
                 operands->len, operands->len == 1 ? "" : "s");
  return NULL;
}

HirExpr *
hir_dump_read_c_cast (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start)
{
  HirVal *operand;

  if (!hir_dump_expect (reader, "("))
    return NULL;
  if (!hir_dump_at (reader, hir_dtype_get_name (out->base.dtype)))
    {
      hir_dump_fail_expected (reader, "the element type of the result");
      return NULL;
    }
  hir_dump_next (reader);
  if (!hir_dump_expect (reader, ") (") || (operand = hir_dump_read_operand (reader)) == NULL ||
      !hir_dump_expect (reader, ")"))
    return NULL;
  return new_unary (reader, out, start, HIR_UNARY_CAST, operand);
}

HirExpr *
hir_dump_read_infix (HirDumpReader *reader, HirTensor *out, const HirDumpToken *start)
{
  static const struct
  {
    const char *text;
    HirUnaryOp op;
  } prefixes[] = { { "-", HIR_UNARY_NEG },
                   { "!", HIR_UNARY_LOGICAL_NOT },
                   { "~", HIR_UNARY_BITWISE_NOT } };
  HirVal *operands[2];
  HirBinaryOp op;
  HirExpr *expr;

  for (guint i = 0; i < G_N_ELEMENTS (prefixes); i++)
    if (hir_dump_at (reader, prefixes[i].text) &&
        hir_dump_peek_at (reader, 1)->kind == HIR_DUMP_WORD)
      {
        hir_dump_next (reader);
        operands[0] = hir_dump_read_operand (reader);
        return operands[0] != NULL ? new_unary (reader, out, start, prefixes[i].op, operands[0])
                                   : NULL;
      }
  operands[0] = hir_dump_read_operand (reader);
  if (operands[0] == NULL)
    return NULL;
  if (!lookup_token (hir_dump_peek (reader), &op))
    {
      hir_dump_fail_expected (reader, "an operator (+, -, *, ...)");
      return NULL;
    }
  hir_dump_next (reader);
  operands[1] = hir_dump_read_operand (reader);
  if (operands[1] == NULL)
    return NULL;
  /* Both divisions print alike. A fractional division of integers is recognized by its result type.
   */
  if (op == HIR_BINARY_DIV && hir_dtype_is_floating_point (out->base.dtype) &&
      !hir_dtype_is_floating_point (operands[0]->dtype) &&
      !hir_dtype_is_floating_point (operands[1]->dtype))
    op = HIR_BINARY_TRUEDIV;
  expr = hir_dump_new_expr (reader, start, NULL, HIR_EXPR_BINARY, operands, 2, out);
  expr->u.binary.op = op;
  return expr;
}
