#include "program/program-check.h"

#include "analysis/sync-observed.h"
#include "brief.h"
#include "pass.h"
#include "schedule/sharding.h"

static HirContainer *
get_fusion (const HirProgram *program)
{
  return program->fusion != NULL ? program->fusion : program->printed;
}

/* Sets inputs and rank of @options. Returns the programs of all ranks. */
static GPtrArray *
prepare (HirProgram *program, HirSyncOptions *options, GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) hosts = hir_program_dup_rank_hosts (program, cancellable, error);

  if (hosts == NULL)
    return NULL;
  if (get_fusion (program) == NULL)
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                     "the program of a recording without its script is not known; open the script");
      return NULL;
    }
  options->inputs = (const char *const *) program->request->inputs;
  options->rank = (int) program->request->rank;
  return g_steal_pointer (&hosts);
}

HirSyncTrace *
hir_program_dry_run (HirProgram *program,
                     HirSyncOptions options,
                     GCancellable *cancellable,
                     GError **error)
{
  g_autoptr (GPtrArray) hosts = prepare (program, &options, cancellable, error);

  return hosts != NULL
             ? hir_sync_trace_new (get_fusion (program), (HirContainer *const *) hosts->pdata,
                                   hosts->len, &options, cancellable, error)
             : NULL;
}

HirSyncCheck *
hir_program_check_sync (HirProgram *program,
                        gint64 n_streams,
                        HirTrace *trace,
                        HirSyncParts parts,
                        GCancellable *cancellable,
                        GError **error)
{
  HirSyncOptions options = { .n_streams = n_streams, .parts = parts };
  g_autoptr (GPtrArray) hosts = prepare (program, &options, cancellable, error);
  HirSyncCheck *check;

  if (hosts == NULL)
    return NULL;
  check = hir_sync_check_new (get_fusion (program), (HirContainer *const *) hosts->pdata,
                              hosts->len, &options, cancellable, error);
  if (check != NULL && trace != NULL)
    (void) hir_sync_check_add_recording (check, trace);
  return check;
}

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

HirDiagnostic *
hir_program_find_lost_transfer (HirProgram *program)
{
  const char *pass_name = hir_pass_convert_op_to_communication.name;
  HirContainer *host = hir_program_get_host (program);
  Transfers transfers = { NULL };
  g_autofree char *label = NULL;

  if (program->lowering == NULL || host == NULL || program->request->n_devices < 2 ||
      program->request->pipeline != HIR_PIPELINE_EXECUTOR ||
      hir_lowering_lookup (program->lowering, pass_name) != NULL)
    return NULL;
  hir_container_foreach_expr (host, find_transfer, &transfers);
  if (transfers.first == NULL || transfers.has_communication)
    return NULL;
  label = hir_brief_expr_label (transfers.first);
  return hir_diagnostic_new (HIR_ERROR_INPUT, transfers.first->node.pos,
                             "%s transfers data between devices, but no pass makes it a "
                             "communication, so that results are incorrect; enable %s",
                             label, pass_name);
}
