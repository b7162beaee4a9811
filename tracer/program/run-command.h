/* Command lines that repeat a run. */
#pragma once

#include "program/program.h"
#include "program/run-settings.h"

G_BEGIN_DECLS

/* Appends the options of `run` for @settings to a command line: those of GPUs and the clock if they
 * differ from the defaults, always the streams, and the rest only if it changes how the program
 * runs. The caller adds repetitions, recording and check. */
void hir_run_settings_append_options (const HirRunSettings *settings, GString *line);

/**
 * hir_run_dup_command:
 * @request: the options of the program
 * @settings: (nullable): those of the run; NULL if they are not known
 *
 * Returns: (transfer full): the command line that repeats a run, quoted for a shell:
 *   "hirscope run example:ag_matmul -d 8 --clock model --streams 4"
 */
char *hir_run_dup_command (const HirRequest *request, const HirRunSettings *settings);

/* Returns a comment for the end of this command line if the file of the script is missing or has
 * another text, otherwise "" (transfer full). Reads the file. */
char *hir_run_dup_remark (const HirRequest *request);

G_END_DECLS
