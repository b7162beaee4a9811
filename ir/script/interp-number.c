/* Arithmetic and comparison. Ints have 64 bits; an overflow is an error. */
#include "script/interp.h"
#include "script/parse/lex.h"

#include <math.h>
#include <string.h>

static HirPyValue
overflow (HirPy *py)
{
  return hir_py_fail (py, HIR_ERROR_UNSUPPORTED,
                      "a number is beyond 64 bits, which is not supported here");
}

static HirPyValue
bad_operands (HirPy *py, guint op, HirPyValue a, HirPyValue b)
{
  return hir_py_raise (py, "TypeError", "'%s' does not work between %s and %s",
                       hir_token_kind_get_text (op), hir_py_type_name (a), hir_py_type_name (b));
}

static gint64
floor_div (gint64 a, gint64 b)
{
  gint64 q = a / b;

  return (a % b != 0 && (a < 0) != (b < 0)) ? q - 1 : q;
}

static HirPyValue
power_int (HirPy *py, gint64 base, gint64 exponent)
{
  gint64 result = 1;

  if (exponent < 0)
    {
      if (base == 0)
        return hir_py_raise (py, "ZeroDivisionError", "0 cannot be raised to a negative power");
      return hir_py_float (pow ((double) base, (double) exponent));
    }
  while (exponent > 0)
    {
      if ((exponent & 1) != 0 && __builtin_mul_overflow (result, base, &result))
        return overflow (py);
      exponent >>= 1;
      if (exponent > 0 && __builtin_mul_overflow (base, base, &base))
        return overflow (py);
    }
  return hir_py_int (result);
}

static HirPyValue
shift (HirPy *py, guint op, gint64 a, gint64 b)
{
  if (b < 0)
    return hir_py_raise (py, "ValueError", "a shift by a negative number of bits");
  if (op == HIR_TOKEN_RSHIFT)
    return hir_py_int (b > 63 ? (a < 0 ? -1 : 0) : a >> b);
  if (a == 0)
    return hir_py_int (0);
  if (b > 62 || a > (G_MAXINT64 >> b) || a < (G_MININT64 >> b))
    return overflow (py);
  return hir_py_int ((gint64) ((guint64) a << b));
}

static HirPyValue
binary_int (HirPy *py, guint op, gint64 a, gint64 b)
{
  gint64 result = 0;
  gboolean over = FALSE;

  if ((op == HIR_TOKEN_SLASH || op == HIR_TOKEN_DOUBLE_SLASH || op == HIR_TOKEN_PERCENT) && b == 0)
    return hir_py_raise (py, "ZeroDivisionError", "division by zero");
  switch (op)
    {
    case HIR_TOKEN_PLUS:
      over = __builtin_add_overflow (a, b, &result);
      break;
    case HIR_TOKEN_MINUS:
      over = __builtin_sub_overflow (a, b, &result);
      break;
    case HIR_TOKEN_STAR:
      over = __builtin_mul_overflow (a, b, &result);
      break;
    case HIR_TOKEN_SLASH:
      return hir_py_float ((double) a / (double) b);
    case HIR_TOKEN_DOUBLE_SLASH:
      over = a == G_MININT64 && b == -1;
      result = over ? 0 : floor_div (a, b);
      break;
    case HIR_TOKEN_PERCENT:
      result = b == -1 ? 0 : a - floor_div (a, b) * b;
      break;
    case HIR_TOKEN_AMPERSAND:
      result = a & b;
      break;
    case HIR_TOKEN_BAR:
      result = a | b;
      break;
    case HIR_TOKEN_CARET:
      result = a ^ b;
      break;
    case HIR_TOKEN_LSHIFT:
    case HIR_TOKEN_RSHIFT:
      return shift (py, op, a, b);
    case HIR_TOKEN_DOUBLE_STAR:
      return power_int (py, a, b);
    default:
      return bad_operands (py, op, hir_py_int (a), hir_py_int (b));
    }
  return over ? overflow (py) : hir_py_int (result);
}

