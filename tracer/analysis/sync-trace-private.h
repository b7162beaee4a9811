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
  gint32 iteration;
  guint give, take; /* read and write step; HIR_SYNC_NONE: none on this rank */
  guint post;       /* POST step, from which on the channel waits for the other ranks */
  guint last;       /* last step of the work */
} HirSyncPost;

/* A communication that cannot end before another rank has posted its side. */
typedef struct
{
  guint last, post; /* indices in steps: of the work, and of the other rank's post */
  int rank, other_rank;
  const HirSyncPost *work, *other;
} HirSyncMeeting;

/* A read of memory that is not written completely. */
typedef struct
{
  const HirExpr *expr; /* NULL: the caller, of an output */
  int tensor;
  guint buffer;
  gint32 iteration;
  guint step;      /* number of steps so far */
  gint64 n, n_all; /* elements that are not written, and all */
  char *slice;     /* nullable: where they are */
} HirSyncUnwritten;

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
  GPtrArray *faults;   /* borrowed while the program is running */
  const HirExpr *expr; /* nullable: current instruction */
  gint32 iteration;
  GArray *steps;       /* HirSyncStep */
  GArray *instances;   /* HirSyncInstance */
  GArray *accesses;    /* HirSyncAccess */
  GArray *ranges;      /* HirByteRange */
  GArray *queues;      /* HirSyncQueue */
  GArray *tails;       /* guint, one per queue: its last step */
  GArray *buffers;     /* HirSyncBuffer */
  GPtrArray *written;  /* one GArray of HirByteRange per buffer: sorted, disjoint */
  GArray *unwritten;   /* HirSyncUnwritten */
  GArray *posts;       /* HirSyncPost */
  GHashTable *counts;  /* side and team or "from>to" -> number of posts */
  HirCommWork *posted; /* nullable: work of the next task */
  GHashTable *pending; /* const HirVal* -> its last Deallocate, see sync-held.c */
  GArray *released;    /* guint: buffers that were released since the last instruction */
  GArray *frees;       /* HirSyncFree */
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
/* Returns the index of the buffer of @value (nullable), or HIR_SYNC_NONE if it has no
 * memory. */
guint hir_sync_log_get_buffer (const HirValue *value);
/* Appends the byte ranges of @value in its buffer to @ranges (HirByteRange), sorted and
 * disjoint. */
void hir_sync_add_ranges (const HirValue *value, GArray *ranges);
/* Returns the number of ranges that hir_sync_add_ranges() adds at most; above
 * HIR_SYNC_MAX_RANGES, it adds a single one. */
gint64 hir_sync_get_n_ranges (const HirValue *value);

/* Matches the communications of @logs. Adds edges and mismatches to @trace, in which the steps of a
 * rank start at @bases[rank], and appends to @meetings (HirSyncMeeting). */
void hir_sync_match (HirSyncTrace *trace, GPtrArray *logs, const guint *bases, GArray *meetings);

/* sync-deadlock.c: adds a fault if steps wait for each other in a circle. Communications end when
 * all their ranks have posted them (docs/host-ir.md#blocking). */
void hir_sync_find_deadlock (HirSyncTrace *trace, const GArray *meetings);

/* sync-memory.c: ranges @first to @first + @n of the log, of one access of @buffer. */
void hir_sync_memory_write (HirSyncLog *log, guint buffer, guint first, guint n);
void hir_sync_memory_read (
    HirSyncLog *log, guint buffer, const HirValue *value, int tensor, guint first, guint n);
/* Adds the reads of memory that was not written to @faults. */
void hir_sync_memory_report (const HirSyncLog *log, GPtrArray *faults);

/* sync-held.c: call before and after each instruction, and at the end of the program, which adds
 * memory that is still in use to @held. */
void hir_sync_held_before (HirSyncLog *log, const HirExpr *expr);
void hir_sync_held_after (HirSyncLog *log, const HirExpr *expr);
void hir_sync_held_close (HirSyncLog *log, GPtrArray *held);
/* Adds the Deallocates of @log to @trace. */
void hir_sync_held_merge (HirSyncTrace *trace, const HirSyncLog *log);

G_END_DECLS
