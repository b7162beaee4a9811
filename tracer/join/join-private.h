/* Internal declarations of the join: the steps that a program expects, and the units of host work
 * that a trace shows. Both are in host order; aligning them ties events to instructions. */
#pragma once

#include "analysis/sync-trace.h"
#include "join/join.h"
#include "trace/trace.h"

G_BEGIN_DECLS

#define HIR_JOIN_NONE G_MAXUINT
#define HIR_JOIN_NEVER 1e9f /* cost of what cannot be */

typedef enum
{
  HIR_JOIN_OP,      /* work of a device */
  HIR_JOIN_RECORD,  /* an event is recorded */
  HIR_JOIN_WAIT,    /* a stream waits for an event */
  HIR_JOIN_DONE,    /* a stream waits for a communication */
  HIR_JOIN_PREPARE, /* host only: an allocation or a view */
  HIR_JOIN_LOST,    /* only of units: a call that the trace lacks, but has the number of */
  HIR_N_JOIN_KINDS,
} HirJoinKind;

/* What the work does, from the name of the ATen op or of the kernel. */
typedef enum
{
  HIR_JOIN_UNKNOWN,
  HIR_JOIN_MATMUL,
  HIR_JOIN_COPY,
  HIR_JOIN_ELEMENTWISE,
  HIR_JOIN_REDUCE,
  HIR_JOIN_FILL,
  HIR_JOIN_COMM,
  HIR_JOIN_FUSED, /* a kernel of nvFuser */
  HIR_JOIN_ALLOCATION,
  HIR_JOIN_VIEW,
} HirJoinClass;

/* One expected step of the host. */
typedef struct
{
  guint8 kind;   /* HirJoinKind */
  guint8 class;  /* HirJoinClass */
  gint8 is_free; /* may leave no trace */
  const HirExpr *expr;
  gint32 iteration;  /* of the innermost loop; -1: none */
  guint instance;    /* index of the execution: steps of one are consecutive */
  guint key;         /* stream of the program; HIR_JOIN_NONE: unknown */
  gint64 bytes;      /* of a copy; 0: unknown */
  const char *op;    /* "matmul"; borrowed */
  const char *label; /* name of its events in our own recordings; owned by the expectation */
  guint signature;   /* steps with equal signatures fit the same units */
  float missing;     /* price if the trace lacks it */
} HirJoinStep;

/* The steps of one repetition on one rank. */
typedef struct
{
  GArray *steps;      /* HirJoinStep */
  GPtrArray *labels;  /* char* */
  GArray *signatures; /* guint: a step of each signature */
  guint n_keys;       /* streams */
  char **key_names;   /* one per stream; nullable */
  guint n_ops;        /* steps that need device work */
} HirJoinExpected;

/* Lists what the host of @rank does. @has_sizes: the extents are those of the run, so that the
 * sizes of copies can be compared. */
HirJoinExpected *hir_join_expected_new (const HirSyncTrace *trace, int rank, gboolean has_sizes);
void hir_join_expected_free (HirJoinExpected *expected);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirJoinExpected, hir_join_expected_free)

/* A device event. */
typedef struct
{
  guint track, index;
  gint64 start_ns, bytes;
  guint32 name, correlation;
  guint8 kind;        /* HirEventKind */
  gboolean has_call;  /* its launch call is in the trace */
  guint thread, unit; /* HIR_JOIN_NONE: of no unit */
} HirJoinWork;

/* A unit of host work: an ATen op with all that it launched, a bare launch, a record or a wait. */
typedef struct
{
  guint8 kind;     /* HirJoinKind */
  guint8 class;    /* HirJoinClass */
  gboolean is_own; /* from a recording of ours; op is the label of the instruction */
  gboolean is_op;  /* op is an ATen op, or a range of nvFuser */
  gboolean is_range;
  gboolean is_link; /* its device work is on a link */
  const char
      *op; /* "matmul" of an ATen op, otherwise the name of the first kernel or ""; borrowed */
  gint64 start_ns, end_ns;           /* on the host */
  guint order;                       /* among units of equal start */
  guint stream;                      /* track of its device work; HIR_JOIN_NONE: unknown */
  gint64 bytes;                      /* of a single copy; 0: unknown */
  guint n_works, n_calls;            /* device events, and launch calls */
  guint32 first_number, last_number; /* correlations of its calls; 0: unknown */
  guint replay;         /* launch of a CUDA graph that it is a part of, from 1; 0: none */
  guint branch;         /* of a replay: track of its device work; the graph chose it */
  gint64 work_start_ns; /* of a replay: start of its first device event */
  gboolean is_first;    /* of its replay */
  gboolean is_branched; /* of a replay on several branches whose nodes are not known */
  gboolean is_opaque;   /* all of a replay, whose device events are not in the trace */
  guint place;          /* index before replays were ordered */
  guint signature;
  guint host_track, host_event; /* HIR_JOIN_NONE: none */
} HirJoinUnit;