static HirPyValue
binary_float (HirPy *py, guint op, HirPyValue left, HirPyValue right)
{
  double a = hir_py_to_double (left), b = hir_py_to_double (right), rest;

  if ((op == HIR_TOKEN_SLASH || op == HIR_TOKEN_DOUBLE_SLASH || op == HIR_TOKEN_PERCENT) && b == 0)
    return hir_py_raise (py, "ZeroDivisionError", "division by zero");
  switch (op)
    {
    case HIR_TOKEN_PLUS:
      return hir_py_float (a + b);
    case HIR_TOKEN_MINUS:
      return hir_py_float (a - b);
    case HIR_TOKEN_STAR:
      return hir_py_float (a * b);
    case HIR_TOKEN_SLASH:
      return hir_py_float (a / b);
    case HIR_TOKEN_DOUBLE_SLASH:
      return hir_py_float (floor (a / b));
    case HIR_TOKEN_PERCENT:
      rest = fmod (a, b);
      return hir_py_float (rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);
    case HIR_TOKEN_DOUBLE_STAR:
      return hir_py_float (pow (a, b));
    default:
      return bad_operands (py, op, left, right);
    }
}

static HirPyValue
combine_sets (HirPy *py, guint op, HirPyValue a, HirPyValue b)
{
  HirPyValue result = hir_py_dict (py, HIR_PY_SET);
  const HirPyDict *sides[] = { a.dict, b.dict };

  for (guint side = 0; side < 2; side++)
    for (guint i = 0; i < sides[side]->n && hir_py_step (py, 1); i++)
      {
        const HirPyEntry *entry = &sides[side]->entries[i];
        gboolean in_other;

        if (entry->deleted)
          continue;
        in_other = hir_py_dict_get (py, sides[1 - side], entry->key) != NULL;
        if (op == HIR_TOKEN_BAR || (op == HIR_TOKEN_CARET && !in_other) ||
            (side == 0 && op == HIR_TOKEN_AMPERSAND && in_other) ||
            (side == 0 && op == HIR_TOKEN_MINUS && !in_other))
          hir_py_dict_set (py, result.dict, entry->key, hir_py_none ());
      }
  return result;
}

static gboolean
is_sequence (HirPyValue value)
{
  return value.type == HIR_PY_STRING || value.type == HIR_PY_LIST || value.type == HIR_PY_TUPLE;
}

static gboolean
is_of_fusion (HirPyValue value)
{
  return value.type == HIR_PY_TENSOR || value.type == HIR_PY_SCALAR;
}

static gboolean
is_unknown (HirPyValue value)
{
  return value.type == HIR_PY_OPAQUE || value.type == HIR_PY_ARRAY;
}

static HirPyValue
unknown_result (HirPy *py, guint op, HirPyValue a, HirPyValue b)
{
  return hir_py_opaque (py, NULL, "(%s %s %s)", a.type == HIR_PY_OPAQUE ? a.opaque->path : "...",
                        hir_token_kind_get_text (op),
                        b.type == HIR_PY_OPAQUE ? b.opaque->path : "...");
}

