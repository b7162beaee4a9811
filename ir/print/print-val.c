#include "print/print-internal.h"

#include <math.h>
#include <string.h>

/* An extent is a DAG, so writing it out may grow without bound (`x = x + x` forty times). Beyond
 * these limits, scalars are printed by name, which the grammar also allows. */
#define INLINE_MAX_DEPTH 128
#define INLINE_MAX_BYTES 2048

static const char null_text[] = "(null)";

guint
hir_printer_begin_span (HirPrinter *printer, guint64 id, gboolean is_expr)
{
  HirSpan span = {
    .start = printer->out->len, .end = printer->out->len, .id = id, .is_expr = is_expr
  };

  if (printer->spans == NULL)
    return 0;
  g_array_append_val (printer->spans, span);
  return printer->spans->len - 1;
}

void
hir_printer_end_span (HirPrinter *printer, guint handle)
{
  if (printer->spans != NULL)
    g_array_index (printer->spans, HirSpan, handle).end = printer->out->len;
}

void
hir_printer_indent (HirPrinter *printer, guint depth)
{
  gsize old = printer->out->len;

  g_string_set_size (printer->out, old + 2 * depth);
  memset (printer->out->str + old, ' ', 2 * depth);
}

void
hir_printer_continue (HirPrinter *printer, guint depth)
{
  g_string_append_c (printer->out, '\n');
  hir_printer_indent (printer, depth);
}

static void
print_double (GString *out, double value)
{
  char text[G_ASCII_DTOSTR_BUF_SIZE];

  if (isnan (value) || isinf (value))
    {
      g_string_append (out, isnan (value) ? "nan" : value < 0 ? "-inf" : "inf");
      return;
    }
  /* nvFuser prints six digits; use more only if six would be a different number. */
  for (int digits = 6; digits <= 17; digits++)
    {
      char format[8];

      g_snprintf (format, sizeof format, "%%.%dg", digits);
      g_ascii_formatd (text, sizeof text, format, value);
      if (g_ascii_strtod (text, NULL) == value)
        break;
    }
  g_string_append (out, text);
}

static void
print_const (GString *out, const HirScalar *scalar)
{
  HirDType dtype = scalar->base.dtype;

  if (dtype == HIR_DTYPE_BOOL)
    g_string_append (out, scalar->i ? "true" : "false");
  else if (hir_dtype_is_floating_point (dtype) || hir_dtype_is_complex (dtype))
    {
      g_string_append (out, hir_dtype_get_name (dtype));
      g_string_append_c (out, '(');
      print_double (out, scalar->d);
      if (scalar->imaginary != 0)
        {
          g_string_append_c (out, ',');
          print_double (out, scalar->imaginary);
        }
      g_string_append_c (out, ')');
    }
  else
    g_string_append_printf (out, "%" G_GINT64_FORMAT, scalar->i);
}

static void
print_named (HirPrinter *printer, const HirScalar *scalar)
{
  const char *name = scalar->named != NULL ? scalar->named : null_text;

  /* In older dialects the loop index is an ordinary scalar without a special name
   * (docs/host-ir.md#dialects). */
  if (g_str_equal (name, HIR_NAME_DEVICE_IDX_X) && printer->format == HIR_FORMAT_2026)
    g_string_append (printer->out, HIR_NAME_RANK);
  else if (!g_str_equal (name, HIR_NAME_STREAM_IDX) || printer->format == HIR_FORMAT_2025)
    g_string_append (printer->out, name);
  else if (printer->format == HIR_FORMAT_2025_SELECT)
    /* It has no number here: use the first one that no scalar has. */
    g_string_append_printf (printer->out, "i%d",
                            scalar->base.container != NULL
                                ? scalar->base.container->val_counter[HIR_VAL_SCALAR]
                                : 0);
  else
    g_string_append (printer->out, "streamIdx");
}

