/* Math listing: tensor ops as in docs/host-ir.md#tensor-ops. Continuation lines are indented three
 * columns relative to the Expr. */
#include "print/print-internal.h"

#include <string.h>

/* Starts the second line: ` = `. */
static void
begin_value (HirPrinter *printer)
{
  hir_printer_continue (printer, printer->indent + 1);
  g_string_append (printer->out, " = ");
}

static gboolean
has_tensor_output (const HirExpr *expr)
{
  return expr->n_outputs > 0 && expr->outputs[0] != NULL && HIR_IS_TENSOR (expr->outputs[0]);
}

/* Ops on tensors span several lines; ops on scalars are on one line. */
static void
begin_op (HirPrinter *printer, const HirExpr *expr)
{
  hir_printer_output (printer, expr, 0);
  if (has_tensor_output (expr))
    begin_value (printer);
  else
    g_string_append (printer->out, " = ");
}

static void
next_operand (HirPrinter *printer, const HirExpr *expr)
{
  if (has_tensor_output (expr))
    hir_printer_continue (printer, printer->indent + 1);
}

static void
print_set (HirPrinter *printer, const HirExpr *expr)
{
  const char *name = "Set";

  if (expr->u.set.kind == HIR_SET_SEGMENTER)
    name = "SegmenterSet";
  else if (has_tensor_output (expr) && HIR_TENSOR (expr->outputs[0])->has_root)
    name = "Set.Permute";
  begin_op (printer, expr);
  g_string_append_printf (printer->out, "%s( ", name);
  hir_printer_input (printer, expr, 0);
  g_string_append (printer->out, expr->u.set.streaming ? ", cache_op=Streaming )" : " )");
}

/* Returns the name of a type in nvFuser's conversion functions of 2025. */
static const char *
cast_word (HirDType dtype)
{
  switch (dtype)
    {
    case HIR_DTYPE_HALF:
      return "half";
    case HIR_DTYPE_BFLOAT16:
      return "bfloat";
    case HIR_DTYPE_INT:
    case HIR_DTYPE_INDEX:
      return "int";
    case HIR_DTYPE_INT32:
      return "int32";
    case HIR_DTYPE_COMPLEX_FLOAT:
      return "complex_float";
    case HIR_DTYPE_COMPLEX_DOUBLE:
      return "complex_double";
    default:
      {
        const char *name = hir_dtype_get_name (dtype);
        return g_str_has_prefix (name, "__") ? name + 2 : name;
      }
    }
}

static gboolean
is_reduced_precision (HirDType dtype)
{
  return hir_dtype_is_floating_point (dtype) && dtype != HIR_DTYPE_FLOAT &&
         dtype != HIR_DTYPE_DOUBLE;
}

static void
print_cast_function (HirPrinter *printer, HirDType from, HirDType to)
{
  if (printer->format == HIR_FORMAT_2026)
    g_string_append_printf (printer->out, "%s%s",
                            hir_dtype_is_complex (from) && !hir_dtype_is_complex (to)
                                ? "__real_then_to_"
                                : "__to_",
                            cast_word (to));
  else if (is_reduced_precision (from) || is_reduced_precision (to))
    g_string_append_printf (printer->out, "__%s2%s", cast_word (from), cast_word (to));
  else
    g_string_append_printf (printer->out, "(%s)", hir_dtype_get_name (to));
}

/* Returns TRUE for ops whose CUDA function has a separate float version
 * (docs/host-ir.md#tensor-ops). */
