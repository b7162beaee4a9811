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
 * Lists the options and inputs of the first run that differ from the second: "2 streams,
 * StreamParallelType off, other script text".
 *
 * Returns: (transfer full): "" if none differ
 */
char *hir_run_dup_differences (const HirRequest *request,
                               const HirRunSettings *settings,
                               const HirRequest *other,
                               const HirRunSettings *other_settings);

G_END_DECLS
