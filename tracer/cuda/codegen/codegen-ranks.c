/* Kernel that reduces the contributions of the ranks of a team. */
#include "cuda/codegen/codegen-private.h"

char *
hir_codegen_rank_reduction (HirDType dtype, HirBinaryOp op, const char *name)
{
  const char *memory = hir_gen_memory_type (dtype);
  HirComputeClass klass = hir_compute_class_for (&dtype, 1, dtype, FALSE);
  const char *type = hir_gen_class_type (klass);
  g_autofree char *sum = hir_gen_binary (klass, op, "total", "next");
  g_autofree char *own = hir_gen_from_memory (dtype, "own[e]");
  g_autofree char *other = hir_gen_from_memory (dtype, "others[k * n + e]");
  g_autofree char *rounded = NULL;
  g_autofree char *stored = NULL;

  if (memory == NULL || sum == NULL)
    return NULL;
  rounded = hir_gen_from_class (klass, dtype, "total");
  stored = hir_gen_to_memory (dtype, rounded);
  return g_strdup_printf (
      "HIR_FN %s ranks_get (const %s *own, const %s *others, long long n, long long e, int rank,\n"
      "                     int place)\n"
      "{\n"
      "  const long long k = rank > place ? rank - 1 : rank;\n"
      "  return rank == place ? (%s) (%s) : (%s) (%s);\n"
      "}\n"
      "HIR_KERNEL void\n%s (%s *out, const %s *own, const %s *others, long long n, int n_ranks,\n"
      "    int place)\n"
      "{\n"
      "  const long long step = (long long) HIR_GRID * %d;\n"
      "  for (long long e = (long long) HIR_BID * %d + HIR_TID; e < n; e += step)\n"
      "    {\n"
      "      %s total = ranks_get (own, others, n, e, 0, place);\n"
      "      for (int rank = 1; rank < n_ranks; rank++)\n"
      "        {\n"
      "          const %s next = ranks_get (own, others, n, e, rank, place);\n"
      "          total = %s;\n"
      "        }\n"
      "      out[e] = %s;\n"
      "    }\n"
      "}\n",
      type, memory, memory, type, own, type, other, name, memory, memory, memory,
      HIR_RANKS_BLOCK_THREADS, HIR_RANKS_BLOCK_THREADS, type, type, sum, stored);
}
