/* Scalars: names, constants and formulas (docs/host-ir.md#names-and-numbers,
 * docs/host-ir.md#named-scalars). Equal texts are the same scalar. */
#include "dump/read-dump-internal.h"

#include <string.h>

#define MAX_NESTING 160

typedef struct
{
  const char *text;
  HirScalarOp op;
} Operator;

static const Operator operators[] = {
  { "+", HIR_SCALAR_OP_ADD }, { "-", HIR_SCALAR_OP_SUB }, { "*", HIR_SCALAR_OP_MUL },
  { "/", HIR_SCALAR_OP_DIV }, { "%", HIR_SCALAR_OP_MOD }, { "==", HIR_SCALAR_OP_EQ },
  { "!=", HIR_SCALAR_OP_NE }, { "<", HIR_SCALAR_OP_LT },  { "<=", HIR_SCALAR_OP_LE },
  { ">", HIR_SCALAR_OP_GT },  { ">=", HIR_SCALAR_OP_GE }, { "&&", HIR_SCALAR_OP_AND },
  { "||", HIR_SCALAR_OP_OR },
};

static const Operator functions[] = {
  { "ceilDiv", HIR_SCALAR_OP_CEIL_DIV },
  { "max", HIR_SCALAR_OP_MAX },
  { "min", HIR_SCALAR_OP_MIN },
};

static gboolean
is_one_of (const HirDumpToken *token, const char *const *texts)
{
  for (; *texts != NULL; texts++)
    if (hir_dump_token_is (token, *texts))
      return TRUE;
  return FALSE;
}

static HirScalar *
keep (HirDumpReader *reader, const char *text, HirScalar *scalar)
{
  g_hash_table_insert (reader->names->scalars, g_strdup (text), scalar);
  return scalar;
}

static HirScalar *
new_symbol (
    HirDumpReader *reader, const HirDumpToken *token, const char *text, HirDType dtype, int number)
{
  HirScalar *scalar;

  hir_dump_stamp (reader, token, text);
  scalar = hir_scalar_new_symbol (reader->names->container, dtype);
  scalar->base.name = number;
  return keep (reader, text, scalar);
}

static gboolean
lookup_prefix (char letter, HirDType *dtype)
{
  switch (letter)
    {
    case 'b':
      *dtype = HIR_DTYPE_BOOL;
      return TRUE;
    case 'd':
      *dtype = HIR_DTYPE_DOUBLE;
      return TRUE;
    case 'f':
      *dtype = HIR_DTYPE_FLOAT;
      return TRUE;
    case 'i':
      *dtype = HIR_DTYPE_INDEX;
      return TRUE;
    case 'c':
      *dtype = HIR_DTYPE_COMPLEX_FLOAT;
      return TRUE;
    default:
      return FALSE;
    }
}

/* `streamIdx` is StreamIdx in 2026; the printer writes it the same way. */
static const char *
lookup_named (const HirDumpToken *token)
{
  static const char *const names[] = { HIR_NAME_STREAM_IDX, HIR_NAME_NUMBER_OF_STREAMS,
                                       HIR_NAME_RANK, HIR_NAME_DEVICE_IDX_X };

  if (hir_dump_token_is (token, "streamIdx"))
    return HIR_NAME_STREAM_IDX;
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (hir_dump_token_is (token, names[i]))
      return names[i];
  return NULL;
}

/* Reads a number such as `-0.5`, `inf`. */
static gboolean
read_real (HirDumpReader *reader, double *value)
{
  gboolean is_negative = hir_dump_accept (reader, "-");
  const HirDumpToken *token = hir_dump_peek (reader);
  g_autofree char *text = g_strndup (token->text, token->length);

  if (token->kind != HIR_DUMP_NUMBER && !g_str_equal (text, "inf") && !g_str_equal (text, "nan"))
    {
      hir_dump_fail_expected (reader, "a number");
      return FALSE;
    }
  *value = g_ascii_strtod (text, NULL) * (is_negative ? -1 : 1);
  hir_dump_next (reader);
  return TRUE;
}

