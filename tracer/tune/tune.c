/* The search for faster settings. */
#include "tune/tune-private.h"

static void
find_best (HirTune *tune)
{
  gint64 best_ns = G_MAXINT64;

  for (guint i = 0; i < tune->list->len; i++)
    {
      const HirTuneSetting *setting = g_ptr_array_index (tune->list, i);

      if (setting->state != HIR_TUNE_MEASURED || setting->rounds->len == 0 ||
          hir_tune_setting_get_median (setting) >= best_ns)
        continue;
      best_ns = hir_tune_setting_get_median (setting);
      tune->best = (int) i;
    }
}

static HirTuneSpace *
create_space (HirProgram *program, const HirTuneOptions *options, GError **error)
{
  g_autoptr (HirTuneSpace) space = hir_tune_space_new (program, options->settings);

  for (guint i = 0; options->limits != NULL && options->limits[i] != NULL; i++)
    if (!hir_tune_space_restrict (space, options->limits[i], error))
      return NULL;
  return g_steal_pointer (&space);
}

HirTune *
hir_tune_new (HirProgram *program,
              const HirTuneOptions *options,
              GCancellable *cancellable,
              GError **error)
{
  g_autoptr (HirTuneSpace) space = create_space (program, options, error);
  g_autoptr (HirTune) tune = g_new0 (HirTune, 1);
  HirTuneSearch search = { .tune = tune, .space = space, .options = options };
  gboolean done;

  hir_run_settings_copy (&tune->settings, options->settings);
  tune->list = g_ptr_array_new_with_free_func (hir_tune_setting_free);
  tune->notes = g_ptr_array_new_with_free_func (g_free);
  tune->best = -1;
  if (space == NULL)
    return NULL;
  for (guint i = 0; i < space->notes->len; i++)
    g_ptr_array_add (tune->notes, g_strdup (g_ptr_array_index (space->notes, i)));
  search.limit = hir_tune_limit_new (options->budget_s, cancellable);
  done = hir_tune_search_predict (&search, program, error);
  if (done)
    hir_tune_search_measure (&search);
  if (hir_tune_limit_is_over (search.limit))
    tune->end = cancellable != NULL && g_cancellable_is_cancelled (cancellable) ? HIR_TUNE_CANCELLED
                                                                                : HIR_TUNE_BUDGET;
  hir_tune_limit_free (search.limit);
  find_best (tune);
  return done ? g_steal_pointer (&tune) : NULL;
}

void
hir_tune_free (HirTune *tune)
{
  g_ptr_array_unref (tune->list);
  g_ptr_array_unref (tune->notes);
  hir_run_settings_clear (&tune->settings);
  g_free (tune);
}
