/* Checks the program after each pass, by results or by text, and on a worker thread. */
#include "bisect/bisect.h"

#include <math.h>

#include "diagnostic.h"
#include "pipeline.h"
#include "run/session/session.h"

typedef struct
{
  HirProgram *program;
  const HirRunSettings *settings;
  HirBisectProgress progress; /* nullable */
  gpointer progress_data;
  GCancellable *cancellable;
  HirRunInputs *inputs;
  GPtrArray *reference; /* HirRefTensor*, outputs of the fusion */
  GPtrArray *ranks;     /* HirLowering*, one per device; NULL until the first host program */
} Bisection;

static void
step_free (gpointer data)
{
  HirBisectStep *step = data;

  g_free (step->pass_name);
  g_free (step->text);
  g_free (step);
}

static HirBisect *
bisect_new (void)
{
  HirBisect *bisect = g_new0 (HirBisect, 1);

  bisect->steps = g_ptr_array_new_with_free_func (step_free);
  bisect->guilty = -1;
  return bisect;
}

char *
hir_bisect_dup_suspects (const HirBisect *bisect, const char *prefix)
{
  GString *names = g_string_new (NULL);
  guint n = 0;

  for (int i = bisect->last_right + 1; i <= bisect->guilty; i++)
    {
      const HirBisectStep *step = bisect->steps->pdata[i];

      if (step->verdict == HIR_BISECT_SAME)
        continue;
      g_string_append_printf (names, "%s%s", n > 0 ? ", " : "", step->pass_name);
      n++;
    }
  if (n > 1)
    g_string_prepend (names, prefix);
  return g_string_free (names, FALSE);
}

void
hir_bisect_free (HirBisect *bisect)
{
  g_ptr_array_unref (bisect->steps);
  g_free (bisect->inputs);
  g_free (bisect);
}

/* Returns TRUE if two elements, both evaluated in double, differ by more than the sum of their
 * error bounds. */
static gboolean
element_differs (const HirRefTensor *a, const HirRefTensor *b, gint64 i)
{
  double bound = (a->errors != NULL ? a->errors[i] : 0) + (b->errors != NULL ? b->errors[i] : 0);

  if (a->values == NULL || b->values == NULL)
    return a->ints == NULL || b->ints == NULL || a->ints[i] != b->ints[i];
  if (isnan (a->values[i]) || isnan (b->values[i]))
    return isnan (a->values[i]) != isnan (b->values[i]);
  /* Even with bounds of 0, another order of operations may round differently. */
  return fabs (a->values[i] - b->values[i]) > bound + 1e-12 * fabs (b->values[i]) &&
         a->values[i] != b->values[i];
}

static gint64
count_differences (const HirRefTensor *a, const HirRefTensor *b)
{
  gint64 n = 0;

  if (a->count != b->count)
    return MAX (a->count, b->count);
  for (gint64 i = 0; i < a->count; i++)
    n += element_differs (a, b, i);
  return n;
}

static void
compare_outputs (Bisection *self, GPtrArray *outputs, HirBisectStep *step)
{
  GString *text = g_string_new (NULL);

  step->verdict = HIR_BISECT_RIGHT;
  for (guint i = 0; i < self->reference->len && i < outputs->len; i++)
    {
      const HirRefTensor *wanted = self->reference->pdata[i], *got = outputs->pdata[i];
      gint64 n = wanted != NULL && got != NULL ? count_differences (got, wanted) : 0;

      if (n == 0)
        continue;
      step->verdict = HIR_BISECT_WRONG;
      g_string_append_printf (text,
                              "%soutput %u: %" G_GINT64_FORMAT " of %" G_GINT64_FORMAT
                              " elements differ",
                              text->len > 0 ? "; " : "", i, n, wanted->count);
    }
  if (outputs->len != self->reference->len)
    {
      step->verdict = HIR_BISECT_WRONG;
      g_string_append (text, "different number of outputs");
    }
  if (text->len == 0)
    g_string_append (text, "same results");
  step->text = g_string_free (text, FALSE);
}

static gboolean
check_fusion (Bisection *self, HirContainer *fusion, HirBisectStep *step, GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autoptr (GPtrArray) outputs =
      hir_reference_evaluate (fusion, (HirValue *const *) self->inputs->values->pdata,
                              self->inputs->values->len, self->cancellable, &why);

  if (outputs != NULL)
    {
      compare_outputs (self, outputs, step);
      return TRUE;
    }
  if (g_error_matches (why, HIR_ERROR, HIR_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&why));
      return FALSE;
    }
  step->verdict = HIR_BISECT_NOT_CHECKED;
  step->text = g_strdup (why->message);
  return TRUE;
}