static gboolean
takes_float_suffix (HirUnaryOp op)
{
  switch (op)
    {
    case HIR_UNARY_ABS:
    case HIR_UNARY_CAST:
    case HIR_UNARY_FRAC:
    case HIR_UNARY_GELU:
    case HIR_UNARY_SILU:
    case HIR_UNARY_NEG:
    case HIR_UNARY_RELU:
    case HIR_UNARY_RECIPROCAL:
    case HIR_UNARY_SIGMOID:
    case HIR_UNARY_LOGICAL_NOT:
    case HIR_UNARY_BITWISE_NOT:
    case HIR_UNARY_ISFINITE:
    case HIR_UNARY_ISINF:
    case HIR_UNARY_ISNAN:
    case HIR_UNARY_ISNEGINF:
    case HIR_UNARY_ISPOSINF:
    case HIR_UNARY_ISREAL:
      return FALSE;
    default:
      return TRUE;
    }
}

static const char *
unary_token (HirUnaryOp op)
{
  switch (op)
    {
    case HIR_UNARY_NEG:
      return "-";
    case HIR_UNARY_LOGICAL_NOT:
      return "!";
    case HIR_UNARY_BITWISE_NOT:
      return "~";
    default:
      return NULL;
    }
}

static void
print_unary (HirPrinter *printer, const HirExpr *expr)
{
  HirUnaryOp op = expr->u.unary.op;
  HirDType to =
      expr->n_outputs > 0 && expr->outputs[0] != NULL ? expr->outputs[0]->dtype : HIR_DTYPE_NULL;
  HirDType from =
      expr->n_inputs > 0 && expr->inputs[0] != NULL ? expr->inputs[0]->dtype : HIR_DTYPE_NULL;

  begin_op (printer, expr);
  if (unary_token (op) != NULL)
    {
      g_string_append (printer->out, unary_token (op));
      hir_printer_input (printer, expr, 0);
      g_string_append_c (printer->out, ';');
      return;
    }
  if (op == HIR_UNARY_CAST)
    print_cast_function (printer, from, to);
  else
    {
      g_string_append (printer->out,
                       op == HIR_UNARY_ROUND ? "nearbyint" : hir_unary_op_get_name (op));
      if (to == HIR_DTYPE_FLOAT && takes_float_suffix (op))
        g_string_append_c (printer->out, 'f');
    }
  g_string_append_c (printer->out, '(');
  hir_printer_input (printer, expr, 0);
  g_string_append (printer->out, ");");
}

static void
print_function (HirPrinter *printer, const HirExpr *expr, const char *name)
{
  begin_op (printer, expr);
  g_string_append_printf (printer->out, "%s(", name);
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      if (i > 0)
        {
          next_operand (printer, expr);
          g_string_append (printer->out, ", ");
        }
      hir_printer_input (printer, expr, i);
    }
  g_string_append (printer->out, ");");
}

/* The second output of an op is NAME.1 (...). */
static void
print_opaque (HirPrinter *printer, const HirExpr *expr)
{
  g_autofree char *name = expr->u.opaque.output > 0 ? g_strdup_printf ("%s.%u", expr->u.opaque.name,
                                                                       expr->u.opaque.output)
                                                    : g_strdup (expr->u.opaque.name);

  print_function (printer, expr, name);
}

/* nvFuser prints the name of the function that it calls, not the script's op. */
static const char *
binary_function (HirBinaryOp op)
{
  return op == HIR_BINARY_MAX ? "max" : op == HIR_BINARY_MIN ? "min" : hir_binary_op_get_name (op);
}

static void
print_binary (HirPrinter *printer, const HirExpr *expr)
{
  const char *token = hir_binary_op_get_token (expr->u.binary.op);

  if (token == NULL)
    {
      print_function (printer, expr, binary_function (expr->u.binary.op));
      return;
    }
  begin_op (printer, expr);
  hir_printer_input (printer, expr, 0);
  next_operand (printer, expr);
  g_string_append_printf (printer->out, " %s ", token);
  hir_printer_input (printer, expr, 1);
  g_string_append_c (printer->out, ';');
}

/* Starts ops that nvFuser prints with three spaces instead of one more level of indentation. */
static void
begin_spaced (HirPrinter *printer, const HirExpr *expr, const char *name)
{
  hir_printer_output (printer, expr, 0);
  hir_printer_continue (printer, printer->indent);
  g_string_append_printf (printer->out, "   = %s( ", name);
}

