/* Internal declarations of sessions. */
#pragma once

#include "run/session/session-rank.h"

G_BEGIN_DECLS

struct _HirSession
{
  HirContainer *fusion;
  HirContainer *against; /* nullable: see HirRunOptions */
  HirRunOptions options;
  HirRunInputs *inputs;
  HirRankTeam team;
  GPtrArray *ranks; /* HirRank*, one per device */
  HirRank *shown;   /* displayed rank: the one that is stepped */
  GCancellable *cancellable;
  /* HirRefTensor*; created at the first check. For a printed program: one array per rank, created
   * before the first run */
  GPtrArray *reference;
  GError *reference_error; /* nullable: why there is no reference; reported if the run succeeds */
  GError *start_error;     /* nullable: why the current repetition could not start */
  HirCheckReport *report;
  gboolean started;               /* the current repetition has started */
  gint64 start_ns;                /* start of the current repetition */
  gint64 wall_start_ns, issue_ns; /* wall-clock time of issuing only */
  gint64 elapsed_ns;
  guint n_done, n_baselines_done;
  gboolean broken; /* an error was reported */
};

/* Evaluates the reference of a printed program, which may overwrite its inputs, before it runs. */
void hir_session_evaluate_printed (HirSession *session);
/* Returns the time on the session's clock. With a model: of the last rank; valid while no rank runs
 * and all are resolved. */
gint64 hir_session_now_ns (const HirSession *session);
/* Fails if the modelled clock has no time for some entries. */
gboolean hir_session_check_resolved (HirSession *session, GError **error);
/* Compares the outputs of all ranks with the reference. */
gboolean hir_session_compare_outputs (HirSession *session, GError **error);

G_END_DECLS
