/* What tests of the code generator stand on: the text back end, or with HIR_TEST_BACKEND=cuda a
 * GPU. */
#pragma once

#include "cuda/provider.h"
#include "segment.h"
#include "text-backend.h"

G_BEGIN_DECLS

typedef struct
{
  TextProvider *text;
  HirBackendProvider *cuda;     /* nullable: HIR_TEST_BACKEND=cuda, on a machine with a GPU */
  HirBackendProvider *provider; /* one of these */
  gboolean can_run;
} CodegenFixture;

/* As g_test_add() wants them. */
void codegen_fixture_set_up (CodegenFixture *fixture, gconstpointer data);
void codegen_fixture_tear_down (CodegenFixture *fixture, gconstpointer data);
HirRunOptions codegen_fixture_options (CodegenFixture *fixture);
/* Runs the whole of @fusion, where it has outputs, and fails the test where its numbers are wrong.
 */
void codegen_fixture_finish (CodegenFixture *fixture, HirContainer *fusion);

G_END_DECLS
