/* Opens and saves recordings: a program, its request and a trace in a .hirs file. */
#pragma once

#include "program/rank-programs.h"
#include "trace/load/import.h"
#include "trace/recording/recording.h"

G_BEGIN_DECLS

/* A recording as a program and a trace. */
typedef struct
{
  HirProgram *program;    /* never NULL; may have no views and a NULL request */
  HirRankPrograms *ranks; /* never NULL */
  HirTrace *trace;        /* never NULL; may be empty */
} HirOpened;

/* Frees @opened (nullable). */
void hir_opened_free (HirOpened *opened);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirOpened, hir_opened_free)
/* Receives the part that has been read so far (borrowed), on the reading thread. Program and ranks
 * are already final. */
typedef void (*HirOpenedFunc) (const HirOpened *opened, gpointer user_data);
/**
 * hir_opened_new_from:
 * @paths: (array zero-terminated=1): a recording, or traces of other profilers
 * @options: (nullable): options->picture is ignored
 * @picture: (nullable): called with options->user_data for partial results
 *
 * Opens a recording, or one trace from all @paths; see hir_trace_open(). Blocks; any thread.
 *
 * Returns: (transfer full): NULL and sets the error of hir_recording_open() or hir_trace_open()
 */
HirOpened *hir_opened_new_from (const char *const *paths,
                                const HirImportOptions *options,
                                HirOpenedFunc picture,
                                GError **error) G_GNUC_WARN_UNUSED_RESULT;
/* Like hir_opened_new_from(), but opens one file without options. */
HirOpened *hir_opened_new (const char *path, GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Returns a short line for an instruction of the last snapshot (borrowed), or NULL. */
const char *hir_program_lookup_label (const HirProgram *program, guint64 instruction);

/* Writes the source, options and snapshots to a new recording, including the snapshots of ranks
 * with different programs, which are lowered if possible. Blocks. */
gboolean hir_program_write (HirProgram *program,
                            HirRecordingWriter *writer,
                            GError **error) G_GNUC_WARN_UNUSED_RESULT;
/**
 * hir_program_save:
 * @ranks: (nullable): programs of the other ranks; NULL: they are lowered
 * @trace: (nullable)
 * @progress: (nullable): progress and cancellation
 *
 * Writes a complete recording. An existing file at @path is replaced only on success. Blocks; any
 * thread.
 */
gboolean hir_program_save (HirProgram *program,
                           HirRankPrograms *ranks,
                           HirTrace *trace,
                           const char *path,
                           HirExportProgress *progress,
                           GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
