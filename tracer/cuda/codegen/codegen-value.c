/* Emits the computation of one result element. Operand elements that the same kernel produces are
 * computed recursively; others are loaded from memory. */
#include "cuda/codegen/codegen-private.h"

static const char *
value_key (HirGen *gen, guint call, const HirGenIndex *index)
{
  g_autoptr (GString) key = g_string_new (NULL);

  g_string_append_printf (key, "c%u", call);
  for (guint i = 0; i < index->n; i++)
    g_string_append_printf (key, ",%s", index->at[i]);
  return g_string_chunk_insert (gen->strings, key->str);
}

static void
set_misfit (HirGen *gen, guint call, const char *why)
{
  const HirExpr *expr = gen->unit->calls[call]->expr;

  gen->failed = TRUE;
  if (gen->error == NULL)
    hir_set_error (&gen->error, HIR_ERROR_RUN, &expr->node.pos, "%s into T%d: %s",
                   hir_expr_get_op_name (expr), expr->outputs[0]->name, why);
}

/* Returns the last call of this kernel before @before that writes @buffer, or -1. */
static int
find_producer (const HirGen *gen, const HirBuffer *buffer, guint before)
{
  for (guint i = MIN (before, gen->to); i-- > gen->from;)
    if (gen->unit->calls[i]->output->buffer == buffer)
      return (int) i;
  return -1;
}

/* Returns the lvalue of an element in memory. */
static const char *
place (HirGen *gen, guint call, int operand, const HirValue *value, const HirGenIndex *index)
{
  const HirValue *base = hir_gen_get_operand (gen, call, operand);
  const char *address = hir_gen_address (gen, call, operand, FALSE);
  const char *offset = hir_gen_offset (gen, value, index);

  if (value->offset != base->offset)
    {
      offset = hir_gen_string (gen, "%s + %" G_GINT64_FORMAT, offset, value->offset - base->offset);
      gen->uses_index = TRUE;
    }
  if (gen->vector > 1 && g_str_equal (offset, "lin"))
    return hir_gen_string (gen, "in_%s.e[k]", address);
  return hir_gen_string (gen, "%s[%s]", address, offset);
}

const char *
hir_gen_read (HirGen *gen, guint call, int operand, const HirValue *value, const HirGenIndex *index)
{
  int producer = find_producer (gen, value->buffer, call);
  const char *element, *name;
  g_autofree char *text = NULL;
  HirGenIndex mapped;

  if (gen->failed)
    return "0";
  if (producer >= 0)
    {
      if (!hir_gen_map_index (gen, value, index, gen->unit->calls[producer]->output, &mapped))
        {
          gen->failed = TRUE;
          return "0";
        }
      return hir_gen_value (gen, (guint) producer, &mapped);
    }
  element = place (gen, call, operand, value, index);
  name = hir_gen_lookup (gen, element);
  if (name != NULL)
    return name;
  text = hir_gen_from_memory (value->dtype, element);
  name = hir_gen_variable (gen, hir_gen_register_type (value->dtype), text);
  hir_gen_remember (gen, element, name);
  return name;
}

char *
hir_gen_read_as (
    HirGen *gen, guint call, int operand, const HirGenIndex *index, HirComputeClass klass)
{
  const HirValue *value = hir_gen_get_operand (gen, call, operand);
  gboolean is_float = klass == HIR_CLASS_F32 || klass == HIR_CLASS_F64;
  HirGenIndex own = { .n = value->n_dims };

  if (value->is_scalar)
    return g_strdup_printf ("((%s) %s)", hir_gen_class_type (klass),
                            hir_gen_scalar (gen, call, operand, is_float));
  if (value->n_dims != index->n)
    {
      set_misfit (gen, call, "the shapes do not match");
      return g_strdup ("0");
    }
  for (guint i = 0; i < own.n; i++)
    own.at[i] = value->sizes[i] == 1 ? "0" : index->at[i];
  return g_strdup_printf ("((%s) %s)", hir_gen_class_type (klass),
                          hir_gen_read (gen, call, operand, value, &own));
}

static gboolean
yields_bool (const HirExpr *expr)
{
  return expr->outputs[0]->dtype == HIR_DTYPE_BOOL &&
         !(expr->kind == HIR_EXPR_UNARY && expr->u.unary.op == HIR_UNARY_CAST);
}

