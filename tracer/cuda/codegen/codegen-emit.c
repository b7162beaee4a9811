/* Emits the text, variables and parameters of a kernel. */
#include "cuda/codegen/codegen-private.h"

const char *
hir_gen_string (HirGen *gen, const char *format, ...)
{
  g_autofree char *text = NULL;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  return g_string_chunk_insert (gen->strings, text);
}

void
hir_gen_line (HirGen *gen, const char *format, ...)
{
  va_list args;

  for (guint i = 0; i < gen->indent; i++)
    g_string_append (gen->body, "  ");
  va_start (args, format);
  g_string_append_vprintf (gen->body, format, args);
  va_end (args);
  g_string_append_c (gen->body, '\n');
}

void
hir_gen_open (HirGen *gen)
{
  gen->indent++;
  hir_gen_line (gen, "{");
  gen->indent++;
}

void
hir_gen_close (HirGen *gen)
{
  gen->indent--;
  hir_gen_line (gen, "}");
  gen->indent--;
}

guint
hir_gen_mark (HirGen *gen)
{
  return gen->memo->len;
}

void
hir_gen_forget (HirGen *gen, guint mark)
{
  g_ptr_array_set_size (gen->memo, (int) mark);
}

const char *
hir_gen_lookup (HirGen *gen, const char *key)
{
  for (guint i = 0; i + 1 < gen->memo->len; i += 2)
    if (g_str_equal (g_ptr_array_index (gen->memo, i), key))
      return g_ptr_array_index (gen->memo, i + 1);
  return NULL;
}

void
hir_gen_remember (HirGen *gen, const char *key, const char *variable)
{
  g_ptr_array_add (gen->memo, (gpointer) key);
  g_ptr_array_add (gen->memo, (gpointer) variable);
}

const char *
hir_gen_variable (HirGen *gen, const char *type, const char *expr)
{
  const char *name = hir_gen_string (gen, "v%u", gen->n_variables++);

  hir_gen_line (gen, "const %s %s = %s;", type, name, expr);
  return name;
}

const HirValue *
hir_gen_get_operand (const HirGen *gen, guint call, int operand)
{
  const HirOpCall *op = gen->unit->calls[call];

  switch (operand)
    {
    case HIR_OPERAND_OUTPUT:
    case HIR_OPERAND_PIECES: /* partial results of the output */
      return op->output;
    case HIR_OPERAND_FILL:
      return op->fill;
    case HIR_OPERAND_STEP:
      return op->step;
    default:
      return op->inputs[operand];
    }
}

static gboolean
same_arg (const HirGen *gen, const HirKernelArg *a, const HirKernelArg *b)
{
  const HirValue *x, *y;

  if (a->kind != b->kind)
    return FALSE;
  if (a->kind == HIR_ARG_SCRATCH)
    return a->scratch == b->scratch && a->offset_bytes == b->offset_bytes;
  x = hir_gen_get_operand (gen, a->call, a->operand);
  y = hir_gen_get_operand (gen, b->call, b->operand);
  if (a->kind == HIR_ARG_OPERAND)
    return x->buffer == y->buffer && x->offset == y->offset && x->dtype == y->dtype;
  return a->call == b->call && a->operand == b->operand;
}

static guint
add_arg (HirGen *gen, const HirKernelArg *arg, gboolean *is_new)
{
  for (guint i = 0; i < gen->args->len; i++)
    if (same_arg (gen, &g_array_index (gen->args, HirKernelArg, i), arg))
      {
        *is_new = FALSE;
        return i;
      }
  *is_new = TRUE;
  g_array_append_val (gen->args, *arg);
  g_array_set_size (gen->written, gen->args->len);
  return gen->args->len - 1;
}

guint
hir_gen_get_scratch (HirGenUnit *unit, const HirBuffer *buffer)
{
  guint index = GPOINTER_TO_UINT (g_hash_table_lookup (unit->scratch, buffer));

  if (index > 0)
    return index - 1;
  g_array_append_val (unit->code->scratch, buffer->size_bytes);
  index = unit->code->scratch->len;
  g_hash_table_insert (unit->scratch, (gpointer) buffer, GUINT_TO_POINTER (index));
  return index - 1;
}

