/* What carries a run out, as its settings choose: the CPU, or the GPUs of this machine with what
 * records them. */
#pragma once

#include "program/run-settings.h"
#include "run/mpi/mpi-module.h"
#include "trace/recording/recording.h"

G_BEGIN_DECLS

typedef struct _HirRunEngine HirRunEngine;

/* @recorder: nullable, nothing is recorded; must outlive the engine. @must_record: a GPU whose work
 * can't be recorded is an error; else it runs unrecorded and says so, see the warning. Errors:
 * HIR_ERROR_UNSUPPORTED, what this machine lacks for it. */
HirRunEngine *hir_run_engine_new (const HirRunSettings *settings,
                                  HirRecorder *recorder,
                                  gboolean must_record,
                                  HirMpiModule *mpi,
                                  GError **error);
/* The session must be gone. NULL is allowed. */
void hir_run_engine_free (HirRunEngine *engine);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirRunEngine, hir_run_engine_free)

/* NULL where @backend may be had on this machine, as far as can be told without starting it; else
 * what is missing, newly allocated. */
char *hir_run_engine_dup_missing (HirBackendKind backend);

/* Library @i of those that GPUs need, opened as a run would: its name, and version and place or
 * what to install (newly allocated). FALSE past the last. */
gboolean
hir_run_engine_describe_library (guint i, const char **label, char **text, gboolean *found);

/* For HirRunOptions; NULL: the CPU. Borrowed. */
HirBackendProvider *hir_run_engine_get_provider (HirRunEngine *engine);
/* The recorder has its sinks: events may come. */
void hir_run_engine_begin (HirRunEngine *engine);
/* The program has ended, the session is still there: all events are with the recorder. */
void hir_run_engine_finish (HirRunEngine *engine);
/* Nullable: a line for the user. Borrowed. */
const char *hir_run_engine_get_warning (HirRunEngine *engine);
/* After the finish: what the recording lacks, a line each. Nullable. */
char **hir_run_engine_dup_account (HirRunEngine *engine);
/* After the finish: account and meta of what recorded. */
gboolean hir_run_engine_write (HirRunEngine *engine, HirRecordingWriter *writer, GError **error);

G_END_DECLS