static gboolean
lower_ranks (Bisection *self, GError **error)
{
  gint64 n = hir_program_is_on_mesh (self->program) ? self->program->request->n_devices : 1;

  if (self->ranks != NULL)
    return TRUE;
  self->ranks = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_lowering_free);
  for (gint64 rank = 0; rank < n; rank++)
    {
      HirLowering *lowering =
          hir_program_lower_for_rank (self->program, rank, self->cancellable, error);

      if (lowering == NULL)
        return FALSE;
      g_ptr_array_add (self->ranks, lowering);
    }
  return TRUE;
}

/* Returns the program of each rank after @pass_name, or NULL if some rank has failed before. */
static GPtrArray *
dup_programs (Bisection *self, const char *pass_name)
{
  GPtrArray *programs = g_ptr_array_new ();

  for (guint rank = 0; rank < self->ranks->len; rank++)
    {
      HirSnapshot *snapshot = hir_lowering_lookup (self->ranks->pdata[rank], pass_name);

      if (snapshot == NULL)
        {
          g_ptr_array_unref (programs);
          return NULL;
        }
      g_ptr_array_add (programs, snapshot->program);
    }
  return programs;
}

static HirSession *
run_session (Bisection *self, GPtrArray *programs, GError **error)
{
  HirRunOptions options;
  HirSession *session;

  hir_run_settings_to_options (self->settings, &options);
  options.check = TRUE;
  options.inputs = (const char *const *) self->program->request->inputs;
  options.rank = 0;
  session = hir_session_new_ranks (self->program->fusion, (HirContainer *const *) programs->pdata,
                                   programs->len, &options, NULL, self->cancellable, error);
  if (session != NULL && hir_session_run (session, error))
    return session;
  g_clear_pointer (&session, hir_session_free);
  return NULL;
}

/* Returns TRUE if a later pass turns resharding sets into messages (StreamParallelType) or
 * communications (ConvertOpToCommunication). On several devices, such a set is only a local copy
 * before this pass, so the results would be incorrect although no pass is. */
static gboolean
awaits_communication (Bisection *self, guint index)
{
  const GPtrArray *snapshots = self->program->lowering->snapshots;

  for (guint i = index + 1; self->ranks->len > 1 && i < snapshots->len; i++)
    {
      const HirSnapshot *snapshot = snapshots->pdata[i];

      if (snapshot->changed && (snapshot->pass == &hir_pass_convert_op_to_communication ||
                                snapshot->pass == &hir_pass_stream_parallel_type))
        return TRUE;
    }
  return FALSE;
}

static const HirBisectVerdict verdicts[] = {
  [HIR_CHECK_RIGHT] = HIR_BISECT_RIGHT,
  [HIR_CHECK_UNDECIDED] = HIR_BISECT_UNDECIDED,
  [HIR_CHECK_WRONG] = HIR_BISECT_WRONG,
};

static gboolean
check_host (Bisection *self, guint index, HirBisectStep *step, GError **error)
{
  const HirSnapshot *snapshot = self->program->lowering->snapshots->pdata[index];
  const char *pass_name = snapshot->pass_name;
  g_autoptr (GPtrArray) programs = NULL;
  g_autoptr (HirSession) session = NULL;
  g_autoptr (GError) why = NULL;

  if (!lower_ranks (self, error))
    return FALSE;
  programs = dup_programs (self, pass_name);
  step->verdict = HIR_BISECT_NOT_CHECKED;
  if (programs == NULL || awaits_communication (self, index))
    {
      step->text =
          g_strdup (programs == NULL ? "a rank failed before this step"
                                     : "transfers between devices are not communications yet");
      return TRUE;
    }
  session = run_session (self, programs, &why);
  if (session == NULL && g_error_matches (why, HIR_ERROR, HIR_ERROR_CANCELLED))
    {
      g_propagate_error (error, g_steal_pointer (&why));
      return FALSE;
    }
  if (session == NULL)
    {
      step->text = g_strdup_printf ("cannot run on its own: %s", why->message);
      return TRUE;
    }
  step->text = g_strchomp (hir_check_report_format (hir_session_get_report (session)));
  step->verdict = verdicts[hir_check_report_get_outcome (hir_session_get_report (session))];
  return TRUE;
}