void
hir_printer_scalar (HirPrinter *printer, const HirScalar *scalar)
{
  if (scalar == NULL)
    g_string_append (printer->out, null_text);
  else if (scalar->kind == HIR_SCALAR_CONST)
    print_const (printer->out, scalar);
  else if (scalar->kind == HIR_SCALAR_NAMED)
    print_named (printer, scalar);
  else
    g_string_append_printf (printer->out, "%s%d", hir_dtype_get_prefix (scalar->base.dtype),
                            scalar->base.name);
}

static gboolean
is_function (HirScalarOp op)
{
  return op == HIR_SCALAR_OP_CEIL_DIV || op == HIR_SCALAR_OP_MAX || op == HIR_SCALAR_OP_MIN;
}

static const char *
function_name (HirScalarOp op)
{
  return op == HIR_SCALAR_OP_CEIL_DIV ? "ceilDiv" : op == HIR_SCALAR_OP_MAX ? "max" : "min";
}

static void
print_inline (HirPrinter *printer, const HirScalar *scalar, guint depth, gsize start)
{
  if (scalar == NULL || scalar->kind != HIR_SCALAR_OP || depth > INLINE_MAX_DEPTH ||
      printer->out->len - start > INLINE_MAX_BYTES)
    {
      hir_printer_scalar (printer, scalar);
      return;
    }

  g_string_append (printer->out, "( ");
  if (is_function (scalar->op))
    {
      g_string_append_printf (printer->out, "%s(", function_name (scalar->op));
      print_inline (printer, scalar->a, depth + 1, start);
      g_string_append (printer->out, ", ");
      print_inline (printer, scalar->b, depth + 1, start);
      g_string_append (printer->out, ") )");
      return;
    }
  print_inline (printer, scalar->a, depth + 1, start);
  g_string_append_printf (printer->out, " %s ", hir_scalar_op_get_token (scalar->op));
  print_inline (printer, scalar->b, depth + 1, start);
  g_string_append (printer->out, " )");
}

void
hir_printer_inline (HirPrinter *printer, const HirScalar *scalar)
{
  print_inline (printer, scalar, 0, printer->out->len);
}

void
hir_printer_scalar_formula (HirPrinter *printer, const HirScalar *scalar)
{
  hir_printer_scalar (printer, scalar);
  g_string_append (printer->out, " = ");
  if (is_function (scalar->op))
    {
      g_string_append_printf (printer->out, "%s(", function_name (scalar->op));
      hir_printer_scalar (printer, scalar->a);
      g_string_append (printer->out, ", ");
      hir_printer_scalar (printer, scalar->b);
      g_string_append (printer->out, ");");
      return;
    }
  hir_printer_scalar (printer, scalar->a);
  g_string_append_printf (printer->out, " %s ", hir_scalar_op_get_token (scalar->op));
  hir_printer_scalar (printer, scalar->b);
  g_string_append_c (printer->out, ';');
}

void
hir_printer_scalar_definition (HirPrinter *printer, const HirScalar *scalar)
{
  hir_printer_indent (printer, printer->indent);
  hir_printer_scalar_formula (printer, scalar);
  g_string_append_c (printer->out, '\n');
}

static const char *
parallel_text (const HirPrinter *printer, HirParallelType type)
{
  if (type == HIR_PARALLEL_STREAM && printer->format == HIR_FORMAT_2025_SELECT)
    return "Stream";
  if (type == HIR_PARALLEL_STREAM && printer->format == HIR_FORMAT_2026)
    return "streamIdx";
  return hir_parallel_type_get_text (type);
}

void
hir_printer_axis (HirPrinter *printer, const HirIterDomain *id)
{
  guint span;

  if (id == NULL)
    {
      g_string_append (printer->out, null_text);
      return;
    }
  span = hir_printer_begin_span (printer, id->base.node.id, FALSE);
  g_string_append_c (printer->out, hir_iter_type_get_letter (id->iter_type));
  g_string_append (printer->out, parallel_text (printer, id->parallel_type));
  g_string_append_printf (printer->out, "%d{", id->base.name);
  if (id->start != NULL && !hir_scalar_is_const_int (id->start, 0))
    {
      hir_printer_inline (printer, id->start);
      g_string_append (printer->out, " : ");
    }
  hir_printer_inline (printer, id->extent);
  if (id->expanded_extent != NULL)
    {
      g_string_append (printer->out, " ex ");
      hir_printer_inline (printer, id->expanded_extent);
    }
  g_string_append (printer->out, id->is_rfactor ? "}rf" : "}");
  hir_printer_end_span (printer, span);
}

