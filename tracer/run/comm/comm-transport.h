/* How a back end carries communications out; the program and its text do not change. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  HIR_COMM_TRANSPORT_DEFAULT, /* what the back end does best: NCCL's collectives; the CPU's own */
  HIR_COMM_TRANSPORT_NCCL,    /* NCCL's collectives */
  HIR_COMM_TRANSPORT_P2P,     /* NCCL's sends and receives, grouped */
  HIR_COMM_TRANSPORT_COPY,    /* copy engines: no SM takes part */
  HIR_N_COMM_TRANSPORTS,
} HirCommTransport;

/* --comm, --comm-priority and --comm-ctas. */
typedef struct
{
  HirCommTransport way;
  gboolean high_priority; /* of the communicators' streams */
  gint32 n_ctas;          /* thread blocks of an NCCL kernel; 0: NCCL's choice */
} HirCommSettings;

#define HIR_MAX_COMM_CTAS 64

/* "nccl", "p2p", "copy"; "default". */
const char *hir_comm_transport_get_name (HirCommTransport way);
/* FALSE where @name is none; "default" is one. */
gboolean hir_comm_transport_lookup (const char *name, HirCommTransport *way);

G_END_DECLS
