/* Options of `hirscope run`. `debug` and `bisect` accept some of them. */
#pragma once

#include "command.h"
#include "program/program.h"
#include "program/run-settings.h"

G_BEGIN_DECLS

/* Values of the options. GOption stores the texts; hir_run_command_line_check() parses them.
 * Initialize with zeros; clear with hir_run_command_line_clear(). */
typedef struct
{
  HirRunSettings settings;
  char *output;   /* file to record to (nullable) */
  int control_fd; /* socket of the parent process; -1 if there is none */

  /* Flags and texts that GOption stores, and the option entries. */
  gboolean check, json, pace, share_gpus, baseline;
  char *backend_text, *clock_text, *streams_text, *repeat_text, *warmup_text, *seed_text;
  char *trace_text, *timeout_text, *control_text;
  char *comm_text, *comm_priority_text, *comm_ctas_text, *gpus_text;
  char *against; /* nullable: SCRIPT of --against */
  char *plant_text;
  GOptionEntry *entries;
} HirRunCommandLine;

/* Returns option entries that store into @options (owned by @options). The last entry has no
 * long_name. */
const GOptionEntry *hir_run_command_line_get_entries (HirRunCommandLine *options);
/* Like hir_run_command_line_get_entries(), but returns only the options whose long names are in
 * @names (NULL-terminated). Free the array with g_free(); it is valid while @options exists. */
GOptionEntry *
hir_run_command_line_dup_entries (HirRunCommandLine *options, const char *const *names);
/* Checks the parsed options and stores them, with defaults for the others, in @options->settings.
 * @error: HIR_ERROR_INPUT, or HIR_ERROR_UNSUPPORTED if an option requires another back end; both
 * with the option and its value. */
gboolean
hir_run_command_line_check (HirRunCommandLine *options, GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Takes over the options that the script of @program sets and the command line does not. */
void hir_run_command_line_follow (HirRunCommandLine *options, const HirProgram *program);
/* Frees the contents of @options and resets them to zeros. */
void hir_run_command_line_clear (HirRunCommandLine *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirRunCommandLine, hir_run_command_line_clear)

G_END_DECLS
