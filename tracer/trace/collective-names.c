#include "trace/collective-names.h"

#include <string.h>

#define MAX_NAME 64

/* Copies @name in lower case, without underscores and other punctuation. */
static void
simplify (const char *name, char plain[MAX_NAME])
{
  guint n = 0;

  for (; *name != '\0' && n + 1 < MAX_NAME; name++)
    if (g_ascii_isalnum (*name))
      plain[n++] = g_ascii_tolower (*name);
  plain[n] = '\0';
}

/* Returns the rest of @text after one of the @prefixes, or @text. */
static const char *
skip_prefix (const char *text, const char *const *prefixes)
{
  for (guint i = 0; prefixes[i] != NULL; i++)
    if (g_str_has_prefix (text, prefixes[i]))
      return text + strlen (prefixes[i]);
  return text;
}

/* --- operations ------------------------------------------------------------------------------- */

/* By the start of the simplified name, longer names before their own starts. */
static const struct
{
  const char *start;
  HirCollectiveKind kind;
} kinds[] = {
  { "allreduce", HIR_COLLECTIVE_ALL_REDUCE },
  { "allgather", HIR_COLLECTIVE_ALL_GATHER },
  { "reducescatter", HIR_COLLECTIVE_REDUCE_SCATTER },
  { "alltoall", HIR_COLLECTIVE_ALL_TO_ALL },
  { "broadcast", HIR_COLLECTIVE_BROADCAST },
  { "bcast", HIR_COLLECTIVE_BROADCAST },
  { "reduce", HIR_COLLECTIVE_REDUCE },
  { "gather", HIR_COLLECTIVE_GATHER },
  { "scatter", HIR_COLLECTIVE_SCATTER },
  { "barrier", HIR_COLLECTIVE_BARRIER },
  { "sendrecv", HIR_COLLECTIVE_SEND_RECV },
  { "collectivepermute", HIR_COLLECTIVE_SEND_RECV },
  { "send", HIR_COLLECTIVE_SEND },
  { "isend", HIR_COLLECTIVE_SEND },
  { "recv", HIR_COLLECTIVE_RECV },
  { "irecv", HIR_COLLECTIVE_RECV },
};

static gboolean
lookup_kind (const char *plain, HirCollectiveKind *kind)
{
  for (guint i = 0; i < G_N_ELEMENTS (kinds); i++)
    if (g_str_has_prefix (plain, kinds[i].start))
      {
        *kind = kinds[i].kind;
        return TRUE;
      }
  return FALSE;
}

/* Returns the start of the last part of "c10d::allreduce_" and "torch.distributed.all_reduce". The
 * number of "all-reduce.1" is none. */
static const char *
skip_scope (const char *op)
{
  const char *last = op;

  for (const char *p = op; *p != '\0'; p++)
    if (*p == ':' || (*p == '.' && g_ascii_isalpha (p[1])))
      last = p + 1;
  return last;
}

HirCollectiveKind
hir_collective_get_kind (const char *op)
{
  static const char *const libraries[] = { "nccl", "rccl",   "hccl", "xccl", "oneccl",
                                           "ccl",  "ragged", "hcom", "mpii", NULL };
  static const char *const kernels[] = { "devkernel",    "kernel",    "symkdevkernel",
                                         "symdevkernel", "symkernel", NULL };
  static const char *const mpi[] = { "mpi", NULL };
  HirCollectiveKind kind;
  char simple[MAX_NAME];

  simplify (skip_scope (op), simple);
  if (lookup_kind (simple, &kind) ||
      lookup_kind (skip_prefix (skip_prefix (simple, libraries), kernels), &kind) ||
      lookup_kind (skip_prefix (simple, mpi), &kind))
    return kind;
  return HIR_COLLECTIVE_OTHER;
}

/* --- data types ------------------------------------------------------------------------------- */

