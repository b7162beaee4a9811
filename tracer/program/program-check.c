#include "program/program-check.h"

#include "analysis/sync-observed.h"

HirSyncCheck *
hir_program_check_sync (HirProgram *program,
                        gint64 n_streams,
                        HirTrace *trace,
                        HirSyncParts parts,
                        GCancellable *cancellable,
                        GError **error)
{
  g_autoptr (GPtrArray) hosts = hir_program_dup_rank_hosts (program, cancellable, error);
  HirContainer *fusion = program->fusion != NULL ? program->fusion : program->printed;
  HirSyncCheck *check;

  if (hosts == NULL)
    return NULL;
  if (fusion == NULL)
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                     "a recording without its script cannot be checked; open the script");
      return NULL;
    }

  const HirSyncOptions options = { .n_streams = n_streams,
                                   .inputs = (const char *const *) program->request->inputs,
                                   .rank = (int) program->request->rank,
                                   .parts = parts };
  check = hir_sync_check_new (fusion, (HirContainer *const *) hosts->pdata, hosts->len, &options,
                              cancellable, error);
  if (check != NULL && trace != NULL)
    (void) hir_sync_check_add_recording (check, trace);
  return check;
}
