/* A lowered or printed program under a debugger. */
#pragma once

#include "program/program.h"
#include "program/run-settings.h"
#include "debugger/debugger.h"

G_BEGIN_DECLS

typedef struct _HirDebugProgram HirDebugProgram;

/* One run, warm-ups and repeats left out. @recorder: nullable; it must outlive it, and
 * records once (hir_recorder_set_once()): what is run again adds what was not there yet.
 * Errors: as of hir_run_job(), where the program can't be run. */
HirDebugProgram *hir_debug_program_new (HirProgram *program,
                                        const HirRunSettings *settings,
                                        HirRecorder *recorder,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_debug_program_free (HirDebugProgram *debug);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDebugProgram, hir_debug_program_free)

/* Borrowed; looks at the request's rank. */
HirDebugger *hir_debug_program_get_debugger (HirDebugProgram *debug);

G_END_DECLS
