#include "dtype.h"

typedef struct
{
  const char *name;
  const char *script_name;
  const char *short_name;
  const char *prefix;
  gsize size_bytes;
  enum
  {
    NONE,
    BOOL,
    INTEGRAL,
    FLOATING,
    COMPLEX
  } category;
  int rank; /* order of promotion within the category */
  gboolean is_executable;
} Info;

/* Prefixes: docs/host-ir.md#names-and-numbers. Names: docs/host-ir.md#data-types. Script spelling:
 * docs/host-ir.md#enum-spellings. */
static const Info infos[HIR_N_DTYPES] = {
  [HIR_DTYPE_NULL] = { "null_type", "Null", "null", "var", 0, NONE, 0, FALSE },
  [HIR_DTYPE_BOOL] = { "bool", "Bool", "bool", "b", 1, BOOL, 0, TRUE },
  [HIR_DTYPE_DOUBLE] = { "double", "Double", "double", "d", 8, FLOATING, 9, TRUE },
  [HIR_DTYPE_FLOAT] = { "float", "Float", "float", "f", 4, FLOATING, 8, TRUE },
  [HIR_DTYPE_HALF] = { "__half", "Half", "half", "f", 2, FLOATING, 6, TRUE },
  [HIR_DTYPE_BFLOAT16] = { "__bfloat", "BFloat16", "bfloat16", "f", 2, FLOATING, 7, TRUE },
  [HIR_DTYPE_CHAR] = { "int8_t", "Char", "int8", "i", 1, INTEGRAL, 1, TRUE },
  [HIR_DTYPE_SHORT] = { "int16_t", "Short", "int16", "i", 2, INTEGRAL, 3, TRUE },
  [HIR_DTYPE_INT32] = { "int", "Int32", "int32", "i", 4, INTEGRAL, 5, TRUE },
  [HIR_DTYPE_INT] = { "int64_t", "Int", "int64", "i", 8, INTEGRAL, 7, TRUE },
  [HIR_DTYPE_BYTE] = { "uint8_t", "Byte", "uint8", "i", 1, INTEGRAL, 2, TRUE },
  [HIR_DTYPE_UINT16] = { "uint16_t", "UInt16", "uint16", "i", 2, INTEGRAL, 4, TRUE },
  [HIR_DTYPE_UINT32] = { "uint32_t", "UInt32", "uint32", "i", 4, INTEGRAL, 6, TRUE },
  [HIR_DTYPE_UINT64] = { "uint64_t", "UInt64", "uint64", "i", 8, INTEGRAL, 9, TRUE },
  [HIR_DTYPE_INDEX] = { "nvfuser_index_t", "Index", "index", "i", 8, INTEGRAL, 8, TRUE },
  [HIR_DTYPE_FLOAT8_E4M3FN] = { "__e4m3", "Float8_e4m3fn", "float8_e4m3fn", "f", 1, FLOATING, 3,
                                FALSE },
  [HIR_DTYPE_FLOAT8_E5M2] = { "__e5m2", "Float8_e5m2", "float8_e5m2", "f", 1, FLOATING, 4, FALSE },
  [HIR_DTYPE_FLOAT8_E8M0FNU] = { "__e8m0", "Float8_e8m0fnu", "float8_e8m0fnu", "f", 1, FLOATING, 2,
                                 FALSE },
  [HIR_DTYPE_FLOAT4_E2M1FN] = { "__e2m1", "Float4_e2m1fn", "float4_e2m1fn", "f", 1, FLOATING, 1,
                                FALSE },
  [HIR_DTYPE_COMPLEX_FLOAT] = { "std::complex<float>", "ComplexFloat", "complex64", "c", 8, COMPLEX,
                                1, FALSE },
  [HIR_DTYPE_COMPLEX_DOUBLE] = { "std::complex<double>", "ComplexDouble", "complex128", "c", 16,
                                 COMPLEX, 2, FALSE },
};

static const Info *
get_info (HirDType dtype)
{
  g_return_val_if_fail ((guint) dtype < HIR_N_DTYPES, &infos[HIR_DTYPE_NULL]);
  return &infos[dtype];
}

const char *
hir_dtype_get_name (HirDType dtype)
{
  return get_info (dtype)->name;
}

const char *
hir_dtype_get_script_name (HirDType dtype)
{
  return get_info (dtype)->script_name;
}

const char *
hir_dtype_get_short_name (HirDType dtype)
{
  return get_info (dtype)->short_name;
}

const char *
hir_dtype_get_prefix (HirDType dtype)
{
  return get_info (dtype)->prefix;
}

gsize
hir_dtype_get_size_bytes (HirDType dtype)
{
  return get_info (dtype)->size_bytes;
}

#define DEFINE_LOOKUP(field)                                                                       \
  gboolean hir_dtype_lookup_##field (const char *name, HirDType *dtype)                            \
  {                                                                                                \
    for (int i = 0; i < HIR_N_DTYPES; i++)                                                         \
      {                                                                                            \
        if (g_str_equal (infos[i].field, name))                                                    \
          {                                                                                        \
            *dtype = (HirDType) i;                                                                 \
            return TRUE;                                                                           \
          }                                                                                        \
      }                                                                                            \
    return FALSE;                                                                                  \
  }

DEFINE_LOOKUP (name)
DEFINE_LOOKUP (script_name)
DEFINE_LOOKUP (short_name)

gboolean
hir_dtype_is_floating_point (HirDType dtype)
{
  return get_info (dtype)->category == FLOATING;
}

gboolean
hir_dtype_is_integral (HirDType dtype)
{
  return get_info (dtype)->category == INTEGRAL;
}

gboolean
hir_dtype_is_complex (HirDType dtype)
{
  return get_info (dtype)->category == COMPLEX;
}

gboolean
hir_dtype_is_executable (HirDType dtype)
{
  return get_info (dtype)->is_executable;
}

/* Torch's rule: the higher category wins. Within one category, a tensor wins over a scalar;
 * otherwise the larger type wins. A scalar of a higher category than the tensor's results in that
 * category's default type. */
HirDType
hir_dtype_promote (HirDType a, gboolean a_is_scalar, HirDType b, gboolean b_is_scalar)
{
  const Info *info_a = get_info (a);
  const Info *info_b = get_info (b);

  if (info_a->category != info_b->category)
    {
      gboolean a_wins = info_a->category > info_b->category;
      HirDType winner = a_wins ? a : b;

      if (a_is_scalar != b_is_scalar && (a_wins ? a_is_scalar : b_is_scalar))
        {
          if (get_info (winner)->category == FLOATING)
            return HIR_DTYPE_FLOAT;
          if (get_info (winner)->category == INTEGRAL)
            return HIR_DTYPE_INT;
        }
      return winner;
    }

  if (a_is_scalar != b_is_scalar)
    return a_is_scalar ? b : a;
  /* Neither type contains the other: use the smallest type that contains both. */
  if ((a == HIR_DTYPE_HALF && b == HIR_DTYPE_BFLOAT16) ||
      (a == HIR_DTYPE_BFLOAT16 && b == HIR_DTYPE_HALF))
    return HIR_DTYPE_FLOAT;
  if ((a == HIR_DTYPE_CHAR && b == HIR_DTYPE_BYTE) || (a == HIR_DTYPE_BYTE && b == HIR_DTYPE_CHAR))
    return HIR_DTYPE_SHORT;
  return info_a->rank >= info_b->rank ? a : b;
}