static HirComputeClass
class_of (const HirOpCall *call)
{
  HirDType types[4];
  guint n = 0;
  gboolean scalar_is_float = FALSE;

  for (guint i = 0; i < call->n_inputs && n < 4; i++)
    if (!call->inputs[i]->is_scalar)
      types[n++] = call->inputs[i]->dtype;
    else
      scalar_is_float |= hir_dtype_is_floating_point (call->inputs[i]->dtype);
  return hir_compute_class_for (types, n,
                                yields_bool (call->expr) ? HIR_DTYPE_BOOL : call->output->dtype,
                                scalar_is_float);
}

/* Returns FALSE and fails unless each operand has size 1 or the size of the output on each axis. */
static gboolean
check_pointwise (HirGen *gen, guint number)
{
  const HirOpCall *call = gen->unit->calls[number];
  gboolean ok = call->n_inputs <= 4;

  for (guint i = 0; ok && i < call->n_inputs; i++)
    {
      const HirValue *in = call->inputs[i];

      if (in->is_scalar)
        continue;
      ok = in->n_dims == call->output->n_dims;
      for (guint d = 0; ok && d < in->n_dims; d++)
        ok = in->sizes[d] == 1 || in->sizes[d] == call->output->sizes[d];
    }
  if (!ok)
    set_misfit (gen, number, "the shapes do not match");
  return ok;
}

static const char *
pointwise (HirGen *gen, guint number, const HirGenIndex *index)
{
  const HirOpCall *call = gen->unit->calls[number];
  HirComputeClass klass = class_of (call);
  char *in[4] = { NULL };
  g_autofree char *text = NULL;
  g_autofree char *rounded = NULL;

  if (!check_pointwise (gen, number))
    return "0";
  for (guint i = 0; i < call->n_inputs; i++)
    in[i] = hir_gen_read_as (gen, number, (int) i, index, klass);
  if (call->expr->kind == HIR_EXPR_UNARY)
    text = hir_gen_unary (klass, call->expr->u.unary.op, in[0]);
  else if (call->expr->kind == HIR_EXPR_BINARY)
    text = hir_gen_binary (klass, call->expr->u.binary.op, in[0], in[1]);
  else
    text = hir_gen_ternary (klass, call->expr->u.ternary.op, (const char *const *) in);
  for (guint i = 0; i < G_N_ELEMENTS (in); i++)
    g_free (in[i]);
  if (text == NULL)
    {
      set_misfit (gen, number, "the op does not support this type");
      return "0";
    }
  rounded = hir_gen_from_class (klass, call->output->dtype, text);
  return hir_gen_variable (gen, hir_gen_register_type (call->output->dtype), rounded);
}

const char *
hir_gen_finish_value (HirGen *gen, guint number, const char *variable)
{
  const HirOpCall *call = gen->unit->calls[number];
  HirDType dtype = call->output->dtype;
  g_autofree char *wrong = NULL;
  g_autofree char *text = NULL;

  if (!(call->planted > 0))
    return variable;
  if (hir_dtype_is_floating_point (dtype))
    {
      char scale[G_ASCII_DTOSTR_BUF_SIZE];

      g_ascii_formatd (scale, sizeof scale, "%.17e", call->planted);
      wrong = g_strdup_printf ("(double) %s + %s * ((double) %s + (%s < 0 ? -1.0 : 1.0))", variable,
                               scale, variable, variable);
      text = hir_gen_from_class (HIR_CLASS_F64, dtype, wrong);
    }
  else
    {
      wrong = g_strdup_printf ("(long long) %s ^ 1", variable);
      text = hir_gen_from_class (HIR_CLASS_I64, dtype, wrong);
    }
  return hir_gen_variable (gen, hir_gen_register_type (dtype), text);
}

/* Returns the value of a scalar operand, converted to the type of the output. */
static char *
scalar_as_output (HirGen *gen, guint number, int operand)
{
  const HirValue *scalar = hir_gen_get_operand (gen, number, operand);
  gboolean is_float = hir_dtype_is_floating_point (scalar->dtype);

  return hir_gen_from_class (is_float ? HIR_CLASS_F64 : HIR_CLASS_I64,
                             gen->unit->calls[number]->output->dtype,
                             hir_gen_scalar (gen, number, operand, is_float));
}