static gboolean
check_snapshot (Bisection *self, guint index, HirBisectStep *step, GError **error)
{
  HirSnapshot *snapshot = self->program->lowering->snapshots->pdata[index];
  const HirProgramView *view = self->program->views->pdata[index];

  if (index > 0 && !snapshot->changed)
    {
      step->verdict = HIR_BISECT_SAME;
      step->text = g_strdup ("changes nothing");
      return TRUE;
    }
  return view->is_host ? check_host (self, index, step, error)
                       : check_fusion (self, snapshot->program, step, error);
}

static gboolean
check_all (Bisection *self, HirBisect *bisect, GError **error)
{
  for (guint i = 0; i < self->program->lowering->snapshots->len; i++)
    {
      HirBisectStep *step = g_new0 (HirBisectStep, 1);
      const HirSnapshot *snapshot = self->program->lowering->snapshots->pdata[i];

      g_ptr_array_add (bisect->steps, step);
      step->pass_name = g_strdup (snapshot->pass_name);
      if (self->progress != NULL)
        self->progress (step->pass_name, i, self->program->lowering->snapshots->len,
                        self->progress_data);
      if (!check_snapshot (self, i, step, error))
        return FALSE;
      bisect->n_undecided += step->verdict == HIR_BISECT_UNDECIDED;
      if (step->verdict == HIR_BISECT_RIGHT)
        bisect->last_right = (int) i;
      if (step->verdict == HIR_BISECT_WRONG)
        {
          bisect->guilty = (int) i;
          return TRUE;
        }
    }
  return TRUE;
}

static gboolean
prepare (Bisection *self, GError **error)
{
  HirProgram *program = self->program;

  if (program->fusion == NULL || program->lowering == NULL)
    {
      hir_set_error (
          error, HIR_ERROR_INPUT, NULL,
          "bisect requires the fusion of a script, which a printed program does not have; use "
          "hirscope run --check to compare it with its sequential execution");
      return FALSE;
    }
  self->inputs =
      hir_run_inputs_new (program->fusion, (const char *const *) program->request->inputs,
                          self->settings->seed, error);
  if (self->inputs == NULL)
    return FALSE;
  self->reference =
      hir_reference_evaluate (program->fusion, (HirValue *const *) self->inputs->values->pdata,
                              self->inputs->values->len, self->cancellable, error);
  return self->reference != NULL;
}

HirBisect *
hir_bisect_new (HirProgram *program,
                const HirRunSettings *settings,
                HirBisectProgress progress,
                gpointer user_data,
                GCancellable *cancellable,
                GError **error)
{
  Bisection self = {
    .program = program,
    .settings = settings,
    .progress = progress,
    .progress_data = user_data,
    .cancellable = cancellable,
  };
  HirBisect *bisect = bisect_new ();
  gboolean done = prepare (&self, error);

  if (done)
    {
      bisect->inputs = g_strdup (self.inputs->text);
      done = check_all (&self, bisect, error);
    }
  g_clear_pointer (&self.ranks, g_ptr_array_unref);
  g_clear_pointer (&self.reference, g_ptr_array_unref);
  g_clear_pointer (&self.inputs, hir_run_inputs_free);
  if (done)
    return bisect;
  hir_bisect_free (bisect);
  return NULL;
}

static guint
count_matches (GRegex *regex, const char *text, GCancellable *cancellable)
{
  g_autoptr (GMatchInfo) match = NULL;
  guint n = 0;

  g_regex_match (regex, text, 0, &match);
  while (g_match_info_matches (match))
    {
      n++;
      if (g_cancellable_is_cancelled (cancellable) || !g_match_info_next (match, NULL))
        break;
    }
  return n;
}

HirBisect *
hir_bisect_new_by_text (HirProgram *program,
                        const char *pattern,
                        GCancellable *cancellable,
                        GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autoptr (GRegex) regex = g_regex_new (pattern, G_REGEX_MULTILINE | G_REGEX_OPTIMIZE, 0, &why);
  HirBisect *bisect;
  gboolean first = FALSE;

  if (regex == NULL)
    {
      hir_set_error (error, HIR_ERROR_INPUT, NULL, "%s", why->message);
      return NULL;
    }
  bisect = bisect_new ();
  for (guint i = 0; i < program->views->len && bisect->guilty < 0; i++)
    {
      const HirProgramView *view = program->views->pdata[i];
      HirBisectStep *step = g_new0 (HirBisectStep, 1);
      guint n = count_matches (regex, view->text, cancellable);

      first = i == 0 ? n > 0 : first;
      step->pass_name = g_strdup (view->pass_name);
      step->text =
          n == 0 ? g_strdup ("no match") : g_strdup_printf ("%u time%s", n, n == 1 ? "" : "s");
      step->verdict = (n > 0) == first ? HIR_BISECT_RIGHT : HIR_BISECT_WRONG;
      g_ptr_array_add (bisect->steps, step);
      if (step->verdict == HIR_BISECT_RIGHT)
        bisect->last_right = (int) i;
      else
        bisect->guilty = (int) i;
    }
  if (g_cancellable_set_error_if_cancelled (cancellable, error))
    g_clear_pointer (&bisect, hir_bisect_free);
  return bisect;
}

