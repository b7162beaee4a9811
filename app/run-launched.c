#include "run-launched.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "run-report.h"
#include "spec.h"

/* Prints "rank 1: FILE:LINE:COLUMN: error: ..." on standard error. @rank is -1 for an error of all
 * ranks. */
static void
print_error (int rank, const GError *error, const HirSource *source)
{
  g_autofree char *text = hir_error_format (error, source);

  fflush (stdout);
  if (rank >= 0)
    hir_command_print_to (stderr, "rank %d: ", rank);
  fputs (text, stderr);
  fflush (stderr);
}

static char *
pack_message (const GError *error, const HirSource *source)
{
  return error != NULL ? hir_error_format (error, source) : g_strdup ("");
}

/* Prints the messages of all ranks (GBytes, one per rank). A text that several ranks have is
 * printed once, with the first rank; without a rank if all have it. */
static void
print_messages (GPtrArray *messages)
{
  g_autoptr (GHashTable) told = g_hash_table_new (g_str_hash, g_str_equal);

  for (guint rank = 0; rank < messages->len; rank++)
    {
      const char *text = g_bytes_get_data (g_ptr_array_index (messages, rank), NULL);
      guint n = 0;

      if (*text == '\0' || !g_hash_table_add (told, (gpointer) text))
        continue;
      for (guint i = rank; i < messages->len; i++)
        n += g_str_equal (text, g_bytes_get_data (g_ptr_array_index (messages, i), NULL));
      if (n < messages->len)
        hir_command_print_to (stderr, "rank %u: ", rank);
      fputs (text, stderr);
    }
  fflush (stderr);
}

/* Collective call: each rank passes its error (nullable). Returns TRUE if no rank has an error.
 * Otherwise prints the errors. */
static gboolean
agree (HirMpiModule *mpi, const char *what, const GError *error, const HirSource *source)
{
  g_autofree char *message = pack_message (error, source);
  g_autofree guint8 *all = g_new0 (guint8, mpi->size);
  g_autoptr (GBytes) bytes = g_bytes_new (message, strlen (message) + 1);
  g_autoptr (GPtrArray) messages = NULL;
  g_autoptr (GError) lost = NULL;
  guint8 failed = error != NULL;

  if (!hir_mpi_module_allgather (mpi, what, &failed, 1, all, &lost) ||
      !hir_mpi_module_gather (mpi, what, bytes, 0, &messages, &lost))
    {
      print_error (mpi->rank, error != NULL ? error : lost, source);
      return FALSE;
    }
  if (messages != NULL)
    print_messages (messages);
  for (int rank = 0; rank < mpi->size; rank++)
    failed |= all[rank];
  return !failed;
}

/* Checks that the options fit one device per rank, and sets the device and the rank. */
static gboolean
check_options (HirMpiModule *mpi, HirLoweringOptions *lowering, GError **error)
{
  if (lowering->n_devices >= 0 && lowering->n_devices != mpi->size)
    hir_set_error (error, HIR_ERROR_INPUT, NULL,
                   "-d %" G_GINT64_FORMAT " does not match the %d ranks: under a launcher, each "
                   "rank is one device; start as many ranks, or leave -d out",
                   lowering->n_devices, mpi->size);
  else if (lowering->rank >= 0)
    hir_set_error (
        error, HIR_ERROR_INPUT, NULL,
        "--rank cannot be used under a launcher, where each rank lowers its own program; "
        "leave --rank out");
  else
    {
      lowering->n_devices = mpi->size;
      lowering->rank = mpi->rank;
      return TRUE;
    }
  return FALSE;
}

/* Opens the program without printing notes or errors, which rank 0 prints for all. */
static HirProgram *
open_quietly (const char *spec, const HirLoweringOptions *lowering, GError **error)
{
  g_autoptr (HirRequest) request = hir_spec_load (spec, lowering, error);

  return request != NULL ? hir_program_new (request, NULL, NULL, error) : NULL;
}

static HirProgram *
open_program (HirMpiModule *mpi,
              const char *spec,
              const HirLoweringOptions *lowering,
              const HirRunSettings *settings)
{
  g_autoptr (HirProgram) program = NULL;
  g_autoptr (GError) error = NULL;
  guint8 first_failed;

  if (mpi->rank == 0)
    program = hir_spec_open_program (spec, lowering);
  else
    program = open_quietly (spec, lowering, &error);
  first_failed = program == NULL;
  /* If rank 0 cannot open the program, the others most likely fail for the same reason, so only
   * rank 0 reports it. */
  if (!hir_mpi_module_bcast (mpi, "rank 0's program", &first_failed, 1, 0, &error))
    {
      print_error (mpi->rank, error, NULL);
      return NULL;
    }
  if (first_failed)
    return NULL;
  if (program != NULL && error == NULL)
    (void) !hir_run_job_check_ranks (program, settings, mpi->size, &error);
  if (!agree (mpi, "programs", error, NULL))
    return NULL;
  return g_steal_pointer (&program);
}

