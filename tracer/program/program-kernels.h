/* Code that the GPU back end generates for a program. */
#pragma once

#include "cuda/kernels.h"
#include "program/program.h"

G_BEGIN_DECLS

/* Like hir_program_ref_lowered(), but also returns NULL with @error if there is no host program. */
HirProgram *hir_program_ref_executable (HirProgram *program,
                                        GCancellable *cancellable,
                                        GError **error) G_GNUC_WARN_UNUSED_RESULT;

/**
 * hir_program_new_kernels:
 * @program: result of hir_program_ref_executable()
 *
 * Generates the kernels of the displayed rank of @program, with the inputs of its request. Needs no
 * GPU. Blocks; any thread.
 *
 * Returns: (transfer full): array of HirKernels*, see hir_kernels_new_for_program(). NULL and
 *   @error if the program cannot be evaluated
 */
GPtrArray *hir_program_new_kernels (HirProgram *program,
                                    GCancellable *cancellable,
                                    GError **error) G_GNUC_WARN_UNUSED_RESULT;

/* Returns the instruction (borrowed) that executes the node @id of the host program: itself, the
 * first one that writes a tensor, or the PostOnStream of the HostUnit that contains the node.
 * Returns NULL if there is none. */
const HirExpr *hir_program_lookup_instruction (HirProgram *program, guint64 id);

/**
 * hir_program_append_kernel_file:
 * @kernels: result of hir_program_new_kernels()
 * @exprs: array of const HirExpr*, instructions; empty: all
 *
 * Appends a CUDA C file that nvcc compiles, with the launch configurations in comments.
 */
void hir_program_append_kernel_file (HirProgram *program,
                                     const GPtrArray *kernels,
                                     const GPtrArray *exprs,
                                     GString *text);

/* Appends the generated code of the instruction @expr, or of all if it is NULL, for display: CUDA C
 * with the launch configurations in comments. Without code, appends a comment that says what is
 * called instead. */
void hir_program_append_kernels (HirProgram *program,
                                 const GPtrArray *kernels,
                                 const HirExpr *expr,
                                 GString *text);

G_END_DECLS
