/* Classes of ATen ops, kernels and calls, by their names. Kernels of libraries change their names
 * with shape, device and version, so only parts of names count. */
#include <string.h>

#include "join/join-private.h"

typedef struct
{
  const char *name;
  HirJoinClass class;
} Named;

/* Without a trailing "_" of the form that writes its operand. */
static const Named ops[] = {
  { "matmul", HIR_JOIN_MATMUL },
  { "mm", HIR_JOIN_MATMUL },
  { "bmm", HIR_JOIN_MATMUL },
  { "mv", HIR_JOIN_MATMUL },
  { "dot", HIR_JOIN_MATMUL },
  { "vdot", HIR_JOIN_MATMUL },
  { "inner", HIR_JOIN_MATMUL },
  { "linear", HIR_JOIN_MATMUL },
  { "addmm", HIR_JOIN_MATMUL },
  { "addmv", HIR_JOIN_MATMUL },
  { "addbmm", HIR_JOIN_MATMUL },
  { "baddbmm", HIR_JOIN_MATMUL },
  { "einsum", HIR_JOIN_MATMUL },
  { "_addmm_activation", HIR_JOIN_MATMUL },
  { "copy", HIR_JOIN_COPY },
  { "clone", HIR_JOIN_COPY },
  { "contiguous", HIR_JOIN_COPY },
  { "to", HIR_JOIN_COPY },
  { "_to_copy", HIR_JOIN_COPY },
  { "cat", HIR_JOIN_COPY },
  { "stack", HIR_JOIN_COPY },
  { "type_as", HIR_JOIN_COPY },
  { "sum", HIR_JOIN_REDUCE },
  { "amax", HIR_JOIN_REDUCE },
  { "amin", HIR_JOIN_REDUCE },
  { "max", HIR_JOIN_REDUCE },
  { "min", HIR_JOIN_REDUCE },
  { "prod", HIR_JOIN_REDUCE },
  { "mean", HIR_JOIN_REDUCE },
  { "any", HIR_JOIN_REDUCE },
  { "all", HIR_JOIN_REDUCE },
  { "var", HIR_JOIN_REDUCE },
  { "std", HIR_JOIN_REDUCE },
  { "norm", HIR_JOIN_REDUCE },
  { "logsumexp", HIR_JOIN_REDUCE },
  { "argmax", HIR_JOIN_REDUCE },
  { "argmin", HIR_JOIN_REDUCE },
  { "zero", HIR_JOIN_FILL },
  { "zeros", HIR_JOIN_FILL },
  { "zeros_like", HIR_JOIN_FILL },
  { "ones", HIR_JOIN_FILL },
  { "ones_like", HIR_JOIN_FILL },
  { "fill", HIR_JOIN_FILL },
  { "full", HIR_JOIN_FILL },
  { "full_like", HIR_JOIN_FILL },
  { "new_zeros", HIR_JOIN_FILL },
  { "empty", HIR_JOIN_ALLOCATION },
  { "empty_strided", HIR_JOIN_ALLOCATION },
  { "empty_like", HIR_JOIN_ALLOCATION },
  { "new_empty", HIR_JOIN_ALLOCATION },
  { "new_empty_strided", HIR_JOIN_ALLOCATION },
  { "select", HIR_JOIN_VIEW },
  { "view", HIR_JOIN_VIEW },
  { "as_strided", HIR_JOIN_VIEW },
  { "slice", HIR_JOIN_VIEW },
  { "narrow", HIR_JOIN_VIEW },
  { "split", HIR_JOIN_VIEW },
  { "chunk", HIR_JOIN_VIEW },
  { "reshape", HIR_JOIN_VIEW },
  { "permute", HIR_JOIN_VIEW },
  { "transpose", HIR_JOIN_VIEW },
  { "t", HIR_JOIN_VIEW },
  { "expand", HIR_JOIN_VIEW },
  { "expand_as", HIR_JOIN_VIEW },
  { "broadcast_to", HIR_JOIN_VIEW },
  { "squeeze", HIR_JOIN_VIEW },
  { "unsqueeze", HIR_JOIN_VIEW },
  { "movedim", HIR_JOIN_VIEW },
  { "flatten", HIR_JOIN_VIEW },
  { "unflatten", HIR_JOIN_VIEW },
  { "unbind", HIR_JOIN_VIEW },
  { "alias", HIR_JOIN_VIEW },
  { "detach", HIR_JOIN_VIEW },
  { "_unsafe_view", HIR_JOIN_VIEW },
  { "resize", HIR_JOIN_VIEW },
  { "view_as", HIR_JOIN_VIEW },
  { "item", HIR_JOIN_UNKNOWN },
  { "_local_scalar_dense", HIR_JOIN_UNKNOWN },
};

HirJoinClass
hir_join_classify_op (const char *op)
{
  gsize length = strlen (op);

  if (length > 1 && op[length - 1] == '_')
    length--;
  for (guint i = 0; i < G_N_ELEMENTS (ops); i++)
    if (strncmp (op, ops[i].name, length) == 0 && ops[i].name[length] == '\0')
      return ops[i].class;
  return HIR_JOIN_ELEMENTWISE;
}