typedef struct
{
  HirProgram *program;
  HirRunSettings settings;
  char *pattern; /* pattern of a search by text; NULL: compare results */
  HirBisectProgress progress;
  gpointer user_data;
  GMainContext *context; /* main context of progress */
} Job;

static void
job_free (Job *job)
{
  hir_program_unref (job->program);
  hir_run_settings_clear (&job->settings);
  g_free (job->pattern);
  g_clear_pointer (&job->context, g_main_context_unref);
  g_free (job);
}

/* A call of progress, passed to the main context of the caller. */
typedef struct
{
  const Job *job; /* owned by task */
  GTask *task;
  char *pass_name;
  guint index, n;
} Call;

static gboolean
deliver (gpointer data)
{
  const Call *call = data;

  call->job->progress (call->pass_name, call->index, call->n, call->job->user_data);
  return G_SOURCE_REMOVE;
}

static void
call_free (gpointer data)
{
  Call *call = data;

  g_object_unref (call->task);
  g_free (call->pass_name);
  g_free (call);
}

static void
send (const char *pass_name, guint index, guint n, gpointer user_data)
{
  GTask *task = user_data;
  const Job *job = g_task_get_task_data (task);
  Call *call = g_new (Call, 1);
  g_autoptr (GSource) source = g_idle_source_new ();

  *call = (Call){ job, g_object_ref (task), g_strdup (pass_name), index, n };
  /* Deliver before the result, which has the default priority. */
  g_source_set_priority (source, G_PRIORITY_HIGH);
  g_source_set_callback (source, deliver, call, call_free);
  g_source_attach (source, job->context);
}

static void
bisect_in_thread (GTask *task, gpointer source_object, gpointer data, GCancellable *cancellable)
{
  Job *job = data;
  GError *error = NULL;
  HirBisect *bisect =
      job->pattern != NULL
          ? hir_bisect_new_by_text (job->program, job->pattern, cancellable, &error)
          : hir_bisect_new (job->program, &job->settings, job->progress != NULL ? send : NULL, task,
                            cancellable, &error);

  if (bisect != NULL)
    g_task_return_pointer (task, bisect, (GDestroyNotify) hir_bisect_free);
  else
    g_task_return_error (task, error);
}

void
hir_bisect_new_async (HirProgram *program,
                      const HirRunSettings *settings,
                      HirBisectProgress progress,
                      GCancellable *cancellable,
                      GAsyncReadyCallback callback,
                      gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  Job *job = g_new0 (Job, 1);

  job->program = hir_program_ref (program);
  hir_run_settings_copy (&job->settings, settings);
  job->progress = progress;
  job->user_data = user_data;
  job->context = g_main_context_ref_thread_default ();
  g_task_set_source_tag (task, hir_bisect_new_async);
  g_task_set_task_data (task, job, (GDestroyNotify) job_free);
  g_task_run_in_thread (task, bisect_in_thread);
}

void
hir_bisect_new_by_text_async (HirProgram *program,
                              const char *pattern,
                              GCancellable *cancellable,
                              GAsyncReadyCallback callback,
                              gpointer user_data)
{
  g_autoptr (GTask) task = g_task_new (NULL, cancellable, callback, user_data);
  Job *job = g_new0 (Job, 1);

  job->program = hir_program_ref (program);
  job->pattern = g_strdup (pattern);
  g_task_set_source_tag (task, hir_bisect_new_by_text_async);
  g_task_set_task_data (task, job, (GDestroyNotify) job_free);
  g_task_run_in_thread (task, bisect_in_thread);
}

HirBisect *
hir_bisect_new_finish (GAsyncResult *result, GError **error)
{
  g_return_val_if_fail (g_task_is_valid (result, NULL), NULL);

  return g_task_propagate_pointer (G_TASK (result), error);
}