/* Returns the argument for the address of @value, in scratch memory if @value has no memory. */
static HirKernelArg
address_arg (HirGen *gen, guint call, int operand, const HirValue *value)
{
  HirKernelArg arg = { .kind = HIR_ARG_OPERAND, .call = call, .operand = operand };

  if (value->buffer->data != NULL)
    return arg;
  arg.kind = HIR_ARG_SCRATCH;
  arg.scratch = hir_gen_get_scratch (gen->unit, value->buffer);
  arg.offset_bytes = (gsize) value->offset * hir_dtype_get_size_bytes (value->dtype);
  return arg;
}

/* Returns TRUE if another argument points to the same buffer, so that "restrict" is not allowed. */
static gboolean
is_shared (const HirGen *gen, guint index)
{
  const HirKernelArg *arg = &g_array_index (gen->args, HirKernelArg, index);
  const HirBuffer *buffer = hir_gen_get_operand (gen, arg->call, arg->operand)->buffer;

  for (guint i = 0; i < gen->args->len && arg->operand != HIR_OPERAND_PIECES; i++)
    {
      const HirKernelArg *other = &g_array_index (gen->args, HirKernelArg, i);

      if (i != index && other->operand != HIR_OPERAND_PIECES &&
          (other->kind == HIR_ARG_OPERAND || other->kind == HIR_ARG_SCRATCH) &&
          hir_gen_get_operand (gen, other->call, other->operand)->buffer == buffer)
        return TRUE;
    }
  return FALSE;
}

static const char *
type_of (const HirGen *gen, const HirKernelArg *arg)
{
  const HirOpCall *call = gen->unit->calls[arg->call];

  return arg->operand == HIR_OPERAND_PIECES
             ? hir_gen_class_type (
                   hir_compute_class_for (&call->inputs[0]->dtype, 1, call->output->dtype, FALSE))
             : hir_gen_memory_type (hir_gen_get_operand (gen, arg->call, arg->operand)->dtype);
}

char *
hir_gen_dup_parameters (HirGen *gen)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < gen->args->len; i++)
    {
      const HirKernelArg *arg = &g_array_index (gen->args, HirKernelArg, i);
      const char *type = type_of (gen, arg);

      if (i > 0)
        g_string_append (text, ", ");
      if (arg->kind == HIR_ARG_DOUBLE || arg->kind == HIR_ARG_INT)
        g_string_append_printf (text, "%s p%u",
                                arg->kind == HIR_ARG_DOUBLE ? "double" : "long long", i);
      else
        g_string_append_printf (text, "%s%s *%sp%u",
                                g_array_index (gen->written, gboolean, i) ? "" : "const ", type,
                                is_shared (gen, i) ? "" : "HIR_RESTRICT ", i);
    }
  return g_string_free (text, FALSE);
}

const char *
hir_gen_address (HirGen *gen, guint call, int operand, gboolean is_written)
{
  const HirValue *value = hir_gen_get_operand (gen, call, operand);
  HirKernelArg arg = address_arg (gen, call, operand, value);
  gboolean is_new;
  guint index = add_arg (gen, &arg, &is_new);

  if (is_new || is_written)
    g_array_index (gen->written, gboolean, index) = is_written;
  return hir_gen_string (gen, "p%u", index);
}

const char *
hir_gen_piece_address (HirGen *gen, guint call, guint scratch, gboolean is_written)
{
  HirKernelArg arg = {
    .kind = HIR_ARG_SCRATCH, .call = call, .operand = HIR_OPERAND_PIECES, .scratch = scratch
  };
  gboolean is_new;
  guint index = add_arg (gen, &arg, &is_new);

  g_array_index (gen->written, gboolean, index) = is_written;
  return hir_gen_string (gen, "p%u", index);
}

const char *
hir_gen_scalar (HirGen *gen, guint call, int operand, gboolean is_float)
{
  HirKernelArg arg = { .kind = is_float ? HIR_ARG_DOUBLE : HIR_ARG_INT,
                       .call = call,
                       .operand = operand };
  gboolean is_new;
  guint index = add_arg (gen, &arg, &is_new);

  return hir_gen_string (gen, "p%u", index);
}