typedef struct
{
  guint track; /* HIR_JOIN_NONE: the device events are ordered without host calls */
  const HirTrace *trace;
  GArray *units;      /* HirJoinUnit, in host order */
  GArray *signatures; /* guint: a unit of each signature */
  guint n_ops;
  gboolean is_dense; /* a call that the trace lacks is a unit: HIR_JOIN_LOST */
  guint *places;     /* nullable: index of each unit by its place, if replays are ordered */
  gboolean seen[HIR_N_JOIN_KINDS]; /* kinds of units that the thread shows always */
} HirJoinThread;

/* Returns whether steps of @kind leave traces on the thread. Without cpu_ops, a wait for a
 * communication looks like any other. */
static inline gboolean
hir_join_thread_shows (const HirJoinThread *thread, HirJoinKind kind)
{
  return thread->seen[kind] || (kind == HIR_JOIN_DONE && thread->seen[HIR_JOIN_WAIT]);
}

/* The host work of one rank. */
typedef struct
{
  int rank;
  GArray *works;      /* HirJoinWork, by correlation */
  GPtrArray *threads; /* HirJoinThread* */
  guint n_alone;      /* device events without launch call */
  gboolean has_calls;
} HirJoinObserved;

HirJoinObserved *hir_join_observed_new (const HirTrace *trace, int rank);
void hir_join_observed_free (HirJoinObserved *observed);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirJoinObserved, hir_join_observed_free)

/* join-lost.c: returns the numbers (guint32) of the calls that the trace lacks, ascending: the gaps
 * between @numbers, which are sorted. Returns NULL if gaps are nothing unusual. */
GArray *hir_join_list_lost (const GArray *numbers);

/* join-arrange.c: puts the units of each thread, as they were read, into their final order. */
void hir_join_observed_arrange (HirJoinObserved *observed);

/* join-names.c: the class of an ATen op ("matmul", without "aten::") and of a kernel, and what a
 * call of the CUDA runtime does. */
HirJoinClass hir_join_classify_op (const char *op);
HirJoinClass hir_join_classify_kernel (const char *name);
typedef enum
{
  HIR_JOIN_CALL_OTHER, /* no call, or one that means nothing here */
  HIR_JOIN_CALL_LAUNCH,
  HIR_JOIN_CALL_COPY,
  HIR_JOIN_CALL_FILL,
  HIR_JOIN_CALL_GRAPH,
  HIR_JOIN_CALL_BEGIN_CAPTURE,
  HIR_JOIN_CALL_END_CAPTURE,
  HIR_JOIN_CALL_RECORD,
  HIR_JOIN_CALL_WAIT,
} HirJoinCall;
HirJoinCall hir_join_classify_call (const char *name);
/* Returns the ATen op of an event's name, or NULL: "matmul" of "aten::matmul". */
const char *hir_join_lookup_op (const char *name);
gboolean hir_join_is_comm_op (const char *name);
/* Returns the group of a kernel of nvFuser, or -1: 3 of "nvfuser_pointwise_f0_c1_r0_g3". */
int hir_join_get_group (const char *name);
/* Returns the HostUnit that a range names, or -1: 5 of "HostUnit5". */
int hir_join_get_host_unit (const char *name);
/* Returns the class of the instruction that a range of nvFuser encloses, HIR_JOIN_UNKNOWN if the
 * name does not tell: a dispatch of the evaluator, a HostUnit or a group. */
HirJoinClass hir_join_classify_range (const char *name);

/* join-fit.c: the cost of taking @unit for @step, HIR_JOIN_NEVER if that cannot be; without
 * streams. */
float hir_join_fit (const HirJoinStep *step, const HirJoinUnit *unit);
/* Returns whether the range around @unit names another instruction than @step. */
gboolean hir_join_contradicts (const HirJoinStep *step, const HirJoinUnit *unit);
/* The cost of taking @unit for something that is not of the program. */
float hir_join_get_extra (const HirJoinUnit *unit);

