/* Runs the program of a recording again without computing. */
#include "predict/predict-base.h"

#include "diagnostic.h"

void
hir_predict_base_clear (HirPredictBase *base)
{
  g_clear_pointer (&base->plan, hir_plan_free);
  g_clear_pointer (&base->recorder, hir_recorder_free);
  g_clear_pointer (&base->program, hir_program_unref);
  hir_run_settings_clear (&base->settings);
}

static void
read_settings (const HirTrace *trace, HirRunSettings *settings)
{
  const char *text = hir_trace_get_meta (trace, "run");
  g_autoptr (GVariant) run =
      text != NULL ? g_variant_parse (G_VARIANT_TYPE_VARDICT, text, NULL, NULL, NULL) : NULL;

  if (run != NULL && hir_run_settings_read (settings, run, NULL))
    return;
  if (run != NULL)
    hir_run_settings_clear (settings);
  hir_run_settings_init (settings);
}

HirRequest *
hir_predict_dup_request (const HirRequest *request, char *const *set)
{
  HirRequest *copy = hir_request_dup (request);
  g_autoptr (GStrvBuilder) all = g_strv_builder_new ();

  if (set == NULL)
    return copy;
  if (copy->set != NULL)
    g_strv_builder_addv (all, (const char **) copy->set);
  g_strv_builder_addv (all, (const char **) set);
  g_strfreev (copy->set);
  copy->set = g_strv_builder_end (all);
  return copy;
}

HirProgram *
hir_predict_open_program (const HirRequest *request, GCancellable *cancellable, GError **error)
{
  g_autoptr (HirProgram) program = NULL;

  if (!hir_request_check (request, error))
    return NULL;
  program = hir_program_new (request, NULL, cancellable, error);
  if (program != NULL && program->error != NULL)
    {
      g_propagate_error (error, g_error_copy (program->error));
      return NULL;
    }
  return g_steal_pointer (&program);
}

gboolean
hir_predict_base_open (HirPredictBase *base,
                       const HirOpened *opened,
                       GCancellable *cancellable,
                       GError **error)
{
  HirRequest *request = opened->program->request;

  if (request == NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "the trace has no program to run again; tie it to its program with "
                     "hirscope join PROGRAM TRACE -o joined.hirs");
      return FALSE;
    }
  read_settings (opened->trace, &base->settings);
  base->request = request;
  base->program = hir_predict_open_program (request, cancellable, error);
  if (base->program == NULL)
    return FALSE;
  base->recorder = hir_recorder_new ();
  base->plan =
      hir_plan_new (base->program, base->settings.n_streams, base->recorder, cancellable, error);
  return base->plan != NULL;
}
