/* CUDA C for the ops of an instruction, as text: compiled by NVRTC for a GPU, and by any C compiler
 * for tests. Sizes, strides and types are constants in it; addresses and scalars are arguments, so
 * that the same code serves each iteration of a loop.
 *
 * A HostUnit becomes one kernel where it can: a chain of pointwise ops and copies; reductions over
 * the same axes of the same shape, with what leads to them and what follows, a block (or a thread)
 * a kept element. What only the kernel reads stays in registers. Otherwise it becomes several, in
 * order, named HostUnit0_pointwise_part1 and so on, with scratch memory between them; a product of
 * matrices is always one by itself; so is a reduction of much to little, which is made of two:
 * pieces first, in HostUnit0_sum_pieces. The order of all sums is always the same. */
#pragma once

#include "run/op-call.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_ARG_OPERAND, /* address of an operand's element 0 */
  HIR_ARG_SCRATCH, /* address in scratch memory */
  HIR_ARG_DOUBLE,  /* value of a scalar operand */
  HIR_ARG_INT,     /* the same, as a 64-bit integer */
} HirKernelArgKind;

/* Numbers of operands that are no inputs. */
#define HIR_OPERAND_OUTPUT -1
#define HIR_OPERAND_FILL -2
#define HIR_OPERAND_STEP -3
#define HIR_OPERAND_PIECES -4 /* of a reduction: in scratch memory */

typedef struct
{
  HirKernelArgKind kind;
  guint call;  /* index among the instruction's */
  int operand; /* an input's index, or one of the above */
  guint scratch;
  gsize offset_bytes; /* in the scratch memory */
} HirKernelArg;

typedef enum
{
  HIR_PART_KERNEL,
  HIR_PART_MATMUL, /* a call for a library: args are its inputs, then its output */
} HirUnitPartKind;

/* One launch. */
typedef struct
{
  HirUnitPartKind kind;
  char *name;
  char *source; /* of a kernel, without the prelude */
  GArray *args; /* HirKernelArg */
  guint grid, block;
  guint call; /* of a MATMUL */
} HirUnitPart;

void hir_unit_part_free (HirUnitPart *part);

typedef struct
{
  GPtrArray *parts; /* HirUnitPart* */
  GArray *scratch;  /* gsize: bytes of each */
} HirUnitCode;

typedef struct
{
  guint block_threads; /* a power of two, at most 1024 */
  guint max_blocks;    /* of a grid; kernels loop over the rest */
  /* Reductions that would be the work of less than half of so many blocks are split into pieces of
   * so many elements or more; 0: never. */
  guint enough_blocks, min_piece;
  /* Nullable: which products a library takes; the others are generated, too (a thread an element).
   */
  gboolean (*library_takes) (const HirOpCall *call);
} HirCodegenOptions;

/* @calls in order, with their shapes; buffers without memory are the unit's own.
 * HIR_ERROR_UNSUPPORTED or HIR_ERROR_RUN where there is no such op or the shapes do not fit. Any
 * thread. */
HirUnitCode *hir_codegen_unit (HirOpCall *const *calls,
                               guint n,
                               const char *name,
                               const HirCodegenOptions *options,
                               GError **error);
void hir_unit_code_free (HirUnitCode *code);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (HirUnitCode, hir_unit_code_free)

/* What goes before every kernel's source for a GPU: types, conversions, the functions that kernels
 * call. hir_codegen_get_functions() is the part of it that is plain C; before that a C compiler
 * needs the macros HIR_KERNEL, HIR_FN, HIR_RESTRICT, HIR_SHARED, HIR_ALIGN(n), HIR_TID, HIR_BID,
 * HIR_GRID, HIR_SYNC(), HIR_INF and the conversions hir_{from,to}_{half,bfloat16}(),
 * hir_signbit{,f}(). */
const char *hir_codegen_get_device_prelude (void);
const char *hir_codegen_get_functions (void);

G_END_DECLS
