/* Finds the steps in which transfers between devices are no communications yet. */
#include "bisect/bisect-private.h"

#include "sharding/lost-transfer.h"

static gboolean
count_communication (HirExpr *expr, guint depth, gpointer user_data)
{
  guint *n = user_data;

  *n += expr->kind == HIR_EXPR_COMMUNICATION || expr->kind == HIR_EXPR_P2P ||
        expr->kind == HIR_EXPR_COLLECTIVE_PERMUTE;
  return TRUE;
}

guint
hir_bisect_count_communications (const HirProgram *program, guint index)
{
  guint n = 0;

  hir_container_foreach_expr (hir_program_get_step (program, index), count_communication, &n);
  return n;
}

gboolean
hir_bisect_is_converted_later (const HirProgram *program, guint index)
{
  guint n = hir_bisect_count_communications (program, index);

  for (guint i = index + 1; program->request->n_devices > 1 && i < program->views->len; i++)
    if (hir_bisect_count_communications (program, i) > n)
      return TRUE;
  return FALSE;
}

static gboolean
has_step (const HirProgram *program, guint last, const HirPass *pass)
{
  for (guint i = 0; i <= last; i++)
    {
      const HirProgramView *view = program->views->pdata[i];

      if (g_ascii_strcasecmp (view->pass_name, pass->name) == 0)
        return TRUE;
    }
  return FALSE;
}

gboolean
hir_bisect_is_unconverted (const HirProgram *program, guint index)
{
  return program->request->n_devices > 1 && has_step (program, index, &hir_pass_segment_fusion) &&
         !has_step (program, index, &hir_pass_convert_op_to_communication) &&
         hir_transfer_find (hir_program_get_step (program, index)) != NULL;
}