/* PyTorch's names (c10/core/ScalarType.h). */
static const struct
{
  const char *name;
  HirDType dtype;
  guint size_bytes;
} dtypes[] = {
  { "Byte", HIR_DTYPE_BYTE, 1 },
  { "Bool", HIR_DTYPE_BOOL, 1 },
  { "Double", HIR_DTYPE_DOUBLE, 8 },
  { "Float", HIR_DTYPE_FLOAT, 4 },
  { "Half", HIR_DTYPE_HALF, 2 },
  { "BFloat16", HIR_DTYPE_BFLOAT16, 2 },
  { "Char", HIR_DTYPE_CHAR, 1 },
  { "Short", HIR_DTYPE_SHORT, 2 },
  { "Int", HIR_DTYPE_INT32, 4 },
  { "Long", HIR_DTYPE_INT, 8 },
  { "UInt16", HIR_DTYPE_UINT16, 2 },
  { "UInt32", HIR_DTYPE_UINT32, 4 },
  { "UInt64", HIR_DTYPE_UINT64, 8 },
  { "Float8_e4m3fn", HIR_DTYPE_FLOAT8_E4M3FN, 1 },
  { "Float8_e5m2", HIR_DTYPE_FLOAT8_E5M2, 1 },
  { "Float8_e8m0fnu", HIR_DTYPE_FLOAT8_E8M0FNU, 1 },
  { "ComplexFloat", HIR_DTYPE_COMPLEX_FLOAT, 8 },
  { "ComplexDouble", HIR_DTYPE_COMPLEX_DOUBLE, 16 },
  /* Types that Hirscope does not have. */
  { "Float8_e4m3fnuz", HIR_DTYPE_NULL, 1 },
  { "Float8_e5m2fnuz", HIR_DTYPE_NULL, 1 },
  { "Float4_e2m1fn_x2", HIR_DTYPE_NULL, 1 }, /* two numbers */
  { "ComplexHalf", HIR_DTYPE_NULL, 4 },
  { "QInt8", HIR_DTYPE_NULL, 1 },
  { "QUInt8", HIR_DTYPE_NULL, 1 },
  { "QInt32", HIR_DTYPE_NULL, 4 },
  { "QUInt4x2", HIR_DTYPE_NULL, 1 },
  { "QUInt2x4", HIR_DTYPE_NULL, 1 },
  { "Bits1x8", HIR_DTYPE_NULL, 1 },
  { "Bits2x4", HIR_DTYPE_NULL, 1 },
  { "Bits4x2", HIR_DTYPE_NULL, 1 },
  { "Bits8", HIR_DTYPE_NULL, 1 },
  { "Bits16", HIR_DTYPE_NULL, 2 },
};

/* Names of the same types in Python and NCCL, simplified. */
static const struct
{
  const char *name, *pytorch;
} synonyms[] = {
  { "uint8", "Byte" },
  { "int8", "Char" },
  { "int16", "Short" },
  { "int32", "Int" },
  { "int64", "Long" },
  { "float16", "Half" },
  { "fp16", "Half" },
  { "bf16", "BFloat16" },
  { "bfp16", "BFloat16" }, /* HCCL */
  { "float32", "Float" },
  { "fp32", "Float" },
  { "float64", "Double" },
  { "fp64", "Double" },
  { "pred", "Bool" }, /* XLA */
  { "float8e4m3", "Float8_e4m3fn" },
  { "fp8e4m3", "Float8_e4m3fn" },
  { "fp8e5m2", "Float8_e5m2" },
  { "complex32", "ComplexHalf" },
  { "complex64", "ComplexFloat" },
  { "complex128", "ComplexDouble" },
};

const char *
hir_collective_get_dtype_name (HirDType dtype)
{
  if (dtype == HIR_DTYPE_INDEX)
    dtype = HIR_DTYPE_INT;
  for (guint i = 0; dtype != HIR_DTYPE_NULL && i < G_N_ELEMENTS (dtypes); i++)
    if (dtypes[i].dtype == dtype)
      return dtypes[i].name;
  return "Byte";
}

/* Returns the size of types that Hirscope does not have from the number of bits in their names:
 * "f8e3m4", "hif8", "s32". */
static guint
get_size_in_name (const char *plain)
{
  static const guint sizes[] = { 8, 16, 32, 64, 128 };
  const char *digits = plain + strcspn (plain, "0123456789");
  char *end = NULL;
  guint64 n_bits = g_ascii_strtoull (digits, &end, 10);

  if (digits == plain || end == digits || (*end != '\0' && *end != 'e'))
    return 0;
  for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
    if (sizes[i] == n_bits)
      return sizes[i] / 8;
  return 0;
}

guint
hir_collective_lookup_dtype (const char *name, HirDType *dtype)
{
  static const char *const prefixes[] = { "torch", "c10", "nccl", NULL };
  char simple[MAX_NAME], known[MAX_NAME];
  const char *plain;

  simplify (name, simple);
  plain = skip_prefix (simple, prefixes);
  *dtype = HIR_DTYPE_NULL;
  for (guint i = 0; i < G_N_ELEMENTS (synonyms); i++)
    if (g_str_equal (synonyms[i].name, plain))
      {
        simplify (synonyms[i].pytorch, simple);
        plain = simple;
        break;
      }
  for (guint i = 0; i < G_N_ELEMENTS (dtypes); i++)
    {
      simplify (dtypes[i].name, known);
      if (!g_str_equal (known, plain))
        continue;
      *dtype = dtypes[i].dtype;
      return dtypes[i].size_bytes;
    }
  return get_size_in_name (plain);
}
