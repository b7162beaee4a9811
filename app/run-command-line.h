/* The options of `hirscope run`: how the program is executed and what is kept of it. */
#pragma once

#include "command.h"
#include "program/run-settings.h"

G_BEGIN_DECLS

/* As typed, then checked by hir_run_command_line_check(). Zero-initialise; clear with
 * hir_run_command_line_clear(). */
typedef struct
{
  HirRunSettings settings;
  char *output;   /* nullable: the recording to write */
  int control_fd; /* -1: none */

  /* What GOption writes to. */
  gboolean check, pace;
  char *backend_text, *clock_text, *streams_text, *repeat_text, *warmup_text, *seed_text;
  char *trace_text, *timeout_text, *control_text;
  char *comm_text, *comm_priority_text, *comm_ctas_text;
  char *plant_text;
  GOptionEntry *entries;
} HirRunCommandLine;

/* The entries that fill @options, ended by a NULL long_name; owned by @options. */
const GOptionEntry *hir_run_command_line_get_entries (HirRunCommandLine *options);
/* Those of them whose long names are in @names. Owned by the caller; valid as long as @options. */
GOptionEntry *
hir_run_command_line_dup_entries (HirRunCommandLine *options, const char *const *names);
/* Once parsed: reads numbers and names, fills in defaults. Errors: HIR_ERROR_INPUT, or
 * HIR_ERROR_UNSUPPORTED for what this version does not carry out, naming option and value. */
gboolean
hir_run_command_line_check (HirRunCommandLine *options, GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_run_command_line_clear (HirRunCommandLine *options);
G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC (HirRunCommandLine, hir_run_command_line_clear)

G_END_DECLS
