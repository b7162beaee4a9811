/* Traces of any kind, from files: recordings, SQLite exports of Nsight Systems, and Chrome or Kineto
 * JSON, gzip too, of one rank or of several. */
#pragma once

#include "trace/load-progress.h"

G_BEGIN_DECLS

/* One trace of all @paths (NULL-terminated, at least one). Several must be JSON, one a rank: the
 * rank is what the file says (distributedInfo), else what its name says ("rank3"), else its place;
 * their times are those of the machines' clocks (baseTimeNanoseconds), bettered by the collectives
 * that they share (trace/align.h). @options: nullable. What was repaired or left out stands in the
 * trace's account. Errors: HIR_ERROR_INPUT naming the file and the place, HIR_ERROR_LIMIT with how
 * much was loaded, HIR_ERROR_CANCELLED. */
HirTrace *hir_trace_open (const char *const *paths,
                          const HirImportOptions *options,
                          GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Whether the file at @path begins as a trace that hir_trace_open() reads. FALSE where it can't be
 * read. */
gboolean hir_trace_sniff (const char *path);
/* Whether it begins as one of those that hir_trace_open() may read several of at once, a rank each. */
gboolean hir_trace_sniff_json (const char *path);

G_END_DECLS
