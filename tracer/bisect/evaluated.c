/* Evaluates host programs in sequence. */
#include "bisect/evaluated.h"

HirEvaluated *
hir_evaluated_new (const GPtrArray *hosts,
                   HirContainer *like,
                   char *const *inputs,
                   const HirRunSettings *settings,
                   GCancellable *cancellable,
                   GError **error)
{
  HirEvaluated *evaluated;
  HirRunOptions options;
  HirSession *session;

  hir_run_settings_to_options (settings, &options);
  options.check = TRUE;
  options.against = like;
  options.inputs = (const char *const *) inputs;
  options.rank = 0;
  session = hir_session_new_ranks (hosts->pdata[0], (HirContainer *const *) hosts->pdata,
                                   hosts->len, &options, NULL, cancellable, error);
  if (session == NULL)
    return NULL;
  evaluated = g_new0 (HirEvaluated, 1);
  evaluated->session = session;
  evaluated->values = hir_session_get_inputs (session);
  evaluated->text = hir_session_get_inputs_text (session);
  evaluated->ranks = hir_session_dup_reference_ranks (session, &evaluated->n);
  return evaluated;
}

HirEvaluated *
hir_evaluated_new_gathered (HirContainer *host,
                            HirContainer *like,
                            char *const *shapes,
                            const HirRunSettings *settings,
                            GError **error)
{
  HirRunInputs *inputs =
      hir_run_inputs_new_like (host, like, (const char *const *) shapes, settings->seed, error);
  HirEvaluated *evaluated;

  if (inputs == NULL)
    return NULL;
  evaluated = g_new0 (HirEvaluated, 1);
  evaluated->inputs = inputs;
  evaluated->values = inputs->values;
  evaluated->text = inputs->text;
  evaluated->n = 1;
  evaluated->ranks = g_new (HirReferenceRank, 1);
  evaluated->ranks[0] = (HirReferenceRank){ host, -1, (HirValue *const *) inputs->values->pdata,
                                            inputs->values->len, inputs->symbols };
  return evaluated;
}

gboolean
hir_evaluated_run (HirEvaluated *evaluated,
                   const HirRunSettings *settings,
                   GCancellable *cancellable,
                   GError **error)
{
  evaluated->parts = hir_reference_evaluate_host (evaluated->ranks, evaluated->n,
                                                  settings->n_streams, 0, cancellable, error);
  return evaluated->parts != NULL;
}

GPtrArray *
hir_evaluated_dup_wanted (const HirEvaluated *evaluated,
                          HirContainer *fusion,
                          GCancellable *cancellable,
                          GError **error)
{
  return hir_reference_evaluate (fusion, (HirValue *const *) evaluated->values->pdata,
                                 evaluated->values->len, cancellable, error);
}

void
hir_evaluated_free (HirEvaluated *evaluated)
{
  g_clear_pointer (&evaluated->parts, g_ptr_array_unref);
  g_free (evaluated->ranks);
  g_clear_pointer (&evaluated->session, hir_session_free);
  g_clear_pointer (&evaluated->inputs, hir_run_inputs_free);
  g_free (evaluated);
}
