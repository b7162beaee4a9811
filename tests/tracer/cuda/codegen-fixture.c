#include "codegen-fixture.h"

void
codegen_fixture_set_up (CodegenFixture *fixture, gconstpointer data)
{
  fixture->text = text_provider_new ();
  fixture->can_run = text_provider_can_run ();
  fixture->provider = &fixture->text->base;
  if (g_strcmp0 (g_getenv ("HIR_TEST_BACKEND"), "cuda") == 0)
    {
      HirCudaProviderOptions options = { .recorder = NULL };
      GError *error = NULL;

      fixture->cuda = hir_cuda_provider_new (&options, &error);
      g_assert_no_error (error);
      fixture->cuda->klass->prepare (fixture->cuda, 1, &error);
      g_assert_no_error (error);
      fixture->provider = fixture->cuda;
      fixture->can_run = TRUE;
    }
  if (!fixture->can_run)
    g_test_skip ("there is no C compiler to run the text with");
}

void
codegen_fixture_tear_down (CodegenFixture *fixture, gconstpointer data)
{
  g_clear_pointer (&fixture->cuda, hir_cuda_provider_free);
  text_provider_free (fixture->text);
}

HirRunOptions
codegen_fixture_options (CodegenFixture *fixture)
{
  HirRunOptions options = run_options ();

  options.provider = fixture->provider;
  return options;
}

void
codegen_fixture_finish (CodegenFixture *fixture, HirContainer *fusion)
{
  if (fusion->outputs.len == 0)
    return;
  if (fixture->text->collecting)
    try_segment (fixture->provider, fusion, NULL);
  else
    run_segment (fixture->provider, fusion, NULL);
}
