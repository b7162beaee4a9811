/* Predicts all settings from one recording of the given setting. */
#include <glib/gstdio.h>
#include <string.h>

#include "diagnostic.h"
#include "job/run-job.h"
#include "predict/match.h"
#include "predict/predict-base.h"
#include "predict/simulate.h"
#include "program/document-recording.h"
#include "program/program-check.h"
#include "scalar.h"
#include "tune/tune-private.h"

#define PREDICT_SHARE 0.5 /* of the time may pass before predictions end */

/* The given setting, recorded. */
typedef struct
{
  HirRecorder *recorder;
  HirPlan *plan;
  HirMeasured *measured;
} Base;

static void
base_clear (Base *base)
{
  g_clear_pointer (&base->measured, hir_measured_free);
  g_clear_pointer (&base->plan, hir_plan_free);
  g_clear_pointer (&base->recorder, hir_recorder_free);
}
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (Base, base_clear)

/* Runs the given setting and returns its trace, through a temporary recording. */
static HirTrace *
record (const HirTuneSearch *search, HirProgram *program, GError **error)
{
  GCancellable *cancellable = hir_tune_limit_get_cancellable (search->limit);
  g_autofree char *path = NULL;
  g_auto (HirRunResult) result = { 0 };
  g_auto (HirRunSettings) settings = { 0 };
  g_autoptr (HirOpened) opened = NULL;
  HirRunJobOptions job = { .cancellable = cancellable };
  int fd = g_file_open_tmp ("hirscope-tune-XXXXXX.hirs", &path, error);

  if (fd < 0)
    return NULL;
  g_close (fd, NULL);
  hir_run_settings_copy (&settings, search->options->settings);
  hir_tune_choice_apply (&search->space->given, &settings);
  settings.check = FALSE;
  settings.trace = HIR_TRACE_FULL;
  job.path = path;
  if (hir_run_job (program, &settings, &job, &result, error))
    opened = hir_opened_new (path, error);
  g_unlink (path);
  return opened != NULL ? hir_trace_ref (opened->trace) : NULL;
}

/* Records and measures the given setting. */
static gboolean
open_base (Base *base, const HirTuneSearch *search, HirProgram *program, GError **error)
{
  g_autoptr (GError) failure = NULL;
  g_autoptr (HirTrace) trace = record (search, program, &failure);

  if (trace != NULL)
    {
      base->recorder = hir_recorder_new ();
      base->plan =
          hir_plan_new (program, search->space->given.values[HIR_TUNE_STREAMS], base->recorder,
                        hir_tune_limit_get_cancellable (search->limit), &failure);
    }
  if (base->plan != NULL)
    base->measured = hir_measured_new (trace, base->plan, &failure);
  if (base->measured != NULL)
    return TRUE;
  if (hir_tune_limit_get_share (search->limit) >= 1)
    hir_set_error (error, HIR_ERROR_CANCELLED, NULL,
                   "the given setting was not recorded within the budget of %g s; specify a larger "
                   "--budget or smaller inputs",
                   search->options->budget_s);
  else
    g_propagate_error (error, g_steal_pointer (&failure));
  return FALSE;
}

static HirTuneSetting *
add_setting (const HirTuneSearch *search, const HirTuneChoice *choice, HirRequest *request)
{
  HirTuneSetting *setting = g_new0 (HirTuneSetting, 1);

  setting->choice = *choice;
  setting->request = hir_request_ref (request);
  setting->predicted_ns = -1;
  setting->state = HIR_TUNE_SKIPPED;
  setting->rounds = g_array_new (FALSE, FALSE, sizeof (gint64));
  g_ptr_array_add (search->tune->list, setting);
  return setting;
}

static void
refuse (HirTuneSetting *setting, const GError *error)
{
  setting->state = HIR_TUNE_REFUSED;
  g_free (setting->reason);
  setting->reason = g_strdup (error->message);
}

/* Whether the number of streams matters to the program. */
static gboolean
uses_streams (HirProgram *program)
{
  const HirContainer *host = hir_program_get_host (program);

  for (guint i = 0; host != NULL && i < host->named.len; i++)
    if (g_str_equal (((const HirScalar *) host->named.items[i])->named, HIR_NAME_NUMBER_OF_STREAMS))
      return TRUE;
  return FALSE;
}

