/* Tests which redundant synchronization may be removed while other synchronization is missing. */
#include "program/program-check.h"
#include "program/program-repair.h"
#include "tracer-fixture.h"

static HirProgram *
read_case (const char *name)
{
  g_autofree char *path = g_build_filename (g_getenv ("HIR_TEST_SRCDIR"), "tests", "data", "cases",
                                            "verdicts", name, NULL);
  g_autoptr (GError) error = NULL;
  HirSource *source = hir_source_load (path, &error);
  g_autoptr (HirRequest) request = NULL;
  HirProgram *program;

  g_assert_no_error (error);
  request = hir_request_new (source, NULL);
  hir_source_unref (source);
  program = hir_program_new (request, NULL, NULL, &error);
  g_assert_no_error (error);
  return program;
}

/* The Synchronize in line 2 never waits. That in line 21 makes work of Stream 1 follow the first
 * access of the hazard, so a repair may rely on it. */
static void
test_removal_beside_hazard (void)
{
  g_autoptr (HirProgram) program = read_case ("needless_beside_hazard.txt");
  g_autoptr (GError) error = NULL;
  g_autoptr (HirSyncCheck) check =
      hir_program_check_sync (program, 2, NULL, HIR_SYNC_USES, NULL, &error);
  g_autoptr (HirSyncCheck) after = NULL;
  g_autoptr (HirSyncRepair) removal = NULL;
  g_autoptr (HirSyncRepair) kept = NULL;
  g_autoptr (HirProgram) changed = NULL;
  int first, second;

  g_assert_no_error (error);
  g_assert_cmpuint (check->missing->len, ==, 1);
  first = hir_sync_check_find_removable (check, 0);
  second = hir_sync_check_find_removable (check, (guint) first + 1);
  g_assert_cmpuint (g_array_index (check->uses, HirSyncUse, first).expr->node.pos.line, ==, 2);
  g_assert_cmpuint (g_array_index (check->uses, HirSyncUse, second).expr->node.pos.line, ==, 21);
  g_assert_cmpint (hir_sync_check_find_removable (check, (guint) second + 1), ==, -1);

  removal = hir_program_find_removal (program, check, (guint) first, NULL, &error);
  g_assert_no_error (error);
  changed = hir_program_new (removal->request, NULL, NULL, &error);
  g_assert_no_error (error);
  after = hir_program_check_sync (changed, 2, NULL, HIR_SYNC_USES, NULL, &error);
  g_assert_no_error (error);
  g_assert_cmpuint (after->missing->len, ==, 1);
  g_assert_cmpuint (after->uses->len, ==, check->uses->len - 1);

  kept = hir_program_find_removal (program, check, (guint) second, NULL, &error);
  g_assert_null (kept);
  g_assert_error (error, HIR_ERROR, HIR_ERROR_UNSUPPORTED);
  g_assert_nonnull (strstr (error->message, "next to which synchronization is missing"));
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/program/repair/removal-beside-hazard", test_removal_beside_hazard);
  return g_test_run ();
}
