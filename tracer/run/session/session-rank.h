/* One device of a session: its program, streams and inputs, and a thread unless it is the stepped
 * rank. */
#pragma once

#include "run/comm/comm-local.h"
#include "run/deallocated-values.h"
#include "run/session/session.h"

G_BEGIN_DECLS

/* State shared by the ranks of a session. */
typedef struct
{
  const HirRunOptions *options;
  HirRecorder *recorder; /* nullable */
  GCancellable *cancellable;
  guint n_ranks;
  HirCommWorld *world;          /* NULL for a single device without communication */
  gboolean is_printed;          /* the program has no fusion */
  gboolean has_part_references; /* the reference is the program itself, with one part per rank */
  HirModelGroup *group;         /* NULL with the wall clock */
  HirTurns *turns;              /* NULL without baseline repetitions, and over MPI */
  HirComputations computations;
  gint64 zero_ns;
  /* Other ranks run ahead of the stepped rank, and wait for it before they wait for their streams:
   * a rank that is paused at a breakpoint does not hang. */
  GMutex lock;
  GCond open_cond;
  gboolean open; /* guarded by lock */
  /* Number of threads at the start of the current repetition, and whether they may continue:
   * atomic; guarded by lock while a thread sleeps. */
  guint n_ready;
  gint going;
  gint stopping; /* atomic: running ranks must end, even in a loop without communications */
} HirRankTeam;

typedef struct
{
  HirRankTeam *team;
  int rank;
  HirContainer *program; /* referenced */
  HirCommunicator *communicator;
  HirBackend *backend;
  HirModel *model;
  HirModelLog *log;
  HirEvaluator *evaluator;
  HirDeallocatedValues *kept; /* nullable: deallocated values, if they are kept */
  GPtrArray *inputs;          /* HirValue*: its parts of the inputs */
  GPtrArray *parts;           /* the same in host memory; NULL unless needed for the check */
  GArray *symbols;            /* nullable: see hir_run_inputs_dup_symbols() */
  GThread *thread;            /* nullable: of the current repetition */
  HirPhase phase;             /* of the current repetition */
  GError *error;              /* nullable: error of the thread */
} HirRank;

/* Creates a rank with its back end, evaluator and inputs. */
HirRank *hir_rank_new (
    HirRankTeam *team, int rank, HirContainer *program, const HirRunInputs *inputs, GError **error);
/* Frees @rank. Its thread must have ended. */
void hir_rank_free (HirRank *rank);

/* Runs the program including its streams on a separate thread, which issues nothing before
 * hir_rank_team_start(). */
gboolean hir_rank_begin_thread (HirRank *rank, HirPhase phase, GError **error);
/* Waits until @n threads are ready, so that their creation is not part of the run. */
void hir_rank_team_await_ready (HirRankTeam *team, guint n);
/* Lets all ready threads continue. */
void hir_rank_team_start (HirRankTeam *team);
/* Waits for the end of the thread. Returns FALSE and sets @error if it failed. */
gboolean hir_rank_end_thread (HirRank *rank, GError **error);
/* Ends the waits of all ranks for turns: a rank has failed. Any thread. */
void hir_rank_team_abort_turns (HirRankTeam *team);
/* Sets whether other ranks may wait for their streams. */
void hir_rank_team_set_open (HirRankTeam *team, gboolean open);

/* Compares the rank's parts of the outputs with those of the whole fusion or, for a printed
 * program, with its own reference. */
gboolean
hir_rank_compare (HirRank *rank, GPtrArray *reference, HirCheckReport *report, GError **error);

G_END_DECLS
