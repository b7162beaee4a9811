/* Transports of communications. They do not change the program or its text. */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  HIR_COMM_TRANSPORT_DEFAULT, /* the default of the back end: NCCL's collectives, or the CPU */
  HIR_COMM_TRANSPORT_NCCL,    /* NCCL's collectives */
  HIR_COMM_TRANSPORT_P2P,     /* NCCL's sends and receives, grouped */
  HIR_COMM_TRANSPORT_COPY,    /* copy engines, without SMs */
  HIR_N_COMM_TRANSPORTS,
} HirCommTransport;

/* --comm, --comm-priority and --comm-ctas. */
typedef struct
{
  HirCommTransport way;
  gboolean high_priority; /* priority of the communicators' streams */
  gint32 n_ctas;          /* thread blocks of an NCCL kernel; 0: NCCL's choice */
} HirCommSettings;

#define HIR_MAX_COMM_CTAS 64

/* Returns "default", "nccl", "p2p" or "copy". */
const char *hir_comm_transport_get_name (HirCommTransport way);
/* Looks up a transport, including "default". Returns FALSE if @name is unknown. */
gboolean hir_comm_transport_lookup (const char *name, HirCommTransport *way);

G_END_DECLS
