/* Code that the GPU back end generates for a host program: kernels, and calls of cuBLASLt, with
 * their launch configuration. Works without a GPU: the program is evaluated without data. */
#pragma once

#include "run/session/session.h"

G_BEGIN_DECLS

/* Multiprocessors of the GPU that code is generated for if there is none: an H100 or H200. */
#define HIR_KERNELS_N_SMS 132

/* One launch. */
typedef struct
{
  char *name;
  char *source;    /* CUDA C without the prelude; NULL: a call of cuBLASLt */
  char *config;    /* lines: grid, block, shared memory, vectors; or the matrix product */
  char *arguments; /* lines: the arguments in order */
} HirKernel;

/* Launches of one instruction for one set of shapes. */
typedef struct
{
  guint64 instruction; /* node id */
  char *label;         /* "T5_matmul" */
  gint32 first, last;  /* iterations of the innermost loop; -1 outside of loops */
  guint n;             /* number of executions */
  GPtrArray *kernels;  /* HirKernel*, in launch order */
  char *error;         /* nullable: why no code can be generated */
} HirKernels;

/**
 * hir_kernels_new_for_program:
 * @fusion: see hir_session_new_ranks()
 * @program: host program of @options->rank
 * @n_ranks: number of devices
 * @options: inputs, rank and number of streams are used
 *
 * Generates the code of @program in program order. An instruction that one loop executes with
 * different shapes has several entries. Blocks; any thread.
 *
 * Returns: (transfer full): array of HirKernels*, or NULL with @error if the program cannot be
 *   evaluated, and HIR_ERROR_CANCELLED
 */
GPtrArray *hir_kernels_new_for_program (HirContainer *fusion,
                                        HirContainer *program,
                                        guint n_ranks,
                                        const HirRunOptions *options,
                                        GCancellable *cancellable,
                                        GError **error);

/* Appends the definitions that precede the texts of a file that nvcc compiles. */
void hir_kernels_append_prelude (GString *text);

/**
 * hir_kernels_append_text:
 * @rank: named in the first comment
 * @number: (nullable): number of the last launch of the file, which is increased; NULL for a text
 *   that is only displayed
 *
 * Appends @kernels as CUDA C: the configuration of each launch in comments, then its source. In a
 * file, each launch has a namespace, because types and kernels of different launches share names.
 */
void hir_kernels_append_text (const HirKernels *kernels, int rank, guint *number, GString *text);

G_END_DECLS
