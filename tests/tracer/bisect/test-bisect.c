/* Tests bisecting on a thread and by text: progress, result, and cancellation. */
#include <string.h>

#include "bisect/bisect.h"
#include "tracer-fixture.h"

typedef struct
{
  GPtrArray *names;
  GCancellable *cancellable; /* nullable: cancel at the second step */
  HirBisect *bisect;
  GError *error;
  gboolean is_done;
} Watch;

static void
on_progress (const char *pass_name, guint index, guint n, gpointer user_data)
{
  Watch *watch = user_data;

  g_assert_false (watch->is_done);
  g_assert_cmpuint (index, ==, watch->names->len);
  g_assert_cmpuint (index, <, n);
  g_ptr_array_add (watch->names, g_strdup (pass_name));
  if (watch->cancellable != NULL && index == 1)
    g_cancellable_cancel (watch->cancellable);
}

static void
on_done (GObject *source, GAsyncResult *result, gpointer user_data)
{
  Watch *watch = user_data;

  watch->bisect = hir_bisect_new_finish (result, &watch->error);
  watch->is_done = TRUE;
}

static void
run (HirProgram *program, Watch *watch, GCancellable *cancellable)
{
  g_auto (HirRunSettings) settings = { 0 };

  hir_run_settings_init (&settings);
  settings.check = TRUE;
  watch->names = g_ptr_array_new_with_free_func (g_free);
  watch->cancellable = cancellable;
  hir_bisect_new_async (program, &settings, on_progress, cancellable, on_done, watch);
  fix_wait (&watch->is_done);
}

static void
test_async (void)
{
  g_autoptr (HirProgram) program = fix_program ("matmul_m");
  Watch watch = { 0 };

  run (program, &watch, NULL);
  g_assert_no_error (watch.error);
  g_assert_cmpint (watch.bisect->guilty, ==, -1);
  g_assert_cmpuint (watch.names->len, ==, program->views->len);
  g_assert_cmpstr (watch.names->pdata[0], ==, "Fusion");
  hir_bisect_free (watch.bisect);
  g_ptr_array_unref (watch.names);
}

static void
test_cancel (void)
{
  g_autoptr (HirProgram) program = fix_program ("matmul_m");
  g_autoptr (GCancellable) cancellable = g_cancellable_new ();
  Watch watch = { 0 };

  run (program, &watch, cancellable);
  g_assert_null (watch.bisect);
  g_assert_nonnull (watch.error);
  g_error_free (watch.error);
  g_ptr_array_unref (watch.names);
}

static const char *
find_by_text (HirProgram *program, const char *pattern)
{
  g_autoptr (GError) error = NULL;
  g_autoptr (HirBisect) bisect = hir_bisect_new_by_text (program, pattern, NULL, &error);
  const HirBisectStep *first, *step;

  g_assert_no_error (error);
  if (bisect->guilty < 0)
    {
      g_assert_cmpuint (bisect->steps->len, ==, program->views->len);
      return NULL;
    }
  g_assert_cmpuint (bisect->steps->len, ==, (guint) bisect->guilty + 1);
  first = bisect->steps->pdata[0];
  step = bisect->steps->pdata[bisect->guilty];
  g_assert_true (first->verdict == HIR_BISECT_MATCH || first->verdict == HIR_BISECT_NO_MATCH);
  g_assert_cmpint (step->verdict, ==,
                   first->verdict == HIR_BISECT_MATCH ? HIR_BISECT_NO_MATCH : HIR_BISECT_MATCH);
  g_assert_cmpint (g_str_equal (step->text, "no match"), ==, step->verdict == HIR_BISECT_NO_MATCH);
  return ((HirProgramView *) program->views->pdata[bisect->guilty])->pass_name;
}

static void
test_by_text (void)
{
  g_autoptr (HirProgram) program = fix_program ("matmul_m");
  g_autoptr (GError) error = NULL;

  g_assert_cmpstr (find_by_text (program, "FOR StreamIdx in"), ==, "StreamParallelType");
  g_assert_cmpstr (find_by_text (program, "%kernel_math"), ==, "SegmentFusion");
  g_assert_cmpstr (find_by_text (program, "^ +SetCurrentStream to Stream"), ==,
                   "StreamParallelType");
  g_assert_cmpstr (find_by_text (program, "^Inputs:"), ==, "SegmentFusion");
  g_assert_null (find_by_text (program, "matmul"));
  g_assert_null (find_by_text (program, "no such thing"));
  g_assert_null (hir_bisect_new_by_text (program, "(", NULL, &error));
  g_assert_error (error, HIR_ERROR, HIR_ERROR_INPUT);
}

int
main (int argc, char **argv)
{
  g_test_init (&argc, &argv, NULL);
  g_test_add_func ("/bisect/async", test_async);
  g_test_add_func ("/bisect/cancel", test_cancel);
  g_test_add_func ("/bisect/by-text", test_by_text);
  return g_test_run ();
}
