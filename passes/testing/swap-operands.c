/* Injects a bug for tests of bisection: swaps the operands of a subtraction. Only in the pass table
 * if HIRSCOPE_TEST_PASSES is set. */
#include "diagnostic.h"
#include "pass.h"

static HirExpr *
find_subtraction (HirContainer *program, const char *name)
{
  for (guint i = 0; i < program->exprs.len; i++)
    {
      HirExpr *expr = program->exprs.items[i];
      const HirTensor *made;
      g_autofree char *number = NULL;

      if (expr->kind != HIR_EXPR_BINARY || expr->u.binary.op != HIR_BINARY_SUB)
        continue;
      made = HIR_TENSOR (expr->outputs[0]);
      number = g_strdup_printf ("T%d", made->base.name);
      if (g_str_equal (number, name) || g_strcmp0 (made->script_name, name) == 0)
        return expr;
    }
  return NULL;
}

static HirContainer *
run (HirContainer *program, const HirPassContext *context, GError **error)
{
  const char *name = hir_pass_context_get_option (context, "tensor");
  HirExpr *expr = find_subtraction (program, name);
  HirVal *first;

  if (expr == NULL)
    {
      hir_set_error (error, HIR_ERROR_REFUSED, NULL,
                     "SwapOperands.tensor=%s: no subtraction computes a tensor of that name", name);
      hir_container_unref (program);
      return NULL;
    }
  first = expr->inputs[0];
  expr->inputs[0] = expr->inputs[1];
  expr->inputs[1] = first;
  return program;
}

static const HirPassOption options[] = {
  { .name = "tensor",
    .summary = "result of the subtraction",
    .default_value = "T2",
    .is_text = TRUE },
  { NULL },
};

const HirPass hir_pass_swap_operands = {
  .name = "SwapOperands",
  .summary = "test only: swap the operands of a subtraction",
  .help = "Injects a bug for bisect to find. Available only if HIRSCOPE_TEST_PASSES=1 is set.",
  .options = options,
  .default_on = FALSE,
  .run = run,
};
