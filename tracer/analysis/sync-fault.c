/* Lists of faults. */
#include "analysis/sync-fault.h"

const char *
hir_sync_fault_kind_get_name (HirSyncFaultKind kind)
{
  static const char *const names[] = { "error",     "mismatch", "deadlock", "not waited for",
                                       "unwritten", "freed",    "stale",    "held" };

  return names[kind];
}

static void
clear_place (gpointer data)
{
  g_free (((HirSyncPlace *) data)->text);
}

HirSyncFault *
hir_sync_faults_add (
    GPtrArray *faults, HirSyncFaultKind kind, HirPos pos, int tensor, const char *message)
{
  HirSyncFault *fault;

  for (guint i = 0; i < faults->len; i++)
    {
      fault = g_ptr_array_index (faults, i);
      if (fault->kind == kind && fault->tensor == tensor && fault->pos.line == pos.line &&
          fault->pos.column == pos.column &&
          (pos.line > 0 || g_str_equal (fault->message, message)))
        {
          fault->n++;
          return fault;
        }
    }
  fault = g_new0 (HirSyncFault, 1);
  fault->kind = kind;
  fault->pos = pos;
  fault->tensor = tensor;
  fault->message = g_strdup (message);
  fault->n = 1;
  fault->places = g_array_new (FALSE, FALSE, sizeof (HirSyncPlace));
  g_array_set_clear_func (fault->places, clear_place);
  g_ptr_array_add (faults, fault);
  return fault;
}

void
hir_sync_fault_add_place (
    HirSyncFault *fault, int rank, const HirExpr *expr, gint32 iteration, const char *text)
{
  HirSyncPlace place = { rank, expr, iteration, g_strdup (text) };

  g_array_append_val (fault->places, place);
}

void
hir_sync_fault_free (HirSyncFault *fault)
{
  g_array_unref (fault->places);
  g_free (fault->message);
  g_free (fault);
}

guint
hir_sync_faults_count (const GPtrArray *faults, HirSyncFaultKind kind)
{
  guint n = 0;

  for (guint i = 0; i < faults->len; i++)
    n += ((const HirSyncFault *) g_ptr_array_index (faults, i))->kind == kind;
  return n;
}

char *
hir_sync_faults_dup_counts (const GPtrArray *faults)
{
  GString *text = g_string_new (NULL);

  for (int kind = 0; kind <= HIR_SYNC_FAULT_HELD; kind++)
    {
      guint n = hir_sync_faults_count (faults, (HirSyncFaultKind) kind);

      if (n > 0)
        g_string_append_printf (text, "%u %s, ", n,
                                hir_sync_fault_kind_get_name ((HirSyncFaultKind) kind));
    }
  return g_string_free (text, FALSE);
}
