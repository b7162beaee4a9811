/* Internal declarations of the explanation. */
#pragma once

#include "analysis/launches.h"
#include "explain/explain.h"
#include "trace/text-out.h"

G_BEGIN_DECLS

/* The end of an event on a stream or link. */
typedef struct
{
  gint64 end_ns;
  guint track, index;
  guint32 correlation;
} HirExplainEnd;

typedef struct
{
  int rank;
  GArray *ends;   /* HirExplainEnd of device events, by end */
  GArray *bounds; /* gint64: start of each repetition; the first is G_MININT64 */
  GArray *firsts; /* gint64: first start in each repetition; G_MAXINT64: no event */
} HirExplainRank;

/* A trace with the indexes that the explanation needs. */
typedef struct
{
  const HirTrace *trace; /* borrowed */
  HirLaunches *launches;
  GPtrArray *ranks;    /* HirExplainRank* */
  guint *rank_numbers; /* per track: index in ranks */
  guint *gpu_numbers;  /* per track: the first track on the same GPU */
  guint n_repetitions;
  gboolean is_recording;     /* recorded by Hirscope: correlations number the tasks of a rank */
  gboolean has_edges;        /* waits between streams are recorded as edges */
  gboolean has_issues;       /* host spans are recorded */
  gboolean has_contention;   /* streams of a GPU share its multiprocessors */
  GCancellable *cancellable; /* nullable, borrowed */
  int *percent;              /* nullable: progress, set atomically */
} HirExplainIndex;

/* Creates the index of @trace, which must outlive it. @cancellable and @percent are nullable. */
HirExplainIndex *
hir_explain_index_new (const HirTrace *trace, GCancellable *cancellable, int *percent);
void hir_explain_index_free (HirExplainIndex *index);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirExplainIndex, hir_explain_index_free)

/* Returns whether the explanation is cancelled; its result is then incomplete and not used. */
static inline gboolean
hir_explain_index_is_cancelled (const HirExplainIndex *index)
{
  return index->cancellable != NULL && g_cancellable_is_cancelled (index->cancellable);
}

static inline void
hir_explain_index_set_percent (const HirExplainIndex *index, int percent)
{
  if (index->percent != NULL)
    g_atomic_int_set (index->percent, percent);
}

/* Returns the rank that @track belongs to. */
HirExplainRank *hir_explain_index_get_rank (const HirExplainIndex *index, guint track);
/* Returns the number of the GPU of @track; tracks of different GPUs have different numbers. */
guint hir_explain_index_get_gpu (const HirExplainIndex *index, guint track);
/* Returns whether the event takes part: device work or wait of the program, or an issue of the
 * host. */
gboolean
hir_explain_index_has (const HirExplainIndex *index, guint track, guint at, HirEvent *event);
/* Returns whether @event of @track starts in repetition @repetition. */
gboolean hir_explain_index_is_in (const HirExplainIndex *index,
                                  guint track,
                                  gint64 start_ns,
                                  guint repetition);
/* Returns the repetition in which an event of @track that starts at @start_ns is. */
guint hir_explain_index_get_repetition (const HirExplainIndex *index, guint track, gint64 start_ns);

/* The event that another one waited for. */
typedef struct
{
  gboolean is_known;
  guint track, index;
  gint64 ready_ns; /* when the other one could start, as far as this event is concerned */
  gint64 since_ns; /* when the other one could have started if the device had been free; only for
                      HIR_REASON_DEVICE */
  guint8 reason;   /* HirPathReason */
} HirPredecessor;

/* Returns what released a waiting stream: the end of a SYNC event. */
HirPredecessor
hir_predecessor_of_wait (const HirExplainIndex *index, guint track, guint at, gint64 end_ns);
/* Returns the predecessor that was ready last, at or before @start_ns, the start of the event. */
HirPredecessor
hir_predecessor_of_start (const HirExplainIndex *index, guint track, guint at, gint64 start_ns);
/* Returns the member of the communication of the event that started last, if it started after this
 * one and before @end_ns. */
HirPredecessor
hir_predecessor_of_transfer (const HirExplainIndex *index, guint track, guint at, gint64 end_ns);
/* Returns the work that a call of the host waited for. */
HirPredecessor
hir_predecessor_of_call (const HirExplainIndex *index, guint track, guint at, gint64 end_ns);

