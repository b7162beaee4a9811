/* Reads databases written by hir_export_nsight_file() without loss. */
#pragma once

#include "trace/nsight/nsys-db.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* Returns whether Hirscope wrote @db. */
gboolean hir_nsys_own_is (HirNsysDb *db);
/* Adds the whole trace to @builder. Errors: see hir_import_nsys(). */
gboolean hir_nsys_own_read (HirNsysDb *db,
                            HirTraceBuilder *builder,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
