#include "trace/headroom.h"

#include <sys/mman.h>

#define HEADROOM_BYTES (8 * 1024 * 1024)

gboolean
hir_has_headroom (void)
{
  gpointer room =
      mmap (NULL, HEADROOM_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (room == MAP_FAILED)
    return FALSE;
  munmap (room, HEADROOM_BYTES);
  return TRUE;
}
