/* Names of communication transports. */
#include "run/comm/comm-transport.h"

#include <string.h>

static const char *const names[HIR_N_COMM_TRANSPORTS] = { "default", "nccl", "p2p", "copy" };

const char *
hir_comm_transport_get_name (HirCommTransport way)
{
  return names[way];
}

gboolean
hir_comm_transport_lookup (const char *name, HirCommTransport *way)
{
  for (guint i = 0; i < G_N_ELEMENTS (names); i++)
    if (strcmp (names[i], name) == 0)
      {
        *way = (HirCommTransport) i;
        return TRUE;
      }
  return FALSE;
}
