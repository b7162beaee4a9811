#include "trace/load-hold.h"

#define LOOK_US 5000

gboolean
hir_load_is_held (guint64 done, guint64 total)
{
  const char *path = g_getenv ("HIRSCOPE_TEST_LOAD_HOLD");

  return path != NULL && total > 0 && done >= total / 2 && g_file_test (path, G_FILE_TEST_EXISTS);
}

gboolean
hir_load_hold (GCancellable *cancellable, GCancellable *enough, guint64 done, guint64 total)
{
  if (g_cancellable_is_cancelled (cancellable) || g_cancellable_is_cancelled (enough) ||
      !hir_load_is_held (done, total))
    return FALSE;
  g_usleep (LOOK_US);
  return TRUE;
}
