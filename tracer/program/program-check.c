#include "program/program-check.h"

#include "analysis/sync-observed.h"
#include "program/program-repair.h"

HirSyncCheck *
hir_program_check_sync (HirProgram *program,
                        gint64 n_streams,
                        HirTrace *trace,
                        gboolean wants_times,
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
                                   .wants_times = wants_times };
  check = hir_sync_check_new (fusion, (HirContainer *const *) hosts->pdata, hosts->len, &options,
                              cancellable, error);
  if (check != NULL && trace != NULL)
    (void) hir_sync_check_add_recording (check, trace);
  return check;
}

/* Returns the request of @repair and its log as @what; frees @repair. */
static HirRequest *
take_request (HirSyncRepair *repair, char **what)
{
  HirRequest *request = repair != NULL ? hir_request_ref (repair->request) : NULL;

  if (repair != NULL)
    {
      *what = g_strdup (repair->log);
      hir_sync_repair_free (repair);
    }
  return request;
}

HirRequest *
hir_program_fix_sync (HirProgram *program,
                      const HirSyncCheck *check,
                      guint index,
                      GCancellable *cancellable,
                      char **what,
                      GError **error)
{
  return take_request (hir_program_find_repair (program, check, index, cancellable, error), what);
}

gboolean
hir_program_suggest_fixes (HirProgram *program,
                           HirSyncCheck *check,
                           GCancellable *cancellable,
                           GError **error)
{
  g_autofree char *common = NULL;

  for (guint i = 0; i < check->missing->len; i++)
    {
      HirSyncMissing *missing = &g_array_index (check->missing, HirSyncMissing, i);
      g_autoptr (GError) why = NULL;
      g_autoptr (HirSyncRepair) repair = NULL;

      if (common == NULL)
        repair = hir_program_find_repair (program, check, i, cancellable, &why);
      if (why != NULL && why->domain != HIR_ERROR)
        {
          g_propagate_error (error, g_steal_pointer (&why));
          return FALSE;
        }
      g_free (missing->suggestion);
      missing->suggestion = g_strdup (common != NULL   ? common
                                      : repair != NULL ? repair->sentence
                                                       : why->message);
      if (repair != NULL && repair->is_clean)
        common = g_strdup (repair->sentence);
    }
  return TRUE;
}

static gboolean
is_droppable (const HirSyncUse *use)
{
  return use->is_needless && use->expr->kind == HIR_EXPR_SYNCHRONIZE;
}

int
hir_sync_check_find_droppable (const HirSyncCheck *check)
{
  for (guint i = 0; i < check->uses->len; i++)
    if (is_droppable (&g_array_index (check->uses, HirSyncUse, i)))
      return (int) i;
  return -1;
}

HirRequest *
hir_program_drop_sync (HirProgram *program,
                       const HirSyncCheck *check,
                       guint index,
                       GCancellable *cancellable,
                       char **what,
                       GError **error)
{
  const HirSyncUse *use = &g_array_index (check->uses, HirSyncUse, index);

  if (!is_droppable (use))
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                     use->is_needless
                         ? "a run requires one Wait for each communication; it cannot be removed"
                         : "the synchronization is not redundant");
      return NULL;
    }
  return take_request (hir_program_find_removal (program, check, index, cancellable, error), what);
}
