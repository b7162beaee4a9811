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

HirComparison *
hir_program_compare (const HirProgram *program,
                     const HirTrace *a,
                     const HirOpened *b,
                     const HirOpTable *ops,
                     GCancellable *cancellable,
                     GError **error)
{
  HirComparison *comparison = hir_comparison_new (a, b->trace, ops, cancellable, error);
  gboolean has_join = comparison != NULL && (is_joined (a) || is_joined (b->trace));

  if (comparison != NULL)
    compare_options (comparison, program, a, b);
  for (guint i = 0; has_join && i < comparison->rows->len; i++)
    {
      HirCompareRow *row = &g_array_index (comparison->rows, HirCompareRow, i);
      const char *label = row->instruction == 0 ? NULL
                          : program != NULL
                              ? hir_program_lookup_label (program, row->instruction)
                              : hir_program_lookup_label (b->program, row->instruction);

      if (label != NULL)
        row->name = label;
    }
  return comparison;
}
