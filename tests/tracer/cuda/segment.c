#include "segment.h"

#include "run/host-unit.h"

/* Returns outputs in memory of the back end, poisoned so that missing writes are detected. */
static GPtrArray *
new_outputs (HirBackend *backend, GPtrArray *shapes)
{
  GPtrArray *outputs = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_value_unref);

  for (guint i = 0; i < shapes->len; i++)
    {
      const HirValue *shape = g_ptr_array_index (shapes, i);
      GError *error = NULL;
      g_autoptr (HirBuffer) buffer =
          backend->klass->allocate (backend, 0, hir_value_get_size_bytes (shape), &error);

      g_assert_no_error (error);
      backend->klass->fill (backend, 0, buffer, hir_poison_get_byte (shape->dtype), NULL, &error);
      g_assert_no_error (error);
      g_ptr_array_add (outputs, hir_value_new_tensor (shape->dtype, shape->n_dims, shape->sizes,
                                                      shape->strides, buffer));
    }
  return outputs;
}

static GPtrArray *
upload_inputs (HirBackend *backend, HirRunInputs *inputs)
{
  GPtrArray *values = g_ptr_array_new_with_free_func ((GDestroyNotify) hir_value_unref);

  for (guint i = 0; i < inputs->values->len; i++)
    {
      HirValue *value = g_ptr_array_index (inputs->values, i);
      GError *error = NULL;

      g_ptr_array_add (values, value->is_scalar ? hir_value_ref (value)
                                                : backend->klass->upload (backend, value, &error));
      g_assert_no_error (error);
    }
  return values;
}

/* Runs the whole fusion as one HostUnit and returns its outputs. */
static GPtrArray *
execute_segment (HirBackend *backend, HirContainer *fusion, HirRunInputs *inputs)
{
  HirHostUnit unit = { .index = 0, .fusion = fusion };
  g_autoptr (GHashTable) plans = hir_unit_plans_new ();
  HirUnitPlan *plan = hir_unit_plans_get (plans, &unit);
  g_autoptr (GPtrArray) values = upload_inputs (backend, inputs);
  g_autoptr (GPtrArray) shapes = NULL;
  g_autoptr (HirEnv) env = NULL;
  g_autoptr (GRefString) label = g_ref_string_new ("HostUnit0");
  HirTask *task = hir_task_new (NULL, label);
  GPtrArray *outputs;
  GError *error = NULL;

  shapes =
      hir_unit_plan_infer_outputs (plan, 0, (HirValue **) values->pdata, values->len, &env, &error);
  g_assert_no_error (error);
  outputs = new_outputs (backend, shapes);
  task->calls = hir_unit_plan_dup_calls (plan, env, (HirValue **) outputs->pdata, &error);
  g_assert_no_error (error);
  backend->klass->enqueue (backend, 0, task, &error);
  g_assert_no_error (error);
  backend->klass->synchronize (backend, &error);
  g_assert_no_error (error);
  return outputs;
}

void
run_segment (HirBackendProvider *provider, HirContainer *fusion, const char *const *shapes)
{
  HirBackendOptions options = { 0 };
  GError *error = NULL;
  g_autoptr (HirBackend) backend = provider->klass->new_backend (provider, &options, &error);
  g_autoptr (HirRunInputs) inputs = hir_run_inputs_new (fusion, shapes, 1, &error);
  g_autoptr (GPtrArray) outputs = execute_segment (backend, fusion, inputs);
  g_autoptr (GPtrArray) reference = NULL;
  HirCheckReport *report = hir_check_report_new (fusion);

  reference = hir_reference_evaluate (fusion, (HirValue **) inputs->values->pdata,
                                      inputs->values->len, NULL, &error);
  g_assert_no_error (error);
  for (guint i = 0; i < outputs->len; i++)
    {
      const HirValue *out = g_ptr_array_index (outputs, i);
      g_autofree guint8 *elements = g_malloc (hir_value_get_size_bytes (out) + 1);

      backend->klass->read (backend, out, elements, &error);
      g_assert_no_error (error);
      hir_check_report_compare (report, i, g_ptr_array_index (reference, i), NULL, -1, out,
                                elements);
    }
  if (!hir_check_report_passed (report))
    {
      g_autofree char *text = hir_container_print (fusion, HIR_FORMAT_2025, NULL);
      g_autofree char *said = hir_check_report_format (report);

      g_test_message ("%s\n%s\n%s", text, inputs->text, said);
      g_test_fail ();
    }
  hir_check_report_free (report);
}

void
try_segment (HirBackendProvider *provider, HirContainer *fusion, const char *const *shapes)
{
  HirBackendOptions options = { 0 };
  GError *error = NULL;
  g_autoptr (HirBackend) backend = provider->klass->new_backend (provider, &options, &error);
  g_autoptr (HirRunInputs) inputs = hir_run_inputs_new (fusion, shapes, 1, &error);
  g_autoptr (GPtrArray) outputs = execute_segment (backend, fusion, inputs);

  g_assert_nonnull (outputs);
}
