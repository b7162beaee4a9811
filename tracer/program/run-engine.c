/* Connects run settings with the CUDA provider. */
#include "program/run-engine.h"

#include "cuda/provider.h"

struct _HirRunEngine
{
  HirBackendProvider *provider; /* NULL: the CPU */
  char *warning;                /* nullable */
};

static gboolean
start_cuda (HirRunEngine *engine,
            const HirRunSettings *settings,
            HirRecorder *recorder,
            gboolean must_record,
            HirMpiModule *mpi,
            GError **error)
{
  g_autoptr (GArray) gpus = NULL;
  HirCudaProviderOptions options = {
    .recorder = recorder,
    .trace_full = settings->trace == HIR_TRACE_FULL,
    .comm = settings->comm,
    .mpi = mpi,
    .share_gpus = settings->share_gpus,
  };
  const char *reason;

  if (settings->model_clock)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL,
                     "--clock model requires the CPU back end; omit it with --backend cuda");
      return FALSE;
    }
  if (settings->gpus != NULL)
    gpus = hir_run_settings_parse_gpus (settings->gpus, error);
  if (settings->gpus != NULL && gpus == NULL)
    return FALSE;
  options.gpus = gpus;
  engine->provider = hir_cuda_provider_new (&options, error);
  if (engine->provider == NULL)
    return FALSE;
  reason = hir_cuda_provider_get_untraced_reason (engine->provider);
  if (reason != NULL && must_record)
    {
      hir_set_error (error, HIR_ERROR_UNSUPPORTED, NULL,
                     "the GPU's work cannot be recorded: %s; run without -o or with --trace off"
                     "",
                     reason);
      return FALSE;
    }
  if (reason != NULL)
    engine->warning = g_strdup_printf ("the GPU's work is not recorded: %s", reason);
  return TRUE;
}

HirRunEngine *
hir_run_engine_new (const HirRunSettings *settings,
                    HirRecorder *recorder,
                    gboolean must_record,
                    HirMpiModule *mpi,
                    GError **error)
{
  g_autoptr (HirRunEngine) engine = g_new0 (HirRunEngine, 1);

  if (settings->backend == HIR_BACKEND_CUDA &&
      !start_cuda (engine, settings, recorder, must_record, mpi, error))
    return NULL;
  return g_steal_pointer (&engine);
}

void
hir_run_engine_free (HirRunEngine *engine)
{
  if (engine == NULL)
    return;
  g_clear_pointer (&engine->provider, hir_cuda_provider_free);
  g_free (engine->warning);
  g_free (engine);
}

char *
hir_run_engine_dup_missing (HirBackendKind backend)
{
  return backend == HIR_BACKEND_CUDA ? hir_cuda_libs_dup_missing_driver () : NULL;
}

gboolean
hir_run_engine_describe_library (guint i, const char **label, char **text, gboolean *found)
{
  g_autoptr (HirCudaLibs) libs = hir_cuda_libs_new ();
  g_autoptr (GError) error = NULL;
  g_autofree char *version = NULL;

  if (i >= HIR_N_LIBS)
    return FALSE;
  *label = hir_lib_get_label ((HirLibId) i);
  *found = hir_cuda_libs_open (libs, (HirLibId) i, &error);
  if (*found)
    version = hir_cuda_libs_dup_version (libs, (HirLibId) i);
  *text = !*found           ? g_strdup (error->message)
          : version != NULL ? g_strdup_printf ("%s (%s)", version, libs->libs[i].path)
                            : g_strdup_printf ("version unknown (%s)", libs->libs[i].path);
  return TRUE;
}

HirBackendProvider *
hir_run_engine_get_provider (HirRunEngine *engine)
{
  return engine->provider;
}

void
hir_run_engine_begin (HirRunEngine *engine)
{
  if (engine->provider != NULL)
    hir_cuda_provider_begin (engine->provider);
}

void
hir_run_engine_finish (HirRunEngine *engine)
{
  if (engine->provider != NULL)
    hir_cuda_provider_finish (engine->provider);
}

const char *
hir_run_engine_get_warning (HirRunEngine *engine)
{
  return engine->warning;
}

typedef struct
{
  HirRecordingWriter *writer;
  gboolean ok;
  GError **error;
} Meta;

static void
write_meta (const char *key, const char *value, gpointer user_data)
{
  Meta *meta = user_data;

  meta->ok = meta->ok && hir_recording_writer_set_meta (meta->writer, key, value, meta->error);
}

char **
hir_run_engine_dup_account (HirRunEngine *engine)
{
  HirCuptiRecorder *cupti =
      engine->provider != NULL ? hir_cuda_provider_get_cupti (engine->provider) : NULL;
  g_auto (GStrv) recorded = cupti != NULL ? hir_cupti_recorder_dup_account (cupti) : NULL;
  g_autoptr (GStrvBuilder) lines = g_strv_builder_new ();
  g_autofree char *sharing =
      engine->provider != NULL ? hir_cuda_provider_dup_sharing (engine->provider) : NULL;

  if (sharing != NULL)
    g_strv_builder_add (lines, sharing);
  if (recorded != NULL)
    g_strv_builder_addv (lines, (const char **) recorded);
  return g_strv_builder_end (lines);
}

gboolean
hir_run_engine_write (HirRunEngine *engine, HirRecordingWriter *writer, GError **error)
{
  Meta meta = { writer, TRUE, error };
  g_autofree char *name = NULL;
  g_auto (GStrv) account = NULL;
  HirCuptiRecorder *cupti;

  if (engine->provider == NULL)
    return TRUE;
  name = hir_cuda_provider_dup_name (engine->provider);
  write_meta ("device", name, &meta);
  if (hir_cuda_provider_get_hub (engine->provider) != NULL)
    write_meta ("communicator",
                hir_comm_hub_get_name (hir_cuda_provider_get_hub (engine->provider)), &meta);
  cupti = hir_cuda_provider_get_cupti (engine->provider);
  if (cupti != NULL)
    hir_cupti_recorder_foreach_meta (cupti, write_meta, &meta);
  account = hir_run_engine_dup_account (engine);
  for (guint i = 0; meta.ok && account[i] != NULL; i++)
    meta.ok = hir_recording_writer_add_account (writer, account[i], error);
  return meta.ok;
}