/* Simulates one setting. @plan has the durations. */
static void
simulate (const HirTuneSearch *search,
          const Base *base,
          const HirPlan *plan,
          HirTuneSetting *setting)
{
  const HirSimulationOptions options = { base->measured, 0, base->measured->is_gpu };
  gint64 way = setting->choice.values[HIR_TUNE_COMM];
  HirPlan *changed = NULL;
  g_autoptr (GError) error = NULL;

  if (way != search->space->given.values[HIR_TUNE_COMM])
    {
      changed = hir_plan_copy (plan);
      hir_plan_set_transport (changed, (HirCommTransport) way);
    }
  if (hir_simulate (changed != NULL ? changed : plan, &options, NULL, NULL, &setting->predicted_ns,
                    &error))
    setting->state = HIR_TUNE_PREDICTED;
  else
    refuse (setting, error);
  g_clear_pointer (&changed, hir_plan_free);
}

/* Computes the time on the modelled clock, which needs no recording. */
static void
model (const HirTuneSearch *search, HirTuneSetting *setting)
{
  GCancellable *cancellable = hir_tune_limit_get_cancellable (search->limit);
  const HirSyncOptions options = { .n_streams = setting->choice.values[HIR_TUNE_STREAMS],
                                   .parts = HIR_SYNC_TIMES };
  g_autoptr (HirSyncTrace) trace =
      hir_program_dry_run (setting->program, options, cancellable, NULL);
  HirModelTimes times;

  if (trace == NULL || !hir_model_tapes_play ((HirModelTape *const *) trace->tapes->pdata,
                                              trace->tapes->len, NULL, NULL, &times))
    return;
  setting->predicted_ns = times.total_ns;
  setting->n_unknown = 0;
  setting->state = HIR_TUNE_PREDICTED;
}

/* Adds the settings of one program and number of streams. */
static void
add_streams (const HirTuneSearch *search,
             const Base *base,
             HirProgram *program,
             HirRequest *request,
             HirTuneChoice choice)
{
  const HirTuneSpace *space = search->space;
  g_autoptr (HirRecorder) recorder = hir_recorder_new ();
  g_autoptr (HirPlan) plan = NULL;
  g_autoptr (GError) error = NULL;
  HirMatchCounts counts = { 0 };

  plan = hir_plan_new (program, choice.values[HIR_TUNE_STREAMS], recorder,
                       hir_tune_limit_get_cancellable (search->limit), &error);
  if (plan != NULL)
    hir_plan_match (base->plan, plan, &counts);
  for (guint i = 0; i < space->values[HIR_TUNE_COMM]->len; i++)
    for (guint k = 0; k < space->values[HIR_TUNE_PRIORITY]->len; k++)
      {
        HirTuneSetting *setting;

        choice.values[HIR_TUNE_COMM] = g_array_index (space->values[HIR_TUNE_COMM], gint64, i);
        choice.values[HIR_TUNE_PRIORITY] =
            g_array_index (space->values[HIR_TUNE_PRIORITY], gint64, k);
        /* Copy engines do not compete with kernels for multiprocessors. */
        if (k > 0 && choice.values[HIR_TUNE_COMM] == HIR_COMM_TRANSPORT_COPY)
          continue;
        setting = add_setting (search, &choice, request);
        setting->program = hir_program_ref (program);
        setting->n_unknown = counts.n_unknown;
        if (plan != NULL && base->measured->is_model)
          model (search, setting);
        else if (plan != NULL)
          simulate (search, base, plan, setting);
        else if (!hir_tune_limit_is_over (search->limit))
          refuse (setting, error);
        /* One row says why all of them are refused. */
        if (setting->state == HIR_TUNE_REFUSED && plan == NULL)
          return;
      }
}

