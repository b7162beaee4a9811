/* Opening and saving recordings: how a program, a request and a trace lie in a .hirs. */
#pragma once

#include "program/rank-programs.h"
#include "trace/load/import.h"
#include "trace/recording/recording.h"

G_BEGIN_DECLS

/* A recording as a program and a trace. */
typedef struct
{
  HirProgram *program; /* never NULL; its views may be empty, its request NULL */
  HirRankPrograms *ranks; /* never NULL */
  HirTrace *trace;     /* never NULL; may be empty */
} HirOpened;

void hir_opened_free (HirOpened *opened);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirOpened, hir_opened_free)
/* What was read by now, borrowed; in a thread of its own. Its program and ranks are those that there are at the end. */
typedef void (*HirOpenedFunc) (const HirOpened *opened, gpointer user_data);
/* A recording, or one trace of all @paths (NULL-terminated, at least one), as hir_trace_open(). Blocks; any
 * thread. @options: nullable; its picture is not called, but @picture (nullable) with options->user_data. Errors: as
 * hir_recording_open() and hir_trace_open(). */
HirOpened *hir_opened_new_from (const char *const *paths,
                                const HirImportOptions *options,
                                HirOpenedFunc picture,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* The same of one file. */
HirOpened *hir_opened_new (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Source, options and snapshots into a recording that has just been begun; also those of ranks whose
 * programs differ, which are lowered for it where they can be. Blocks. */
gboolean hir_program_write (HirProgram *program, HirRecordingWriter *writer, GError **error)
    G_GNUC_WARN_UNUSED_RESULT;
/* A whole recording of @program, @ranks (nullable: lowered for it) and @trace (nullable), or none: what is at
 * @path stays until then. Blocks; any thread. @watch: nullable. */
gboolean hir_program_save (HirProgram *program,
                           HirRankPrograms *ranks,
                           HirTrace *trace,
                           const char *path,
                           HirExportProgress *watch,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
