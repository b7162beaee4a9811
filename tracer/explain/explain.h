/* Explains where the time of a run went. The critical path of a repetition is a chain of parts from
 * its start to its end, over all ranks: each part starts when the part before it ends, and could
 * not start earlier because of it. The parts therefore cover the repetition without gaps or
 * overlaps. Each part is split into causes, which add up to the same total. The rules are in
 * docs/explain.md. */
#pragma once

#include <gio/gio.h>

#include "trace/trace.h"

G_BEGIN_DECLS

/* What happens in a part of the path. */
typedef enum
{
  HIR_PATH_WORK,     /* a kernel, copy or fill runs */
  HIR_PATH_TRANSFER, /* a communication transfers data: all members have started it */
  HIR_PATH_WAIT,     /* a stream resumes after a wait */
  HIR_PATH_HOST,     /* the host issues an instruction, or makes a call */
  HIR_PATH_HOST_GAP, /* between two issues of a host */
  HIR_PATH_LAUNCH,   /* from the launch to the start of the work */
  HIR_PATH_GAP,      /* from the end of the work before to the start of the work */
  HIR_PATH_START,    /* a rank starts later than the first one */
  HIR_N_PATH_KINDS,
} HirPathKind;

/* Why a part could not start before the end of the part before it. */
typedef enum
{
  HIR_REASON_START,      /* nothing came before */
  HIR_REASON_STREAM,     /* order of a stream */
  HIR_REASON_EVENT,      /* a recorded event, a Synchronize or a Wait */
  HIR_REASON_POST,       /* a communication starts after earlier work of the stream that posts it */
  HIR_REASON_LAUNCH,     /* the host had to launch it */
  HIR_REASON_HOST,       /* order of a host thread */
  HIR_REASON_HOST_WAIT,  /* the host waited for the device */
  HIR_REASON_COLLECTIVE, /* the last member of a communication */
  HIR_REASON_DEVICE,     /* other work occupied the device */
  HIR_REASON_ASSUMED,    /* no dependency is recorded; the work before ended last */
  HIR_N_REASONS,
} HirPathReason;

typedef struct
{
  gint64 start_ns, end_ns; /* start <= end; the end is the start of the next part */
  guint track, index;      /* the event; of a gap, the event after it */
  guint8 kind;             /* HirPathKind */
  guint8 reason;           /* HirPathReason */
} HirPathPart;

/* Where the time of a repetition went. */
typedef enum
{
  HIR_LOSS_COMPUTE,    /* kernels, as long as they take alone: not lost */
  HIR_LOSS_FIRST,      /* communication before the first kernel, which nothing can hide */
  HIR_LOSS_LAST,       /* communication after the last kernel */
  HIR_LOSS_LATE,       /* communication that could not start before a kernel freed the device */
  HIR_LOSS_SYNC,       /* communication or host after a synchronization */
  HIR_LOSS_SLOWEST,    /* communication that waits for the last rank */
  HIR_LOSS_ORDER,      /* communication beside which no kernel runs */
  HIR_LOSS_TRANSFER,   /* other exposed communication */
  HIR_LOSS_COPY,       /* other exposed copies */
  HIR_LOSS_FIRST_COPY, /* like HIR_LOSS_FIRST, LAST, LATE and LIMIT, of a copy */
  HIR_LOSS_LAST_COPY,
  HIR_LOSS_LATE_COPY,
  HIR_LOSS_LIMIT_COPY,
  HIR_LOSS_BESIDE,      /* kernels that run slower beside others */
  HIR_LOSS_SLOW,        /* kernels that run slower than usual without others */
  HIR_LOSS_SLOW_RANK,   /* kernels that run slower on this rank than on others */
  HIR_LOSS_LIMIT,       /* communication on the path, beside kernels that are not */
  HIR_LOSS_HOST,        /* the device is idle: the host issues, or does other work */
  HIR_LOSS_FEED,        /* likewise, but streams that are not on the path have work */
  HIR_LOSS_LAUNCH,      /* launches, and gaps of at most 20 us between work */
  HIR_LOSS_DEVICE,      /* communication waits for multiprocessors; may be off the path */
  HIR_LOSS_RESUME,      /* streams resume after waits */
  HIR_LOSS_START,       /* a rank starts later than the first one */
  HIR_LOSS_UNEXPLAINED, /* longer gaps without a known reason */
  HIR_N_LOSSES,
} HirLossCause;

/* Source of a time with nothing else beside it. */
typedef enum
{
  HIR_ALONE_MEDIAN,     /* not known: the median of all executions */
  HIR_ALONE_EXECUTIONS, /* executions beside which nothing ran */
  HIR_ALONE_BASELINE,   /* measured by `run --baseline` */
} HirAloneSource;

/* An interval and the event that it is about. */
typedef struct
{
  gint64 start_ns, end_ns;
  guint track, index; /* the event; of an idle span, the work after it */
} HirLostSpan;

