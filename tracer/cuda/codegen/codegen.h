/* Generates CUDA C for the ops of an instruction. NVRTC compiles it for a GPU; tests use a C
 * compiler. Sizes, strides and types are constants in the text. Addresses and scalars are
 * arguments, so that every iteration of a loop can use the same kernel.
 *
 * A HostUnit becomes one kernel if possible: a chain of pointwise ops and copies, or reductions
 * over the same axes of the same shape together with their producers and consumers. Values that
 * only the kernel reads stay in registers. Otherwise the unit becomes several launches, named
 * HostUnit0_pointwise_part1 and so on, which pass data through scratch memory. A matmul or linear
 * is always a separate launch. A reduction of many elements to few becomes two kernels; the first
 * one, HostUnit0_sum_pieces, reduces pieces. The order of summation is fixed, so results are
 * deterministic. */
#pragma once

#include "run/op-call.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_ARG_OPERAND, /* address of an operand's element 0 */
  HIR_ARG_SCRATCH, /* address in scratch memory */
  HIR_ARG_DOUBLE,  /* value of a scalar operand */
  HIR_ARG_INT,     /* value of a scalar operand, as a 64-bit integer */
} HirKernelArgKind;

/* Operand numbers other than the index of an input. */
#define HIR_OPERAND_OUTPUT -1
#define HIR_OPERAND_FILL -2
#define HIR_OPERAND_STEP -3
#define HIR_OPERAND_PIECES -4 /* partial results of a reduction, in scratch memory */

typedef struct
{
  HirKernelArgKind kind;
  guint call;         /* index in the calls of the instruction */
  int operand;        /* index of an input, or HIR_OPERAND_* */
  guint scratch;      /* index of the scratch buffer */
  gsize offset_bytes; /* within the scratch buffer */
} HirKernelArg;

typedef enum
{
  HIR_PART_KERNEL,
  HIR_PART_MATMUL, /* product for a library; args are the inputs, then the output */
} HirUnitPartKind;

/* One launch. */
typedef struct
{
  HirUnitPartKind kind;
  char *name;
  char *source;       /* of a KERNEL, without the prelude; otherwise NULL */
  GArray *args;       /* HirKernelArg */
  guint grid, block;  /* number of blocks, threads per block */
  guint vector;       /* elements per load and store of a KERNEL; 1: not vectorized */
  gsize shared_bytes; /* static shared memory per block */
  guint call;         /* index of the call of a MATMUL */
} HirUnitPart;

void hir_unit_part_free (HirUnitPart *part);

typedef struct
{
  GPtrArray *parts; /* HirUnitPart* */
  GArray *scratch;  /* gsize: size of each scratch buffer in bytes */
} HirUnitCode;

typedef struct
{
  guint block_threads; /* a power of two, at most 1024 */
  guint max_blocks;    /* largest grid; kernels loop over the rest */
  /* A reduction that would occupy at most half of enough_blocks is split into pieces of at least
   * min_piece elements, if there are enough elements for 4 pieces. min_piece 0: never split. */
  guint enough_blocks, min_piece;
  /* Nullable. Returns TRUE if a library computes the product. Other products become kernels with
   * one thread per element. */
  gboolean (*library_takes) (const HirOpCall *call);
} HirCodegenOptions;

/* Generates the launches for @calls, which run in order, for the current shapes of their values.
 * Buffers without memory are internal to the unit. @name is the prefix of the kernel names. Returns
 * NULL and sets HIR_ERROR_RUN if the shapes of a call do not match or its type has no such op, and
 * HIR_ERROR_UNSUPPORTED if no kernel can be generated for a call. Any thread. */
HirUnitCode *hir_codegen_unit (HirOpCall *const *calls,
                               guint n,
                               const char *name,
                               const HirCodegenOptions *options,
                               GError **error);
void hir_unit_code_free (HirUnitCode *code);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirUnitCode, hir_unit_code_free)

/* Threads per block of the kernel below. */
#define HIR_RANKS_BLOCK_THREADS 256
/* Returns the source (newly allocated) of a kernel that reduces @n_ranks contributions of n
 * elements each, in the order of the ranks and as hir_comm_reduce() does on the CPU, so that the
 * bits are equal:
 *
 *   NAME (T *out, const T *own, const T *others, long long n, int n_ranks, int place)
 *
 * The contribution of rank @place is at @own, which may equal @out; the others follow each other at
 * @others. If @place is @n_ranks, all are there. Returns NULL if the type has no such op. */
char *hir_codegen_rank_reduction (HirDType dtype, HirBinaryOp op, const char *name);

/* Returns the text that precedes the source of every GPU kernel: macros, conversions, and functions
 * that kernels call. */
const char *hir_codegen_get_device_prelude (void);
/* Returns the functions of the prelude, which are plain C. A C compiler must first see the macros
 * HIR_KERNEL, HIR_FN, HIR_RESTRICT, HIR_SHARED, HIR_ALIGN(n), HIR_TID, HIR_BID, HIR_GRID,
 * HIR_SYNC(), HIR_INF and the functions hir_{from,to}_{half,bfloat16}() and hir_signbit{,f}(). */
const char *hir_codegen_get_functions (void);

G_END_DECLS