HirJoinClass
hir_join_classify_kernel (const char *name)
{
  static const Named parts[] = {
    { "nvfuser_", HIR_JOIN_FUSED },
    { "nccl", HIR_JOIN_COMM },
    { "splitK", HIR_JOIN_MATMUL },
    { "splitk", HIR_JOIN_MATMUL },
    { "gemm", HIR_JOIN_MATMUL },
    { "GEMM", HIR_JOIN_MATMUL },
    { "nvjet", HIR_JOIN_MATMUL },
    { "cutlass", HIR_JOIN_MATMUL },
    { "gemv", HIR_JOIN_MATMUL },
    { "dot_kernel", HIR_JOIN_MATMUL },
    { "reduce_1Block_kernel", HIR_JOIN_MATMUL },
    { "matmul", HIR_JOIN_MATMUL },
    { "Cijk_", HIR_JOIN_MATMUL },
    { "FillFunctor", HIR_JOIN_FILL },
    { "CatArrayBatchedCopy", HIR_JOIN_COPY },
    { "copy_kernel", HIR_JOIN_COPY },
    { "copy_device_to_device", HIR_JOIN_COPY },
    { "Memcpy", HIR_JOIN_COPY },
    { "Memset", HIR_JOIN_FILL },
    { "reduce_kernel", HIR_JOIN_REDUCE },
    { "elementwise_kernel", HIR_JOIN_ELEMENTWISE },
  };

  for (guint i = 0; i < G_N_ELEMENTS (parts); i++)
    if (strstr (name, parts[i].name) != NULL)
      return parts[i].class;
  return HIR_JOIN_UNKNOWN;
}

static gboolean
has_prefix (const char *name, const char *const *prefixes)
{
  for (guint i = 0; prefixes[i] != NULL; i++)
    if (g_str_has_prefix (name, prefixes[i]))
      return TRUE;
  return FALSE;
}

HirJoinCall
hir_join_classify_call (const char *name)
{
  static const char *const records[] = { "EventRecord", NULL };
  static const char *const waits[] = { "StreamWaitEvent", NULL };
  static const char *const graphs[] = { "GraphLaunch", NULL };
  static const char *const begins[] = { "StreamBeginCapture", NULL };
  static const char *const ends[] = { "StreamEndCapture", NULL };
  static const char *const launches[] = { "Launch", "ModuleLaunch", "ExtModuleLaunch", NULL };
  static const char *const copies[] = { "Memcpy", NULL };
  static const char *const fills[] = { "Memset", NULL };

  if (g_str_has_prefix (name, "cuda"))
    name += 4;
  else if (g_str_has_prefix (name, "cu") && g_ascii_isupper (name[2]))
    name += 2;
  else if (g_str_has_prefix (name, "hip") && g_ascii_isupper (name[3]))
    name += 3;
  else
    return HIR_JOIN_CALL_OTHER;
  if (g_str_has_prefix (name, "LaunchHostFunc"))
    return HIR_JOIN_CALL_OTHER;
  return has_prefix (name, records)    ? HIR_JOIN_CALL_RECORD
         : has_prefix (name, waits)    ? HIR_JOIN_CALL_WAIT
         : has_prefix (name, graphs)   ? HIR_JOIN_CALL_GRAPH
         : has_prefix (name, begins)   ? HIR_JOIN_CALL_BEGIN_CAPTURE
         : has_prefix (name, ends)     ? HIR_JOIN_CALL_END_CAPTURE
         : has_prefix (name, launches) ? HIR_JOIN_CALL_LAUNCH
         : has_prefix (name, copies)   ? HIR_JOIN_CALL_COPY
         : has_prefix (name, fills)    ? HIR_JOIN_CALL_FILL
                                       : HIR_JOIN_CALL_OTHER;
}

const char *
hir_join_lookup_op (const char *name)
{
  return g_str_has_prefix (name, "aten::") ? name + 6 : NULL;
}

gboolean
hir_join_is_comm_op (const char *name)
{
  return g_str_has_prefix (name, "c10d::") || strcmp (name, "record_param_comms") == 0 ||
         g_str_has_prefix (name, "nccl:");
}

/* Returns the number after @prefix in @name, or -1. */
static int
get_number_after (const char *name, const char *prefix)
{
  const char *at = strstr (name, prefix);
  gsize length = strlen (prefix);

  while (at != NULL && !g_ascii_isdigit (at[length]))
    at = strstr (at + length, prefix);
  return at != NULL ? (int) MIN (g_ascii_strtoull (at + length, NULL, 10), G_MAXINT) : -1;
}

int
hir_join_get_host_unit (const char *name)
{
  return get_number_after (name, "HostUnit");
}

HirJoinClass
hir_join_classify_range (const char *name)
{
  static const char dispatch[] = "HostIrEvaluator::dispatch ";
  static const Named kinds[] = {
    { "MatmulOp", HIR_JOIN_MATMUL },         { "LinearOp", HIR_JOIN_MATMUL },
    { "LoadStoreOp", HIR_JOIN_COPY },        { "BinaryOp", HIR_JOIN_ELEMENTWISE },
    { "UnaryOp", HIR_JOIN_ELEMENTWISE },     { "TernaryOp", HIR_JOIN_ELEMENTWISE },
    { "ReductionOp", HIR_JOIN_REDUCE },      { "Communication", HIR_JOIN_COMM },
    { "P2PCommunication", HIR_JOIN_COMM },   { "hir::EndCoalescing", HIR_JOIN_COMM },
    { "hir::LaunchKernel", HIR_JOIN_FUSED }, { "hir::PostOnStream", HIR_JOIN_FUSED },
  };

  if (hir_join_get_group (name) >= 0 || hir_join_get_host_unit (name) >= 0)
    return HIR_JOIN_FUSED;
  for (guint i = 0; i < G_N_ELEMENTS (kinds) && g_str_has_prefix (name, dispatch); i++)
    if (strcmp (name + strlen (dispatch), kinds[i].name) == 0)
      return kinds[i].class;
  return HIR_JOIN_UNKNOWN;
}

int
hir_join_get_group (const char *name)
{
  const char *kernel = strstr (name, "nvfuser_");

  return kernel != NULL ? get_number_after (kernel, "_g") : -1;
}
