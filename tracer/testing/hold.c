#include "testing/hold.h"

#define POLL_US 5000

static gboolean
is_held (const char *variable)
{
  const char *path = g_getenv (variable);

  return path != NULL && g_file_test (path, G_FILE_TEST_EXISTS);
}

void
hir_test_hold (const char *variable, GCancellable *cancellable)
{
  while (is_held (variable) && !g_cancellable_is_cancelled (cancellable))
    g_usleep (POLL_US);
}

gboolean
hir_test_hold_load (GCancellable *cancellable, GCancellable *enough, guint64 done, guint64 total)
{
  if (total == 0 || done < total / 2 || g_cancellable_is_cancelled (cancellable) ||
      g_cancellable_is_cancelled (enough) || !is_held ("HIRSCOPE_TEST_LOAD_HOLD"))
    return FALSE;
  g_usleep (POLL_US);
  return TRUE;
}
