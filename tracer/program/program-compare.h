/* Compares the runs of two programs. */
#pragma once

#include "analysis/compare.h"
#include "program/document-recording.h"

G_BEGIN_DECLS

/**
 * hir_program_compare:
 * @program: (nullable): the program of @a
 * @a: a trace
 * @b: another one, with its program
 * @ops: (nullable): the ops of the two programs; see hir_program_dup_ops()
 *
 * Compares the device work of two traces like hir_comparison_new(). If one of them is joined, rows
 * have the names of instructions, because the work there has those of kernels. All parameters must
 * outlive the result.
 *
 * Returns: (transfer full): NULL and sets the error of hir_comparison_new()
 */
HirComparison *hir_program_compare (const HirProgram *program,
                                    const HirTrace *a,
                                    const HirOpened *b,
                                    const HirOpTable *ops,
                                    GCancellable *cancellable,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

G_END_DECLS
