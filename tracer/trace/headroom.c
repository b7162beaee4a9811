#include "trace/headroom.h"

#include <sys/mman.h>

#define HEADROOM_BYTES (8 * 1024 * 1024)

gboolean
hir_has_room (gsize bytes)
{
  gsize size = bytes + HEADROOM_BYTES;
  gpointer room = mmap (NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

  if (room == MAP_FAILED)
    return FALSE;
  munmap (room, size);
  return TRUE;
}

gboolean
hir_has_headroom (void)
{
  return hir_has_room (0);
}
