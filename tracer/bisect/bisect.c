/* Checks the program after each pass. */
#include "bisect/against.h"
#include "bisect/bisect-private.h"
#include "bisect/difference.h"
#include "bisect/evaluated.h"
#include "diagnostic.h"
#include "program/program-check.h"
#include "program/program-dump.h"
#include "sharding/lost-transfer.h"

typedef struct
{
  HirProgram *program;
  const HirRunSettings *settings;
  HirBisectProgress progress; /* nullable */
  gpointer progress_data;
  GCancellable *cancellable;
  HirContainer *fusion; /* what every step should compute; a host program if a pass log starts with
                           one */
  HirRunInputs *inputs; /* NULL if the fusion is a host program */
  GPtrArray *reference; /* HirRefTensor*, outputs of the fusion, or one array per rank */
  GPtrArray *ranks;     /* HirLowering*, one per device; NULL until the first host program */
  HirDiagnostic *lost;  /* nullable: see hir_lowering_find_lost_transfer() */
} Bisection;

static void
step_free (gpointer data)
{
  HirBisectStep *step = data;

  g_free (step->pass_name);
  g_free (step->text);
  g_free (step);
}

HirBisect *
hir_bisect_new_empty (void)
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
  g_free (bisect->races);
  g_free (bisect->lost_transfer);
  g_free (bisect);
}

static void
compare_outputs (Bisection *self, GPtrArray *outputs, HirBisectStep *step)
{
  GString *text = g_string_new (NULL);

  step->verdict = HIR_BISECT_RIGHT;
  for (guint i = 0; i < self->reference->len && i < outputs->len; i++)
    {
      const HirRefTensor *wanted = self->reference->pdata[i], *got = outputs->pdata[i];
      gint64 n = wanted != NULL && got != NULL ? hir_difference_count (got, wanted, NULL) : 0;

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

/* Sets the step to NOT_CHECKED because of @why (taken). Returns FALSE if the search was
 * cancelled. */
static gboolean
set_unchecked (HirBisectStep *step, const char *what, GError *why, GError **error)
{
  if (g_error_matches (why, HIR_ERROR, HIR_ERROR_CANCELLED))
    {
      g_propagate_error (error, why);
      return FALSE;
    }
  step->verdict = HIR_BISECT_NOT_CHECKED;
  step->text = g_strdup_printf ("%s%s", what, why->message);
  g_error_free (why);
  return TRUE;
}

static gboolean
check_fusion (Bisection *self, HirContainer *fusion, HirBisectStep *step, GError **error)
{
  GError *why = NULL;
  g_autoptr (GPtrArray) outputs = NULL;

  if (self->inputs == NULL)
    {
      step->verdict = HIR_BISECT_NOT_CHECKED;
      step->text = g_strdup ("a fusion after a host program");
      return TRUE;
    }
  outputs = hir_reference_evaluate (fusion, (HirValue *const *) self->inputs->values->pdata,
                                    self->inputs->values->len, self->cancellable, &why);
  if (outputs == NULL)
    return set_unchecked (step, "", why, error);
  compare_outputs (self, outputs, step);
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
  options.against = self->fusion != self->program->fusion ? self->fusion : NULL;
  session = hir_session_new_ranks (self->program->fusion, (HirContainer *const *) programs->pdata,
                                   programs->len, &options, NULL, self->cancellable, error);
  if (session != NULL && hir_session_run (session, error))
    return session;
  g_clear_pointer (&session, hir_session_free);
  return NULL;
}

/* Returns TRUE if a later pass, a disabled one, or one that is missing or failed turns resharding
 * sets into messages or communications. On several devices, such a set is only a local copy before
 * this pass. */
static gboolean
awaits_communication (const Bisection *self, guint index)
{
  return self->lost != NULL || hir_bisect_is_converted_later (self->program, index) ||
         hir_bisect_is_unconverted (self->program, index);
}

/* Returns the outputs that differ from those of the first host program, or NULL. */
static char *
compare_parts (const Bisection *self, const HirEvaluated *evaluated)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0; i < evaluated->n && i < self->reference->len; i++)
    {
      const GPtrArray *wanted = self->reference->pdata[i], *got = evaluated->parts->pdata[i];

      for (guint k = 0; k < wanted->len && k < got->len; k++)
        {
          const HirRefTensor *a = got->pdata[k], *b = wanted->pdata[k];
          gint64 n = a != NULL && b != NULL ? hir_difference_count (a, b, NULL) : a != b;

          if (n > 0)
            g_string_append_printf (text,
                                    "output %u on rank %d: %" G_GINT64_FORMAT " elements differ\n",
                                    k, evaluated->ranks[i].rank, n);
        }
    }
  return g_string_free (text, text->len == 0);
}

