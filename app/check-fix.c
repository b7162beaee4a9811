#include "check-fix.h"

#include <stdio.h>
#include <string.h>

#include "trace/text-out.h"

/* Returns TRUE if nothing is wrong but that there is no such change. */
static gboolean
is_no_change (const GError *error)
{
  return g_error_matches (error, HIR_ERROR, HIR_ERROR_UNSUPPORTED) ||
         g_error_matches (error, HIR_ERROR, HIR_ERROR_LIMIT);
}

/* Returns the removal of a redundant Synchronize. Returns NULL without an error if there is none,
 * and sets @kept (nullable on entry) to the reason why others remain. */
static HirSyncRepair *
find_removal (HirProgram *program, const HirSyncCheck *check, GError **kept, GError **error)
{
  GError *cause = NULL;

  g_clear_error (kept);
  for (int i = hir_sync_check_find_removable (check, 0); i >= 0;
       i = hir_sync_check_find_removable (check, (guint) i + 1))
    {
      HirSyncRepair *removal = hir_program_find_removal (program, check, (guint) i, NULL, &cause);

      if (removal != NULL)
        return removal;
      if (!is_no_change (cause))
        {
          g_propagate_error (error, cause);
          return NULL;
        }
      g_clear_error (kept);
      *kept = g_steal_pointer (&cause);
    }
  return NULL;
}

/* Why a program is not changed further. */
typedef struct
{
  GError *unfixed; /* nullable: no change fixes a hazard */
  GError *kept;    /* nullable: a redundant Synchronize remains */
} Rest;

/* Returns the next change of @program. Returns NULL without an error if there is nothing to
 * change. */
static HirSyncRepair *
find_change (
    HirProgram *program, const HirSyncCheck *check, gboolean drops, Rest *rest, GError **error)
{
  HirSyncRepair *repair = NULL;
  GError *cause = NULL;

  if (check->missing->len > 0 && rest->unfixed == NULL)
    repair = hir_program_find_repair (program, check, HIR_REPAIR_ANY, NULL, &cause);
  if (is_no_change (cause))
    rest->unfixed = cause;
  else if (cause != NULL)
    g_propagate_error (error, cause);
  if (repair != NULL || (cause != NULL && !is_no_change (cause)) || !drops)
    return repair;
  return find_removal (program, check, &rest->kept, error);
}

/* Not an error: the check of the written program reports what is still missing. */
static void
report_rest (Rest *rest)
{
  if (rest->unfixed != NULL)
    fprintf (stderr, "note: not everything could be fixed: %s\n", rest->unfixed->message);
  if (rest->kept != NULL)
    fprintf (stderr, "note: not every redundant Synchronize was removed: %s\n",
             rest->kept->message);
  g_clear_error (&rest->unfixed);
  g_clear_error (&rest->kept);
}

/* Applies changes, @first (nullable) first, until none is left or possible. Frees @first. Returns
 * NULL without an error if nothing was changed. */
static HirRequest *
change_all (HirProgram *program,
            const HirSyncCheck *check,
            HirSyncRepair *first,
            gboolean drops,
            GError **error)
{
  g_autoptr (HirProgram) now = hir_program_ref (program);
  g_autoptr (HirSyncCheck) left = NULL;
  g_autoptr (HirRequest) last = NULL;
  Rest rest = { 0 };
  GError *cause = NULL;

  while (cause == NULL)
    {
      g_autoptr (HirSyncRepair) repair = g_steal_pointer (&first);

      if (repair == NULL)
        repair = find_change (now, left != NULL ? left : check, drops, &rest, &cause);
      if (repair == NULL)
        break;
      g_clear_pointer (&last, hir_request_unref);
      last = hir_request_ref (repair->request);
      hir_program_unref (now);
      now = hir_program_new (last, NULL, NULL, &cause);
      if (now == NULL)
        break;
      fprintf (stderr, "%s\n", repair->log);
      g_clear_pointer (&left, hir_sync_check_free);
      left = hir_program_check_sync (now, check->n_streams, NULL, HIR_SYNC_USES, NULL, &cause);
    }
  report_rest (&rest);
  if (cause == NULL)
    return g_steal_pointer (&last);
  g_propagate_error (error, cause);
  return NULL;
}

/* Checks the text of @request, which was written to @path, lowered with the options of @request. */
static HirSyncCheck *
check_text (const HirRequest *request, const char *path, gint64 n_streams, GError **error)
{
  g_autoptr (HirRequest) again = hir_request_dup (request);
  g_autoptr (HirProgram) program = NULL;
  g_autoptr (HirSyncCheck) check = NULL;
  HirSource *source = hir_source_new (path, request->source->text, -1);

  hir_source_unref (again->source);
  again->source = source;
  program = hir_program_new (again, NULL, NULL, error);
  if (program != NULL)
    check = hir_program_check_sync (program, n_streams, NULL, HIR_SYNC_ALL, NULL, error);
  return check != NULL && hir_program_suggest_repairs (program, check, NULL, NULL, error)
             ? g_steal_pointer (&check)
             : NULL;
}

gboolean
hir_check_fix (HirProgram *program,
               const HirSyncCheck *check,
               HirSyncRepair *first,
               gboolean drops,
               const char *path,
               HirSyncCheck **after,
               GError **error)
{
  GError *cause = NULL;
  g_autoptr (HirRequest) request = change_all (program, check, first, drops, &cause);

  *after = NULL;
  if (request != NULL && hir_text_out_write_bytes (path, request->source->text,
                                                   strlen (request->source->text), NULL, &cause))
    *after = check_text (request, path, check->n_streams, &cause);
  if (cause == NULL)
    return TRUE;
  g_propagate_error (error, cause);
  return FALSE;
}
