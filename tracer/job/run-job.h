/* Running a program and keeping what it did: one call for the command line and for the child of the window. */
#pragma once

#include "program/program.h"
#include "record/recorder.h"
#include "program/run-settings.h"
#include "job/run-values.h"
#include "run/mpi/mpi-module.h"

G_BEGIN_DECLS

/* Where it goes and who is told. Everything may be NULL. */
typedef struct
{
  const char *path;            /* the recording to write */
  const char *command;         /* command line, for the recording's meta table */
  const HirRecorderSink *sink; /* one more sink */
  /* Now and then, on the calling thread: "iteration 3 of matmul". */
  void (*status) (const char *text, gpointer user_data);
  /* Before the first run (-1), and after each one with its time (of warm-ups, which are not counted,
   * 0), on the calling thread; the next one begins when it returns. */
  void (*ran) (gint64 elapsed_ns, gpointer user_data);
  gpointer user_data;
  GCancellable *cancellable;
  /* What the run leaves is given to the caller, for values to be asked for. Without a path and without MPI; what the
   * program deallocates takes more memory then. */
  gboolean keep;
  /* Nullable. This process is one of its ranks, request->rank is mpi->rank: all ranks call, rank 0
   * gets the whole (run-ranks.h), path and sink count there alone. */
  HirMpiModule *mpi;
} HirRunJobOptions;

typedef struct
{
  char *inputs;          /* shapes that were given and chosen, a line each; never NULL after a start */
  char *check;           /* nullable: the report of --check */
  gboolean check_failed;
  gboolean is_printed;   /* the program was printed: it was compared with itself in sequence */
  HirRunKept *kept;      /* nullable: where the run ended well and options->keep was set */
  guint n_done;          /* runs that came to their end, warm-ups counted */
  gint64 elapsed_ns;     /* of those, warm-ups, inputs and check left out, on the session's clock */
  guint64 n_events;      /* recorded */
  guint64 n_dropped;     /* not recorded, for want of memory */
  guint n_no_value;      /* tensors whose values were left out of the recording */
  char **account;        /* nullable: what the recording of a GPU lacks, a line each */
  char *warning;         /* nullable: a line on what could not be had */
  char *clocks;          /* nullable; over MPI: lines on the ranks' clocks */
  int failed_rank;       /* over MPI: whose error it is */
  gboolean is_torn;      /* over MPI: a rank is gone, and nothing can be asked of the others */
} HirRunResult;

void hir_run_result_clear (HirRunResult *result);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirRunResult, hir_run_result_clear)

/* Blocks; any thread. FALSE and @error where the program can't be run or failed, or where not all could be
 * recorded (the message says how much is where); what was recorded until then stays in the file and went to
 * the sink. A recording that is there already stays untouched until there is something to record. A failed
 * check is no error. @result is filled as far as it came; zero-initialise it. */
gboolean hir_run_job (HirProgram *program,
                      const HirRunSettings *settings,
                      const HirRunJobOptions *options,
                      HirRunResult *result,
                      GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Whether @n_ranks processes can share @program: all ranks ask before they begin, and agree. FALSE and
 * HIR_ERROR_INPUT (it is on no mesh) or HIR_ERROR_UNSUPPORTED, with what to do. */
gboolean hir_run_job_check_ranks (HirProgram *program,
                                  const HirRunSettings *settings,
                                  int n_ranks,
                                  GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
