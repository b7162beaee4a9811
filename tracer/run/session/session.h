/* One run: a fusion, its host program, inputs and options; warm-ups and repeats, recording, check.
 * Step by step or at once: the same path. One thread; the recorder's sinks have their own. */
#pragma once

#include "run/reference/check.h"
#include "run/evaluator.h"
#include "run/reference/inputs.h"
#include "run/mpi/mpi-module.h"
#include "run/session/provider.h"

G_BEGIN_DECLS

/* The options of `run`, and test hooks. Strings are copied by hir_session_new_ranks(). */
typedef struct
{
  gint64 n_streams;          /* --streams */
  guint n_repeats;           /* --repeat, >= 1 */
  guint n_warmups;           /* --warmup */
  guint64 seed;              /* --seed */
  gboolean check;            /* --check */
  gboolean model_clock;      /* --clock model */
  double timeout_s;          /* --timeout; 0: none */
  gboolean trace_issue;      /* --trace full: host spans too. --trace off: no recorder */
  const char *const *inputs; /* --input; nullable */
  int rank;
  guint64 max_steps;         /* instructions a rank; 0: no limit */
  gint64 zero_ns;            /* what recorded times count from (hir_clock_now_ns()); 0: now */
  /* Nullable: the CPU. Borrowed; must outlive the session. */
  HirBackendProvider *provider;
  /* Nullable: all ranks are of this process. Else this process has one of mpi->size ranks, @rank is
   * mpi->rank, and there is one program. Borrowed; must outlive the session. */
  HirMpiModule *mpi;
  /* Test hooks (docs/testing.md#hooks). The results of each op of this name, in HostUnits too,
   * become x + scale (x + sign x); integers get their lowest bit flipped. Nullable; scale 0: 0.125. Then
   * delays of tasks, and an op that never ends. */
  const char *plant_op;
  double plant_scale;
  /* Nothing is computed, @provider only looks: inputs have no values, and what is in a transfer may
   * be used (see HirEvaluatorOptions). */
  gboolean is_dry;
  guint max_delay_us;
  guint32 delay_seed;
  const char *hang_on;
} HirRunOptions;

void hir_run_options_init (HirRunOptions *options); /* the defaults of the command line */
/* HIR_ERROR_INPUT naming the option that is out of range. */
gboolean
hir_run_options_check (const HirRunOptions *options, GError **error) G_GNUC_WARN_UNUSED_RESULT;

typedef struct _HirSession HirSession;

/* Makes inputs and the back ends of @n_ranks virtual devices, @programs[i] on device i; they may be
 * one object. They are what @fusion was lowered to. A printed program has no fusion: @fusion is then
 * the host program itself, and its reference the same program in sequence (reference-host.h).
 * @recorder: nullable, must outlive the session. Inputs
 * are spread as each program's input tensors say, outputs compared where a device holds them. What
 * is stepped, peeked at and hooked is rank @options->rank; the others run ahead of it, each on a
 * thread of its own. Errors: HIR_ERROR_LIMIT, HIR_ERROR_INPUT where a mesh has a device too many.
 */
HirSession *hir_session_new_ranks (HirContainer *fusion,
                                   HirContainer *const *programs,
                                   guint n_ranks,
                                   const HirRunOptions *options,
                                   HirRecorder *recorder,
                                   GCancellable *cancellable,
                                   GError **error);
/* Stops what still runs. */
void hir_session_free (HirSession *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirSession, hir_session_free)
void hir_session_add_hooks (HirSession *session, const HirEvaluatorHooks *hooks);

/* A line an input: shape, and whether it was chosen. Borrowed. */
const char *hir_session_get_inputs_text (HirSession *session);

/* The next instruction of the current repeat; FALSE where the next step ends a repeat, or all is
 * done. */
gboolean hir_session_peek (HirSession *session, HirProgramPoint *place);
/* One instruction; or, at the end of a repeat, waiting for the streams, check, and begin of the
 * next. DONE when the last repeat is. Errors: HIR_ERROR_RUN, _REFUSED, _UNSUPPORTED, _LIMIT,
 * _CANCELLED, naming the instruction and the rank. */
HirStep hir_session_step (HirSession *session, GError **error) G_GNUC_WARN_UNUSED_RESULT;
gboolean hir_session_run (HirSession *session, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Repeats that are done, warm-ups counted. */
guint hir_session_get_n_done (HirSession *session);
/* What they took on the session's clock (measured or modelled), until all streams were done; without
 * warm-ups, inputs and check. */
gint64 hir_session_get_elapsed_ns (HirSession *session);

/* hir_clock_now_ns() that recorded times count from; of no meaning with a modelled clock. */
gint64 hir_session_get_zero_ns (HirSession *session);
/* Over MPI with a modelled clock: what is to be timed on a board with the logs of all ranks
 * (hir_model_log_unpack()); floating. Else NULL. */
GVariant *hir_session_pack_model (HirSession *session);

/* NULL without --check. */
const HirCheckReport *hir_session_get_report (HirSession *session);

/* For a debugger: the current repeat begins on all ranks, and each of them is stepped by
 * who asks for it; step(), run() and peek() of the session are not for such a one. */
gboolean hir_session_begin_debug (HirSession *session, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* All ranks' evaluators are at their ends: waits for the streams, compares. */
gboolean hir_session_end_debug (HirSession *session, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Any thread: what runs is dropped; who is in a step comes back. */
void hir_session_stop_debug (HirSession *session);

/* What the host of that rank needed to issue the repeats, on the wall clock, without warm-ups: its
 * streams may have been at work longer. */
gint64 hir_session_get_issue_ns (HirSession *session);

G_END_DECLS
