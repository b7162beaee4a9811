/* Implements `check --fix`: inserts the missing synchronization into a program. */
#pragma once

#include "program/program-check.h"
#include "program/program-repair.h"

G_BEGIN_DECLS

/* Changes @program until no synchronization is missing or no further change helps. Starts with
 * @first (nullable) and frees it. If @drops, also removes redundant synchronization. Reports each
 * change, and each fix that is not possible, on standard error. Writes the changed program to
 * @path, reads it from there and checks it: @after gets the result, or NULL if nothing was changed.
 * Returns FALSE and sets @error if @path cannot be written or read. */
gboolean hir_check_fix (HirProgram *program,
                        const HirSyncCheck *check,
                        HirSyncRepair *first,
                        gboolean drops,
                        const char *path,
                        HirSyncCheck **after,
                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