static const char *
full (HirGen *gen, guint number)
{
  g_autofree char *text = scalar_as_output (gen, number, HIR_OPERAND_FILL);

  return hir_gen_variable (gen, hir_gen_register_type (gen->unit->calls[number]->output->dtype),
                           text);
}

static const char *
iota (HirGen *gen, guint number, const HirGenIndex *index)
{
  const HirOpCall *call = gen->unit->calls[number];
  gboolean is_float = hir_dtype_is_floating_point (call->output->dtype);
  const char *start = hir_gen_scalar (gen, number, HIR_OPERAND_FILL, is_float);
  const char *step = hir_gen_scalar (gen, number, HIR_OPERAND_STEP, is_float);
  g_autofree char *sum = NULL;
  g_autofree char *text = NULL;

  if (call->output->n_dims != 1)
    {
      set_misfit (gen, number, "the output must have one axis");
      return "0";
    }
  gen->uses_index = TRUE;
  sum = is_float ? g_strdup_printf ("%s + (double) (%s) * %s", start, index->at[0], step)
                 : g_strdup_printf ("(long long) ((unsigned long long) %s + (unsigned long long) "
                                    "(%s) * (unsigned long long) %s)",
                                    start, index->at[0], step);
  text = hir_gen_from_class (is_float ? HIR_CLASS_F64 : HIR_CLASS_I64, call->output->dtype, sum);
  return hir_gen_variable (gen, hir_gen_register_type (call->output->dtype), text);
}

/* Returns an element of @value, converted to the type of the output: copies may change the type. */
static char *
read_as_output (
    HirGen *gen, guint number, int operand, const HirValue *value, const HirGenIndex *index)
{
  HirDType to = gen->unit->calls[number]->output->dtype;
  const char *element = hir_gen_read (gen, number, operand, value, index);
  HirComputeClass klass;
  g_autofree char *text = NULL;

  if (value->dtype == to)
    return g_strdup (element);
  klass = hir_compute_class_for (&value->dtype, 1, to, FALSE);
  text = g_strdup_printf ("(%s) %s", hir_gen_class_type (klass), element);
  return hir_gen_from_class (klass, to, text);
}

/* Declares a variable without a value, as in "T x; if (CONDITION) { ... x = INNER; }", and returns
 * its name. assign_element() then emits the branches that assign it. */
static const char *
begin_choice (HirGen *gen, guint number)
{
  const char *name = hir_gen_string (gen, "v%u", gen->n_variables++);

  hir_gen_line (gen, "%s %s;", hir_gen_register_type (gen->unit->calls[number]->output->dtype),
                name);
  return name;
}

static void
assign_element (HirGen *gen, guint number, int operand, const HirGenIndex *index, const char *name)
{
  guint mark;

  hir_gen_open (gen);
  mark = hir_gen_mark (gen);
  g_autofree char *text =
      read_as_output (gen, number, operand, hir_gen_get_operand (gen, number, operand), index);
  hir_gen_line (gen, "%s = %s;", name, text);
  hir_gen_forget (gen, mark);
  hir_gen_close (gen);
}

static const char *
pad (HirGen *gen, guint number, const HirGenIndex *index)
{
  const HirOpCall *call = gen->unit->calls[number];
  const HirValue *in = call->inputs[0];
  g_autoptr (GString) condition = g_string_new ("1");
  g_autofree char *fill = NULL;
  HirGenIndex inner = { .n = in->n_dims };
  const char *name;

  if (call->n_params != 2 * in->n_dims || index->n != in->n_dims)
    {
      set_misfit (gen, number, "the widths do not match");
      return "0";
    }
  for (guint i = 0; i < in->n_dims; i++)
    {
      const char *at = hir_gen_plus (gen, index->at[i], -call->params[2 * i]);

      inner.at[i] = in->sizes[i] == 1 ? "0" : at;
      if (call->params[2 * i] > 0)
        g_string_append_printf (condition, " && %s >= 0", at);
      if (call->output->sizes[i] - call->params[2 * i] > in->sizes[i])
        g_string_append_printf (condition, " && %s < %" G_GINT64_FORMAT, at, in->sizes[i]);
    }
  gen->uses_index = TRUE;
  fill = scalar_as_output (gen, number, HIR_OPERAND_FILL);
  name = begin_choice (gen, number);
  hir_gen_line (gen, "if (%s)", condition->str);
  assign_element (gen, number, 0, &inner, name);
  hir_gen_line (gen, "else");
  hir_gen_line (gen, "  %s = %s;", name, fill);
  return name;
}

