/* Measures settings in interleaved rounds, so that changes of the machine's speed affect all of
 * them alike. */
#include <string.h>

#include "job/run-job.h"
#include "tune/tune-private.h"

/* Runs a setting: for a trial once, with the check; otherwise as often as a round does. Sets @ns
 * to the time of one run. */
static gboolean
run_setting (const HirTuneSearch *search,
             const HirTuneSetting *setting,
             gboolean is_trial,
             HirRunResult *result,
             gint64 *ns,
             GError **error)
{
  g_auto (HirRunSettings) settings = { 0 };
  const HirRunJobOptions job = { .cancellable = hir_tune_limit_get_cancellable (search->limit),
                                 .against = search->options->against };

  hir_run_settings_copy (&settings, search->options->settings);
  hir_tune_choice_apply (&setting->choice, &settings);
  settings.trace = HIR_TRACE_OFF;
  settings.check &= is_trial;
  if (is_trial)
    {
      settings.n_repeat = 1;
      settings.n_warmup = 0;
    }
  if (!hir_run_job (setting->program, &settings, &job, result, error))
    return FALSE;
  *ns = result->elapsed_ns / settings.n_repeat;
  return TRUE;
}

static void
set_reason (HirTuneSetting *setting, HirTuneState state, const char *text)
{
  const char *end = strchr (text, '\n');

  setting->state = state;
  g_free (setting->reason);
  setting->reason = end != NULL ? g_strndup (text, (gsize) (end - text)) : g_strdup (text);
}

/* Stores why a setting has no result; not if the time has ended. */
static void
fail (const HirTuneSearch *search, HirTuneSetting *setting, const GError *error)
{
  if (!hir_tune_limit_is_over (search->limit))
    set_reason (setting, HIR_TUNE_REFUSED, error->message);
}

/* Runs a setting once. Returns whether it can be measured. */
static gboolean
try (const HirTuneSearch *search, HirTuneSetting *setting)
{
  g_auto (HirRunResult) result = { 0 };
  g_autoptr (GError) error = NULL;
  gint64 ns;

  if (!run_setting (search, setting, TRUE, &result, &ns, &error))
    fail (search, setting, error);
  else if (result.check_outcome == HIR_CHECK_WRONG)
    set_reason (setting, HIR_TUNE_WRONG, result.check);
  else
    {
      setting->state = HIR_TUNE_MEASURED;
      if (result.check_outcome == HIR_CHECK_UNDECIDED)
        set_reason (setting, HIR_TUNE_MEASURED, "the check is undecided");
      return TRUE;
    }
  return FALSE;
}

/* Returns whether @setting differs from one of @chosen only in the number of streams, and is
 * predicted to take the same time: then the additional streams have no work. */
static gboolean
is_like_chosen (const HirTuneSetting *setting, const GPtrArray *chosen)
{
  for (guint i = 0; i < chosen->len; i++)
    {
      const HirTuneSetting *other = g_ptr_array_index (chosen, i);
      HirTuneChoice choice = setting->choice;

      choice.values[HIR_TUNE_STREAMS] = other->choice.values[HIR_TUNE_STREAMS];
      if (other->predicted_ns == setting->predicted_ns &&
          memcmp (&choice, &other->choice, sizeof choice) == 0)
        return TRUE;
    }
  return FALSE;
}

/* Returns the settings to measure (HirTuneSetting*, borrowed): the given one, and the best by
 * prediction that can run. */
static GPtrArray *
choose (const HirTuneSearch *search)
{
  GPtrArray *chosen = g_ptr_array_new ();
  GPtrArray *list = search->tune->list;

  for (guint i = 0, n_best = 0; i < list->len && n_best < search->options->n_top; i++)
    {
      HirTuneSetting *setting = g_ptr_array_index (list, i);
      g_autofree char *text = hir_tune_choice_dup_text (&setting->choice);

      if (hir_tune_limit_is_over (search->limit))
        break;
      if (setting->state != HIR_TUNE_PREDICTED || is_like_chosen (setting, chosen))
        continue;
      hir_tune_search_report (search, "trying %s", text);
      if (!try (search, setting))
        continue;
      g_ptr_array_add (chosen, setting);
      n_best += i > 0;
    }
  return chosen;
}

static void
measure (const HirTuneSearch *search, HirTuneSetting *setting)
{
  g_auto (HirRunResult) result = { 0 };
  g_autoptr (GError) error = NULL;
  gint64 ns;

  if (setting->state != HIR_TUNE_MEASURED)
    return;
  if (run_setting (search, setting, FALSE, &result, &ns, &error))
    g_array_append_val (setting->rounds, ns);
  else
    fail (search, setting, error);
}

void
hir_tune_search_measure (HirTuneSearch *search)
{
  g_autoptr (GPtrArray) chosen = choose (search);

  for (guint round = 0; round < search->options->n_rounds && chosen->len > 0 &&
                        !hir_tune_limit_is_over (search->limit);
       round++)
    {
      hir_tune_search_report (search, "round %u of %u: %u settings", round + 1,
                              search->options->n_rounds, chosen->len);
      /* Each round starts with another setting. */
      for (guint i = 0; i < chosen->len && !hir_tune_limit_is_over (search->limit); i++)
        measure (search, g_ptr_array_index (chosen, (i + round) % chosen->len));
    }
  /* The time has ended before the first round. */
  for (guint i = 0; i < chosen->len; i++)
    {
      HirTuneSetting *setting = g_ptr_array_index (chosen, i);

      if (setting->state == HIR_TUNE_MEASURED && setting->rounds->len == 0)
        setting->state = HIR_TUNE_PREDICTED;
    }
}