/* Reads what is after `float(` or `std::complex<float>(`, or a bare number with a decimal point. */
static HirScalar *
read_double (HirDumpReader *reader, HirDType dtype)
{
  HirContainer *container = reader->names->container;
  double real, imaginary = 0;

  if (!read_real (reader, &real) ||
      (hir_dtype_is_complex (dtype) && hir_dump_accept (reader, ",") &&
       !read_real (reader, &imaginary)))
    return NULL;
  return hir_dtype_is_complex (dtype) ? hir_scalar_new_complex (container, real, imaginary, dtype)
                                      : hir_scalar_new_double (container, real, dtype);
}

static HirScalar *
read_typed_constant (HirDumpReader *reader, HirDType dtype)
{
  HirScalar *scalar = NULL;
  gint64 value;

  hir_dump_next (reader);
  if (!hir_dump_expect (reader, "("))
    return NULL;
  if (hir_dtype_is_floating_point (dtype) || hir_dtype_is_complex (dtype))
    scalar = read_double (reader, dtype);
  else if (hir_dump_read_int (reader, &value))
    scalar = hir_scalar_new_int (reader->names->container, value, dtype);
  return scalar != NULL && hir_dump_expect (reader, ")") ? scalar : NULL;
}

static HirScalar *
read_number (HirDumpReader *reader)
{
  const HirDumpToken *token = hir_dump_peek_at (reader, hir_dump_at (reader, "-") ? 1 : 0);
  gint64 value;

  if (token->kind == HIR_DUMP_NUMBER &&
      (memchr (token->text, '.', token->length) != NULL ||
       (memchr (token->text, 'e', token->length) != NULL && token->text[1] != 'x')))
    return read_double (reader, HIR_DTYPE_DOUBLE);
  if (!hir_dump_read_int (reader, &value))
    return NULL;
  return hir_scalar_new_int (reader->names->container, value, HIR_DTYPE_INDEX);
}

static HirScalar *
read_word (HirDumpReader *reader)
{
  const HirDumpToken *token = hir_dump_peek (reader);
  g_autofree char *text = g_strndup (token->text, token->length);
  const char *named = lookup_named (token);
  HirScalar *known = g_hash_table_lookup (reader->names->scalars, text);
  HirDType dtype;
  int number;

  if (known != NULL)
    {
      hir_dump_next (reader);
      return known;
    }
  if (named != NULL)
    {
      hir_dump_next (reader);
      return hir_scalar_get_named (reader->names->container, named, HIR_DTYPE_INDEX);
    }
  if (g_str_equal (text, "true") || g_str_equal (text, "false"))
    {
      hir_dump_next (reader);
      return keep (reader, text,
                   hir_scalar_new_int (reader->names->container, text[0] == 't', HIR_DTYPE_BOOL));
    }
  if (hir_dump_token_is (hir_dump_peek_at (reader, 1), "(") && hir_dtype_lookup_name (text, &dtype))
    return read_typed_constant (reader, dtype);
  if (lookup_prefix (text[0], &dtype) &&
      hir_dump_split_number (token->text, token->length, 1, &number))
    {
      hir_dump_next (reader);
      return new_symbol (reader, token, text, dtype, number);
    }
  hir_dump_fail_expected (reader, "a scalar (i0, StreamIdx, 3, ...)");
  return NULL;
}

HirScalar *
hir_dump_read_scalar (HirDumpReader *reader)
{
  const HirDumpToken *token = hir_dump_peek (reader);
  HirScalar *scalar, *known;
  g_autofree char *text = NULL;
  guint from = reader->at;

  if (token->kind == HIR_DUMP_WORD)
    return read_word (reader);
  if (token->kind != HIR_DUMP_NUMBER && !hir_dump_token_is (token, "-"))
    {
      hir_dump_fail_expected (reader, "a scalar (i0, StreamIdx, 3, ...)");
      return NULL;
    }
  scalar = read_number (reader);
  if (scalar == NULL)
    return NULL;
  text = hir_dump_dup_text (reader, from);
  known = g_hash_table_lookup (reader->names->scalars, text);
  return known != NULL ? known : keep (reader, text, scalar);
}

