/* A lowered or printed program under a debugger. */
#pragma once

#include "debugger/debugger.h"
#include "program/program.h"
#include "program/run-settings.h"

G_BEGIN_DECLS

typedef struct _HirDebugProgram HirDebugProgram;

/**
 * hir_debug_program_new:
 * @recorder: (nullable): must outlive the result, and must have hir_recorder_set_once() set, so
 *   that replays add only new events
 *
 * Creates a debugger for @program: one repetition, no warm-ups.
 *
 * Returns: (transfer full): NULL and sets @error if the program cannot run; see hir_run_job()
 */
HirDebugProgram *hir_debug_program_new (HirProgram *program,
                                        const HirRunSettings *settings,
                                        HirRecorder *recorder,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;
void hir_debug_program_free (HirDebugProgram *debug);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirDebugProgram, hir_debug_program_free)

/* Returns the debugger (borrowed). Initially it displays the rank of the request. */
HirDebugger *hir_debug_program_get_debugger (HirDebugProgram *debug);

G_END_DECLS
