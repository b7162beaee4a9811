/* Internal declarations of HirSyncTrace. */
#pragma once

#include "analysis/sync-trace.h"
#include "run/comm/comm-header.h"
#include "run/session/session-private.h"

G_BEGIN_DECLS

/* A posted collective or message. */
typedef struct
{
  HirCommHeader *header;
  const HirExpr *expr;
  guint give, take; /* read and write step; HIR_SYNC_NONE: none on this rank */
} HirSyncPost;

/* The log of one rank, with indices local to it. Used only by its host thread. */
typedef struct
{
  HirBackend backend;
  HirCommunicator communicator;
  int rank;
  HirContainer *program; /* borrowed */
  guint n_inputs;        /* uploaded inputs */
  guint recorded;        /* stream of the last recorded event */
  gboolean open;         /* the program is running: log released buffers */
  HirEvaluator *evaluator;
  const HirExpr *expr; /* nullable: current instruction */
  gint32 iteration;
  GArray *steps;       /* HirSyncStep */
  GArray *accesses;    /* HirSyncAccess */
  GArray *ranges;      /* HirByteRange */
  GArray *queues;      /* HirSyncQueue */
  GArray *tails;       /* guint, one per queue: its last step */
  GArray *buffers;     /* HirSyncBuffer */
  GArray *posts;       /* HirSyncPost */
  GHashTable *counts;  /* side and team or "from>to" -> number of posts */
  HirCommWork *posted; /* nullable: work of the next task */
} HirSyncLog;

/* Creates the log of a rank. Borrows @program. */
HirSyncLog *hir_sync_log_new (HirContainer *program, int rank, int n_ranks);
void hir_sync_log_free (HirSyncLog *log);

/* Appends a step to @queue. Returns its index. Invalidates pointers into steps. */
guint hir_sync_log_add_step (HirSyncLog *log, HirSyncKind kind, guint queue);
/* Adds an access of @value (nullable) of T<tensor> to the last step. Ignores values outside of the
 * buffers of the log. */
void
hir_sync_log_add_access (HirSyncLog *log, const HirValue *value, int tensor, gboolean is_write);
/* Appends the byte ranges of @value in its buffer to @ranges (HirByteRange), sorted and
 * disjoint. */
void hir_sync_add_ranges (const HirValue *value, GArray *ranges);

/* Matches the communications of @logs. Adds edges and mismatches to @trace, in which the steps of a
 * rank start at @bases[rank]. */
void hir_sync_match (HirSyncTrace *trace, GPtrArray *logs, const guint *bases);

G_END_DECLS
