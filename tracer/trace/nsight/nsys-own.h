/* Databases that hir_export_nsight_file() wrote, read back as they were. */
#pragma once

#include "trace/nsight/nsys-db.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* Whether @db is one. */
gboolean hir_nsys_own_is (HirNsysDb *db);
/* Adds all of it to @builder. Errors: as hir_import_nsys(). */
gboolean hir_nsys_own_read (HirNsysDb *db, HirTraceBuilder *builder, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