/* The alignment of a thread with the program. */
typedef struct
{
  guint step;              /* HIR_JOIN_NONE: the unit is not of the program */
  guint repetition;        /* from 0 */
  float margin;            /* cost of the best other reading minus that of this one */
  gboolean is_near_damage; /* set by the belief */
  gboolean is_replay;      /* of no step, but its repetition is known */
} HirJoinTie;

typedef struct
{
  const HirJoinExpected *expected;
  const HirJoinThread *thread;
  guint *stream_of;    /* track per key; HIR_JOIN_NONE: unknown */
  GHashTable *owned;   /* the tracks in stream_of */
  HirJoinTie *ties;    /* one per unit */
  guint sample;        /* first unit, if only some are aligned */
  guint from, end;     /* units that are aligned */
  float beam;          /* readings that cost this much more than the best are dropped */
  double limit;        /* stop if the cost exceeds it */
  double cost;         /* G_MAXDOUBLE: above the limit */
  gboolean turns;      /* turning the streams round gives an alignment that is as good */
  guint n_repetitions; /* including those not believed */
  guint n_lost;        /* repetitions of which only the numbers of calls are left */
  guint unproven;      /* the first repetition whose number is not proven; HIR_JOIN_NONE: none */
} HirJoinAlignment;

HirJoinAlignment *
hir_join_alignment_new (const HirJoinExpected *expected, const HirJoinThread *thread);
void hir_join_alignment_free (HirJoinAlignment *alignment);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirJoinAlignment, hir_join_alignment_free)
/* Finds the alignment of least cost for the streams in stream_of, of @max_units units from the
 * sample on (0: of all). Margins are set if @wants_margins. */
void hir_join_alignment_run (HirJoinAlignment *alignment, guint max_units, gboolean wants_margins);

/* join-streams.c: returns the first of @n_units units among which the work of devices fits the
 * program best: those before may be of something else. */
guint
hir_join_find_sample (const HirJoinExpected *expected, const HirJoinThread *thread, guint n_units);
/* Aligns until the map of streams no longer changes. @tries_turns: also tries
 * to turn the streams round, and sets turns. */
void hir_join_align_streams (HirJoinAlignment *alignment, guint max_units, gboolean tries_turns);

/* join-replay.c: sorts the works of one launch of a CUDA graph by the nodes of the graph and
 * returns TRUE, or by stream and start if the trace lacks these. */
gboolean hir_join_sort_replay (const HirTrace *trace, HirJoinWork **works, guint n);
/* Returns whether @work is a node of a graph. */
gboolean hir_join_is_node (const HirTrace *trace, const HirJoinWork *work);
/* Orders units of replays that have no nodes as the program does: in the order of their starts,
 * each is a step whose predecessors have started before. Only units [@from, @end). */
void hir_join_order_replays (const HirJoinExpected *expected,
                             HirJoinThread *thread,
                             guint from,
                             guint end);
/* Numbers replays without nodes as repetitions, among those that the belief left. Returns the
 * number of repetitions. */
guint hir_join_number_replays (HirJoinAlignment *alignment);

/* join-belief.c: drops repetitions that are not believable, and renumbers. Returns their number. */
guint hir_join_believe (HirJoinAlignment *alignment);

/* join-proof.c: finds the first repetition before which the trace can lack a whole one. */
void hir_join_prove (HirJoinAlignment *alignment);

/* The work of one rank. */
typedef struct
{
  HirJoinObserved *observed;
  HirJoinExpected *expected; /* NULL: not a rank of the program */
  GPtrArray *alignments;     /* HirJoinAlignment*, one per thread of @observed; may be empty */
  HirJoinAlignment *busiest; /* nullable: that with most repetitions */
} HirJoinRank;

/* join-ranks.c: numbers the repetitions of ranks that lack some by those of the rank that has most.
 * @ranks: HirJoinRank*. Adds to @notes what is not proven. */
void hir_join_number_ranks (const HirTrace *trace, GPtrArray *ranks, GPtrArray *notes);

/* join-notes.c: adds to @notes what the ties of @rank are based on. */
void hir_join_note_rank (const HirJoinRank *rank, GPtrArray *notes);

G_END_DECLS
