#include "run/comm/comm-way.h"

#include <string.h>

static const char *const names[HIR_N_COMM_WAYS] = { "default", "nccl", "p2p", "copy" };

const char *
hir_comm_way_get_name (HirCommWay way)
{
  return names[way];
}

gboolean
hir_comm_way_lookup (const char *name, HirCommWay *way)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (names[i], name) == 0)
      {
        *way = (HirCommWay) i;
        return TRUE;
      }
  return FALSE;
}
