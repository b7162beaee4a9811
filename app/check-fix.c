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

/* Prints the changes (char*) of the program that is written to @path. */
static void
report_changes (const GPtrArray *changes, const char *path)
{
  const char *only = changes->len == 1 ? g_ptr_array_index (changes, 0) : NULL;

  if (changes->len > 1)
    fprintf (stderr, "%u changes; each line number counts after the changes before:\n",
             changes->len);
  for (guint i = 0; i < changes->len && only == NULL; i++)
    fprintf (stderr, "  %s\n", (const char *) g_ptr_array_index (changes, i));
  /* A removed line is one of the program before. */
  if (only != NULL && g_str_has_prefix (only, "removed "))
    fprintf (stderr, "%s\n", only);
  else if (only != NULL)
    fprintf (stderr, "%s of %s\n", only, path);
}

/* Applies changes, @first (nullable) first, until none is left or possible, and adds their
 * descriptions to @changes (char*). Frees @first. Returns NULL without an error if nothing was
 * changed. */
static HirRequest *
change_all (HirProgram *program,
            const HirSyncCheck *check,
            HirSyncRepair *first,
            gboolean drops,
            GPtrArray *changes,
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
      g_ptr_array_add (changes, g_strdup (repair->log));
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
  g_autoptr (GPtrArray) changes = g_ptr_array_new_with_free_func (g_free);
  g_autoptr (HirRequest) request = change_all (program, check, first, drops, changes, &cause);

  *after = NULL;
  if (request != NULL && hir_text_out_write_bytes (path, request->source->text,
                                                   strlen (request->source->text), NULL, &cause))
    {
      report_changes (changes, path);
      *after = check_text (request, path, check->n_streams, &cause);
    }
  if (cause == NULL)
    return TRUE;
  g_propagate_error (error, cause);
  return FALSE;
}
