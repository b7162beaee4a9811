/* Memory that nothing has written, for `run --check`. Unwritten memory is found in three places,
 * because none can replace another. This one names the line of a read, also if the value read is
 * right by chance, but follows the program only. The pattern in reference/check.c shows what a run
 * really wrote, also on a GPU, but only in outputs. written.c knows the state at each step, also
 * after a step back. */
#include "program/program-check.h"

static void
append_fault (GString *text, const HirSyncFault *fault)
{
  const HirSyncPlace *place =
      fault->places->len > 0 ? &g_array_index (fault->places, HirSyncPlace, 0) : NULL;
  g_autofree char *where = place != NULL ? hir_sync_place_dup_text (place) : NULL;

  if (fault->kind == HIR_SYNC_FAULT_FREED || place == NULL || place->expr == NULL)
    g_string_append_printf (text, "T%d: ", fault->tensor);
  g_string_append_printf (text, "WRONG, %s", fault->message);
  if (fault->pos.line > 0)
    g_string_append_printf (text, ", line %u", fault->pos.line);
  if (where != NULL)
    g_string_append_printf (text, "; %s", where);
  if (fault->n > 1)
    g_string_append_printf (text, "; %u times", fault->n);
  g_string_append_c (text, '\n');
}

char *
hir_program_check_memory (HirProgram *program,
                          gint64 n_streams,
                          GCancellable *cancellable,
                          GError **error)
{
  g_autoptr (HirSyncTrace) trace =
      hir_program_dry_run (program, (HirSyncOptions){ .n_streams = n_streams }, cancellable, error);
  GString *text;

  if (trace == NULL)
    return NULL;
  text = g_string_new (NULL);
  for (guint i = 0; i < trace->faults->len; i++)
    {
      const HirSyncFault *fault = g_ptr_array_index (trace->faults, i);

      if (fault->kind == HIR_SYNC_FAULT_UNWRITTEN || fault->kind == HIR_SYNC_FAULT_FREED)
        append_fault (text, fault);
    }
  return g_string_free (text, FALSE);
}