HirPyValue
hir_py_binary (HirPy *py, guint op, HirPyValue a, HirPyValue b)
{
  HirPyValue own;

  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  a = hir_py_plain (py, a);
  b = hir_py_plain (py, b);
  if (hir_py_class_operator (py, op, a, b, &own))
    return own;
  if ((a.type == HIR_PY_OPAQUE && a.opaque->torch != NULL) ||
      (b.type == HIR_PY_OPAQUE && b.opaque->torch != NULL))
    return hir_py_torch_operator (py, op, a, b);
  if (op == HIR_TOKEN_PERCENT && a.type == HIR_PY_STRING)
    return hir_py_format_percent (py, a.string->text, b);
  if (is_unknown (a) || is_unknown (b))
    return unknown_result (py, op, a, b);
  if (is_of_fusion (a) || is_of_fusion (b))
    return hir_py_tensor_operator (py, op, a, b);
  if (a.type == HIR_PY_COMPLEX || b.type == HIR_PY_COMPLEX)
    return hir_py_complex_binary (py, op, a, b);
  if (hir_py_is_number (a) && hir_py_is_number (b))
    {
      HirPyValue result;

      if (a.type == HIR_PY_FLOAT || b.type == HIR_PY_FLOAT)
        return binary_float (py, op, a, b);
      result = binary_int (py, op, a.i, b.i);
      if (a.type == HIR_PY_BOOL && b.type == HIR_PY_BOOL && result.type == HIR_PY_INT &&
          (op == HIR_TOKEN_AMPERSAND || op == HIR_TOKEN_BAR || op == HIR_TOKEN_CARET))
        result.type = HIR_PY_BOOL;
      return result;
    }
  if (op == HIR_TOKEN_PLUS && a.type == b.type && is_sequence (a))
    return hir_py_concatenate (py, a, b);
  if (op == HIR_TOKEN_STAR && is_sequence (a) && (b.type == HIR_PY_INT || b.type == HIR_PY_BOOL))
    return hir_py_repeat (py, a, b.i);
  if (op == HIR_TOKEN_STAR && is_sequence (b) && (a.type == HIR_PY_INT || a.type == HIR_PY_BOOL))
    return hir_py_repeat (py, b, a.i);
  if (a.type == HIR_PY_SET && b.type == HIR_PY_SET &&
      (op == HIR_TOKEN_BAR || op == HIR_TOKEN_AMPERSAND || op == HIR_TOKEN_MINUS ||
       op == HIR_TOKEN_CARET))
    return combine_sets (py, op, a, b);
  if (op == HIR_TOKEN_BAR && a.type == HIR_PY_DICT && b.type == HIR_PY_DICT)
    {
      HirPyArgs args = { .items = &b, .n = 1, .callee = "dict" };
      HirPyValue copy = hir_py_dict_method (py, a, "copy", &(HirPyArgs){ .callee = "dict" });

      hir_py_dict_method (py, copy, "update", &args);
      return copy;
    }
  return bad_operands (py, op, a, b);
}

HirPyValue
hir_py_unary (HirPy *py, guint op, HirPyValue a)
{
  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  if (op == HIR_TOKEN_NOT)
    {
      if (a.type == HIR_PY_OPAQUE)
        return hir_py_opaque (py, NULL, "not %s", a.opaque->path);
      return hir_py_bool (!hir_py_truth (py, a, "'not'"));
    }
  if (a.type == HIR_PY_OPAQUE)
    return a;
  if (is_of_fusion (a))
    return hir_py_tensor_operator (py, op, a, hir_py_none ());
  if (a.type == HIR_PY_FLOAT && op != HIR_TOKEN_TILDE)
    return hir_py_float (op == HIR_TOKEN_MINUS ? -a.d : a.d);
  if (a.type == HIR_PY_COMPLEX && op != HIR_TOKEN_TILDE)
    return op == HIR_TOKEN_MINUS ? hir_py_complex (py, -a.z->re, -a.z->im) : a;
  if (a.type != HIR_PY_INT && a.type != HIR_PY_BOOL)
    return hir_py_raise (py, "TypeError", "'%s' does not work on %s", hir_token_kind_get_text (op),
                         hir_py_type_name (a));
  if (op == HIR_TOKEN_MINUS && a.i == G_MININT64)
    return overflow (py);
  return hir_py_int (op == HIR_TOKEN_MINUS ? -a.i : op == HIR_TOKEN_TILDE ? ~a.i : a.i);
}

