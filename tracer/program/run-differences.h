/* What differs between two runs. */
#pragma once

#include "program/request.h"
#include "program/run-settings.h"

G_BEGIN_DECLS

/**
 * hir_run_dup_differences:
 * @request: the options of a program
 * @settings: (nullable): the settings of its run
 * @other: the options to compare with
 * @other_settings: (nullable): their settings
 *
 * Lists the program, options and inputs of the first run that differ from the second: "other script
 * text, 2 streams, StreamParallelType off".
 *
 * Returns: (transfer full): "" if none differ
 */
char *hir_run_dup_differences (const HirRequest *request,
                               const HirRunSettings *settings,
                               const HirRequest *other,
                               const HirRunSettings *other_settings);

/* Like hir_run_dup_differences(), but @other is nullable, and the script, function and devices are
 * also listed if they differ from those of @open (nullable). */
char *hir_run_dup_differences_from (const HirRequest *request,
                                    const HirRunSettings *settings,
                                    const HirRequest *other,
                                    const HirRunSettings *other_settings,
                                    const HirRequest *open);

G_END_DECLS
