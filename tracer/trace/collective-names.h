/* Names of collectives and of their data types in PyTorch, NCCL, NCCL's profiler plugin and
 * nvFuser.
 */
#pragma once

#include "dtype.h"

G_BEGIN_DECLS

typedef enum
{
  HIR_COLLECTIVE_OTHER,
  HIR_COLLECTIVE_ALL_REDUCE,
  HIR_COLLECTIVE_ALL_GATHER,
  HIR_COLLECTIVE_REDUCE_SCATTER,
  HIR_COLLECTIVE_ALL_TO_ALL,
  HIR_COLLECTIVE_BROADCAST,
  HIR_COLLECTIVE_REDUCE,
  HIR_COLLECTIVE_GATHER,
  HIR_COLLECTIVE_SCATTER,
  HIR_COLLECTIVE_BARRIER,
  HIR_COLLECTIVE_SEND_RECV, /* also a permutation */
  HIR_COLLECTIVE_SEND,
  HIR_COLLECTIVE_RECV,
} HirCollectiveKind;

/* Returns the kind of an operation: "_allgather_base", "c10d::all_reduce_", "ncclReduceScatter",
 * "ncclDevKernel_AllReduce_Sum_f32", "AllToAll". */
HirCollectiveKind hir_collective_get_kind (const char *op);
/* Returns PyTorch's name of @dtype ("BFloat16"), or "Byte" if PyTorch has none. */
const char *hir_collective_get_dtype_name (HirDType dtype);
/* Returns the size in bytes of the data type @name ("BFloat16", "torch.float8_e5m2",
 * "ncclBfloat16"), or 0 if it is unknown. Sets *@dtype, to HIR_DTYPE_NULL if it has no such type.
 */
guint hir_collective_lookup_dtype (const char *name, HirDType *dtype);

G_END_DECLS
