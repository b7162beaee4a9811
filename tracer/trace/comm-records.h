/* Relates the communications of several ranks. The table has one record per participation of an
 * event in a collective or message: one for a collective, one per message for a group of messages.
 *
 * Two records match if key and sequence are equal: all members of a team, or a send and its
 * receive. Communicators match the same way: per team, and per pair of ranks, in the order of
 * posting (docs/host-ir.md#communication). */
#pragma once

#include "trace/trace.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_COMM_SIDE_TEAM,
  HIR_COMM_SIDE_SEND,
  HIR_COMM_SIDE_RECV,
  HIR_N_COMM_SIDES,
} HirCommSide;

/* Sequence number of a communication that the trace does not number; such a record matches no
 * other. */
#define HIR_COMM_RECORD_UNNUMBERED G_MAXUINT32

/* One record, as recorded and as returned by the trace. */
typedef struct
{
  gint64 bytes;        /* transferred by this rank; 0: unknown */
  guint32 key;         /* string index: hir_comm_record_dup_team_key(), ..._pair_key() */
  guint32 sequence;    /* number of earlier posts of this rank with the same key and side in the
                        * run */
  guint32 correlation; /* of the event; unique within the device tracks of its rank */
  gint32 rank;
  guint8 side; /* HirCommSide */
  /* Size and type of the transfer (trace/collective.h); unknown if op is 0. */
  guint8 dtype;         /* HirDType */
  guint32 op;           /* string index: Kineto's name, "_allgather_base", "send" */
  gint32 root;          /* device; -1: none */
  gint64 message_bytes; /* size of a collective as nccl-tests counts it, or bytes of a message */
  gint64 in_elements, out_elements; /* sent and received by this rank */
} HirCommRecord;

/* Returns the key of a team, "team 0 1 3": device ids in the order of the team. Equal on all
 * members. Free with g_free(). */
char *hir_comm_record_dup_team_key (const gint64 *team, guint n_team);
/* Returns the key of a pair of ranks, "0>1": from sender to receiver. Free with g_free(). */
char *hir_comm_record_dup_pair_key (gint64 sender, gint64 receiver);

/* Adds a record while building. Records beyond a limit of 4 million are dropped and counted in the
 * account. */
void hir_trace_builder_add_comm_record (HirTraceBuilder *builder, const HirCommRecord *record);

/* Returns whether two records are parts of one communication. */
static inline gboolean
hir_comm_record_matches (const HirCommRecord *a, const HirCommRecord *b)
{
  return a->key == b->key && a->sequence == b->sequence &&
         a->sequence != HIR_COMM_RECORD_UNNUMBERED;
}

/* Returns the number of records. They are sorted by key, sequence, side and rank. */
guint hir_trace_get_n_comm_records (const HirTrace *trace);
/* Returns record @i (borrowed). */
const HirCommRecord *hir_trace_get_comm_record (const HirTrace *trace, guint i);
/* Returns the event of record @i. Returns FALSE if the trace does not have it. */
gboolean
hir_trace_get_comm_record_event (const HirTrace *trace, guint i, guint *track, guint *index);

/* Returns the records of event @index of @track (const HirCommRecord*, borrowed), those of a group
 * in the order of the texts of their keys. O(log records + records of the event).
 * Returns: (transfer container): array, possibly empty */
GPtrArray *hir_trace_dup_event_records (const HirTrace *trace, guint track, guint index);

/* Connects two events of one communication. */
typedef struct
{
  guint from_track, from_index;
  guint to_track, to_index;
  gboolean is_message; /* from a send to its receive; otherwise between neighbors in a team, by
                        * rank */
} HirCommLink;

/* Returns at most @max links of the communications of event @index of @track. Omits ranks that were
 * not recorded. O(log records + links).
 * Returns: (transfer full): array of HirCommLink, possibly empty */
GArray *hir_trace_dup_comm_links (const HirTrace *trace, guint track, guint index, guint max);
/* Identifies an event of a trace. */
typedef struct
{
  guint track, index;
} HirEventRef;
/* Returns the other events of these links, without duplicates: one per rank of a team.
 * Returns: (transfer full): array of HirEventRef, possibly empty */
GArray *hir_trace_dup_partners (const HirTrace *trace, guint track, guint index, guint max);

G_END_DECLS
