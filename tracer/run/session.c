#include "run/session.h"

#include <string.h>

#include "run/cpu.h"

struct _HirSession
{
  HirContainer *fusion;
  HirContainer *program;
  HirRunOptions options;
  HirRunInputs *inputs;
  HirBackend *backend;
  HirModel *model;
  HirEvaluator *evaluator;
  GCancellable *cancellable;
  GPtrArray *reference; /* HirRefTensor*; made at the first check */
  HirCheckReport *report;
  gboolean started; /* the current repeat */
  guint n_done;
  gboolean broken; /* an error was given */
};

void
hir_run_options_init (HirRunOptions *options)
{
  *options =
      (HirRunOptions){ .n_streams = 4, .n_repeats = 1, .timeout_s = 10, .trace_issue = TRUE };
}

gboolean
hir_run_options_check (const HirRunOptions *options, GError **error)
{
  const char *wrong = NULL;

  if (options->n_streams < 1 || options->n_streams > 64)
    wrong = "--streams must be from 1 to 64";
  else if (options->n_repeats < 1)
    wrong = "--repeat must be at least 1";
  else if (!(options->timeout_s >= 0) || options->timeout_s > 1e6)
    wrong = "--timeout must be a number of seconds from 0 (none) to 1e6";
  if (wrong != NULL)
    hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s", wrong);
  return wrong == NULL;
}

static gboolean
make_engine (HirSession *session, HirRecorder *recorder, GError **error)
{
  const HirRunOptions *options = &session->options;
  gboolean modelled = options->model_clock;
  gint64 zero_ns = hir_clock_now_ns ();
  HirBackendOptions backend = { .recorder = modelled ? NULL : recorder,
                                .zero_ns = zero_ns,
                                .timeout_us = (gint64) (options->timeout_s * G_USEC_PER_SEC),
                                .cancellable = session->cancellable,
                                .rank = options->rank,
                                .max_delay_us = options->max_delay_us,
                                .delay_seed = options->delay_seed,
                                .hang_on = options->hang_on };
  HirEvaluatorOptions evaluator = { .recorder = recorder,
                                    .zero_ns = zero_ns,
                                    .n_streams = options->n_streams,
                                    .rank = options->rank,
                                    .poison = options->check,
                                    .trace_issue = options->trace_issue,
                                    .plant_op = options->plant_op,
                                    .plant_scale =
                                        options->plant_scale > 0 ? options->plant_scale : 0.125 };

  session->backend = hir_cpu_backend_new (&backend, error);
  if (session->backend == NULL)
    return FALSE;
  if (modelled)
    session->model = hir_model_new (NULL);
  evaluator.backend = session->backend;
  evaluator.model = session->model;
  session->evaluator = hir_evaluator_new (session->program, &evaluator, error);
  return session->evaluator != NULL;
}

HirSession *
hir_session_new (HirContainer *fusion,
                 HirContainer *program,
                 const HirRunOptions *options,
                 HirRecorder *recorder,
                 GCancellable *cancellable,
                 GError **error)
{
  g_autoptr (HirSession) session = NULL;

  if (!hir_run_options_check (options, error))
    return NULL;
  session = g_new0 (HirSession, 1);
  session->fusion = hir_container_ref (fusion);
  session->program = hir_container_ref (program);
  session->options = *options;
  session->cancellable = cancellable != NULL ? g_object_ref (cancellable) : NULL;
  session->inputs = hir_run_inputs_new (fusion, options->inputs, options->seed, error);
  if (session->inputs == NULL || !make_engine (session, recorder, error))
    return NULL;
  if (options->check)
    session->report = hir_check_report_new (fusion);
  /* Nothing of the caller's is kept: what these said is with the back end by now. */
  session->options.inputs = NULL;
  session->options.plant_op = NULL;
  session->options.hang_on = NULL;
  return g_steal_pointer (&session);
}

void
hir_session_free (HirSession *session)
{
  /* First the threads, then what they use. */
  g_clear_pointer (&session->backend, hir_backend_free);
  g_clear_pointer (&session->evaluator, hir_evaluator_free);
  g_clear_pointer (&session->model, hir_model_free);
  g_clear_pointer (&session->inputs, hir_run_inputs_free);
  g_clear_pointer (&session->reference, g_ptr_array_unref);
  g_clear_pointer (&session->report, hir_check_report_free);
  g_clear_object (&session->cancellable);
  hir_container_unref (session->fusion);
  hir_container_unref (session->program);
  g_free (session);
}

void
hir_session_add_hooks (HirSession *session, const HirEvaluatorHooks *hooks)
{
  hir_evaluator_add_hooks (session->evaluator, hooks);
}

const char *
hir_session_get_inputs_text (HirSession *session)
{
  return session->inputs->text;
}

static gboolean
all_done (HirSession *session)
{
  return session->n_done >= session->options.n_warmups + session->options.n_repeats;
}

/* Begins the current repeat if it has not begun. */
static gboolean
ensure_started (HirSession *session, GError **error)
{
  gboolean is_warmup = session->n_done < session->options.n_warmups;

  if (!session->started)
    session->started =
        hir_evaluator_start (session->evaluator, (HirValue **) session->inputs->values->pdata,
                             session->inputs->values->len,
                             is_warmup ? HIR_PHASE_WARMUP : HIR_PHASE_PROGRAM, error);
  return session->started;
}

