/* One device of a session: its program, streams and inputs; a thread where it is not the one that
 * is stepped through. */
#pragma once

#include "run/comm/comm-local.h"
#include "run/deallocated-values.h"
#include "run/session/session.h"

G_BEGIN_DECLS

/* What the ranks of a session share. */
typedef struct
{
  const HirRunOptions *options;
  HirRecorder *recorder; /* nullable */
  GCancellable *cancellable;
  guint n_ranks;
  HirCommWorld *world;  /* NULL: a single device, no communication */
  gboolean is_printed;  /* the reference is the program itself, a part a rank */
  HirModelGroup *board; /* NULL: the wall clock */
  gint64 zero_ns;
  /* Other ranks run ahead of the one that is stepped, and wait for it before they wait for their
   * streams: who is held at a breakpoint is not hung. */
  GMutex lock;
  GCond open_cond;
  gboolean open; /* guarded by lock */
  /* Threads of the current repeat that stand at its begin, and whether they may go: atomic, guarded
   * by lock where somebody sleeps. */
  guint n_ready;
  gint going;
  gint stopping; /* atomic: whoever still runs must end, in a loop without communications too */
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
  HirDeallocatedValues *kept; /* nullable: what is deallocated is not kept */
  GPtrArray *inputs; /* HirValue*: its parts */
  GPtrArray *parts;  /* the same in host memory; NULL unless they are checked with */
  GArray *symbols;   /* nullable: see hir_run_inputs_dup_symbols() */
  GThread *thread;   /* nullable: of the current repeat */
  HirPhase phase;    /* of that */
  GError *error;     /* the thread's; nullable */
} HirRank;

HirRank *hir_rank_new (
    HirRankTeam *team, int rank, HirContainer *program, const HirRunInputs *inputs, GError **error);
/* Its thread must be gone. */
void hir_rank_free (HirRank *rank);

/* The program from its begin to the end, streams included, on a thread of its own; it issues nothing
 * before hir_rank_team_go(). */
gboolean hir_rank_begin_thread (HirRank *rank, HirPhase phase, GError **error);
/* Waits until @n threads stand at their begin: making and waking them is no part of a run. */
void hir_rank_team_meet (HirRankTeam *team, guint n);
void hir_rank_team_go (HirRankTeam *team);
/* Joins. FALSE and the error where it failed. */
gboolean hir_rank_end_thread (HirRank *rank, GError **error);
void hir_rank_team_set_open (HirRankTeam *team, gboolean open);

/* Compares its parts of the outputs with the whole fusion's, or, of a printed program, with its
 * own. */
gboolean
hir_rank_compare (HirRank *rank, GPtrArray *reference, HirCheckReport *report, GError **error);

G_END_DECLS
