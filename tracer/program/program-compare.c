#include "program/program-compare.h"

#include "trace/trace-tie.h"

static gboolean
is_joined (const HirTrace *trace)
{
  return hir_trace_get_meta (trace, HIR_META_TIED) != NULL;
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
  gboolean names = comparison != NULL && (is_joined (a) || is_joined (b->trace));

  for (guint i = 0; names && i < comparison->rows->len; i++)
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