void
hir_printer_tensor (HirPrinter *printer, const HirTensor *tensor)
{
  guint span;

  if (tensor == NULL)
    {
      g_string_append (printer->out, null_text);
      return;
    }
  span = hir_printer_begin_span (printer, tensor->base.node.id, FALSE);
  g_string_append_printf (printer->out, "T%d%s_%s[", tensor->base.name,
                          hir_memory_type_get_suffix (tensor->memory),
                          hir_dtype_get_name (tensor->base.dtype));
  for (guint i = 0; i < tensor->loop.n; i++)
    {
      if (i > 0)
        g_string_append (printer->out, ", ");
      hir_printer_axis (printer, tensor->loop.ids[i]);
    }
  g_string_append_c (printer->out, ']');
  if (tensor->mesh != NULL && tensor->mesh->size > 0)
    {
      g_string_append (printer->out, " (");
      hir_mesh_print (tensor->mesh, printer->out);
      g_string_append_c (printer->out, ')');
    }
  hir_printer_end_span (printer, span);
}

void
hir_printer_stream (HirPrinter *printer, const HirStream *stream)
{
  g_string_append (printer->out, "Stream ");
  if (stream == NULL)
    g_string_append (printer->out, null_text);
  else if (stream->index != NULL)
    hir_printer_inline (printer, stream->index);
  else if (printer->format == HIR_FORMAT_2026 && stream->address != 0)
    g_string_append_printf (printer->out, "0x%" G_GINT64_MODIFIER "x", stream->address);
  else if (printer->format == HIR_FORMAT_2026)
    /* nvFuser prints the object's address; ours must be the same in every run. */
    g_string_append_printf (printer->out, "0x%x", (guint) stream->base.name);
  else
    g_string_append_printf (printer->out, "%d", stream->base.name);
}

void
hir_printer_operand (HirPrinter *printer, const HirVal *val)
{
  if (val == NULL)
    g_string_append (printer->out, null_text);
  else if (HIR_IS_TENSOR (val))
    hir_printer_tensor (printer, HIR_TENSOR (val));
  else if (HIR_IS_SCALAR (val))
    hir_printer_scalar (printer, HIR_SCALAR (val));
  else if (HIR_IS_ITER_DOMAIN (val))
    hir_printer_axis (printer, HIR_ITER_DOMAIN (val));
  else
    hir_printer_stream (printer, HIR_STREAM (val));
}

void
hir_printer_input (HirPrinter *printer, const HirExpr *expr, guint i)
{
  hir_printer_operand (printer, i < expr->n_inputs ? expr->inputs[i] : NULL);
}

void
hir_printer_output (HirPrinter *printer, const HirExpr *expr, guint i)
{
  hir_printer_operand (printer, i < expr->n_outputs ? expr->outputs[i] : NULL);
}

void
hir_iter_domain_print (const HirIterDomain *id, GString *out)
{
  HirPrinter printer = { .out = out };

  hir_printer_axis (&printer, id);
}

void
hir_scalar_print_inline (const HirScalar *scalar, GString *out)
{
  HirPrinter printer = { .out = out };

  hir_printer_inline (&printer, scalar);
}

char *
hir_tensor_to_string (const HirTensor *tensor)
{
  HirPrinter printer = { .out = g_string_new (NULL) };

  hir_printer_tensor (&printer, tensor);
  return g_string_free (printer.out, FALSE);
}

char *
hir_iter_domain_to_string (const HirIterDomain *id)
{
  GString *out = g_string_new (NULL);

  hir_iter_domain_print (id, out);
  return g_string_free (out, FALSE);
}

char *
hir_scalar_to_string (const HirScalar *scalar)
{
  GString *out = g_string_new (NULL);

  hir_scalar_print_inline (scalar, out);
  return g_string_free (out, FALSE);
}
