/* Opens traces of any supported format: recordings, SQLite exports of Nsight Systems, and Chrome or
 * Kineto JSON (also gzip) of one or several ranks. */
#pragma once

#include "trace/load-progress.h"

G_BEGIN_DECLS

/* Loads all @paths (NULL-terminated, at least one) as one trace. If there are several, all must be
 * JSON with one rank each, or Nsight exports of one or several ranks.
 *
 * The rank is the one in the file (distributedInfo, MPI_RANKS), otherwise the one in its name
 * ("rank3"), otherwise the index in @paths. Nsight exports of several ranks keep their order. Times
 * use the clocks of the machines (baseTimeNanoseconds, utcEpochNs), corrected by common collectives
 * (trace/align.h). The account of the trace lists what was repaired
 * or omitted.
 *
 * @options: (nullable)
 * Errors: HIR_ERROR_INPUT with the file and the position, HIR_ERROR_LIMIT with the amount that was
 * loaded, HIR_ERROR_CANCELLED. */
HirTrace *hir_trace_open (const char *const *paths,
                          const HirImportOptions *options,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Returns whether hir_trace_open() reads the file at @path as a recording: it starts like one or
 * is named .hirs. Nothing is read from a pipe. */
gboolean hir_trace_is_recording (const char *path);
/* Returns whether the file at @path starts like a trace that hir_trace_open() reads. Returns FALSE
 * if it cannot be read. */
gboolean hir_trace_sniff (const char *path);
/* Returns whether the file is JSON or an Nsight export, so that several files can be opened
 * together. */
gboolean hir_trace_sniff_part (const char *path);

G_END_DECLS
