/* Creates the sessions of a debugged program. */
#include "debugger/debug-program.h"

#include "program/run-engine.h"
#include "run/reference/inputs.h"

struct _HirDebugProgram
{
  HirProgram *program;
  HirRunSettings settings;
  GPtrArray *hosts; /* HirContainer*, one per rank */
  HirRecorder *recorder;
  gint64 zero_ns; /* time zero of all sessions; 0: not set yet */
  HirRunEngine *engine;
  HirDebugger *debugger;
};

static HirSession *
make_session (gpointer user_data, GError **error)
{
  HirDebugProgram *debug = user_data;
  HirProgram *program = debug->program;
  HirRunOptions options;
  HirSession *session;

  hir_run_settings_to_options (&debug->settings, &options);
  options.inputs = (const char *const *) program->request->inputs;
  options.rank = (int) program->request->rank;
  options.provider = hir_run_engine_get_provider (debug->engine);
  options.zero_ns = debug->zero_ns;
  session = hir_session_new_ranks (program->fusion != NULL ? program->fusion : program->printed,
                                   (HirContainer *const *) debug->hosts->pdata, debug->hosts->len,
                                   &options, debug->recorder, NULL, error);
  if (session != NULL && debug->zero_ns == 0)
    {
      debug->zero_ns = hir_session_get_zero_ns (session);
      hir_run_engine_begin (debug->engine);
    }
  return session;
}

/* Returns the extents of the inputs and numberOfStreams of all runs, or NULL if the inputs are not
 * valid, which each start reports. */
static HirEnv *
sizes_new (const HirDebugProgram *debug)
{
  const HirProgram *program = debug->program;
  g_autoptr (HirRunInputs) inputs =
      hir_run_inputs_new_dry (program->fusion != NULL ? program->fusion : program->printed,
                              (const char *const *) program->request->inputs, debug->settings.seed,
                              NULL);
  g_autoptr (HirEnv) sizes = hir_env_new ();

  if (inputs == NULL)
    return NULL;
  hir_env_bind_named (sizes, HIR_NAME_NUMBER_OF_STREAMS, debug->settings.n_streams);
  for (guint i = 0; i < debug->hosts->len; i++)
    {
      HirContainer *host = debug->hosts->pdata[i];
      g_autoptr (GArray) symbols = hir_run_inputs_dup_symbols (inputs, host);

      hir_env_bind_symbols (sizes, symbols);
      for (guint k = 0; k < MIN (host->inputs.len, inputs->values->len); k++)
        if (HIR_IS_TENSOR (host->inputs.items[k]) &&
            !hir_env_bind_input (sizes, host->inputs.items[k], inputs->values->pdata[k], NULL))
          return NULL;
    }
  return g_steal_pointer (&sizes);
}

HirDebugProgram *
hir_debug_program_new (HirProgram *program,
                       const HirRunSettings *settings,
                       HirRecorder *recorder,
                       GError **error)
{
  g_autoptr (HirDebugProgram) debug = g_new0 (HirDebugProgram, 1);
  gint64 rank = MAX (program->request->rank, 0);

  debug->program = hir_program_ref (program);
  hir_run_settings_copy (&debug->settings, settings);
  debug->settings.n_repeat = 1;
  debug->settings.n_warmup = 0;
  debug->settings.baseline = FALSE;
  debug->recorder = recorder;
  if (program->error != NULL)
    {
      g_propagate_error (error, g_error_copy (program->error));
      return NULL;
    }
  debug->hosts = hir_program_dup_run_hosts (program, NULL, error);
  if (debug->hosts == NULL)
    return NULL;
  debug->engine = hir_run_engine_new (&debug->settings, recorder, FALSE, NULL, error);
  if (debug->engine == NULL)
    return NULL;
  debug->debugger = hir_debugger_new ((HirContainer *const *) debug->hosts->pdata,
                                      debug->hosts->len, make_session, debug);
  hir_debugger_set_sizes (debug->debugger, sizes_new (debug));
  hir_debugger_set_rank (debug->debugger, debug->hosts->len > 1 ? (guint) rank : 0);
  return g_steal_pointer (&debug);
}

void
hir_debug_program_free (HirDebugProgram *debug)
{
  /* Finish while the session still exists. */
  if (debug->engine != NULL)
    hir_run_engine_finish (debug->engine);
  g_clear_pointer (&debug->debugger, hir_debugger_free);
  g_clear_pointer (&debug->engine, hir_run_engine_free);
  g_clear_pointer (&debug->hosts, g_ptr_array_unref);
  hir_run_settings_clear (&debug->settings);
  hir_program_unref (debug->program);
  g_free (debug);
}

HirDebugger *
hir_debug_program_get_debugger (HirDebugProgram *debug)
{
  return debug->debugger;
}
