#include "program/program-check.h"

#include "analysis/sync-observed.h"

static HirContainer *
get_fusion (const HirProgram *program)
{
  return program->fusion != NULL ? program->fusion : program->printed;
}

/* Sets inputs and rank of @options. Returns the programs of all ranks. */
static GPtrArray *
prepare (HirProgram *program, HirSyncOptions *options, GCancellable *cancellable, GError **error)
{
  g_autoptr (GPtrArray) hosts = hir_program_dup_run_hosts (program, cancellable, error);

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
