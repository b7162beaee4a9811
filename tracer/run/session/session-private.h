/* Shared by the files of a session. */
#pragma once

#include "run/session/session-rank.h"

G_BEGIN_DECLS

struct _HirSession
{
  HirContainer *fusion;
  HirRunOptions options;
  HirRunInputs *inputs;
  HirRankTeam team;
  GPtrArray *ranks; /* HirRank*, one a device */
  HirRank *shown;   /* the one that is stepped through */
  GCancellable *cancellable;
  GPtrArray *reference;    /* HirRefTensor*; made at the first check. Of a printed program, one such
                              array a rank, made before the first run */
  GError *reference_error; /* nullable: why there is none; told where the run itself succeeds */
  GError *start_error; /* nullable: why the current repeat could not begin */
  HirCheckReport *report;
  gboolean started; /* the current repeat */
  gint64 start_ns;  /* its begin */
  gint64 wall_start_ns, issue_ns; /* of issuing alone, on the wall clock */
  gint64 elapsed_ns;
  guint n_done;
  gboolean broken; /* an error was given */
};

/* session.c, for the other ways to carry a repeat out. */
void hir_session_evaluate_printed (HirSession *session);
/* On the clock that was asked for, of the shown rank; with a model, once all ranks are settled. */
gint64 hir_session_now_ns (const HirSession *session);
/* FALSE: the modelled clock has no time for all that was done. */
gboolean hir_session_check_resolved (HirSession *session, GError **error);
gboolean hir_session_compare_outputs (HirSession *session, GError **error);

G_END_DECLS
