/* Adds to the report of --check what values cannot show: memory that nothing has written may
 * contain anything, also what the reference has. */
#include "job/run-memory.h"

#include <string.h>

#include "program/program-check.h"

/* Removes from @report the line of the output that @found names. Both lines start with the name of
 * the output and a colon, such as "T1:". */
static void
remove_line (GString *report, const char *found)
{
  gsize n = strcspn (found, ":\n");

  for (char *line = report->str; found[n] == ':' && *line != '\0';)
    {
      char *end = strchrnul (line, '\n');

      if (strncmp (line, found, n + 1) == 0)
        {
          g_string_erase (report, line - report->str, end - line + (*end == '\n'));
          return;
        }
      line = end + (*end == '\n');
    }
}

void
hir_run_add_memory (HirProgram *program,
                    gint64 n_streams,
                    GCancellable *cancellable,
                    HirRunResult *result)
{
  g_autoptr (GError) error = NULL;
  g_autofree char *found = hir_program_check_memory (program, n_streams, cancellable, &error);
  g_auto (GStrv) lines = found != NULL ? g_strsplit (found, "\n", -1) : NULL;
  GString *report = g_string_new (result->check);
  GString *memory = g_string_new (NULL);

  for (guint i = 0; lines != NULL && lines[i] != NULL && *lines[i] != '\0'; i++)
    {
      remove_line (report, lines[i]);
      g_string_append_printf (memory, "%s\n", lines[i]);
      result->check_outcome = HIR_CHECK_WRONG;
    }
  if (found == NULL)
    g_string_append_printf (memory, "note: unwritten memory was not searched for: %s\n",
                            error->message);
  g_string_append (report, memory->str);
  g_free (result->check);
  result->check = g_string_free (report, FALSE);
  result->memory = g_string_free (memory, FALSE);
}
