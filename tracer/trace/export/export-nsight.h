/* A trace as an SQLite database with the tables and columns of an Nsight Systems export, so that
 * people's queries and scripts for those work on it. */
#pragma once

#include "trace/export-progress.h"
#include "trace/trace.h"

G_BEGIN_DECLS

/* Kernels and communications, copies, memsets, waits, launches and other host work each in their
 * table; a rank is a process. What Nsight has no column for stands in columns of ours, that begin
 * with "hir", and in the tables HIRSCOPE_COUNTERS, HIRSCOPE_TRACKS, HIRSCOPE_MEETINGS, HIRSCOPE_META and
 * HIRSCOPE_ACCOUNT: hir_import_nsys() reads the trace back as it was. Takes the place of @path when
 * it is done. @watch: nullable. Errors: HIR_ERROR_RUN and HIR_ERROR_CANCELLED, naming the path. */
gboolean
hir_export_nsight_file (const HirTrace *trace, const char *path, HirExportProgress *watch, GError **error);

/* What is to be said of that file: what of @trace Nsight has no table for, and where it stands. NULL where there is
 * nothing. */
char *hir_export_nsight_dup_note (const HirTrace *trace);

G_END_DECLS