static const char *
cat (HirGen *gen, guint number, const HirGenIndex *index)
{
  const HirOpCall *call = gen->unit->calls[number];
  guint axis = (guint) call->expr->u.cat.dim;
  const char *name = begin_choice (gen, number);
  gint64 at = 0;

  gen->uses_index = TRUE;
  for (guint i = 0; i < call->n_inputs; i++)
    {
      const HirValue *in = call->inputs[i];
      HirGenIndex inner = *index;

      if (in->n_dims != index->n || axis >= in->n_dims)
        {
          set_misfit (gen, number, "the shapes do not match");
          return "0";
        }
      inner.at[axis] = in->sizes[axis] == 1 ? "0" : hir_gen_plus (gen, index->at[axis], -at);
      at += in->sizes[axis];
      if (i + 1 < call->n_inputs)
        hir_gen_line (gen, "%sif (%s < %" G_GINT64_FORMAT ")", i > 0 ? "else " : "",
                      index->at[axis], at);
      else if (i > 0)
        hir_gen_line (gen, "else");
      assign_element (gen, number, (int) i, &inner, name);
    }
  if (at != call->output->sizes[axis])
    set_misfit (gen, number, "the shapes do not match");
  return name;
}

/* Emits an op that copies elements from a view of its input. */
static const char *
view (HirGen *gen, guint number, const HirGenIndex *index)
{
  const HirOpCall *call = gen->unit->calls[number];
  g_autoptr (HirValue) seen = hir_op_call_new_view (call, &gen->error);
  HirGenIndex mapped;
  g_autofree char *text = NULL;

  if (gen->error != NULL)
    gen->failed = TRUE;
  else if (seen == NULL && call->expr->kind == HIR_EXPR_RESHAPE)
    {
      const HirValue *in = call->inputs[0];

      hir_gen_reshape_index (gen, call->output, index, in->n_dims, in->sizes, &mapped);
      text = read_as_output (gen, number, 0, in, &mapped);
    }
  else if (seen == NULL || !hir_value_same_sizes (seen, call->output))
    set_misfit (gen, number, "the shapes do not match");
  else
    text = read_as_output (gen, number, 0, seen, index);
  return text != NULL ? hir_gen_variable (gen, hir_gen_register_type (call->output->dtype), text)
                      : "0";
}

/* Returns the result of a reduction, which is available only for the current kept element. */
static const char *
reduced (HirGen *gen, guint number, const HirGenIndex *index)
{
  for (guint i = 0; i < gen->n_reduced; i++)
    if (g_array_index (gen->reductions, guint, i) == number &&
        hir_gen_index_equal (index, &gen->outer))
      return hir_gen_string (gen, "r%u", number);
  gen->failed = TRUE;
  return "0";
}

static const char *
compute (HirGen *gen, guint number, const HirGenIndex *index)
{
  switch (gen->unit->calls[number]->expr->kind)
    {
    case HIR_EXPR_UNARY:
    case HIR_EXPR_BINARY:
    case HIR_EXPR_TERNARY:
      return pointwise (gen, number, index);
    case HIR_EXPR_PAD:
      return pad (gen, number, index);
    case HIR_EXPR_CAT:
      return cat (gen, number, index);
    case HIR_EXPR_FULL:
      return full (gen, number);
    case HIR_EXPR_IOTA:
      return iota (gen, number, index);
    case HIR_EXPR_OPAQUE:
      gen->failed = TRUE;
      return "0";
    case HIR_EXPR_MATMUL:
    case HIR_EXPR_LINEAR:
      return hir_gen_product (gen, number, index);
    default:
      return view (gen, number, index);
    }
}

const char *
hir_gen_value (HirGen *gen, guint number, const HirGenIndex *index)
{
  const char *key, *name;

  if (gen->failed)
    return "0";
  if (gen->unit->calls[number]->expr->kind == HIR_EXPR_REDUCTION)
    return reduced (gen, number, index);
  key = value_key (gen, number, index);
  name = hir_gen_lookup (gen, key);
  if (name != NULL)
    return name;
  name = hir_gen_finish_value (gen, number, compute (gen, number, index));
  if (!gen->failed)
    hir_gen_remember (gen, key, name);
  return name;
}
