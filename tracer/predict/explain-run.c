#include "predict/explain-run.h"

#include "predict/gains.h"

HirExplain *
hir_explain_run (
    HirTrace *trace, HirProgram *program, GCancellable *cancellable, int *percent, GError **error)
{
  HirExplain *explain = hir_explain_new_with_progress (trace, cancellable, percent, error);
  const HirOpened opened = { .program = program, .trace = trace };

  if (explain != NULL && program != NULL)
    hir_gains_add (explain, &opened, cancellable);
  return explain;
}
