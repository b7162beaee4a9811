/* A run: a fusion, its host program, inputs and options; warm-ups and repetitions, recording,
 * check. Single steps and whole runs use the same path. Used by one thread; sinks of the recorder
 * have their own. */
#pragma once

#include "run/evaluator.h"
#include "run/mpi/mpi-module.h"
#include "run/reference/check.h"
#include "run/reference/inputs.h"
#include "run/reference/reference-host.h"
#include "run/session/provider.h"

G_BEGIN_DECLS

/* Options of `run`, and test hooks. Strings are copied by hir_session_new_ranks(). */
typedef struct
{
  gint64 n_streams;          /* --streams */
  guint n_repeats;           /* --repeat, >= 1 */
  guint n_warmups;           /* --warmup */
  guint n_baselines;         /* --baseline: repetitions at the end, one instruction at a time */
  guint64 seed;              /* --seed */
  gboolean check;            /* --check */
  gboolean model_clock;      /* --clock model */
  double timeout_s;          /* --timeout in seconds; 0: none */
  gboolean trace_issue;      /* --trace full: host spans too. --trace off means no recorder */
  const char *const *inputs; /* --input; nullable */
  int rank;
  guint64 max_steps; /* instructions per rank; 0: no limit */
  gint64 zero_ns;    /* time 0 of recorded events (hir_clock_now_ns()); 0: now */
  /* NULL for the CPU. Borrowed; must outlive the session. */
  HirBackendProvider *provider;
  /* NULL if all ranks are in this process. Otherwise the process has one of mpi->size ranks, @rank
   * is mpi->rank, and there is one program. Borrowed; must outlive the session. */
  HirMpiModule *mpi;
  /* Nullable: a fusion with the same inputs and outputs, whose outputs are the reference of the
   * check instead. The session holds a reference. */
  HirContainer *against;
  /* Test hooks (docs/testing.md#hooks). The results of each op of this name, in HostUnits too,
   * become x + scale (x + sign x); integers get their lowest bit flipped. Nullable; scale 0: 0.125.
   * Then delays of tasks, and an op that never ends. */
  const char *plant_op;
  double plant_scale;
  /* Compute nothing, @provider only observes: inputs have no values, and missing Waits are allowed
   * (see HirEvaluatorOptions). */
  gboolean is_dry;
  guint max_delay_us;
  guint32 delay_seed;
  const char *hang_on;
} HirRunOptions;

void hir_run_options_init (HirRunOptions *options); /* Sets the defaults of the command line. */
/* Sets HIR_ERROR_INPUT, naming the option, if an option is out of range. */
gboolean
hir_run_options_check (const HirRunOptions *options, GError **error) G_GNUC_WARN_UNUSED_RESULT;

typedef struct _HirSession HirSession;

/* Creates a session of @n_ranks virtual devices that run @programs[i] on device i; the programs may
 * be the same object. @fusion is what they were lowered from. A printed program has no fusion:
 * @fusion is then the host program itself, and the reference is the same program in sequence
 * (reference-host.h). @recorder is nullable and must outlive the session.
 *
 * Inputs are distributed as each program's input tensors require; outputs are compared on the
 * devices that hold them. Steps, peeks and hooks apply to rank @options->rank; the others run ahead
 * of it on separate threads. Errors: HIR_ERROR_LIMIT; HIR_ERROR_INPUT if a mesh has too many
 * devices. */
HirSession *hir_session_new_ranks (HirContainer *fusion,
                                   HirContainer *const *programs,
                                   guint n_ranks,
                                   const HirRunOptions *options,
                                   HirRecorder *recorder,
                                   GCancellable *cancellable,
                                   GError **error);
/* Stops all running work and frees @session. */
void hir_session_free (HirSession *session);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirSession, hir_session_free)
/* Adds hooks to the displayed rank. */
void hir_session_add_hooks (HirSession *session, const HirEvaluatorHooks *hooks);

/* Returns one line per input: shape, and whether it was chosen. Borrowed. */
const char *hir_session_get_inputs_text (HirSession *session);

/* Sets @point to the next instruction of the current repetition. Returns FALSE if the next step
 * ends a repetition, or if the run is done. */
gboolean hir_session_peek (HirSession *session, HirProgramPoint *point);
/* Executes one instruction or, at the end of a repetition, waits for the streams, checks the
 * outputs and starts the next repetition. Returns DONE after the last repetition. Errors:
 * HIR_ERROR_RUN, _REFUSED, _UNSUPPORTED, _LIMIT, _CANCELLED, naming instruction and rank. */
HirStep hir_session_step (HirSession *session, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Steps to the end of the last repetition. */
gboolean hir_session_run (HirSession *session, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Returns the number of finished repetitions, including warm-ups. */
guint hir_session_get_n_done (HirSession *session);
/* Returns their duration on the session's clock (measured or modelled), until all streams were
 * idle; without warm-ups, inputs and checks. */
gint64 hir_session_get_elapsed_ns (HirSession *session);

/* Returns hir_clock_now_ns() at time 0 of recorded events; meaningless with a modelled clock. */
gint64 hir_session_get_zero_ns (HirSession *session);
/* Over MPI with a modelled clock, returns the log of this rank, to be timed together with those of
 * all ranks (hir_model_log_unpack()); floating. Otherwise returns NULL. */
GVariant *hir_session_pack_model (HirSession *session);

/* Returns one entry per rank for a sequential evaluation (reference-host.h) of the programs of a
 * checked session of a printed program, with the parts of its inputs. Free the array with g_free();
 * its contents are borrowed from @session. */
HirReferenceRank *hir_session_dup_reference_ranks (const HirSession *session, guint *n);
/* Returns the whole inputs, HirValue* in host memory (borrowed). */
GPtrArray *hir_session_get_inputs (const HirSession *session);

/* Returns the report, or NULL without --check. */
const HirCheckReport *hir_session_get_report (HirSession *session);

/* For a debugger: starts the current repetition on all ranks, which the debugger steps. Do not use
 * step(), run() and peek() of the session with it. */
gboolean hir_session_begin_debug (HirSession *session, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* For a debugger: waits for the streams and compares the outputs after all evaluators have
 * ended. */
gboolean hir_session_end_debug (HirSession *session, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* For a debugger: drops all running work; steps in progress return. Any thread. */
void hir_session_stop_debug (HirSession *session);

/* Returns the wall-clock time in which the displayed rank's host issued the repetitions, without
 * warm-ups. Its streams may have worked longer. */
gint64 hir_session_get_issue_ns (HirSession *session);

G_END_DECLS
