/* check --fix: the program with the lines that close what is missing. */
#pragma once

#include "program/program-check.h"

G_BEGIN_DECLS

/* Changes @program line by line until nothing is missing or no line helps any more; where @drops,
 * also until nothing is needless. Each change is told on standard error, and what could not be
 * done. What was changed is written to @path and checked as it stands there: *@after, NULL where
 * nothing was changed. FALSE: @path can't be written, or read again. */
gboolean hir_check_fix (HirProgram *program,
                        const HirSyncCheck *check,
                        gboolean drops,
                        const char *path,
                        HirSyncCheck **after,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
