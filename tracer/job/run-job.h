/* Runs a program and records it: one call, used by the command line and by the run process of the
 * window. */
#pragma once

#include "job/run-values.h"
#include "program/program.h"
#include "program/run-settings.h"
#include "record/recorder.h"
#include "run/mpi/mpi-module.h"

G_BEGIN_DECLS

/* Outputs and callbacks of a run. All members may be NULL. */
typedef struct
{
  const char *path;            /* the recording to write */
  const char *command;         /* command line, stored in the recording */
  const HirRecorderSink *sink; /* an additional sink */
  /* Called on the calling thread before the first run: "Running". */
  void (*status) (const char *text, gpointer user_data);
  /* Called on the calling thread before the first run (-1), and after each run with its time (0 for
   * warm-ups). The next run starts when it returns. */
  void (*ran) (gint64 elapsed_ns, gpointer user_data);
  gpointer user_data;
  GCancellable *cancellable;
  /* Return the finished session in HirRunResult.kept, for value queries. Requires no path and no
   * MPI. Uses more memory, because deallocated values are retained. */
  gboolean keep;
  /* Nullable. This process is rank mpi->rank, which is also request->rank. All ranks call
   * hir_run_job(); rank 0 gets the result of all (run-ranks.h), and only its path and sink are
   * used. */
  HirMpiModule *mpi;
  HirContainer *against; /* the fusion whose outputs are the reference, see HirRunOptions */
} HirRunJobOptions;

typedef struct
{
  char *inputs; /* given and chosen input shapes, one per line; set when the run has started */
  char *check;  /* nullable: the report of --check */
  char *outputs_json; /* nullable: its outputs, see hir_check_report_to_json() */
  char *memory;       /* nullable: unwritten memory that --check found, or why none was searched */
  HirCheckOutcome check_outcome; /* of a finished run */
  gboolean is_printed;           /* compared with its sequential execution instead of a fusion */
  HirRunKept *kept;              /* nullable: set if the run succeeded and options->keep was set */
  guint n_done;                  /* finished runs, including warm-ups */
  gint64 elapsed_ns; /* of these without warm-ups, inputs and check, on the session's clock */
  guint64 n_events;  /* number of recorded events */
  guint64 n_dropped; /* number of events dropped because memory was short */
  guint n_no_value;  /* number of tensors whose values were not recorded */
  char **account;    /* nullable: omissions in the recording of a GPU, lines */
  char *warning;     /* nullable: a warning, one line */
  char *clocks;      /* nullable; with MPI: offsets of the ranks' clocks, lines */
  int failed_rank;   /* with MPI: the rank that failed */
  gboolean is_torn;  /* with MPI: a rank is gone, and the others cannot be reached */
} HirRunResult;

/* Frees the members of @result. */
void hir_run_result_clear (HirRunResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirRunResult, hir_run_result_clear)

/**
 * hir_run_job:
 * @result: (inout): zero-initialized; filled in as far as the run got
 *
 * Runs @program and records it. An existing recording is not changed before the run starts. Events
 * recorded before a failure stay in the file and were sent to the sink. Blocks; any thread.
 *
 * Returns: FALSE and sets @error if the program cannot run or fails, or if not everything could be
 *   recorded; a failed check is not an error
 */
gboolean hir_run_job (HirProgram *program,
                      const HirRunSettings *settings,
                      const HirRunJobOptions *options,
                      HirRunResult *result,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Checks that @n_ranks processes can run @program together. Every rank gets the same answer.
 * Returns FALSE with HIR_ERROR_INPUT (no tensor is on a mesh) or HIR_ERROR_UNSUPPORTED. */
gboolean hir_run_job_check_ranks (HirProgram *program,
                                  const HirRunSettings *settings,
                                  int n_ranks,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
