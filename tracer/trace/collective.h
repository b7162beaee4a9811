/* What a communication's event moved: the facts that people compare collectives by, from the table
 * of meetings (trace/comm-records.h). Names are Kineto's, so that tools which read PyTorch's traces read
 * ours. */
#pragma once

#include "dtype.h"
#include "trace/comm-records.h"

G_BEGIN_DECLS

typedef struct
{
  const char *op;        /* "_allgather_base", "send", "coalesced" (several messages); borrowed */
  const char *team;      /* key of the team or of the pair (trace/comm-records.h); borrowed */
  const char *dtype;     /* as PyTorch spells it: "BFloat16"; "" where unknown */
  int rank;
  int root;              /* device; -1: an op without one */
  int peer;              /* of one message: the other side; -1 */
  guint n_members;       /* of the team; 2 for a message; 0: not known */
  guint n_messages;      /* 0: a collective; else of the group */
  guint32 sequence;      /* number in the team, from 0; of the first message. HIR_COMM_RECORD_UNNUMBERED: not known */
  gint64 in_elements;    /* that this rank gives */
  gint64 out_elements;   /* that it gets */
  gint64 message_bytes;  /* nccl-tests' size: see hir_collective_count_bytes() */
  gint64 duration_ns;    /* from the first start to the last end of the events that share it */
  double algbw, busbw;   /* GB/s, 1e9 bytes; 0: unknown */
} HirCollective;

/* The collective or the messages that event @index of @track is a part of; FALSE for other events
 * and where the trace does not say. O(log rows). */
gboolean hir_trace_lookup_collective (const HirTrace *trace,
                                      guint track,
                                      guint index,
                                      HirCollective *collective);
/* Members of a team's key ("team 0 1", Kineto's "[0, 1]"), newly allocated; of a pair's: sender and
 * receiver. Those that are listed: PyTorch cuts a long list short, "[0, 1, ...]". */
gint64 *hir_comm_record_dup_key_ranks (const char *key, guint *n);
/* How many members: those listed, or what the key tells as " of N" at its end, where the list does not say it; 0: not
 * known. */
guint hir_comm_record_get_key_size (const char *key);
/* The key for Kineto's list of a group, where the file says of it that it has @size members (0 or less: it says nothing). */
char *hir_comm_record_dup_group_key (const char *list, gint64 size);

/* The size that nccl-tests names a collective by: what a rank has at the fuller of its ends, that of
 * the root where it has one. all_reduce, broadcast, reduce, sendrecv: the tensor; all_gather and
 * gather: all that is gathered; reduce_scatter and scatter: all that is scattered.
 * @bytes_in, @bytes_out: this rank's; 0 where it has none. @n_pieces: of a gather or scatter. */
gint64 hir_collective_count_bytes (const char *op, gint64 bytes_in, gint64 bytes_out, guint n_pieces);
/* As nccl-tests' doc/PERFORMANCE.md: algbw = size / time; busbw = algbw * 2 (n - 1) / n for
 * all_reduce, (n - 1) / n for all_gather, reduce_scatter, gather, scatter, alltoall, 1 for the
 * others. GB/s. 0 and FALSE where @duration_ns or @message_bytes is not positive. */
gboolean hir_collective_get_bandwidth (const char *op,
                                       guint n_members,
                                       gint64 message_bytes,
                                       gint64 duration_ns,
                                       double *algbw,
                                       double *busbw);
/* "BFloat16"; "Byte" for what PyTorch has no name for. */
const char *hir_collective_get_dtype_name (HirDType dtype);

G_END_DECLS