static void
print_flags (
    HirPrinter *printer, const HirExpr *expr, const char *name, const gboolean *flags, guint n)
{
  begin_spaced (printer, expr, name);
  hir_printer_input (printer, expr, 0);
  g_string_append (printer->out, ", flags = {");
  for (guint i = 0; i < n; i++)
    g_string_append_printf (printer->out, "%s%s", i > 0 ? ", " : "", flags[i] ? "true" : "false");
  g_string_append (printer->out, "} )");
}

static void
print_reduction (HirPrinter *printer, const HirExpr *expr)
{
  begin_spaced (printer, expr, "reduction");
  hir_printer_input (printer, expr, 0);
  g_string_append_printf (printer->out,
                          ", op = %s, initial value = ", binary_function (expr->u.reduction.op));
  hir_printer_scalar (printer, expr->u.reduction.init);
  g_string_append_printf (printer->out, ", allreduce = %s )",
                          expr->u.reduction.allreduce ? "true" : "false");
}

static void
print_list (HirPrinter *printer, HirScalar *const *scalars, guint n)
{
  g_string_append_c (printer->out, '{');
  for (guint i = 0; i < n; i++)
    {
      if (i > 0)
        g_string_append (printer->out, ", ");
      hir_printer_inline (printer, scalars[i]);
    }
  g_string_append_c (printer->out, '}');
}

static void
print_slice (HirPrinter *printer, const HirExpr *expr)
{
  begin_spaced (printer, expr, "slice");
  hir_printer_input (printer, expr, 0);
  g_string_append (printer->out, ", {");
  for (guint i = 0; i < expr->u.slice.n; i++)
    {
      HirScalar *range[] = { expr->u.slice.start[i], expr->u.slice.stop[i], expr->u.slice.step[i] };

      g_string_append_c (printer->out, ' ');
      print_list (printer, range, G_N_ELEMENTS (range));
    }
  g_string_append (printer->out, " } )");
}

static void
print_pad (HirPrinter *printer, const HirExpr *expr)
{
  begin_spaced (printer, expr, "pad");
  hir_printer_input (printer, expr, 0);
  g_string_append (printer->out, ", ");
  print_list (printer, expr->u.pad.widths, expr->u.pad.n);
  g_string_append (printer->out, " )");
}

static void
print_cat (HirPrinter *printer, const HirExpr *expr)
{
  begin_spaced (printer, expr, "cat");
  for (guint i = 0; i < expr->n_inputs; i++)
    {
      hir_printer_input (printer, expr, i);
      g_string_append (printer->out, ", ");
    }
  g_string_append_printf (printer->out, "%d )", expr->u.cat.dim);
}

static void
print_one_line (HirPrinter *printer, const HirExpr *expr)
{
  gboolean is_2026 = printer->format == HIR_FORMAT_2026;

  hir_printer_output (printer, expr, 0);
  if (expr->kind == HIR_EXPR_EXPAND)
    g_string_append (printer->out, " = expand( ");
  else
    g_string_append (printer->out, is_2026 ? " = reshape( " : " = view( ");
  hir_printer_input (printer, expr, 0);
  if (expr->kind == HIR_EXPR_EXPAND && !is_2026)
    {
      g_string_append (printer->out, ", ");
      print_list (printer, expr->u.expand.extents, expr->u.expand.n);
    }
  g_string_append (printer->out, " )");
}

static void
print_select (HirPrinter *printer, const HirExpr *expr)
{
  begin_op (printer, expr);
  g_string_append (printer->out, "select( ");
  hir_printer_input (printer, expr, 0);
  g_string_append (printer->out, ", axis = ");
  hir_printer_axis (printer, expr->u.select.axis);
  g_string_append (printer->out, ", index = ");
  hir_printer_scalar (printer, expr->u.select.index);
  g_string_append (printer->out, " )");
}