static HirScalar *
combine (HirDumpReader *reader, HirScalarOp op, HirScalar *a, HirScalar *b)
{
  g_autofree char *key = g_strdup_printf ("%d %p %p", (int) op, (gpointer) a, (gpointer) b);
  HirScalar *known = g_hash_table_lookup (reader->names->scalars, key);

  return known != NULL
             ? known
             : keep (reader, key, hir_scalar_new_op_as_is (reader->names->container, op, a, b));
}

static HirScalar *
read_call (HirDumpReader *reader, HirScalarOp op, HirScalar *(*read) (HirDumpReader *) )
{
  HirScalar *a, *b;

  hir_dump_next (reader);
  if (!hir_dump_expect (reader, "("))
    return NULL;
  a = read (reader);
  if (a == NULL || !hir_dump_expect (reader, ","))
    return NULL;
  b = read (reader);
  return b != NULL && hir_dump_expect (reader, ")") ? combine (reader, op, a, b) : NULL;
}

HirScalar *
hir_dump_read_formula (HirDumpReader *reader, HirScalar *(*read) (HirDumpReader *) )
{
  static const char *const unread[] = { "&",   "|",   "^",     "<<",  ">>",  "gcd", "pow",
                                        "abs", "neg", "where", "not", "mod", NULL };
  static const char *const prefixes[] = { "!", "~", NULL };
  const HirDumpToken *token = hir_dump_peek (reader);
  HirScalar *a, *b;

  for (guint i = 0; i < G_N_ELEMENTS (functions); i++)
    if (hir_dump_token_is (token, functions[i].text))
      return read_call (reader, functions[i].op, read);
  if (is_one_of (token, prefixes) || is_one_of (token, unread) ||
      (hir_dump_token_is (token, "-") && hir_dump_peek_at (reader, 1)->kind != HIR_DUMP_NUMBER))
    {
      g_autofree char *what =
          g_strdup_printf ("`%.*s` of a scalar", (int) token->length, token->text);

      hir_dump_refuse (reader, token, what);
      return NULL;
    }

  a = read (reader);
  if (a == NULL)
    return NULL;
  token = hir_dump_peek (reader);
  for (guint i = 0; i < G_N_ELEMENTS (operators); i++)
    if (hir_dump_token_is (token, operators[i].text))
      {
        hir_dump_next (reader);
        b = read (reader);
        return b != NULL ? combine (reader, operators[i].op, a, b) : NULL;
      }
  if (is_one_of (token, unread))
    {
      g_autofree char *what =
          g_strdup_printf ("`%.*s` between scalars", (int) token->length, token->text);

      hir_dump_refuse (reader, token, what);
      return NULL;
    }
  return a;
}

HirScalar *
hir_dump_read_inline (HirDumpReader *reader)
{
  const HirDumpToken *token = hir_dump_peek (reader);
  HirScalar *scalar;

  if (!hir_dump_token_is (token, "("))
    {
      if (hir_dump_token_is (token, "ceilDiv"))
        return hir_dump_read_formula (reader, hir_dump_read_inline);
      return hir_dump_read_scalar (reader);
    }
  if (reader->depth >= MAX_NESTING)
    {
      hir_dump_fail (reader, token, HIR_ERROR_INPUT, "scalars are nested deeper than %d",
                     MAX_NESTING);
      return NULL;
    }
  hir_dump_next (reader);
  reader->depth++;
  scalar = hir_dump_read_formula (reader, hir_dump_read_inline);
  reader->depth--;
  return scalar != NULL && hir_dump_expect (reader, ")") ? scalar : NULL;
}

