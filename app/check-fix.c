#include "check-fix.h"

#include <stdio.h>

#include "program/program-repair.h"

/* Returns the next change of @program. Returns NULL without an error if there is nothing to
 * change. */
static HirSyncRepair *
change_once (HirProgram *program, const HirSyncCheck *check, gboolean drops, GError **error)
{
  int needless = drops ? hir_sync_check_find_removable (check) : -1;

  if (check->missing->len > 0)
    return hir_program_find_repair (program, check, 0, NULL, error);
  return needless >= 0 ? hir_program_find_removal (program, check, (guint) needless, NULL, error)
                       : NULL;
}

/* Applies changes until none is left or one is not possible. Returns NULL without an error if
 * nothing was changed. */
static HirRequest *
change_all (HirProgram *program, const HirSyncCheck *check, gboolean drops, GError **error)
{
  g_autoptr (HirProgram) now = hir_program_ref (program);
  g_autoptr (HirSyncCheck) left = NULL;
  g_autoptr (HirRequest) last = NULL;
  GError *cause = NULL;

  while (cause == NULL)
    {
      g_autoptr (HirSyncRepair) repair =
          change_once (now, left != NULL ? left : check, drops, &cause);

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
      left = hir_program_check_sync (now, check->n_streams, NULL, FALSE, NULL, &cause);
    }
  /* Not an error: the check of the written program reports what is still missing. */
  if (g_error_matches (cause, HIR_ERROR, HIR_ERROR_UNSUPPORTED) ||
      g_error_matches (cause, HIR_ERROR, HIR_ERROR_LIMIT))
    {
      fprintf (stderr, "note: not everything could be fixed: %s\n", cause->message);
      g_clear_error (&cause);
    }
  if (cause == NULL)
    return g_steal_pointer (&last);
  g_propagate_error (error, cause);
  return NULL;
}

/* Checks the program in @path, lowered with the options of @request. */
static HirSyncCheck *
check_file (const HirRequest *request, const char *path, gint64 n_streams, GError **error)
{
  g_autoptr (HirRequest) again = hir_request_dup (request);
  g_autoptr (HirProgram) program = NULL;
  g_autoptr (HirSyncCheck) check = NULL;
  HirSource *source = hir_source_load (path, error);

  if (source == NULL)
    return NULL;
  hir_source_unref (again->source);
  again->source = source;
  program = hir_program_new (again, NULL, NULL, error);
  if (program != NULL)
    check = hir_program_check_sync (program, n_streams, NULL, TRUE, NULL, error);
  return check != NULL && hir_program_suggest_repairs (program, check, NULL, error)
             ? g_steal_pointer (&check)
             : NULL;
}

/* Replaces the message of GLib, which names a temporary file instead of @path. */
static gboolean
write_text (const char *path, const char *text, GError **error)
{
  g_autoptr (GError) cause = NULL;

  if (g_file_set_contents (path, text, -1, &cause))
    return TRUE;
  if (g_error_matches (cause, G_FILE_ERROR, G_FILE_ERROR_NOENT))
    hir_set_error (error, HIR_ERROR_INPUT, NULL,
                   "cannot write %s: its folder does not exist; create it or choose another name",
                   path);
  else
    hir_set_error (error, HIR_ERROR_INPUT, NULL,
                   "cannot write %s: %s; choose a name in a folder with write permission", path,
                   cause->message);
  return FALSE;
}

gboolean
hir_check_fix (HirProgram *program,
               const HirSyncCheck *check,
               gboolean drops,
               const char *path,
               HirSyncCheck **after,
               GError **error)
{
  GError *cause = NULL;
  g_autoptr (HirRequest) request = change_all (program, check, drops, &cause);

  *after = NULL;
  if (request != NULL && write_text (path, request->source->text, &cause))
    *after = check_file (request, path, check->n_streams, &cause);
  if (cause == NULL)
    return TRUE;
  g_propagate_error (error, cause);
  return FALSE;
}
