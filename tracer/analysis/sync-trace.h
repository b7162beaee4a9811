/* The work that a host program submits to the streams of all ranks: steps and the edges between
 * them, which determine all possible timings. Recorded by the evaluator on a back end that does
 * not compute. Used by the synchronization check. Immutable. */
#pragma once

#include "analysis/sync-fault.h"
#include "run/model/model-tape.h"
#include "run/session/session.h"

G_BEGIN_DECLS

#define HIR_SYNC_NONE G_MAXUINT

typedef enum
{
  HIR_SYNC_ENTRY,   /* the caller writes the inputs, on its stream, before the program */
  HIR_SYNC_EXIT,    /* the caller reads the outputs, on its stream, after the program, and may write
                       the inputs */
  HIR_SYNC_WORK,    /* an op, a HostUnit or a fill */
  HIR_SYNC_GIVE,    /* a communication reads the data of this rank */
  HIR_SYNC_TAKE,    /* a communication writes data on this rank */
  HIR_SYNC_POST,    /* a channel waits for the stream that posts to it */
  HIR_SYNC_WAIT,    /* a Synchronize or Wait; only these steps can be removed */
  HIR_SYNC_RELEASE, /* a buffer is released; its memory may be reused afterwards */
} HirSyncKind;

/* A range of bytes in a buffer; the end is exclusive. */
typedef struct
{
  gint64 from, to;
} HirByteRange;

typedef struct
{
  guint buffer; /* index in buffers */
  gboolean is_write;
  int tensor;        /* name of the tensor in the instruction; -1: none */
  guint first_range; /* index in ranges; sorted, disjoint */
  guint n_ranges;    /* more than HIR_SYNC_MAX_RANGES are joined into one */
} HirSyncAccess;

#define HIR_SYNC_MAX_RANGES 65536

/* A step. Steps of a rank are contiguous, in the order in which its host issues them. */
typedef struct
{
  guint8 kind; /* HirSyncKind */
  int rank;
  guint queue;               /* index in queues: a stream or channel */
  guint current;             /* queue that was current when the step was issued */
  guint previous;            /* previous step on the queue; HIR_SYNC_NONE: none */
  guint after;               /* POST, WAIT: step of the other queue; HIR_SYNC_NONE: none */
  guint first_need, n_needs; /* TAKE: the matching GIVE steps, in needs */
  const HirExpr *expr;       /* nullable: instruction */
  gint32 iteration;          /* iteration of the innermost loop; -1: none */
  guint first_access, n_accesses;
} HirSyncStep;

/* An executed instruction. Those of a rank are contiguous, in host order. */
typedef struct
{
  int rank;
  const HirExpr *expr;
  gint32 iteration;          /* iteration of the innermost loop; -1: none */
  guint first_step, n_steps; /* its steps */
} HirSyncInstance;

typedef struct
{
  int rank;
  gboolean is_channel;
  char *name; /* "Stream 1", "comm {0 1}", "the caller's stream" */
} HirSyncQueue;

typedef struct
{
  int rank;
  guint queue; /* queue of the allocation; later allocations on it may reuse the memory */
  gsize size_bytes;
  int tensor;          /* name of the tensor that was allocated; -1: none */
  const HirExpr *expr; /* nullable: the instruction that allocated it */
} HirSyncBuffer;

/* A Deallocate of the program. */
typedef struct
{
  const HirExpr *expr;
  guint n;        /* number of executions, on all ranks */
  guint n_needed; /* executions without which memory is held longer, or a later result is written
                     into this memory; 0: redundant */
} HirSyncFree;

typedef struct
{
  GPtrArray *programs;  /* HirContainer*, one per rank */
  GArray *steps;        /* HirSyncStep */
  GArray *instances;    /* HirSyncInstance */
  GArray *accesses;     /* HirSyncAccess */
  GArray *ranges;       /* HirByteRange */
  GArray *needs;        /* guint, indices of steps */
  GArray *queues;       /* HirSyncQueue */
  GArray *buffers;      /* HirSyncBuffer */
  GArray *order;        /* guint: steps in topological order */
  GPtrArray *faults;    /* HirSyncFault* */
  GPtrArray *held;      /* HirSyncFault*: memory that nothing deallocates, in programs that manage
                           memory with Deallocate or ALLOCATE(mem_type=..); no errors */
  GArray *frees;        /* HirSyncFree, in host order; empty unless is_complete */
  gboolean is_complete; /* all ranks have reached the end of their programs */
  GPtrArray *tapes;     /* HirModelTape*, one per rank; empty without HIR_SYNC_TIMES */
} HirSyncTrace;

/* What a check computes in addition to the missing synchronization. */
typedef enum
{
  HIR_SYNC_MISSING = 0,
  HIR_SYNC_USES = 1 << 0,  /* which Synchronize and Wait are redundant */
  HIR_SYNC_TIMES = 1 << 1, /* modelled times; with HIR_SYNC_USES the cost of each, too */
  HIR_SYNC_ALL = HIR_SYNC_USES | HIR_SYNC_TIMES,
} HirSyncParts;

typedef struct
{
  gint64 n_streams;          /* numberOfStreams */
  const char *const *inputs; /* nullable: input shapes, see --input */
  int rank;                  /* rank of the program if there is only one */
  guint64 max_steps;         /* maximum number of instructions per rank; 0: default */
  HirSyncParts parts;        /* with HIR_SYNC_TIMES, tapes are recorded */
  HirRecorder *recorder;     /* nullable: the entries of tapes then have its events */
} HirSyncOptions;

/**
 * hir_sync_trace_new:
 * @fusion: see hir_session_new_ranks()
 * @programs: see hir_session_new_ranks()
 *
 * Executes the programs without computing, and records their steps. Instructions in the wrong
 * order, for example a Wait before its post, are not an error, but faults. If a rank ends at such
 * an instruction, or if there is a deadlock, is_complete is FALSE and there is no order.
 *
 * Returns: (transfer full): NULL and sets @error if the program cannot start, or HIR_ERROR_LIMIT
 */
HirSyncTrace *hir_sync_trace_new (HirContainer *fusion,
                                  HirContainer *const *programs,
                                  guint n_ranks,
                                  const HirSyncOptions *options,
                                  GCancellable *cancellable,
                                  GError **error);
void hir_sync_trace_free (HirSyncTrace *trace);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirSyncTrace, hir_sync_trace_free)

#define hir_sync_trace_get_step(trace, i) (&g_array_index ((trace)->steps, HirSyncStep, (i)))
#define hir_sync_trace_get_access(trace, i) (&g_array_index ((trace)->accesses, HirSyncAccess, (i)))
#define hir_sync_trace_get_queue(trace, i) (&g_array_index ((trace)->queues, HirSyncQueue, (i)))

/* Returns TRUE if two accesses touch the same byte. @common (out, nullable) is the first common
 * range. */
gboolean hir_sync_trace_overlaps (const HirSyncTrace *trace,
                                  const HirSyncAccess *a,
                                  const HirSyncAccess *b,
                                  HirByteRange *common);

G_END_DECLS