/* All time of one cause, instruction and partner. */
typedef struct
{
  guint8 cause;        /* HirLossCause */
  guint8 alone_from;   /* HirAloneSource, of sum_alone_ns */
  guint32 name, by;    /* string indices; 0: none */
  guint64 instruction; /* node id; 0: none */
  gint64 ns;
  guint n_events;                         /* events that it concerns */
  gint64 sum_ns, sum_alone_ns;            /* durations of these events, and alone */
  gint32 first_iteration, last_iteration; /* -1: in no loop */
  gint64 start_ns, end_ns;                /* its longest interval on the path */
  guint track, index;                     /* the event in that interval; of a gap, after it */
  GArray *ranks;                          /* int, sorted */
  GArray *pieces;                         /* HirLostSpan, by start: all intervals on the path */
} HirLoss;

typedef struct
{
  gint64 start_ns; /* first start on any rank */
  gint64 end_ns;   /* last end on any rank */
  int last_rank;   /* rank that ends last */
  GArray *path;    /* HirPathPart, in order of time */
  GArray
      *losses;   /* HirLoss; their times add up to end_ns - start_ns; longest first, compute last */
  GArray *waits; /* HirLoss of HIR_LOSS_DEVICE; not part of the total: other work may hide them */
} HirRepetition;

/* What the times of HirRepetition.losses are. */
#define HIR_EXPLAIN_SUM_NOTE "the times below are those on the critical path and add up to it"

/* Lost time of a device, on or off the path. */
typedef enum
{
  HIR_SPAN_EXPOSED, /* communication or copies without a kernel */
  HIR_SPAN_IDLE,    /* no work, for at least a thousandth of the repetition */
  HIR_SPAN_WAITING, /* a communication waits for its last member */
  HIR_N_SPAN_KINDS,
} HirSpanKind;

typedef struct
{
  int rank, device;
  GArray *spans[HIR_N_SPAN_KINDS]; /* HirLostSpan, by start; they do not overlap */
} HirDeviceSpans;

/* A change of the run that would make it shorter. */
typedef struct
{
  const char *kind;    /* as in JSON; static */
  char *name;          /* nullable: of the instruction or op; owned */
  guint64 instruction; /* node id of a communication; 0: not known */
  guint line;          /* in the printed program; 0: none */
  int rank;            /* -1: all */
  char *text;          /* a sentence; owned */
  gint64 gain_ns;
  gboolean breaks; /* work depends on the Synchronize that is omitted */
} HirGain;

typedef struct
{
  HirTrace *trace;         /* owned */
  GArray *repetitions;     /* HirRepetition */
  GPtrArray *devices;      /* HirDeviceSpans* */
  GHashTable *short_names; /* char* -> char*: of names of losses, as sentences show them */
  GPtrArray *notes;        /* char*: what is assumed or missing */
  guint n_first_notes;     /* of these, those to display first */
  GArray *gains;           /* HirGain, largest first, those that break the program last; NULL if the
                            * trace has no program */
  gint64 simulated_ns;     /* time of a repetition from which the gains are subtracted */
} HirExplain;

/**
 * hir_explain_new:
 * @trace: the trace
 *
 * Computes the critical path of each repetition. A recording states the number of repetitions;
 * other traces are one.
 *
 * Returns: (transfer full) (nullable): NULL and HIR_ERROR_INPUT if the trace has no device work
 */
HirExplain *hir_explain_new (HirTrace *trace, GError **error);
/* Does the same, with @percent (nullable) set atomically. HIR_ERROR_CANCELLED if @cancellable
 * (nullable) is cancelled. Any thread. */
HirExplain *hir_explain_new_with_progress (HirTrace *trace,
                                           GCancellable *cancellable,
                                           int *percent,
                                           GError **error);
void hir_explain_free (HirExplain *explain);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirExplain, hir_explain_free)

/* Returns the name of a HirPathKind, as in JSON. */
const char *hir_path_kind_get_name (HirPathKind kind);
/* Returns the name of a HirLossCause, as in JSON. */
const char *hir_loss_cause_get_name (HirLossCause cause);
/* Title of the gains that break the program, which are sorted separately. */
#define HIR_GAINS_BREAKING_TITLE "Only if the work that depends on it is ordered in another way"
/* Returns whether gain @i is the first one that breaks the program. */
gboolean hir_gains_start_breaking (const GArray *gains, guint i);
/* Returns whether options of predict make the change of @gain. */
gboolean hir_gain_has_options (const HirGain *gain);
/* Returns the name of a HirAloneSource, as in JSON. */
const char *hir_alone_source_get_name (HirAloneSource source);
/* Returns a name of a loss as sentences show it: shortened, but different from those of other
 * losses. Free with g_free(). */
char *hir_loss_dup_name (const HirExplain *explain, guint32 name);
/* Returns a sentence that describes @loss. Free with g_free(). */
char *hir_loss_dup_sentence (const HirExplain *explain, const HirLoss *loss);
/* Returns the iterations of @loss, such as "0-7", or "" if it is in no loop. Free with g_free(). */
char *hir_loss_dup_iterations (const HirLoss *loss);
/* Returns the ranks of @loss, such as "0,1". Free with g_free(). */
char *hir_loss_dup_ranks (const HirLoss *loss);
/* Returns the index of the first of @spans (HirLostSpan) that ends after @time_ns. */
guint hir_spans_find (const GArray *spans, gint64 time_ns);
/* Returns the index of the first part of @path that ends after @time_ns. */
guint hir_path_find_part (const GArray *path, gint64 time_ns);
/* Returns the name of a HirPathReason, as in JSON. */
const char *hir_path_reason_get_name (HirPathReason reason);

G_END_DECLS