/* Returns TRUE if @scalar is computed from @from. */
static gboolean
depends_on (HirScalar *scalar, const HirScalar *from)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();

  g_ptr_array_add (stack, scalar);
  while (stack->len > 0)
    {
      HirScalar *top = g_ptr_array_steal_index_fast (stack, stack->len - 1);

      if (top == from)
        return TRUE;
      if (top->kind != HIR_SCALAR_OP || !g_hash_table_add (seen, top))
        continue;
      g_ptr_array_add (stack, top->a);
      g_ptr_array_add (stack, top->b);
    }
  return FALSE;
}

/* Reads a definition. The name denotes the formula everywhere, including earlier extents that used
 * the name. */
gboolean
hir_dump_read_scalar_definition (HirDumpReader *reader)
{
  const HirDumpToken *token = hir_dump_peek (reader);
  HirScalar *name = hir_dump_read_scalar (reader);
  HirScalar *formula;
  g_autofree char *key = NULL;

  if (name == NULL || !hir_dump_expect (reader, "="))
    return FALSE;
  if (name->kind == HIR_SCALAR_OP)
    {
      formula = hir_dump_read_formula (reader, hir_dump_read_scalar);
      hir_dump_accept (reader, ";");
      return formula != NULL &&
             (hir_scalar_equal (formula, name) ||
              hir_dump_fail (reader, token, HIR_ERROR_INPUT, "`%.*s` has two different values",
                             (int) token->length, token->text));
    }
  if (name->kind != HIR_SCALAR_SYMBOL)
    return hir_dump_fail (reader, token, HIR_ERROR_INPUT, "`%.*s` already has a value",
                          (int) token->length, token->text);
  formula = hir_dump_read_formula (reader, hir_dump_read_scalar);
  if (formula == NULL)
    return FALSE;
  hir_dump_accept (reader, ";");
  if (formula->kind != HIR_SCALAR_OP)
    return hir_dump_fail (reader, token, HIR_ERROR_UNSUPPORTED,
                          "`%.*s` is an alias of a scalar, which is not supported",
                          (int) token->length, token->text);
  if (hir_container_is_input (reader->names->container, HIR_VAL (name)) ||
      depends_on (formula, name))
    return hir_dump_fail (reader, token, HIR_ERROR_INPUT,
                          "`%.*s` is an input, or is computed from itself", (int) token->length,
                          token->text);
  name->kind = HIR_SCALAR_OP;
  name->op = formula->op;
  name->a = formula->a;
  name->b = formula->b;
  /* The formula written out is the same scalar. */
  key = g_strdup_printf ("%d %p %p", (int) name->op, (gpointer) name->a, (gpointer) name->b);
  keep (reader, key, name);
  return TRUE;
}

HirScalar *
hir_dump_translate (HirDumpNames *names, const HirScalar *scalar, guint depth)
{
  g_autofree char *text = NULL;
  HirScalar *a, *b;

  switch (scalar->kind)
    {
    case HIR_SCALAR_CONST:
      return hir_dtype_is_floating_point (scalar->base.dtype)
                 ? NULL
                 : hir_scalar_new_int (names->container, scalar->i, scalar->base.dtype);
    case HIR_SCALAR_NAMED:
      return hir_scalar_get_named (names->container, scalar->named, scalar->base.dtype);
    case HIR_SCALAR_OP:
      if (depth > MAX_NESTING)
        return NULL;
      a = hir_dump_translate (names, scalar->a, depth + 1);
      b = a != NULL ? hir_dump_translate (names, scalar->b, depth + 1) : NULL;
      return b != NULL ? hir_scalar_new_op_as_is (names->container, scalar->op, a, b) : NULL;
    case HIR_SCALAR_SYMBOL:
    default:
      text = g_strdup_printf ("%s%d", hir_dtype_get_prefix (scalar->base.dtype), scalar->base.name);
      return g_hash_table_lookup (names->scalars, text);
    }
}
