#include "print/print-internal.h"

/* The listing of a fusion shows each computed scalar as a separate Expr before its first use.
 * Explicit stack, because a script can build a chain of any length. */
static void
print_scalar_definitions (HirPrinter *printer, HirScalar *scalar, GHashTable *printed)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();

  g_ptr_array_add (stack, scalar);
  while (stack->len > 0)
    {
      HirScalar *top = g_ptr_array_index (stack, stack->len - 1);

      if (top == NULL || top->kind != HIR_SCALAR_OP ||
          g_hash_table_lookup (printed, top) == printed)
        {
          g_ptr_array_set_size (stack, stack->len - 1);
          continue;
        }
      /* First visit: push its operands. Second visit: its operands have been printed. */
      if (g_hash_table_insert (printed, top, top))
        {
          g_ptr_array_add (stack, top->b);
          g_ptr_array_add (stack, top->a);
          continue;
        }
      g_hash_table_insert (printed, top, printed);
      hir_printer_scalar_definition (printer, top);
      g_ptr_array_set_size (stack, stack->len - 1);
    }
}

static void
print_math_listing (HirPrinter *printer, HirContainer *fusion)
{
  g_autoptr (GPtrArray) exprs = hir_fusion_dup_exprs (fusion);
  g_autoptr (GHashTable) printed = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < exprs->len; i++)
    {
      const HirExpr *expr = g_ptr_array_index (exprs, i);

      for (guint k = 0; k < expr->n_inputs; k++)
        if (expr->inputs[k] != NULL && HIR_IS_SCALAR (expr->inputs[k]))
          print_scalar_definitions (printer, HIR_SCALAR (expr->inputs[k]), printed);
      hir_printer_expr (printer, expr);
    }
}

static void
print_fusion_head (HirPrinter *printer, const HirContainer *fusion)
{
  g_string_append (printer->out, "Inputs:\n");
  for (guint i = 0; i < fusion->inputs.len; i++)
    {
      hir_printer_indent (printer, 1);
      hir_printer_operand (printer, fusion->inputs.items[i]);
      g_string_append_c (printer->out, '\n');
    }
  g_string_append (printer->out, "Outputs:\n");
  for (guint i = 0; i < fusion->outputs.len; i++)
    {
      hir_printer_indent (printer, 1);
      hir_printer_operand (printer, fusion->outputs.items[i]);
      g_string_append_c (printer->out, '\n');
    }
}

static void
print_unit (HirPrinter *printer, const HirHostUnit *unit)
{
  HirContainer *fusion = unit->fusion;
  guint span;

  g_string_append_c (printer->out, '\n');
  span = hir_printer_begin_span (printer, unit->node.id, TRUE);
  g_string_append_printf (printer->out, "HostUnit%d: Inputs={", unit->index);
  for (guint i = 0; i < fusion->inputs.len; i++)
    {
      hir_printer_operand (printer, fusion->inputs.items[i]);
      g_string_append (printer->out, ", ");
    }
  g_string_append (printer->out, "} -> Outputs={");
  for (guint i = 0; i < fusion->outputs.len; i++)
    {
      hir_printer_operand (printer, fusion->outputs.items[i]);
      g_string_append (printer->out, ", ");
    }
  g_string_append_c (printer->out, '}');
  hir_printer_end_span (printer, span);
  /* As in nvFuser, the fusion starts on the same line, and no space follows "%kernel", unlike after
   * "%kernel_math" at the end of a fusion. */
  print_fusion_head (printer, fusion);
  g_string_append (printer->out, "\n%kernel {\n");
  print_math_listing (printer, fusion);
  g_string_append (printer->out, "} // %kernel\n");
}

static void
print_fusion (HirPrinter *printer, HirContainer *fusion)
{
  print_fusion_head (printer, fusion);
  g_string_append (printer->out, "\n%kernel_math {\n");
  print_math_listing (printer, fusion);
  g_string_append (printer->out, "} // %kernel_math \n\n");
}

static void
print_signature (HirPrinter *printer, const HirVec *vals)
{
  g_string_append_c (printer->out, '(');
  for (guint i = 0; i < vals->len; i++)
    {
      if (i > 0)
        g_string_append (printer->out, ", ");
      hir_printer_operand (printer, vals->items[i]);
    }
  g_string_append_c (printer->out, ')');
}

static void
print_host (HirPrinter *printer, HirContainer *container)
{
  g_string_append (printer->out, "%HostIrContainer { ");
  print_signature (printer, &container->inputs);
  g_string_append (printer->out, " -> ");
  print_signature (printer, &container->outputs);
  g_string_append (printer->out, " :\n");
  hir_printer_scope (printer, &container->top);
  for (guint i = 0; i < container->units.len; i++)
    if (!((HirHostUnit *) container->units.items[i])->is_kernel)
      print_unit (printer, container->units.items[i]);
  g_string_append (printer->out, "} // %HostIrContainer\n\n");
  if (container->prints_indices)
    hir_printer_index_block (printer, container);
}

char *
hir_container_print (HirContainer *container, HirFormat format, GArray **spans)
{
  HirPrinter printer = { .out = g_string_new (NULL), .format = format };

  if (spans != NULL)
    printer.spans = g_array_new (FALSE, FALSE, sizeof (HirSpan));
  if (container->kind == HIR_CONTAINER_HOST)
    print_host (&printer, container);
  else
    print_fusion (&printer, container);
  if (spans != NULL)
    *spans = printer.spans;
  return g_string_free (printer.out, FALSE);
}

char *
hir_expr_to_string (const HirExpr *expr)
{
  HirPrinter printer = { .out = g_string_new (NULL) };

  hir_printer_expr (&printer, expr);
  if (printer.out->len > 0 && printer.out->str[printer.out->len - 1] == '\n')
    g_string_truncate (printer.out, printer.out->len - 1);
  return g_string_free (printer.out, FALSE);
}