/* nvFuser indents in the middle of a LinearOp's lines, but not before the bias. */
static void
print_product (HirPrinter *printer, const HirExpr *expr)
{
  static const char column[] = "          ";
  gboolean is_linear = expr->kind == HIR_EXPR_LINEAR;

  begin_op (printer, expr);
  g_string_append (printer->out, is_linear ? "linear(" : "matmul(");
  hir_printer_input (printer, expr, 0);
  g_string_append_c (printer->out, ',');
  hir_printer_continue (printer, printer->indent + 1);
  g_string_append (printer->out, column);
  hir_printer_input (printer, expr, 1);
  if (is_linear && expr->n_inputs > 2)
    {
      hir_printer_indent (printer, printer->indent + 1);
      g_string_append_printf (printer->out, ",\n%s", column);
      hir_printer_input (printer, expr, 2);
    }
  if (is_linear)
    hir_printer_indent (printer, printer->indent + 1);
  g_string_append_c (printer->out, ')');
}

static void
print_full (HirPrinter *printer, const HirExpr *expr)
{
  begin_op (printer, expr);
  g_string_append (printer->out, "full(");
  print_list (printer, expr->u.full.shape, expr->u.full.n);
  g_string_append (printer->out, ", ");
  hir_printer_scalar (printer, expr->u.full.value);
  g_string_append (printer->out, ");");
}

static void
print_iota (HirPrinter *printer, const HirExpr *expr)
{
  HirDType dtype =
      expr->n_outputs > 0 && expr->outputs[0] != NULL ? expr->outputs[0]->dtype : HIR_DTYPE_NULL;

  begin_op (printer, expr);
  g_string_append (printer->out, "iota(");
  hir_printer_inline (printer, expr->u.iota.length);
  g_string_append (printer->out, ", ");
  hir_printer_scalar (printer, expr->u.iota.start);
  g_string_append (printer->out, ", ");
  hir_printer_scalar (printer, expr->u.iota.step);
  g_string_append_printf (printer->out, ", %s);", hir_dtype_get_name (dtype));
}

gboolean
hir_printer_math (HirPrinter *printer, const HirExpr *expr)
{
  switch (expr->kind)
    {
    case HIR_EXPR_SET:
      print_set (printer, expr);
      break;
    case HIR_EXPR_UNARY:
      print_unary (printer, expr);
      break;
    case HIR_EXPR_BINARY:
      print_binary (printer, expr);
      break;
    case HIR_EXPR_TERNARY:
      print_function (printer, expr, hir_ternary_op_get_name (expr->u.ternary.op));
      break;
    case HIR_EXPR_REDUCTION:
      print_reduction (printer, expr);
      break;
    case HIR_EXPR_BROADCAST:
      print_flags (printer, expr, "broadcast", expr->u.broadcast.flags, expr->u.broadcast.n);
      break;
    case HIR_EXPR_SQUEEZE:
      print_flags (printer, expr, "squeeze", expr->u.squeeze.flags, expr->u.squeeze.n);
      break;
    case HIR_EXPR_EXPAND:
    case HIR_EXPR_RESHAPE:
      print_one_line (printer, expr);
      break;
    case HIR_EXPR_SLICE:
      print_slice (printer, expr);
      break;
    case HIR_EXPR_PAD:
      print_pad (printer, expr);
      break;
    case HIR_EXPR_CAT:
      print_cat (printer, expr);
      break;
    case HIR_EXPR_SELECT:
      print_select (printer, expr);
      break;
    case HIR_EXPR_MATMUL:
    case HIR_EXPR_LINEAR:
      print_product (printer, expr);
      break;
    case HIR_EXPR_FULL:
      print_full (printer, expr);
      break;
    case HIR_EXPR_IOTA:
      print_iota (printer, expr);
      break;
    case HIR_EXPR_OPAQUE:
      print_opaque (printer, expr);
      break;
    default:
      return FALSE;
    }
  return TRUE;
}
