/* Which communications of several ranks belong together: a table beside the events, a row for each
 * part that an event has in a collective or a message. A rank that takes part in one collective has
 * one row; a group of messages has a row a message.
 *
 * Two rows meet where key and sequence are equal: all of a team, or a send and its receive. That is
 * how communicators match, too: per team, and per pair of ranks, in the order of posting
 * (docs/host-ir.md#communication). */
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

/* As a sequence: nobody said which one it is. Such a row meets no other. */
#define HIR_COMM_RECORD_UNNUMBERED G_MAXUINT32

/* As it is recorded and as the trace gives it back. */
typedef struct
{
  gint64 bytes;        /* that this part moves; 0: unknown */
  guint32 key;         /* index of an interned string: hir_comm_record_dup_team_key(), ..._pair_key() */
  guint32 sequence;    /* how many of this key and side the rank had posted before, in the whole run */
  guint32 correlation; /* of the event: one number is one event of its rank's device tracks */
  gint32 rank;
  guint8 side; /* HirCommSide */
  /* What is moved, for trace/collective.h; all of it unknown where op is 0. */
  guint8 dtype;        /* HirDType */
  guint32 op;          /* index of an interned string: Kineto's name, "_allgather_base", "send" */
  gint32 root;         /* device; -1: none */
  gint64 message_bytes; /* as nccl-tests counts a collective's; of a message, its bytes */
  gint64 in_elements, out_elements; /* that this rank gives and gets */
} HirCommRecord;

/* "team 0 1 3": device ids in the team's order. "0>1": from the sender to the receiver. Equal on all
 * ranks that meet. Newly allocated. */
char *hir_comm_record_dup_team_key (const gint64 *team, guint n_team);
char *hir_comm_record_dup_pair_key (gint64 sender, gint64 receiver);

/* While building. Rows beyond some millions are left out, and counted in the account. */
void hir_trace_builder_add_comm_record (HirTraceBuilder *builder, const HirCommRecord *meeting);

/* Whether two rows of the table are parts of one communication, as said above. */
static inline gboolean
hir_comm_record_matches (const HirCommRecord *a, const HirCommRecord *b)
{
  return a->key == b->key && a->sequence == b->sequence && a->sequence != HIR_COMM_RECORD_UNNUMBERED;
}

/* Rows in the order of key, sequence, side and rank. */
guint hir_trace_get_n_comm_records (const HirTrace *trace);
const HirCommRecord *hir_trace_get_comm_record (const HirTrace *trace, guint i);
/* The event of row @i; FALSE where the trace does not have it. */
gboolean hir_trace_get_comm_record_event (const HirTrace *trace, guint i, guint *track, guint *index);

/* A line between two events that belong together. */
typedef struct
{
  guint from_track, from_index;
  guint to_track, to_index;
  gboolean is_message; /* from the send to its receive; else neighbours in a team, by rank */
} HirCommLink;

/* What event @index of @track takes part in, @max lines at most: newly allocated, of HirCommLink,
 * maybe empty. Partners that were not recorded are left out. O(log rows + lines). */
GArray *hir_trace_dup_comm_links (const HirTrace *trace, guint track, guint index, guint max);
/* The other events of those lines, each once; one a rank of a team. Array of HirEventRef. */
typedef struct
{
  guint track, index;
} HirEventRef;
GArray *hir_trace_dup_partners (const HirTrace *trace, guint track, guint index, guint max);

G_END_DECLS
