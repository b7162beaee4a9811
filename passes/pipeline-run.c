#include "pipeline-private.h"
#include "snapshot.h"

void
hir_lowering_free (HirLowering *lowering)
{
  if (lowering == NULL)
    return;
  g_ptr_array_unref (lowering->snapshots);
  hir_snapshot_unref (lowering->failed_snapshot);
  g_clear_error (&lowering->error);
  g_free (lowering);
}

HirSnapshot *
hir_lowering_get_last (HirLowering *lowering)
{
  guint n = lowering->snapshots->len;

  return n > 0 ? lowering->snapshots->pdata[n - 1] : NULL;
}

HirSnapshot *
hir_lowering_lookup (HirLowering *lowering, const char *pass_name)
{
  for (guint i = 0; i < lowering->snapshots->len; i++)
    {
      HirSnapshot *snapshot = lowering->snapshots->pdata[i];

      if (g_str_equal (snapshot->pass_name, pass_name))
        return snapshot;
    }
  return NULL;
}

/* State of one run. */
typedef struct
{
  GArray *hooks; /* HirPassHooks: built-in hooks, then the user's */
  HirLowering *lowering;
  gint64 rank;
  gint64 n_devices;
  GCancellable *cancellable;
} Run;

static HirPassControl
call_before (Run *run, const HirPass *pass, HirContainer *program)
{
  HirPassControl control = HIR_PASS_APPLY;

  for (guint i = run->hooks->len; i > 0 && control == HIR_PASS_APPLY; i--)
    {
      const HirPassHooks *hooks = &g_array_index (run->hooks, HirPassHooks, i - 1);

      if (hooks->before != NULL)
        control = hooks->before (pass, program, hooks->user_data);
    }
  return control;
}

static gboolean
call_after (Run *run, const HirPass *pass, HirSnapshot *snapshot, GError **error)
{
  for (guint i = 0; i < run->hooks->len; i++)
    {
      const HirPassHooks *hooks = &g_array_index (run->hooks, HirPassHooks, i);

      if (hooks->after != NULL && !hooks->after (pass, snapshot, hooks->user_data, error))
        return FALSE;
    }
  return TRUE;
}

/* Takes @error. */
static void
fail (Run *run, const HirPass *pass, HirContainer *program, GError *error)
{
  HirSnapshot *last = hir_lowering_get_last (run->lowering);

  run->lowering->failed_pass = pass;
  run->lowering->failed_snapshot = last != NULL ? hir_snapshot_ref (last) : NULL;
  run->lowering->error = error;
  for (guint i = 0; i < run->hooks->len; i++)
    {
      const HirPassHooks *hooks = &g_array_index (run->hooks, HirPassHooks, i);

      if (hooks->failed != NULL)
        hooks->failed (pass, program, error, hooks->user_data);
    }
}

/* Stores @program (taken) as the snapshot after @pass unless a hook rejects it. */
static gboolean
keep (Run *run, const HirPass *pass, HirContainer *program)
{
  g_autoptr (HirSnapshot) snapshot = hir_snapshot_new (pass, program);
  HirSnapshot *last = hir_lowering_get_last (run->lowering);
  GError *error = NULL;

  snapshot->is_shared = last != NULL && last->program == program;
  if (!call_after (run, pass, snapshot, &error))
    {
      fail (run, pass, program, error);
      return FALSE;
    }
  g_ptr_array_add (run->lowering->snapshots, g_steal_pointer (&snapshot));
  return TRUE;
}

static gboolean
run_pass (Run *run, const HirPassSetting *setting)
{
  HirContainer *before = hir_lowering_get_last (run->lowering)->program;
  HirContainer *program;
  gboolean applies;
  GError *error = NULL;
  HirPassContext context = { .pass = setting->pass,
                             .options = setting->options,
                             .rank = run->rank,
                             .n_devices = run->n_devices,
                             .cancellable = run->cancellable };

  if (g_cancellable_is_cancelled (run->cancellable))
    {
      hir_set_error (&error, HIR_ERROR_CANCELLED, NULL, "lowering was cancelled");
      fail (run, setting->pass, before, error);
      return FALSE;
    }

  applies = setting->pass->applies == NULL || setting->pass->applies (before, &context);
  program = applies ? hir_container_clone (before) : hir_container_ref (before);
  switch (call_before (run, setting->pass, program))
    {
    case HIR_PASS_APPLY:
      break;
    case HIR_PASS_SKIP:
      hir_container_unref (program);
      return TRUE;
    case HIR_PASS_STOP:
    default:
      hir_container_unref (program);
      return FALSE;
    }

  if (!applies)
    return keep (run, setting->pass, program);
  hir_maker_begin (program, setting->pass->name, 0);
  program = setting->pass->run (program, &context, &error);
  if (program == NULL)
    {
      g_assert (error != NULL);
      fail (run, setting->pass, before, error);
      return FALSE;
    }
  return keep (run, setting->pass, program);
}

static void
add_hooks (Run *run, HirPassHooks hooks)
{
  g_array_append_val (run->hooks, hooks);
}

HirLowering *
hir_pipeline_run (HirPipeline *pipeline,
                  HirContainer *fusion,
                  gint64 rank,
                  gint64 n_devices,
                  GCancellable *cancellable)
{
  g_autoptr (HirPassMeasure) measure = hir_pass_measure_new ();
  g_autoptr (GArray) hooks = g_array_new (FALSE, FALSE, sizeof (HirPassHooks));
  HirLowering *lowering = g_new0 (HirLowering, 1);
  Run run = { .hooks = hooks,
              .lowering = lowering,
              .rank = rank,
              .n_devices = n_devices,
              .cancellable = cancellable };

  lowering->snapshots = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_snapshot_unref);
  add_hooks (&run, hir_pass_measure_get_timing_hooks (measure));
  add_hooks (&run, hir_pass_measure_get_change_hooks (measure));
  add_hooks (&run, hir_verifier_get_hooks ());
  g_array_append_vals (hooks, pipeline->hooks->data, pipeline->hooks->len);

  if (!keep (&run, NULL, hir_container_clone (fusion)))
    return lowering;
  for (guint i = 0; i < pipeline->settings->len; i++)
    {
      const HirPassSetting *setting = pipeline->settings->pdata[i];

      if (setting->enabled && !run_pass (&run, setting))
        break;
    }
  return lowering;
}
