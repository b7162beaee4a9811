/* Code that the GPU back end generates for a program. */
#pragma once

#include "cuda/kernels.h"
#include "program/program.h"

G_BEGIN_DECLS

/**
 * hir_program_new_kernels:
 *
 * Generates the kernels of the displayed rank of @program, with the inputs of its request. Needs no
 * GPU. Blocks; any thread.
 *
 * Returns: (transfer full): array of HirKernels*, see hir_kernels_new_for_program(). NULL and
 *   @error if there is no host program to generate code for, or if it cannot be evaluated
 */
GPtrArray *hir_program_new_kernels (HirProgram *program,
                                    GCancellable *cancellable,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * hir_program_append_kernel_file:
 * @kernels: result of hir_program_new_kernels()
 * @expr: (nullable): an instruction; NULL: all
 *
 * Appends a CUDA C file that nvcc compiles, with the launch configurations in comments.
 */
void hir_program_append_kernel_file (HirProgram *program,
                                     const GPtrArray *kernels,
                                     const HirExpr *expr,
                                     GString *text);

G_END_DECLS
