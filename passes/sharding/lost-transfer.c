#include "sharding/lost-transfer.h"

#include "brief.h"
#include "schedule/sharding.h"

typedef struct
{
  const HirExpr *first; /* nullable: op that transfers data between devices */
  guint n;              /* number of such ops */
  gboolean has_communication;
} Transfers;

static gboolean
find_transfer (HirExpr *expr, guint depth, gpointer user_data)
{
  Transfers *transfers = user_data;
  gboolean resharding = FALSE;

  if (expr->kind == HIR_EXPR_COMMUNICATION || expr->kind == HIR_EXPR_P2P)
    transfers->has_communication = TRUE;
  else if (hir_expr_is_resharding (expr, &resharding, NULL) && resharding && transfers->n++ == 0)
    transfers->first = expr;
  return TRUE;
}

const HirExpr *
hir_transfer_find (HirContainer *program)
{
  Transfers transfers = { NULL };

  hir_container_foreach_expr (program, find_transfer, &transfers);
  return transfers.first;
}

HirDiagnostic *
hir_lowering_find_lost_transfer (HirLowering *lowering, gint64 n_devices)
{
  const char *pass_name = hir_pass_convert_op_to_communication.name;
  const HirSnapshot *last = hir_lowering_get_last (lowering);
  Transfers transfers = { NULL };
  g_autofree char *label = NULL;

  if (lowering->error != NULL || last == NULL || last->program->kind != HIR_CONTAINER_HOST ||
      n_devices < 2 || hir_lowering_lookup (lowering, hir_pass_segment_fusion.name) == NULL ||
      hir_lowering_lookup (lowering, pass_name) != NULL)
    return NULL;
  hir_container_foreach_expr (last->program, find_transfer, &transfers);
  if (transfers.first == NULL || transfers.has_communication)
    return NULL;
  label = hir_brief_expr_label (transfers.first);
  return hir_diagnostic_new (HIR_ERROR_INPUT, transfers.first->node.pos,
                             "%s transfers data between devices, but no pass makes it a "
                             "communication, so that results are incorrect; enable %s",
                             label, pass_name);
}