static gboolean
compare_evaluated (Bisection *self,
                   HirEvaluated *evaluated,
                   gboolean is_gathered,
                   HirBisectStep *step,
                   GError **error)
{
  HirWrongOutput first;
  g_autofree char *wrong = NULL;
  GError *why = NULL;

  wrong = self->inputs == NULL
              ? compare_parts (self, evaluated)
              : hir_difference_of_outputs (evaluated->ranks, evaluated->n, evaluated->parts,
                                           self->reference, &first, &why);
  if (why != NULL)
    return set_unchecked (step, "", why, error);
  step->verdict = wrong != NULL ? HIR_BISECT_WRONG : HIR_BISECT_RIGHT;
  step->text = wrong != NULL ? g_strchomp (g_steal_pointer (&wrong))
               : is_gathered ? g_strdup ("same results on whole tensors")
                             : g_strdup ("same results");
  return TRUE;
}

/* Prepares the evaluation of a host program of a pass log, or of one that does not communicate
 * yet. */
static HirEvaluated *
evaluate_new (Bisection *self, guint index, GError **error)
{
  char *const *inputs = self->program->request->inputs;
  g_autoptr (GPtrArray) hosts = NULL;

  if (awaits_communication (self, index))
    return hir_evaluated_new_gathered (hir_program_get_step (self->program, index), self->fusion,
                                       inputs, self->settings, error);
  hosts = hir_program_dup_step_hosts (self->program, index, error);
  return hosts != NULL ? hir_evaluated_new (hosts, self->fusion, inputs, self->settings,
                                            self->cancellable, error)
                       : NULL;
}

/* Checks a host program in sequence, so that a race does not make a pass look guilty. Before passes
 * create communications, it is checked on whole tensors. */
static gboolean
check_in_sequence (Bisection *self, guint index, HirBisectStep *step, GError **error)
{
  GError *why = NULL;
  g_autoptr (HirEvaluated) evaluated = NULL;
  gboolean awaits = awaits_communication (self, index);

  if (awaits &&
      (hir_bisect_count_communications (self->program, index) > 0 || self->inputs == NULL))
    {
      step->verdict = HIR_BISECT_NOT_CHECKED;
      step->text = g_strdup ("some transfers between devices are not communications yet");
      return TRUE;
    }
  evaluated = evaluate_new (self, index, &why);
  if (evaluated == NULL || !hir_evaluated_run (evaluated, self->settings, self->cancellable, &why))
    return set_unchecked (step, "cannot run on its own: ", why, error);
  if (self->reference == NULL)
    {
      self->reference = g_ptr_array_ref (evaluated->parts);
      step->verdict = HIR_BISECT_RIGHT;
      step->text = g_strdup ("the reference, because the log has no fusion before it");
      return TRUE;
    }
  if (!compare_evaluated (self, evaluated, awaits, step, error))
    return FALSE;
  /* Nothing shows that the transfers are right on devices. */
  if (step->verdict == HIR_BISECT_RIGHT && self->lost == NULL &&
      hir_bisect_is_unconverted (self->program, index) &&
      !hir_bisect_is_converted_later (self->program, index))
    {
      g_free (step->text);
      step->text =
          g_strdup ("same results on whole tensors, but some transfers between devices are "
                    "not communications yet");
      step->verdict = HIR_BISECT_UNDECIDED;
    }
  return TRUE;
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
  if (programs == NULL)
    {
      step->text = g_strdup ("a rank failed before this step");
      return TRUE;
    }
  session = run_session (self, programs, &why);
  if (session == NULL)
    return set_unchecked (step, "cannot run on its own: ", g_steal_pointer (&why), error);
  step->text = g_strchomp (hir_check_report_format (hir_session_get_report (session)));
  step->verdict = verdicts[hir_check_report_get_outcome (hir_session_get_report (session))];
  return TRUE;
}

static gboolean
check_step (Bisection *self, guint index, HirBisectStep *step, GError **error)
{
  HirContainer *program = hir_program_get_step (self->program, index);
  const HirProgramView *view = self->program->views->pdata[index];

  if (index > 0 && !view->changed)
    {
      step->verdict = HIR_BISECT_SAME;
      step->text = g_strdup ("changes nothing");
      return TRUE;
    }
  if (!view->is_host)
    return check_fusion (self, program, step, error);
  return self->program->lowering == NULL || awaits_communication (self, index)
             ? check_in_sequence (self, index, step, error)
             : check_host (self, index, step, error);
}

/* Replaces the verdict of a program whose transfers no pass makes communications by that of its
 * run. Its pass is not to blame, because the program is right on whole tensors. */
static gboolean
check_lost (Bisection *self, guint index, HirBisectStep *step, GError **error)
{
  const HirProgramView *view = self->program->views->pdata[index];
  g_autofree char *whole = NULL;
  g_autofree char *run = NULL;

  if (self->lost == NULL || !view->is_host || step->verdict != HIR_BISECT_RIGHT)
    return TRUE;
  whole = g_steal_pointer (&step->text);
  if (!check_host (self, index, step, error))
    return FALSE;
  run = g_steal_pointer (&step->text);
  step->text = g_strdup_printf ("%s\n%s", run, whole);
  return TRUE;
}

