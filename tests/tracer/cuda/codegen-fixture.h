/* Fixture for tests of the code generator. Runs kernels on the text back end, or on a GPU with
 * HIR_TEST_BACKEND=cuda. */
#pragma once

#include "cuda/provider.h"
#include "segment.h"
#include "text-backend.h"

G_BEGIN_DECLS

typedef struct
{
  TextProvider *text;
  HirBackendProvider *cuda;     /* nullable: only with HIR_TEST_BACKEND=cuda */
  HirBackendProvider *provider; /* the provider to use: one of the above */
  gboolean can_run;
} CodegenFixture;

/* Set-up and tear-down functions for g_test_add(). */
void codegen_fixture_set_up (CodegenFixture *fixture, gconstpointer data);
void codegen_fixture_tear_down (CodegenFixture *fixture, gconstpointer data);
HirRunOptions codegen_fixture_options (CodegenFixture *fixture);
/* Runs @fusion if it has outputs. Fails the test if a result is incorrect. */
void codegen_fixture_finish (CodegenFixture *fixture, HirContainer *fusion);

G_END_DECLS