static int
report_failure (HirMpiModule *mpi,
                const HirProgram *program,
                const HirRunResult *result,
                const GError *error)
{
  /* If a rank is gone, errors cannot be collected, so every other rank prints its own. */
  if (mpi->rank == 0 && !result->is_torn)
    print_error (mpi->size > 1 ? result->failed_rank : -1, error, program->request->source);
  else if (result->is_torn)
    print_error (mpi->rank, error, program->request->source);
  return HIR_EXIT_BAD;
}

static int
execute (HirMpiModule *mpi,
         const HirProgram *program,
         const HirRunCommandLine *options,
         const char *command)
{
  const HirRunJobOptions job = { .path = options->output, .command = command, .mpi = mpi };
  g_auto (HirRunResult) result = { 0 };
  g_autoptr (GError) error = NULL;
  gboolean done = hir_run_job ((HirProgram *) program, &options->settings, &job, &result, &error);

  if (mpi->rank == 0 && !options->json && result.inputs != NULL)
    hir_command_print ("%s%s", result.inputs, g_str_has_suffix (result.inputs, "\n") ? "" : "\n");
  if (!done)
    return report_failure (mpi, program, &result, error);
  for (guint i = 0; mpi->rank > 0 && result.account != NULL && result.account[i] != NULL; i++)
    hir_command_print_to (stderr, "rank %d: note: %s\n", mpi->rank, result.account[i]);
  return mpi->rank == 0 ? hir_run_report (&result, options, mpi->size) : HIR_EXIT_DONE;
}

/* Bad usage comes before a finding, and that before a check that cannot decide. */
static int
get_severity (int code)
{
  static const int severities[] = {
    [HIR_EXIT_DONE] = 0, [HIR_EXIT_UNDECIDED] = 1, [HIR_EXIT_FINDING] = 2, [HIR_EXIT_BAD] = 3
  };

  return code >= 0 && code < (int) G_N_ELEMENTS (severities) ? severities[code] : G_MAXINT;
}

/* Collective call. Returns the most severe exit code of all ranks. */
static int
agree_on_code (HirMpiModule *mpi, int code)
{
  g_autofree gint32 *all = g_new0 (gint32, mpi->size);
  gint32 mine = code;

  if (!hir_mpi_module_allgather (mpi, "exit codes", &mine, sizeof mine, all, NULL))
    return HIR_EXIT_BAD;
  for (int rank = 0; rank < mpi->size; rank++)
    if (get_severity (all[rank]) > get_severity (code))
      code = all[rank];
  return code;
}

static int
run_as_rank (HirMpiModule *mpi,
             const char *spec,
             HirLoweringOptions *lowering,
             HirRunCommandLine *options,
             const char *command)
{
  g_autoptr (HirProgram) program = NULL;
  g_autoptr (GError) error = NULL;

  (void) check_options (mpi, lowering, &error);
  if (!agree (mpi, "options", error, NULL))
    return HIR_EXIT_BAD;
  program = open_program (mpi, spec, lowering, &options->settings);
  if (program == NULL)
    return HIR_EXIT_BAD;
  hir_run_command_line_follow (options, program);
  return agree_on_code (mpi, execute (mpi, program, options, command));
}

int
hir_run_launched (const char *spec,
                  HirLoweringOptions *lowering,
                  HirRunCommandLine *options,
                  const char *command)
{
  g_autoptr (GError) error = NULL;
  HirMpiModule *mpi = hir_mpi_module_new (&error);
  int rank, code;

  if (mpi == NULL)
    {
      hir_mpi_launcher_get_size (&rank);
      /* The other ranks have the same error. */
      if (rank <= 0)
        print_error (-1, error, NULL);
      return HIR_EXIT_BAD;
    }
  hir_mpi_module_set_timeout (mpi, options->settings.timeout_s);
  code = run_as_rank (mpi, spec, lowering, options, command);
  fflush (stdout);
  fflush (stderr);
  if (!hir_mpi_module_free (mpi))
    _exit (code != HIR_EXIT_DONE ? code : HIR_EXIT_BAD);
  return code;
}
