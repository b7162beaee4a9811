/* What a host program puts on its streams, for all ranks: found by the evaluator itself, on a back
 * end that keeps instead of computing. Steps and the edges between them; who may run when follows
 * from these alone. For the check of synchronisation. Immutable once made. */
#pragma once

#include "run/model/model-tape.h"
#include "run/session/session.h"

G_BEGIN_DECLS

#define HIR_SYNC_NONE G_MAXUINT

typedef enum
{
  HIR_SYNC_ENTRY,   /* the caller writes the inputs, on its stream, just before */
  HIR_SYNC_EXIT,    /* the caller reads the outputs, on its stream, just after */
  HIR_SYNC_WORK,    /* an op, a HostUnit, a fill */
  HIR_SYNC_GIVE,    /* a communication reads what this rank gives */
  HIR_SYNC_TAKE,    /* a communication writes what this rank gets */
  HIR_SYNC_POST,    /* a channel follows the stream that posts to it */
  HIR_SYNC_WAIT,    /* a Synchronize or Wait: the only steps that can be left out */
  HIR_SYNC_RELEASE, /* a buffer goes back, and its bytes may be another's from here on */
} HirSyncKind;

/* Bytes of a buffer, end exclusive. */
typedef struct
{
  gint64 from, to;
} HirByteRange;

typedef struct
{
  guint buffer; /* index in buffers */
  gboolean is_write;
  int tensor;         /* T%d, as the instruction names it; -1: none */
  guint first_range;  /* in ranges; sorted, disjoint */
  guint n_ranges;     /* a piece that is strewn over more than HIR_SYNC_MAX_RANGES is one range */
} HirSyncAccess;

#define HIR_SYNC_MAX_RANGES 65536

/* Steps of a rank stand together, in the order in which its host issues them. */
typedef struct
{
  guint8 kind; /* HirSyncKind */
  int rank;
  guint queue;         /* index in queues: the stream or channel */
  guint current;       /* the queue that was current when it was issued */
  guint previous;      /* the step before on its queue; HIR_SYNC_NONE */
  guint after;         /* POST, WAIT: the step of the other queue; HIR_SYNC_NONE: nothing there */
  guint first_need, n_needs; /* TAKE: in needs, the steps that give */
  const HirExpr *expr; /* nullable: the instruction */
  gint32 iteration;    /* of the innermost loop; -1: none */
  guint first_access, n_accesses;
} HirSyncStep;

typedef struct
{
  int rank;
  gboolean is_channel;
  char *name; /* "Stream 1", "comm {0 1}", "the caller's stream" */
} HirSyncQueue;

typedef struct
{
  int rank;
  guint queue; /* that it was allocated on; its bytes go to what is allocated there next */
  gsize size_bytes;
  int tensor; /* T%d it was allocated for; -1 */
} HirSyncBuffer;

typedef struct
{
  GPtrArray *programs;   /* HirContainer*, one a rank */
  GArray *steps;         /* HirSyncStep */
  GArray *accesses;      /* HirSyncAccess */
  GArray *ranges;        /* HirByteRange */
  GArray *needs;         /* guint, indices of steps */
  GArray *queues;        /* HirSyncQueue */
  GArray *buffers;       /* HirSyncBuffer */
  GArray *order;         /* guint: steps so that each follows all that it must run after; those that
                            wait for each other in a circle are missing */
  GPtrArray *mismatches; /* HirDiagnostic*: ranks that post different things */
  GPtrArray *tapes;      /* HirModelTape*, one a rank; empty where times were not asked for */
} HirSyncTrace;

typedef struct
{
  gint64 n_streams;          /* numberOfStreams */
  const char *const *inputs; /* nullable: shapes, as --input */
  int rank;                  /* where there is one program: whose */
  guint64 max_steps;         /* instructions a rank; 0: the default */
  gboolean wants_times;      /* on the modelled clock */
} HirSyncOptions;

/* @fusion and @programs as of hir_session_new_ranks(). Errors: what makes a run fail before it is
 * about order; HIR_ERROR_LIMIT. Ranks that do not fit together are no error: see mismatches. */
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

/* Whether two accesses touch the same byte: *@common (nullable) is the first such stretch. */
gboolean hir_sync_trace_overlaps (const HirSyncTrace *trace,
                                  const HirSyncAccess *a,
                                  const HirSyncAccess *b,
                                  HirByteRange *common);

G_END_DECLS