/* Returns -1, 0 or 1; 2 if the values cannot be ordered. */
static int
order (HirPy *py, HirPyValue a, HirPyValue b)
{
  if (hir_py_is_number (a) && hir_py_is_number (b))
    {
      if (a.type == HIR_PY_FLOAT || b.type == HIR_PY_FLOAT)
        {
          double x = hir_py_to_double (a), y = hir_py_to_double (b);

          return x < y ? -1 : x > y ? 1 : x == y ? 0 : 2;
        }
      return a.i < b.i ? -1 : a.i > b.i;
    }
  if (a.type == HIR_PY_STRING && b.type == HIR_PY_STRING)
    {
      int c = memcmp (a.string->text, b.string->text, MIN (a.string->length, b.string->length));

      if (c == 0)
        return a.string->length < b.string->length ? -1 : a.string->length > b.string->length;
      return c < 0 ? -1 : 1;
    }
  if (a.type == b.type && (a.type == HIR_PY_LIST || a.type == HIR_PY_TUPLE))
    {
      for (guint i = 0; i < MIN (a.list->n, b.list->n) && hir_py_step (py, 1); i++)
        if (!hir_py_equal (py, a.list->items[i], b.list->items[i]))
          {
            int result;

            if (py->depth >= HIR_PY_MAX_DEPTH)
              return 2;
            py->depth += 4;
            result = order (py, a.list->items[i], b.list->items[i]);
            py->depth -= 4;
            return result;
          }
      return a.list->n < b.list->n ? -1 : a.list->n > b.list->n;
    }
  if (hir_py_is_record (a) && hir_py_is_record (b) && a.instance->class == b.instance->class)
    return order (py,
                  (HirPyValue){ .type = HIR_PY_LIST,
                                .list = hir_py_instance_list (py, a.instance) },
                  (HirPyValue){ .type = HIR_PY_LIST,
                                .list = hir_py_instance_list (py, b.instance) });
  hir_py_raise (py, "TypeError", "%s and %s cannot be ordered", hir_py_type_name (a),
                hir_py_type_name (b));
  return 2;
}

/* Returns whether `is` can be decided: a torch tensor has an identity, but unknown data. */
static gboolean
is_object (HirPyValue value)
{
  return value.type != HIR_PY_OPAQUE || value.opaque->torch != NULL;
}

HirPyValue
hir_py_compare (HirPy *py, guint op, gboolean negated, HirPyValue a, HirPyValue b)
{
  HirPyValue own;
  int c;

  if (py->signal != HIR_PY_GO)
    return hir_py_none ();
  if (hir_py_class_operator (py, op, a, b, &own))
    return own;
  if (op == HIR_TOKEN_IS && is_object (a) && is_object (b))
    return hir_py_bool (hir_py_identical (a, b) != negated);
  if (op != HIR_TOKEN_IN)
    {
      a = hir_py_plain (py, a);
      b = hir_py_plain (py, b);
    }
  if (op == HIR_TOKEN_IN && b.type != HIR_PY_OPAQUE)
    {
      HirPyValue found = hir_py_contains (py, b, a);

      return found.type == HIR_PY_BOOL ? hir_py_bool (found.i != negated) : found;
    }
  if ((a.type == HIR_PY_OPAQUE && a.opaque->torch != NULL) ||
      (b.type == HIR_PY_OPAQUE && b.opaque->torch != NULL))
    return hir_py_torch_operator (py, op, a, b);
  if (a.type == HIR_PY_OPAQUE && strstr (a.opaque->path, "Version()") != NULL)
    {
      hir_py_note (py, "the newest version is assumed of every package");
      return hir_py_bool (op == HIR_TOKEN_GE || op == HIR_TOKEN_GT || op == HIR_TOKEN_NE);
    }
  if (is_unknown (a) || is_unknown (b))
    return unknown_result (py, op, a, b);
  if (is_of_fusion (a) ? b.type != HIR_PY_NONE && b.type != HIR_PY_STRING
                       : is_of_fusion (b) && hir_py_is_number (a))
    return hir_py_tensor_operator (py, op, a, b);
  if (op == HIR_TOKEN_EQ || op == HIR_TOKEN_NE)
    return hir_py_bool (hir_py_equal (py, a, b) == (op == HIR_TOKEN_EQ));
  c = order (py, a, b);
  if (c == 2)
    return hir_py_bool (FALSE);
  return hir_py_bool (op == HIR_TOKEN_LT   ? c < 0
                      : op == HIR_TOKEN_LE ? c <= 0
                      : op == HIR_TOKEN_GT ? c > 0
                                           : c >= 0);
}