/* Counts the last steps if they could not be checked: no later result confirms them. */
static void
count_unchecked (HirBisect *bisect)
{
  for (guint i = (guint) bisect->last_right + 1; i < bisect->steps->len; i++)
    {
      const HirBisectStep *step = bisect->steps->pdata[i];

      bisect->n_undecided += step->verdict == HIR_BISECT_NOT_CHECKED;
    }
}

static gboolean
check_all (Bisection *self, HirBisect *bisect, GError **error)
{
  for (guint i = 0; i < self->program->views->len; i++)
    {
      HirBisectStep *step = g_new0 (HirBisectStep, 1);
      const HirProgramView *view = self->program->views->pdata[i];

      g_ptr_array_add (bisect->steps, step);
      step->pass_name = g_strdup (view->pass_name);
      if (self->progress != NULL)
        self->progress (step->pass_name, i, self->program->views->len, self->progress_data);
      if (!check_step (self, i, step, error))
        return FALSE;
      bisect->n_undecided += step->verdict == HIR_BISECT_UNDECIDED;
      if (step->verdict == HIR_BISECT_RIGHT)
        bisect->last_right = (int) i;
      if (step->verdict == HIR_BISECT_WRONG)
        {
          bisect->guilty = (int) i;
          return TRUE;
        }
      if (!check_lost (self, i, step, error))
        return FALSE;
    }
  if (self->lost == NULL)
    count_unchecked (bisect);
  return TRUE;
}

static gboolean
prepare (Bisection *self, GError **error)
{
  HirProgram *program = self->program;

  if (program->views->len == 0 || hir_program_get_step (program, 0) == NULL ||
      (self->fusion == NULL && program->fusion == NULL && program->views->len < 2))
    {
      hir_set_error (
          error, HIR_ERROR_INPUT, NULL,
          "bisect requires a fusion, which a printed program does not have; add --against SCRIPT, "
          "or use --program to compare the program with its sequential execution");
      return FALSE;
    }
  if (self->fusion == NULL)
    self->fusion = program->fusion != NULL ? program->fusion : hir_program_get_step (program, 0);
  if (self->fusion->kind == HIR_CONTAINER_HOST)
    return TRUE;
  self->inputs = hir_run_inputs_new (self->fusion, (const char *const *) program->request->inputs,
                                     self->settings->seed, error);
  if (self->inputs == NULL)
    return FALSE;
  self->reference =
      hir_reference_evaluate (self->fusion, (HirValue *const *) self->inputs->values->pdata,
                              self->inputs->values->len, self->cancellable, error);
  return self->reference != NULL;
}

/* Sets the races of the last program. Returns FALSE if cancelled. */
static gboolean
find_races (Bisection *self, HirBisect *bisect, GError **error)
{
  g_autoptr (GError) why = NULL;
  g_autoptr (HirSyncCheck) check = NULL;

  if (self->program->error != NULL || hir_program_get_host (self->program) == NULL)
    return TRUE;
  check = hir_program_check_sync (self->program, self->settings->n_streams, NULL, HIR_SYNC_USES,
                                  self->cancellable, &why);
  if (check != NULL && !hir_sync_check_passed (check))
    bisect->races = hir_sync_check_format (check);
  if (check != NULL || !g_error_matches (why, HIR_ERROR, HIR_ERROR_CANCELLED))
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&why));
  return FALSE;
}

HirBisect *
hir_bisect_new (HirProgram *program,
                HirContainer *fusion,
                const HirRunSettings *settings,
                HirBisectProgress progress,
                gpointer user_data,
                GCancellable *cancellable,
                GError **error)
{
  Bisection self = {
    .program = program,
    .fusion = fusion,
    .settings = settings,
    .progress = progress,
    .progress_data = user_data,
    .cancellable = cancellable,
    .lost = program->lowering != NULL
                ? hir_lowering_find_lost_transfer (program->lowering, program->request->n_devices)
                : NULL,
  };
  HirBisect *bisect = hir_bisect_new_empty ();
  gboolean done = prepare (&self, error);

  if (done)
    {
      bisect->lost_transfer = self.lost != NULL ? g_strdup (self.lost->message) : NULL;
      bisect->inputs = self.inputs != NULL ? g_strdup (self.inputs->text) : NULL;
      done = check_all (&self, bisect, error) && find_races (&self, bisect, error);
    }
  g_clear_pointer (&self.ranks, g_ptr_array_unref);
  g_clear_pointer (&self.reference, g_ptr_array_unref);
  g_clear_pointer (&self.inputs, hir_run_inputs_free);
  g_clear_pointer (&self.lost, hir_diagnostic_free);
  if (done)
    return bisect;
  hir_bisect_free (bisect);
  return NULL;
}
