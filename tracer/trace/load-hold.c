#include "trace/load-hold.h"

#define LOOK_US 5000

void
hir_load_hold (GCancellable *cancellable, guint64 done, guint64 total)
{
  const char *path = g_getenv ("HIRSCOPE_TEST_LOAD_HOLD");

  if (path == NULL || total == 0 || done < total / 2)
    return;
  while (!g_cancellable_is_cancelled (cancellable) && g_file_test (path, G_FILE_TEST_EXISTS))
    g_usleep (LOOK_US);
}
