/* Ties a trace that another profiler made to the program that ran: each device event gets its
 * instruction, iteration and repetition. Nothing is executed. The order of the host's calls is the
 * order of the program, so the two are aligned; see docs/join.md. */
#pragma once

#include "program/program.h"
#include "trace/trace.h"

G_BEGIN_DECLS

typedef struct
{
  gint64 n_streams; /* numberOfStreams; 0: found from the trace */
} HirJoinOptions;

/* Confidence of a tie. */
#define HIR_JOIN_CERTAIN 1.0
#define HIR_JOIN_BY_ORDER 0.7
#define HIR_JOIN_GUESSED 0.3

/* An event of the trace. */
typedef struct
{
  guint track, index;
  int rank;
  gboolean is_host;    /* a call that records or waits, or an ATen op */
  const HirExpr *expr; /* nullable: its instruction */
  gint32 iteration;    /* of the innermost loop; -1: none */
  guint repetition;    /* from 0 */
  double confidence;   /* 0: not tied */
  gboolean is_replay;  /* not tied, but of a CUDA graph whose repetition is guessed */
  const char *reason;  /* nullable: why it is not tied */
} HirJoinedEvent;

/* A difference between the program and the run. */
typedef struct
{
  int rank;
  guint repetition;
  const HirExpr *expr; /* nullable: the instruction */
  gint32 iteration;
  guint track, index;             /* event; G_MAXUINT: none */
  guint n;                        /* how often, on this rank */
  char *text;                     /* "the trace lacks the wait of Synchronize Stream 0" */
  gboolean is_missing;            /* the trace lacks something, */
  gboolean is_work;               /* and that is work of the device */
  int other_rank;                 /* a rank whose trace has it; -1: none, or not missing */
  guint other_track, other_index; /* event there */
} HirJoinFinding;

typedef struct
{
  HirTrace *trace;     /* NULL after hir_join_drop_events() */
  GPtrArray *hosts;    /* HirContainer*, one per rank of the program */
  GArray *events;      /* HirJoinedEvent: work of devices, by rank, start and track; then calls */
  guint n_device;      /* events of devices: the first ones */
  guint n_tied;        /* of these */
  guint n_replays;     /* of these, those with a repetition only */
  guint n_repetitions; /* most of any rank */
  gint64 n_streams;    /* numberOfStreams, given or found */
  char **inputs;       /* nullable: shapes, with those that were found */
  double cost;         /* of a repetition, in missing or additional events */
  GPtrArray *notes;    /* char*: what the result is based on */
  GPtrArray *findings; /* HirJoinFinding* */
  char *difference;    /* nullable: the first place where trace and program part */
} HirJoin;

/**
 * hir_join_new:
 *
 * Blocks; any thread.
 *
 * Returns: (transfer full): NULL and sets @error if lowering fails for another rank, or to
 *   HIR_ERROR_INPUT if an extent that the program needs is not known. If the program did not run in
 *   the trace, nothing is tied and difference is set.
 */
HirJoin *hir_join_new (HirProgram *program,
                       HirTrace *trace,
                       const HirJoinOptions *options,
                       GCancellable *cancellable,
                       GError **error) G_GNUC_WARN_UNUSED_RESULT;
HirJoin *hir_join_ref (HirJoin *join);
void hir_join_unref (HirJoin *join);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirJoin, hir_join_unref)

/* Formats one line per device event after a header (transfer full). */
char *hir_join_format_tsv (const HirJoin *join);
/* Formats a summary for people (transfer full). */
char *hir_join_format (const HirJoin *join);
/* Formats one JSON object (transfer full). */
char *hir_join_to_json (const HirJoin *join);
/* Creates a copy of the trace whose events have instruction and iteration (transfer full). NULL and
 * HIR_ERROR_LIMIT if out of memory. */
HirTrace *hir_join_dup_trace (const HirJoin *join, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Releases the trace and the events; the findings stay. Only the owner of the only reference may
 * call it. */
void hir_join_drop_events (HirJoin *join);

G_END_DECLS
