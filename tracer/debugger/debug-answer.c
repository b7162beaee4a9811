#include "debugger/debug-answer.h"

#include <string.h>

#include "diagnostic.h"
#include "debugger/debug-compare.h"
#include "run/session/value-request.h"

/* Index of the rank of that number; FALSE and @error. */
static gboolean
find_rank (HirDebugRun *run, int number, guint *i, GError **error)
{
  for (*i = 0; *i < hir_debug_run_get_n_ranks (run); (*i)++)
    if (hir_debug_run_get_rank (run, *i) == number)
      return TRUE;
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "there is no rank %d in this program", number);
  return FALSE;
}

static HirValueSummary *
summarise (HirDebugger *debugger, gint64 n_streams, const HirValueRequest *request, GError **error)
{
  HirDebugRun *run = hir_debugger_get_run (debugger);
  HirDebugView view = *hir_debugger_get_view (debugger);
  g_autoptr (HirValue) value = NULL;
  g_autofree char *note = NULL;
  HirValueSummary *summary;
  const HirTensor *tensor;

  if (!find_rank (run, request->rank, &view.i, error))
    return NULL;
  tensor =
      hir_container_lookup_tensor (hir_debug_run_get_program (run, view.i), request->tensor_id);
  if (tensor == NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "rank %d's program has no such tensor",
                     request->rank);
      return NULL;
    }
  (void) hir_debug_run_quiesce (run);
  value = request->look.what == HIR_VALUE_DIFFERENCE
              ? hir_debug_run_dup_difference (run, view.i, tensor, n_streams, NULL, &note, error)
          : request->look.what == HIR_VALUE_GATHERED
              ? hir_debug_view_dup_gathered (&view, tensor->base.name, error)
              : hir_debug_view_dup_value (&view, tensor->base.name, error);
  summary = value != NULL ? hir_value_summary_new (value, &request->look, NULL, error) : NULL;
  if (summary != NULL)
    summary->note = g_steal_pointer (&note);
  return summary;
}

GVariant *
hir_debug_answer_value (HirDebugger *debugger, gint64 n_streams, GVariant *payload)
{
  HirDebugRun *run = hir_debugger_get_run (debugger);
  g_autoptr (HirValueSummary) summary = NULL;
  g_autoptr (GError) error = NULL;
  HirValueRequest request;

  if (!hir_value_request_read (payload, &request, &error))
    return hir_value_answer_new (request.number, NULL, error);
  if (run == NULL || hir_debug_run_get_session (run) == NULL)
    hir_set_error (&error, HIR_ERROR_RUN, NULL, "the program has not been started");
  else
    summary = summarise (debugger, n_streams, &request, &error);
  return hir_value_answer_new (request.number, summary, error);
}
