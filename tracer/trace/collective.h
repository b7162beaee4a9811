/* Describes the communication of an event: operation, sizes and bandwidths, from the communication
 * records (trace/comm-records.h). Names are those of Kineto, so that tools for PyTorch traces can
 * read ours. */
#pragma once

#include "trace/collective-names.h"
#include "trace/comm-records.h"

G_BEGIN_DECLS

typedef struct
{
  const char *op;    /* "_allgather_base", "send", "coalesced" (several messages); borrowed */
  const char *team;  /* key of the team or pair (trace/comm-records.h); of a group, the first pair
                      * in the order of their texts; borrowed */
  const char *dtype; /* PyTorch's name: "BFloat16"; "" if unknown */
  int rank;
  int root;             /* device; -1: not a rooted op */
  int peer;             /* the other rank of a single message; -1: none */
  guint n_members;      /* members of the team; 2 for a message; 0: unknown */
  guint n_messages;     /* messages in the group; 0: a collective */
  guint32 sequence;     /* number within the team, from 0; of the first message of a group;
                         * HIR_COMM_RECORD_UNNUMBERED: unknown */
  gint64 in_elements;   /* sent by this rank */
  gint64 out_elements;  /* received by this rank */
  gint64 message_bytes; /* size as nccl-tests counts it, see hir_collective_count_bytes() */
  gint64 transfer_ns;   /* shortest time of its ranks, from the first start to the last end of their
                         * events; of a group, that of its longest message */
  double algbw, busbw;  /* GB/s (1e9 bytes) of message_bytes in transfer_ns; 0: unknown */
} HirCollective;

/* Looks up the collective or group of messages that event @index of @track belongs to. Returns
 * FALSE if it belongs to none or the trace has no record of it. O(log records). */
gboolean hir_trace_lookup_collective (const HirTrace *trace,
                                      guint track,
                                      guint index,
                                      HirCollective *collective);
/* Returns the listed members of a team key ("team 0 1", Kineto's "[0, 1]"), or sender and receiver
 * of a pair key. PyTorch truncates long lists: "[0, 1, ...]". Free with g_free(). */
gint64 *hir_comm_record_dup_key_ranks (const char *key, guint *n);
/* Returns the number of members: the length of the list, or the " of N" at the end of the key if
 * the list is truncated. Returns 0 if unknown. */
guint hir_comm_record_get_key_size (const char *key);
/* Returns the key for Kineto's list of a group of @size members. @list: "" if the file does not
 * state it; then the key has the @name of the group. @size: 0 or less if the file does not state
 * it. */
char *hir_comm_record_dup_group_key (const char *list, const char *name, gint64 size);

/* Returns the message size by which nccl-tests identifies a collective: the larger side of a rank,
 * or of the root for a rooted op. all_reduce, broadcast, reduce, sendrecv: the tensor. all_gather,
 * gather: the gathered output. reduce_scatter, scatter: the scattered input. If a rank does not
 * have that, it is its own part times the members.
 * @bytes_in, @bytes_out: of this rank; 0 if none
 * @n_members: of the group */
gint64
hir_collective_count_bytes (const char *op, gint64 bytes_in, gint64 bytes_out, guint n_members);
/* Computes bandwidths in GB/s as in doc/PERFORMANCE.md of nccl-tests. algbw = size / time. busbw =
 * algbw * factor, where factor is 2 (n - 1) / n for all_reduce, (n - 1) / n for all_gather,
 * reduce_scatter, gather, scatter and alltoall, and 1 for others. Returns FALSE and sets both to 0
 * if @duration_ns or @message_bytes is not positive. */
gboolean hir_collective_get_bandwidth (const char *op,
                                       guint n_members,
                                       gint64 message_bytes,
                                       gint64 duration_ns,
                                       double *algbw,
                                       double *busbw);
G_END_DECLS
