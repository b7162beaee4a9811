/* Index definitions after a host program, as nvFuser prints them with the dump option
 * `host_ir(indices)` (docs/host-ir.md#index-definitions). */
#include "print/print-internal.h"
#include "usage.h"

typedef struct
{
  GHashTable *seen;
  GPtrArray *found; /* HirScalar* */
} Collector;

static void
collect (Collector *collector, HirScalar *scalar)
{
  g_autoptr (GPtrArray) stack = g_ptr_array_new ();

  g_ptr_array_add (stack, scalar);
  while (stack->len > 0)
    {
      HirScalar *top = g_ptr_array_steal_index_fast (stack, stack->len - 1);

      if (top == NULL || top->kind != HIR_SCALAR_OP || !g_hash_table_add (collector->seen, top))
        continue;
      if (top->base.dtype == HIR_DTYPE_INDEX)
        g_ptr_array_add (collector->found, top);
      g_ptr_array_add (stack, top->a);
      g_ptr_array_add (stack, top->b);
    }
}

static gboolean
collect_expr (HirExpr *expr, guint depth, gpointer user_data)
{
  g_autoptr (GPtrArray) scalars = hir_expr_dup_scalars (expr);

  for (guint i = 0; expr->kind != HIR_EXPR_ALLOCATE && i < scalars->len; i++)
    collect (user_data, g_ptr_array_index (scalars, i));
  return TRUE;
}

static int
compare_names (gconstpointer a, gconstpointer b)
{
  const HirScalar *x = *(HirScalar *const *) a, *y = *(HirScalar *const *) b;

  return (x->base.name > y->base.name) - (x->base.name < y->base.name);
}

void
hir_printer_index_block (HirPrinter *printer, HirContainer *container)
{
  g_autoptr (GHashTable) seen = g_hash_table_new (NULL, NULL);
  g_autoptr (GPtrArray) found = g_ptr_array_new ();
  Collector collector = { seen, found };

  hir_container_foreach_expr (container, collect_expr, &collector);
  g_ptr_array_sort (found, compare_names);
  g_string_append (printer->out, "Index definitions:\n");
  printer->indent++;
  for (guint i = 0; i < found->len; i++)
    hir_printer_scalar_definition (printer, g_ptr_array_index (found, i));
  printer->indent--;
  g_string_append_c (printer->out, '\n');
}