/* Lowers one program, and adds its settings. */
static void
add_lowered (const HirTuneSearch *search, const Base *base, HirProgram *given, HirTuneChoice choice)
{
  const HirTuneSpace *space = search->space;
  g_autoptr (HirRequest) request = hir_tune_space_dup_request (space, given->request, &choice);
  g_autoptr (GError) error = NULL;
  g_autoptr (HirProgram) program = NULL;
  gboolean is_given = memcmp (&choice, &space->given, sizeof choice) == 0;
  gboolean is_out = !is_given && hir_tune_limit_get_share (search->limit) > PREDICT_SHARE;

  if (!is_out)
    program = is_given ? hir_program_ref (given)
                       : hir_predict_open_program (request,
                                                   hir_tune_limit_get_cancellable (search->limit),
                                                   &error);
  if (program == NULL)
    {
      HirTuneSetting *setting = add_setting (search, &choice, request);

      if (!is_out && !hir_tune_limit_is_over (search->limit))
        refuse (setting, error);
      return;
    }
  for (guint i = 0; i < space->values[HIR_TUNE_STREAMS]->len; i++)
    {
      choice.values[HIR_TUNE_STREAMS] = g_array_index (space->values[HIR_TUNE_STREAMS], gint64, i);
      if (i == 0 || uses_streams (program))
        add_streams (search, base, program, request, choice);
    }
  hir_tune_search_report (search, "predicted %u setting%s", search->tune->list->len,
                          search->tune->list->len == 1 ? "" : "s");
}

/* Returns whether @sync is a value for @pipeline: only that of the executor has the option. */
static gboolean
fits (const HirTuneSpace *space, gint64 pipeline, gint64 sync)
{
  const GArray *syncs = space->values[HIR_TUNE_INITIAL_SYNC];

  if (pipeline != HIR_PIPELINE_EXECUTOR || syncs->len == 1)
    return TRUE;
  return sync != HIR_TUNE_NONE;
}

static void
add_all (const HirTuneSearch *search, const Base *base, HirProgram *given)
{
  const HirTuneSpace *space = search->space;
  HirTuneChoice choice = space->given;

  for (guint i = 0; i < space->values[HIR_TUNE_PIPELINE]->len; i++)
    for (guint k = 0; k < space->values[HIR_TUNE_INITIAL_SYNC]->len; k++)
      for (guint n = 0; n < space->values[HIR_TUNE_CHUNKS]->len; n++)
        {
          gint64 pipeline = g_array_index (space->values[HIR_TUNE_PIPELINE], gint64, i);
          gint64 sync = g_array_index (space->values[HIR_TUNE_INITIAL_SYNC], gint64, k);

          if (!fits (space, pipeline, sync) || (pipeline == HIR_PIPELINE_HOSTIR && k > 0))
            continue;
          choice = space->given;
          choice.values[HIR_TUNE_PIPELINE] = pipeline;
          choice.values[HIR_TUNE_INITIAL_SYNC] =
              pipeline == HIR_PIPELINE_HOSTIR ? HIR_TUNE_NONE : sync;
          choice.values[HIR_TUNE_CHUNKS] =
              g_array_index (space->values[HIR_TUNE_CHUNKS], gint64, n);
          add_lowered (search, base, given, choice);
        }
}

/* Predicted settings first, the shortest before others. */
static int
compare_settings (gconstpointer a, gconstpointer b)
{
  const HirTuneSetting *x = *(const HirTuneSetting *const *) a;
  const HirTuneSetting *y = *(const HirTuneSetting *const *) b;
  guint64 x_ns = (guint64) x->predicted_ns, y_ns = (guint64) y->predicted_ns;

  return (x_ns > y_ns) - (x_ns < y_ns);
}

/* Moves the given setting, which was added first, to the front again. */
static void
sort_settings (const HirTuneSearch *search)
{
  GPtrArray *list = search->tune->list;
  HirTuneSetting *given = g_ptr_array_steal_index (list, 0);

  g_ptr_array_sort (list, compare_settings);
  g_ptr_array_insert (list, 0, given);
}

gboolean
hir_tune_search_predict (HirTuneSearch *search, HirProgram *program, GError **error)
{
  g_auto (Base) base = { 0 };

  hir_tune_search_report (search, "recording the given setting");
  if (!open_base (&base, search, program, error))
    return FALSE;
  add_all (search, &base, program);
  sort_settings (search);
  return TRUE;
}