gboolean
hir_session_peek (HirSession *session, HirPlace *place)
{
  if (session->broken || all_done (session) || !ensure_started (session, NULL))
    return FALSE;
  return hir_evaluator_peek (session->evaluator, place);
}

static gboolean
compare_outputs (HirSession *session, GError **error)
{
  if (session->reference == NULL)
    session->reference =
        hir_reference_evaluate (session->fusion, (HirValue **) session->inputs->values->pdata,
                                session->inputs->values->len, session->cancellable, error);
  if (session->reference == NULL)
    return FALSE;
  for (guint i = 0; i < session->report->outputs->len; i++)
    {
      const HirVal *val =
          i < session->program->outputs.len ? session->program->outputs.items[i] : NULL;
      HirValue *value = val != NULL ? hir_evaluator_lookup (session->evaluator, val) : NULL;
      g_autofree guint8 *elements = NULL;

      if (value != NULL && !value->is_scalar)
        {
          elements = g_try_malloc (hir_value_get_size_bytes (value) + 1);
          if (elements == NULL)
            {
              hir_set_error (error, HIR_ERROR_LIMIT, NULL, "no memory to check the outputs with");
              return FALSE;
            }
          if (!session->backend->klass->read (session->backend, value, elements, error))
            return FALSE;
        }
      hir_check_report_compare (session->report, i, g_ptr_array_index (session->reference, i),
                                value, elements);
    }
  session->report->n_runs++;
  return TRUE;
}

static gboolean
end_repeat (HirSession *session, GError **error)
{
  if (!hir_evaluator_finish (session->evaluator, error))
    return FALSE;
  if (session->report != NULL && session->n_done >= session->options.n_warmups &&
      !compare_outputs (session, error))
    return FALSE;
  session->started = FALSE;
  session->n_done++;
  return TRUE;
}

static HirStep
fail (HirSession *session)
{
  session->broken = TRUE;
  return HIR_STEP_FAILED;
}

HirStep
hir_session_step (HirSession *session, GError **error)
{
  HirStep step;

  if (session->broken)
    {
      hir_set_error (error, HIR_ERROR_RUN, NULL, "the run has failed already");
      return HIR_STEP_FAILED;
    }
  if (all_done (session))
    return HIR_STEP_DONE;
  if (g_cancellable_is_cancelled (session->cancellable))
    {
      hir_set_error (error, HIR_ERROR_CANCELLED, NULL, "the run was stopped");
      return fail (session);
    }
  if (!ensure_started (session, error))
    return fail (session);
  step = hir_evaluator_step (session->evaluator, error);
  if (step == HIR_STEP_FAILED)
    return fail (session);
  if (step == HIR_STEP_MORE)
    return HIR_STEP_MORE;
  if (!end_repeat (session, error))
    return fail (session);
  return all_done (session) ? HIR_STEP_DONE : HIR_STEP_MORE;
}

gboolean
hir_session_run (HirSession *session, GError **error)
{
  HirStep step;

  do
    step = hir_session_step (session, error);
  while (step == HIR_STEP_MORE);
  return step == HIR_STEP_DONE;
}

guint
hir_session_get_n_done (HirSession *session)
{
  return session->n_done;
}

const HirCheckReport *
hir_session_get_report (HirSession *session)
{
  return session->report;
}

HirEvaluator *
hir_session_get_evaluator (HirSession *session)
{
  return session->evaluator;
}

static char *
dup_scalar_text (HirSession *session, const char *name, GError **error)
{
  HirContainer *program = session->program;

  for (guint i = 0; i < program->named.len; i++)
    {
      const HirScalar *scalar = program->named.items[i];
      if (g_str_equal (scalar->named, name))
        {
          g_autoptr (HirValue) value = hir_evaluator_evaluate (session->evaluator, scalar, error);
          g_autofree char *text = value != NULL ? hir_value_describe (value) : NULL;
          return text != NULL ? g_strdup_printf ("%s = %s", name, text) : NULL;
        }
    }
  hir_set_error (error, HIR_ERROR_INPUT, NULL, "the program has no scalar named %s", name);
  return NULL;
}

char *
hir_session_dup_value_text (
    HirSession *session, guint64 id, const char *name, guint max_elements, GError **error)
{
  HirTensor *tensor;
  HirValue *value;

  if (name != NULL && *name != '\0')
    return dup_scalar_text (session, name, error);
  tensor = hir_container_lookup_tensor (session->program, id);
  value = tensor != NULL ? hir_evaluator_lookup (session->evaluator, HIR_VAL (tensor)) : NULL;
  if (value == NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     tensor != NULL ? "T%d has no value now" : "the program has no such tensor",
                     tensor != NULL ? tensor->base.name : 0);
      return NULL;
    }
  if (!session->backend->klass->synchronize (session->backend, error))
    return NULL;

  g_autofree char *shape = hir_value_describe (value);
  g_autofree char *elements = hir_value_format (value, max_elements);
  return g_strdup_printf ("T%d %s = %s", tensor->base.name, shape, elements);
}