/* Appends the critical path of repetition @number, which ends with event @at of @track, to
 * @repetition. */
void hir_path_find (
    const HirExplainIndex *index, guint number, guint track, guint at, HirRepetition *repetition);

/* A kernel, copy, fill or communication. */
typedef struct
{
  gint64 start_ns, end_ns;
  guint track, index;
  guint32 name;
  gint32 iteration;
  guint64 instruction;
  gint64 bytes, flops;
  guint8 kind; /* HirEventKind */
  gboolean is_program, is_alone;
  gint64 owned_ns;  /* time in which it is the oldest work of its class on its GPU */
  gint64 alone_ns;  /* what it takes with nothing beside it */
  gint64 usual_ns;  /* what it takes on this rank, beside what usually runs there */
  gint64 median_ns; /* of its executions on this rank */
  gint64 least_ns;  /* of its executions on this rank; alone, it takes at most this */
  gboolean knows_alone;
  gboolean of_baseline; /* --baseline has measured alone_ns and usual_ns */
} HirGpuWork;

/* A time in which @work is the oldest of its class. */
typedef struct
{
  gint64 start_ns, end_ns;
  guint work; /* index in works */
} HirGpuOwner;

typedef struct
{
  guint number;     /* of hir_explain_index_get_gpu() */
  int rank, device; /* of its first track */
  GArray *works;    /* HirGpuWork, by start, of all phases */
  GArray *compute;  /* HirGpuOwner, in order of time: kernels and fills */
  GArray *transfer; /* likewise: communications and copies */
} HirGpu;

/* Returns the work of each device (HirGpu), with its times alone. If ranks share a GPU, its work is
 * that of all of them if @of_all_ranks is TRUE, otherwise there is a HirGpu for each rank. */
GPtrArray *hir_gpus_new (const HirExplainIndex *index, gboolean of_all_ranks);
/* Returns the number of owners that end at or before @time_ns. */
guint hir_gpu_find_owner (const GArray *owners, gint64 time_ns);
/* Returns the number of the work that is event @at of @track, which is in @gpu. */
guint hir_gpu_find_work (const HirExplainIndex *index, const HirGpu *gpu, guint track, guint at);
/* Returns the name of the work that ran beside @work for longest, or 0. */
guint32 hir_gpu_find_beside (const HirGpu *gpu, guint work);

/* Returns the spans of each device (HirDeviceSpans). */
GPtrArray *hir_device_spans_new (const HirExplainIndex *index,
                                 const GPtrArray *gpus,
                                 const GArray *repetitions);

/* A piece of time: its cause, and the event that it belongs to. */
typedef struct
{
  HirLossCause cause;
  HirAloneSource alone_from;
  guint32 name, by; /* string indices; 0: none */
  guint64 instruction;
  gint32 iteration;
  int rank;
  guint track, index; /* the event */
  gint64 duration_ns; /* the event is counted only if this is positive */
  gint64 alone_ns;
} HirLossPiece;

/**
 * hir_losses_add:
 * @losses: array of HirLoss
 * @events: set of the counted events, as gint64 keys that it owns; empty at first
 * @piece: the piece
 * @start_ns: start of the interval on the path
 * @end_ns: end of the interval
 * @ns: time of @piece within the interval; nothing is added if it is not positive
 *
 * Adds @ns to the loss with the cause and the names of @piece, and creates it if necessary.
 */
void hir_losses_add (GArray *losses,
                     GHashTable *events,
                     const HirLossPiece *piece,
                     gint64 start_ns,
                     gint64 end_ns,
                     gint64 ns);

/* Splits repetition @number into losses. */
void hir_losses_find (const HirExplainIndex *index,
                      const GPtrArray *gpus,
                      guint number,
                      HirRepetition *repetition);

/* Returns the names of all losses (char* -> char*) as sentences show them. */
GHashTable *hir_losses_dup_names (const HirExplain *explain);

/* Writes the gains of @explain, if it has any: at most @max_rows. */
void hir_gains_write_text (const HirExplain *explain, guint max_rows, HirTextOut *out);
/* Writes the gains as members of the open JSON object. */
void hir_gains_write_json (const HirExplain *explain, HirTextOut *out);

G_END_DECLS
