/* Shared by the files that make a HirSyncTrace. */
#pragma once

#include "analysis/sync-trace.h"
#include "run/comm/comm-header.h"
#include "run/session/session-private.h"

G_BEGIN_DECLS

/* A collective's place in its team, or a message's between its ranks. */
typedef struct
{
  HirCommHeader *header;
  const HirExpr *expr;
  guint give, take; /* steps of the log; HIR_SYNC_NONE: this rank has no such part */
} HirSyncPost;

/* What one rank issues; indices are its own. Its host thread writes it, nobody else. */
typedef struct
{
  HirBackend backend;
  HirCommunicator communicator;
  int rank;
  HirContainer *program; /* borrowed */
  guint n_inputs;     /* uploaded so far */
  guint recorded;     /* the stream that an event was recorded on last */
  gboolean open;      /* the program runs: buffers that go are noted */
  HirEvaluator *evaluator;
  const HirExpr *expr; /* the instruction under way; nullable */
  gint32 iteration;
  GArray *steps;    /* HirSyncStep */
  GArray *accesses; /* HirSyncAccess */
  GArray *ranges;   /* HirByteRange */
  GArray *queues;   /* HirSyncQueue */
  GArray *tails;    /* guint a queue: its last step */
  GArray *buffers;  /* HirSyncBuffer */
  GArray *posts;    /* HirSyncPost */
  GHashTable *counts; /* char* team or "from>to" and side -> how many were posted */
  HirCommWork *posted; /* nullable: what the next task carries */
} HirSyncLog;

HirSyncLog *hir_sync_log_new (HirContainer *program, int rank, int n_ranks);
void hir_sync_log_free (HirSyncLog *log);

/* A step at the end of @queue; its index. Pointers into steps are void after it. */
guint hir_sync_log_add_step (HirSyncLog *log, HirSyncKind kind, guint queue);
/* @value, of tensor @tensor, read or written by the last step. Values that no buffer of the log
 * holds are passed over. */
void hir_sync_log_add_access (HirSyncLog *log, const HirValue *value, int tensor, gboolean is_write);
/* The bytes of @value in its buffer, appended to @ranges (HirByteRange): sorted, disjoint, joined. */
void hir_sync_add_ranges (const HirValue *value, GArray *ranges);

/* Edges between the @n logs in @trace, whose steps begin at @bases[rank]; mismatches. */
void hir_sync_meet (HirSyncTrace *trace, GPtrArray *logs, const guint *bases);

G_END_DECLS
