/* The back end of a run, selected by its settings: the CPU, or the GPUs of this machine and their
 * recorder. */
#pragma once

#include "program/run-settings.h"
#include "run/mpi/mpi-module.h"
#include "trace/recording/recording.h"

G_BEGIN_DECLS

typedef struct _HirRunEngine HirRunEngine;

/**
 * hir_run_engine_new:
 * @recorder: (nullable): must outlive the engine; NULL: records nothing
 * @must_record: whether it is an error if the work of a GPU cannot be recorded; otherwise the run
 *   is not recorded, see hir_run_engine_get_warning()
 * @mpi: (nullable): this process is one rank of an MPI run
 *
 * Returns: (transfer full): NULL and sets HIR_ERROR_UNSUPPORTED if this machine lacks something
 */
HirRunEngine *hir_run_engine_new (const HirRunSettings *settings,
                                  HirRecorder *recorder,
                                  gboolean must_record,
                                  HirMpiModule *mpi,
                                  GError **error);
/* Frees @engine (nullable). The session must already be freed. */
void hir_run_engine_free (HirRunEngine *engine);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRunEngine, hir_run_engine_free)

/* Returns what this machine lacks for @backend (transfer full), or NULL if it may be available.
 * Does not start the back end. */
char *hir_run_engine_dup_missing (HirBackendKind backend);

/**
 * hir_run_engine_describe_library:
 * @i: index of a library that GPU runs use
 * @label: (out): its name
 * @text: (out) (transfer full): its version and path, or what to install
 * @found: (out): whether it can be loaded
 *
 * Loads a library as a run would, and describes it.
 *
 * Returns: FALSE if there are no more libraries
 */
gboolean
hir_run_engine_describe_library (guint i, const char **label, char **text, gboolean *found);

/* Returns the provider for HirRunOptions (borrowed); NULL for the CPU. */
HirBackendProvider *hir_run_engine_get_provider (HirRunEngine *engine);
/* Starts recording. Call after the sinks were added to the recorder. */
void hir_run_engine_begin (HirRunEngine *engine);
/* Passes all events to the recorder. Call after the program has ended and before the session is
 * freed. */
void hir_run_engine_finish (HirRunEngine *engine);
/* Returns a warning for the user (borrowed), one line, or NULL. */
const char *hir_run_engine_get_warning (HirRunEngine *engine);
/* Returns the lines of the account of the recording (transfer full). Call after
 * hir_run_engine_finish(). */
char **hir_run_engine_dup_account (HirRunEngine *engine);
/* Writes the account and the meta values of the GPU recorder. Call after
 * hir_run_engine_finish(). */
gboolean hir_run_engine_write (HirRunEngine *engine, HirRecordingWriter *writer, GError **error);

G_END_DECLS
