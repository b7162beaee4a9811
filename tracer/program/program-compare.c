#include "program/program-compare.h"

#include "program/run-differences.h"
#include "trace/trace-tie.h"

static gboolean
is_joined (const HirTrace *trace)
{
  return hir_trace_get_meta (trace, HIR_META_TIED) != NULL;
}

/* Sets the options of @comparison, if both traces are runs. */
static void
compare_options (HirComparison *comparison,
                 const HirProgram *program,
                 const HirTrace *a,
                 const HirOpened *b)
{
  g_auto (HirRunSettings) of_a = { 0 }, of_b = { 0 };
  gboolean knows_a = hir_run_settings_parse (&of_a, hir_trace_get_meta (a, "run"));
  gboolean knows_b = hir_run_settings_parse (&of_b, hir_trace_get_meta (b->trace, "run"));
  const HirRequest *from = program != NULL ? program->request : NULL;
  const HirRequest *to = b->program != NULL ? b->program->request : NULL;

  if (from == NULL || to == NULL)
    return;
  comparison->options_a =
      hir_run_dup_differences (from, knows_a ? &of_a : NULL, to, knows_b ? &of_b : NULL);
  comparison->options_b =
      hir_run_dup_differences (to, knows_b ? &of_b : NULL, from, knows_a ? &of_a : NULL);
}

/* Kernels of other profilers have names of libraries. */
static void
set_labels (HirComparison *comparison, const HirProgram *program)
{
  g_autoptr (GHashTable) first_rows = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (guint i = 0; i < comparison->rows->len; i++)
    {
      HirCompareRow *row = &g_array_index (comparison->rows, HirCompareRow, i), *first;

      if (row->instruction == 0)
        continue;
      row->label = hir_program_lookup_label (program, row->instruction);
      first = g_hash_table_lookup (first_rows, &row->instruction);
      if (first != NULL)
        first->has_twin = row->has_twin = TRUE;
      else
        g_hash_table_insert (first_rows, &row->instruction, row);
    }
}

HirComparison *
hir_program_compare (const HirProgram *program,
                     const HirTrace *a,
                     const HirOpened *b,
                     const HirOpTable *ops,
                     GCancellable *cancellable,
                     GError **error)
{
  HirComparison *comparison = hir_comparison_new (a, b->trace, ops, cancellable, error);

  if (comparison != NULL)
    compare_options (comparison, program, a, b);
  if (comparison != NULL && (is_joined (a) || is_joined (b->trace)))
    set_labels (comparison, program != NULL ? program : b->program);
  return comparison;
}
